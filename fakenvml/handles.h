// Handles as the library gives them out: numbers in the form of pointers, in a range where no memory lies. An
// instance's handle carries its serial number, so that a handle kept beyond its instance is told from that of the next
// instance in the same place.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {

enum class HandleKind : std::uint8_t { kDevice = 1, kMigDevice, kGpuInstance, kComputeInstance, kEventSet };

struct HandleParts {
  HandleKind kind = HandleKind::kDevice;
  std::uint32_t index = 0;  // of the GPU in the state file, or of the event set
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
  std::uint32_t serial = 0;  // kSerialMask of its bits
  bool operator==(const HandleParts&) const = default;
};

inline constexpr std::uint32_t kSerialMask = 0xFFFFF;
inline constexpr std::uint64_t kHandleRange = std::uint64_t{0x2b} << 40;

// 0x2b | kind:4 | serial:20 | index:8 | gpu instance:4 | compute instance:4
template <class Handle>
Handle MakeHandle(const HandleParts& parts) {
  const std::uint64_t value = kHandleRange | std::uint64_t{static_cast<std::uint8_t>(parts.kind)} << 36 |
                              std::uint64_t{parts.serial & kSerialMask} << 16 | std::uint64_t{parts.index & 0xFF} << 8 |
                              std::uint64_t{parts.gpu_instance & 0xF} << 4 | (parts.compute_instance & 0xF);
  return reinterpret_cast<Handle>(value);
}

// Nothing when the handle is none of ours.
template <class Handle>
std::optional<HandleParts> ReadHandle(Handle handle) {
  const std::uint64_t value = reinterpret_cast<std::uint64_t>(handle);
  if (value >> 40 != kHandleRange >> 40) return std::nullopt;
  HandleParts parts;
  parts.kind = static_cast<HandleKind>(value >> 36 & 0xF);
  parts.serial = static_cast<std::uint32_t>(value >> 16 & kSerialMask);
  parts.index = static_cast<std::uint32_t>(value >> 8 & 0xFF);
  parts.gpu_instance = static_cast<std::uint32_t>(value >> 4 & 0xF);
  parts.compute_instance = static_cast<std::uint32_t>(value & 0xF);
  return parts;
}

}  // namespace kumiko::fakenvml
