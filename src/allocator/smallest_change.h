// The smallest change that would make claims fit: candidates from the set in change.h, singly and in pairs, each tried
// with the allocator on a copy of the node. Where two do not suffice, a few more, chosen one after the other by the
// requests that they let fit: maybe not the fewest, but none of them can be left out. Nothing is proposed that was not
// seen to help, and at least one request stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allocator/change.h"
#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

struct ChangeLimits {
  // Worlds tried for singles and pairs, over all nodes; as many again for each step where more are needed, on one node.
  // One takes about 20 µs on a node of a dozen devices, 400 µs on one of 150: half a second at worst.
  int max_trials = 1'000;
  // 1: singles only; 2: pairs too.
  std::size_t most_changes = 6;
  // Steps of one such decision; one that takes longer does not fit.
  std::int64_t max_steps = 2'000;
};

struct Proposal {
  std::string node;             // on which the claims then fit
  std::vector<Change> changes;  // all of them, in this order; empty: nothing that was tried helps
  int trials = 0;
};

// For claims that fit on none of `nodes`; to be called with the few that come nearest (Explanation::nearest_nodes).
// Candidates are tried in the order of Effort, so the first that helps is the smallest; of nodes that need the same,
// the first. Published devices elsewhere serve as patterns for devices to add where `nodes` have none.
Proposal SmallestChange(const Inventory& inventory, const State& state,
                        std::span<const api::ResourceClaim* const> claims, std::span<const std::string> nodes,
                        const ChangeLimits& limits = {});

}  // namespace kumiko::allocator
