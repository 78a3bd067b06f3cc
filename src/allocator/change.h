// What would have to be different for claims to fit, as typed edits of API objects: of the claims, of what is in use,
// of classes, features and published devices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "allocator/device_id.h"
#include "base/quantity.h"

namespace kumiko::allocator {

// A request, or one alternative of it.
struct RequestName {
  std::string claim;    // ns/name
  std::string request;  // req or req/sub
  bool operator==(const RequestName&) const = default;
};

// Ask for `count` devices, by ExactCount.
struct LowerCount {
  RequestName of;
  std::int64_t count = 0;
  std::optional<std::int64_t> instead_of;  // nullopt: of all
};
// Ask for `amount` of a capacity, or say nothing about it.
struct LowerCapacity {
  RequestName of;
  std::string capacity;
  std::optional<Quantity> amount;
  Quantity instead_of;
};
// Add a toleration of every effect; an empty key tolerates every taint.
struct Tolerate {
  RequestName of;
  std::string key;
};
// Write `expression` in place of a selector of the request, less by `condition`.
struct RelaxSelector {
  RequestName of;
  std::size_t selector = 0;
  std::string expression;
  std::string condition;
};
struct DropConstraint {
  std::string claim;
  std::size_t constraint = 0;
  std::string attribute;
};
// Leave the whole request out, with all alternatives.
struct DropRequest {
  RequestName of;
};
// End whatever holds these devices, or shares of them.
struct ReleaseDevices {
  std::vector<DeviceId> devices;
};
struct RelaxClass {
  std::string device_class;
  std::size_t selector = 0;
  std::string expression;
  std::string condition;
};
struct EnableFeature {
  std::string feature;  // as kFeatureTable names it
};
// DRAOptionalNodeOperations among the features that the node declares.
struct DeclareNodeOperations {
  std::string node;
};
// Publish the rest of a pool, here: announce only the slices that are there.
struct CompletePool {
  std::string driver;
  std::string pool;
  std::int64_t generation = 0;
  std::int64_t slices = 0;
  std::int64_t announced = 0;
};
// Publish further devices for a node, in a pool of their own: with the attributes and capacity of `like`, and without
// its taints, counters and binding conditions.
struct AddDevices {
  std::string node;
  DeviceId like;
  std::int64_t count = 0;
};

using Change = std::variant<LowerCount, LowerCapacity, Tolerate, RelaxSelector, DropConstraint, DropRequest,
                            ReleaseDevices, RelaxClass, EnableFeature, DeclareNodeOperations, CompletePool, AddDevices>;

// How much it asks of people; lower is smaller. Edits of one's own claim come first, then waiting, then what
// administrators and drivers can do, then asking for less than a pod needs, then hardware.
int Effort(const Change& change);

// "ask for 2 devices instead of 4 (claim ml/train, request gpu)". Lower case, no full stop.
std::string Text(const Change& change);
// All of them, joined: "tolerate …, and wait until … is free".
std::string Text(std::span<const Change> changes);

}  // namespace kumiko::allocator
