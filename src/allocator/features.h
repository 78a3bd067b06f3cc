// What an allocator may do: the switches of the reference (structured.Features of k8s.io/dynamic-resource-allocation
// 1.37), each fed by one or two feature gates of Kubernetes. A gate that is off makes the allocator refuse or skip what
// needs it, as spec dra-allocator §2.2-2.10 says; which gate is on in which release is §8.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace kumiko::allocator {

struct Features {
  bool admin_access = false;               // DRAAdminAccess: requests beside all other users
  bool compatibility_groups = false;       // DRADeviceCompatibilityGroups: groups of devices on one counter set
  bool consumable_capacity = false;        // DRAConsumableCapacity: shares, amounts of capacity, distinctAttribute
  bool derived_attributes = false;         // DRADerivedAttributes: attributes that a request computes
  bool device_binding_and_status = false;  // DRADeviceBindingConditions together with DRAResourceClaimDeviceStatus
  bool device_taints = false;              // DRADeviceTaints: taints in slices and by rules
  bool fractional_capacity_range = false;  // DRAFractionalCapacityRange: ranges in thousandths of a unit
  bool list_type_attributes = false;       // DRAListTypeAttributes: attributes with several values
  bool optional_node_operations = false;   // DRAOptionalNodeOperations: slices that skip node operations
  bool partitionable_devices = false;      // DRAPartitionableDevices: shared counters, node selection per device
  bool prioritized_list = false;           // DRAPrioritizedList: requests with alternatives
  bool operator==(const Features&) const = default;
};

struct FeatureRow {
  std::string_view name;  // as the reference writes it
  bool Features::* on;
  int default_since;  // minor release of Kubernetes 1 that turns it on by default; kNotYet: none up to 1.37
};

inline constexpr int kNotYet = 1'000;
inline constexpr int kOldestRelease = 34;  // the first with resource.k8s.io/v1
inline constexpr int kNewestRelease = 37;

inline constexpr std::array<FeatureRow, 11> kFeatureTable = {{
    {"AdminAccess", &Features::admin_access, 34},
    {"CompatibilityGroups", &Features::compatibility_groups, kNotYet},
    {"ConsumableCapacity", &Features::consumable_capacity, 36},
    {"DerivedAttributes", &Features::derived_attributes, kNotYet},
    {"DeviceBindingAndStatus", &Features::device_binding_and_status, 36},
    {"DeviceTaints", &Features::device_taints, 36},
    {"FractionalCapacityRange", &Features::fractional_capacity_range, 37},
    {"ListTypeAttributes", &Features::list_type_attributes, kNotYet},
    {"OptionalNodeOperations", &Features::optional_node_operations, kNotYet},
    {"PartitionableDevices", &Features::partitionable_devices, 36},
    {"PrioritizedList", &Features::prioritized_list, 34},
}};

// What Kubernetes 1.`minor` has on by default.
constexpr Features DefaultFeatures(int minor) {
  Features features;
  for (const FeatureRow& row : kFeatureTable) features.*row.on = minor >= row.default_since;
  return features;
}

// The same for a release as people write it, "1.37"; none for one that is not known.
constexpr std::optional<Features> FeaturesOf(std::string_view release) {
  for (int minor = kOldestRelease; minor <= kNewestRelease; ++minor) {
    const char digits[] = {'1', '.', static_cast<char>('0' + minor / 10), static_cast<char>('0' + minor % 10)};
    if (release == std::string_view(digits, sizeof digits)) return DefaultFeatures(minor);
  }
  return std::nullopt;
}

}  // namespace kumiko::allocator
