// The JSON tables of data/, embedded by embed_text.cmake.
#pragma once

#include <string_view>

namespace kumiko::gpu::internal {

extern const std::string_view kGpuModels;
extern const std::string_view kMigProfiles;
extern const std::string_view kNodeTypes;

}  // namespace kumiko::gpu::internal
