// Why claims fit on some nodes and not on others, node by node. Nodes that a decision cannot tell apart are explained
// once, so that the time grows with the number of different situations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "allocator/explain.h"

namespace kumiko::allocator {

struct ExplainedNodes {
  std::vector<std::string> nodes;  // of one situation, in the order given
  bool fits = false;
  Explanation explanation;  // of the first of them alone; without rows when the claims fit
};

// Every node stands in exactly one entry. A search that is not over after 10,000 steps counts as one that does not fit.
std::vector<ExplainedNodes> ExplainEach(const Inventory& inventory, const State& state,
                                        std::span<const api::ResourceClaim* const> claims,
                                        std::span<const std::string> nodes, DeviceNames names = DeviceNames::kLeftOut);

}  // namespace kumiko::allocator
