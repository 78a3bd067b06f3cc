// The annotations that tell the local cluster what a simulated pod does (DESIGN §5). Validation of pods and pod
// templates refuses values that cannot be read, so that no controller makes pods that fail over and over.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace kumiko::api {

inline constexpr const char* kRunForAnnotation = "kumiko.dev/run-for";
inline constexpr const char* kExitCodeAnnotation = "kumiko.dev/exit-code";
inline constexpr const char* kGpuMemoryUsedAnnotation = "kumiko.dev/gpu-memory-used";
inline constexpr const char* kGpuUtilAnnotation = "kumiko.dev/gpu-util";

// Whole seconds ("90") or Go's duration text ("90s", "1h30m"), from 0 to ten years. Fails with kInvalidArgument.
Result<Duration> ParseRunTime(std::string_view text);

}  // namespace kumiko::api
