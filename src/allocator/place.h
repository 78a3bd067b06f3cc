// Choosing the node, and the devices on it, for the claims of one pod.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "allocator/allocate.h"

namespace kumiko::allocator {

struct Placement {
  Outcome::Kind kind = Outcome::Kind::kDoesNotFit;
  std::string node;
  std::vector<api::AllocationResult> results;
  std::string error;         // kFatal, or kNodeError when every candidate failed and one of them so
  std::int64_t steps = 0;    // over all nodes
  std::int64_t decided = 0;  // node classes searched; nodes of one class are decided once
};

// First-fit takes the first candidate that fits, in the order given. Packed takes the one that loses least (smallest
// device, least worth of the free space, fewest free devices on the node), then the first name. A run-time error of a
// selector on one node does not keep the claims from another one that fits.
Placement Place(const Inventory& inventory, State& state, std::span<const api::ResourceClaim* const> claims,
                std::span<const std::string> candidate_nodes, const Options& options);

// On any node of the inventory. Packed, it follows inventory and state with an index of all boards, so that the time of
// a decision hardly grows with the number of nodes, and carries its prices from one decision to the next; nodes whose
// devices are shared, or with other nodes, and claims for all devices or with admin access are searched one by one.
Placement Place(const Inventory& inventory, State& state, std::span<const api::ResourceClaim* const> claims,
                const Options& options);

}  // namespace kumiko::allocator
