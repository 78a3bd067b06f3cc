// The identity of a device across the cluster, as allocation results name it.
#pragma once

#include <compare>
#include <string>

namespace kumiko::allocator {

struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;
  auto operator<=>(const DeviceId&) const = default;
};

// "gpu.nvidia.com/node-1/gpu-0": how messages name a device.
std::string ToString(const DeviceId& id);

}  // namespace kumiko::allocator
