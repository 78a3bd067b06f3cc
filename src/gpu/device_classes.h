// The device classes that kumiko installs (spec node-driver §1.2) and gpu-or-part.kumiko.dev, which accepts a whole GPU
// or a partition.
#pragma once

#include <vector>

#include "api/resource/types.h"

namespace kumiko::gpu {

inline constexpr const char* kGpuClass = "gpu.nvidia.com";
inline constexpr const char* kMigClass = "mig.nvidia.com";
inline constexpr const char* kGpuOrPartClass = "gpu-or-part.kumiko.dev";

std::vector<api::DeviceClass> DeviceClasses();

}  // namespace kumiko::gpu
