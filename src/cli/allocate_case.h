// One case of `kumiko allocate`, read from JSON: everything that a decision about some claims depends on.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "allocator/features.h"
#include "api/codec.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/json.h"

namespace kumiko::cli {

struct CapacityInUse {
  allocator::DeviceId device;
  std::map<std::string, Quantity> consumed;
};

struct AllocateCase {
  std::string name;
  allocator::Features features;
  std::vector<api::DeviceClass> classes;
  std::vector<std::shared_ptr<const api::ResourceSlice>> slices;
  std::vector<api::ResourceClaim> claims;
  std::vector<api::DeviceTaintRule> taint_rules;
  std::vector<api::Node> nodes;
  std::vector<api::AllocationResult> allocations;  // what is in use
  std::vector<CapacityInUse> capacity_in_use;      // beside what the allocations consume
};

struct CaseReading {
  allocator::Features features;  // those that the case does not switch on or off
  bool validate = false;         // refuse what the API server would refuse; objects are taken as they stand
};

// {name, features, classes, slices, claims, allocated, taintRules, node | nodes, channel}. Objects are of
// resource.k8s.io/v1 and get no defaults; their apiVersion and kind may be left out. `allocated` is {devices, shared,
// capacity, claims}: devices held whole, shares of devices, capacity in use as {driver, pool, device, consumed}, and
// claims with an allocation; all of it counts. `channel` says which of its versions the reference runs, and is skipped.
tl::expected<AllocateCase, api::FieldError> ReadAllocateCase(const Json& json, const CaseReading& reading);

}  // namespace kumiko::cli
