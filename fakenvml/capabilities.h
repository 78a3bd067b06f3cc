// Minor numbers of the capability nodes below /dev/nvidia-caps, as a driver counts them: config, monitor, then for each
// GPU each GPU instance followed by its compute instances (/proc/driver/nvidia-caps/mig-minors).
#pragma once

#include <cstdint>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

inline constexpr unsigned kMigConfigMinor = 1;
inline constexpr unsigned kMigMonitorMinor = 2;

constexpr unsigned GpuInstanceCapability(unsigned gpu_minor, std::uint32_t gpu_instance) {
  return 3 + (gpu_minor * kMaxInstances + gpu_instance) * (1 + kMaxComputeInstances);
}
constexpr unsigned ComputeInstanceCapability(unsigned gpu_minor, std::uint32_t gpu_instance,
                                             std::uint32_t compute_instance) {
  return GpuInstanceCapability(gpu_minor, gpu_instance) + 1 + compute_instance;
}

}  // namespace kumiko::fakenvml
