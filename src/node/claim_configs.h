// What a claim's opaque configuration asks of its devices: decoded strictly, with the precedence of class and claim.
// Pure. Source: spec node-driver §2; kinds GpuConfig, MigDeviceConfig and VfioDeviceConfig of
// resource.nvidia.com/v1beta1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/resource/types.h"
#include "base/quantity.h"
#include "base/result.h"

namespace kumiko::node {

enum class DeviceKind { kGpu, kMig, kVfio };
// By the form of its name (§1.3).
DeviceKind KindOfDevice(std::string_view device_name);

// In the order of the numbers that nvidia-smi takes.
enum class TimeSliceInterval { kDefault, kShort, kMedium, kLong };

struct MpsSettings {
  std::optional<std::int64_t> default_active_thread_percentage;  // 0..100
  std::optional<Quantity> default_pinned_device_memory_limit;
  std::map<std::string, Quantity> default_per_device_pinned_memory_limit;  // by UUID, or index among sorted UUIDs
  bool multi_user = false;
};

// Normalised: a strategy without settings of its own has the default ones.
struct GpuConfig {
  std::variant<std::monostate, TimeSliceInterval, MpsSettings> sharing;
};
struct MigDeviceConfig {
  std::optional<MpsSettings> mps;  // time-slicing needs nothing on a MIG device
};
struct VfioDeviceConfig {
  bool prefer_iommu_fd = false;
  bool enable_api_device = false;
};
using DeviceConfig = std::variant<GpuConfig, MigDeviceConfig, VfioDeviceConfig>;

// The kinds of sharing that this driver was started with; asking for another one is refused, naming its gate.
struct SharingGates {
  bool time_slicing_settings = false;
  bool mps_support = false;
};

// The object of one `opaque.parameters`. Errors: kInvalidArgument naming the field; "strict decoding error: unknown
// field ..." for members that the kind does not have.
Result<DeviceConfig> DecodeDeviceConfig(const Json& parameters, const SharingGates& gates);

// Devices of one claim under one configuration; what needs a daemon has one for each group.
struct ConfigGroup {
  DeviceConfig config;
  std::vector<std::size_t> results;  // indices into DeviceAllocationResult::results
};

// Which configuration holds for each result of `driver`: of the entries of the claim, then of the class, then the
// defaults, the last one that names the result's request (or the parent of its subrequest), or that names none and fits
// the device. Groups are in the order of their first results. Errors: kInvalidArgument, naming the entry.
Result<std::vector<ConfigGroup>> GroupByConfig(const api::DeviceAllocationResult& allocation, std::string_view driver,
                                               const SharingGates& gates);

// The limits that an MPS daemon is told, "<n>M" by UUID; `uuids` are those of the group, in any order. Errors:
// kInvalidArgument for a limit below 1 MiB and for a key that is no device of the group.
Result<std::map<std::string, std::string>> PinnedMemoryLimits(const MpsSettings& settings,
                                                              std::vector<std::string> uuids);

}  // namespace kumiko::node
