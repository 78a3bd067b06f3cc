// resource.k8s.io/v1: claims, templates, classes, slices, taint rules. v1beta1 and v1beta2 are converted at the border
// (api/resource/conversion.h), so that the rest of kumiko sees this form only. Source: spec dra-allocator §1, KEP-4381.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/core/types.h"
#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/quantity.h"

namespace kumiko::api {

struct CelDeviceSelector {
  std::string expression;
};
struct DeviceSelector {
  std::optional<CelDeviceSelector> cel;
};

struct DeviceToleration {
  std::string key;
  std::string operator_;  // Equal (default), Exists
  std::string value;
  std::string effect;  // NoSchedule, NoExecute, None; empty: every effect
  std::optional<std::int64_t> toleration_seconds;
};

// An attribute that the request computes for each device; constraints of the claim name it.
struct DeviceDerivedAttribute {
  std::string name;  // with its domain
  std::string expression;
};

struct CapacityRequirements {
  std::map<std::string, Quantity> requests;
};

inline constexpr const char* kExactCount = "ExactCount";
inline constexpr const char* kAll = "All";

// ExactDeviceRequest and DeviceSubRequest: the latter has a name and no adminAccess.
struct DeviceSubRequest {
  std::string name;  // empty in `exactly`
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  // ExactCount (default), All
  std::int64_t count = 0;       // defaulted to 1 for ExactCount
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::optional<CapacityRequirements> capacity;
  std::vector<DeviceDerivedAttribute> derived_attributes;
};

struct DeviceRequest {
  std::string name;
  std::optional<DeviceSubRequest> exactly;  // exactly one of the two
  std::vector<DeviceSubRequest> first_available;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // empty: all requests
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;
};

struct OpaqueDeviceConfiguration {
  std::string driver;
  Json parameters;
};

struct DeviceClaimConfiguration {
  std::vector<std::string> requests;
  std::optional<OpaqueDeviceConfiguration> opaque;
};

struct DeviceClaim {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceClaimConfiguration> config;
};

struct ResourceClaimSpec {
  DeviceClaim devices;
};

// Calls of the driver that a slice's devices do without: NodePrepareResources, NodeUnprepareResources, "*" for both.
using SkipNodeOperations = std::vector<std::string>;

struct DeviceRequestAllocationResult {
  std::string request;  // "req" or "req/sub"
  std::string driver;
  std::string pool;
  std::string device;
  std::optional<bool> admin_access;
  std::vector<DeviceToleration> tolerations;
  std::vector<std::string> binding_conditions;  // copies from the device, as the next one
  std::vector<std::string> binding_failure_conditions;
  std::optional<std::string> share_id;
  std::map<std::string, Quantity> consumed_capacity;
  SkipNodeOperations skip_node_operations;
};

struct DeviceAllocationConfiguration {
  std::string source;  // FromClass, FromClaim
  std::vector<std::string> requests;
  std::optional<OpaqueDeviceConfiguration> opaque;
};

struct DeviceAllocationResult {
  std::vector<DeviceRequestAllocationResult> results;
  std::vector<DeviceAllocationConfiguration> config;
};

struct AllocationResult {
  DeviceAllocationResult devices;
  std::optional<NodeSelector> node_selector;
  std::optional<Time> allocation_timestamp;
};

struct ResourceClaimConsumerReference {
  std::string api_group;
  std::string resource;  // pods
  std::string name;
  std::string uid;
};

struct NetworkDeviceData {
  std::string interface_name;
  std::vector<std::string> ips;  // 10.0.0.1/24
  std::string hardware_address;
};

// What the driver says about an allocated device; (driver, pool, device, share_id) names it.
struct AllocatedDeviceStatus {
  std::string driver;
  std::string pool;
  std::string device;
  std::optional<std::string> share_id;
  std::vector<Condition> conditions;
  std::optional<Json> data;
  std::optional<NetworkDeviceData> network_data;
};

struct ResourceClaimStatus {
  std::optional<AllocationResult> allocation;
  std::vector<ResourceClaimConsumerReference> reserved_for;  // at most kMaxReservedFor
  std::vector<AllocatedDeviceStatus> devices;
};

inline constexpr std::size_t kMaxReservedFor = 256;
inline constexpr std::size_t kMaxAllocationResults = 32;
inline constexpr const char* kClaimFinalizer = "resource.kubernetes.io/delete-protection";
inline constexpr const char* kPodClaimNameAnnotation = "resource.kubernetes.io/pod-claim-name";

struct ResourceClaim {
  static constexpr const char* kApiVersion = "resource.k8s.io/v1";
  static constexpr const char* kKind = "ResourceClaim";
  ObjectMeta metadata;
  ResourceClaimSpec spec;
  ResourceClaimStatus status;
};

struct ResourceClaimTemplateSpec {
  ObjectMeta metadata;  // labels and annotations only
  ResourceClaimSpec spec;
};

struct ResourceClaimTemplate {
  static constexpr const char* kApiVersion = "resource.k8s.io/v1";
  static constexpr const char* kKind = "ResourceClaimTemplate";
  ObjectMeta metadata;
  ResourceClaimTemplateSpec spec;
};

struct DeviceClassConfiguration {
  std::optional<OpaqueDeviceConfiguration> opaque;
};

struct DeviceClassSpec {
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceClassConfiguration> config;
  std::optional<std::string> extended_resource_name;
};

struct DeviceClass {
  static constexpr const char* kApiVersion = "resource.k8s.io/v1";
  static constexpr const char* kKind = "DeviceClass";
  ObjectMeta metadata;
  DeviceClassSpec spec;
};

// Exactly one member is set. Names without a domain belong to the driver's domain. An empty list is still a list.
struct DeviceAttribute {
  std::optional<std::int64_t> int_value;
  std::optional<bool> bool_value;
  std::optional<std::string> string_value;
  std::optional<std::string> version_value;
  std::optional<std::vector<std::int64_t>> int_values;
  std::optional<std::vector<bool>> bool_values;
  std::optional<std::vector<std::string>> string_values;
  std::optional<std::vector<std::string>> version_values;
};

struct CapacityRequestPolicyRange {
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;
};
struct CapacityRequestPolicy {
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  std::optional<CapacityRequestPolicyRange> valid_range;
};
struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityRequestPolicy> request_policy;
};

struct Counter {
  Quantity value;
};
struct CounterSet {
  std::string name;
  std::map<std::string, Counter> counters;
};
struct DeviceCounterConsumption {
  std::string counter_set;
  std::map<std::string, Counter> counters;
  std::vector<std::string> compatibility_groups;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;  // None, NoSchedule, NoExecute
  std::optional<Time> time_added;
};

// What a device takes of a node's ordinary resources: cpu, memory, ephemeral-storage, hugepages-*.
struct NodeAllocatableMapping {
  std::optional<std::string> capacity_key;  // multiplied by the next, absent: 1; or instead of both the third
  std::optional<Quantity> capacity_multiplier;
  std::optional<Quantity> device_multiplier;
};
struct NodeAllocatableOverhead {
  std::optional<Quantity> per_pod;
  std::optional<Quantity> per_container;
};
struct NodeAllocatableResource {
  std::optional<NodeAllocatableMapping> mapping;
  std::optional<NodeAllocatableOverhead> overhead;
};

struct Device {
  std::string name;
  std::map<std::string, DeviceAttribute> attributes;
  std::map<std::string, DeviceCapacity> capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::optional<std::string> node_name;
  std::optional<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::vector<DeviceTaint> taints;
  std::optional<bool> binds_to_node;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<bool> allow_multiple_allocations;
  std::map<std::string, NodeAllocatableResource> node_allocatable_resources;
};

struct ResourcePool {
  std::string name;
  std::int64_t generation = 0;
  std::int64_t resource_slice_count = 0;
};

struct ResourceSliceSpec {
  std::string driver;
  ResourcePool pool;
  std::optional<std::string> node_name;
  std::optional<NodeSelector> node_selector;
  std::optional<bool> all_nodes;
  std::optional<bool> per_device_node_selection;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  std::optional<std::string> partition_type_attribute;  // string attribute of every device that consumes counters
  SkipNodeOperations skip_node_operations;
};

struct ResourceSlice {
  static constexpr const char* kApiVersion = "resource.k8s.io/v1";
  static constexpr const char* kKind = "ResourceSlice";
  ObjectMeta metadata;
  ResourceSliceSpec spec;
};

struct DeviceTaintSelector {
  std::optional<std::string> driver;
  std::optional<std::string> pool;
  std::optional<std::string> device;
};
struct DeviceTaintRuleSpec {
  std::optional<DeviceTaintSelector> device_selector;
  DeviceTaint taint;
};
struct DeviceTaintRuleStatus {
  std::vector<Condition> conditions;
};
struct DeviceTaintRule {
  static constexpr const char* kApiVersion = "resource.k8s.io/v1";
  static constexpr const char* kKind = "DeviceTaintRule";
  ObjectMeta metadata;
  DeviceTaintRuleSpec spec;
  DeviceTaintRuleStatus status;
};

// NoSchedule and NoExecute taints need a toleration whose effect, key and value match (spec dra-allocator §2.9).
bool Tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);

}  // namespace kumiko::api
