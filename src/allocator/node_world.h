// One node as API objects, made from what an inventory and a state know of it: a small world of its own, to try changes
// in without touching either.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allocator/allocate.h"
#include "allocator/change.h"
#include "allocator/device_id.h"
#include "allocator/features.h"
#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "cel/expression_cache.h"

namespace kumiko::allocator {

// A device in use, as State counts it.
struct HeldDevice {
  DeviceId device;
  std::int32_t exclusive = 0;
  std::int32_t shares = 0;
  std::int32_t capacities = 0;
  CapacityAmounts consumed;
};

// Everything that a decision about one node depends on.
struct NodeWorld {
  Features features;
  std::vector<api::DeviceClass> classes;   // those that the claims name
  std::vector<api::ResourceSlice> slices;  // of every pool that reaches the node; for this node or for another
  std::vector<api::DeviceTaintRule> taint_rules;
  api::Node node;
  std::vector<api::ResourceClaim> claims;
  std::vector<HeldDevice> held;
};

// Node selectors are resolved.
NodeWorld CopyNode(const Inventory& inventory, const State& state, const std::string& node,
                   std::span<const api::ResourceClaim* const> claims);

// Adds devices as patterns for AddDevices: published in their pools, for another node. Those of pools that the node
// knows are left out, since they might change what it sees.
void AddPatterns(const Inventory& inventory, std::span<const DeviceRef> devices, NodeWorld& world);

// What the change names must be in the world.
void Apply(const Change& change, NodeWorld& world);

std::unique_ptr<Inventory> MakeInventory(const NodeWorld& world, std::shared_ptr<cel::ExpressionCache> expressions);
// First-fit for the claims beside what is held; `inventory` is one of this world's slices, classes and features.
Outcome Decide(const Inventory& inventory, const NodeWorld& world, std::int64_t max_steps);

}  // namespace kumiko::allocator
