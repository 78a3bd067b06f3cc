// Depth-first search for devices on one node: claims in order, requests in order, devices one after the other; the
// first solution wins (spec dra-allocator §2.5, §2.6). A pick order decides what "first" means; the search is complete
// with any order, so nothing that fits is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "allocator/allocate.h"
#include "allocator/in_flight.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// Sorts `candidates` (devices that can be picked now) so that the best comes first. `remaining` devices are wanted.
using PickOrder = std::function<void(const InFlight&, const AlternativePlan&, std::size_t remaining,
                                     std::vector<std::uint32_t>& candidates)>;

struct SearchResult {
  Outcome::Kind kind = Outcome::Kind::kDoesNotFit;
  std::vector<Pick> picks;  // kFits
  std::string error;
  std::int64_t steps = 0;
};

// Answers that are known before a search: by alternative serial, then device, whether selectors, tolerations and
// capacity admit it. None of them fails.
using KnownMatches = std::vector<std::uint8_t>;

// `order` null: positions in ascending order, which is the reference's answer; selectors are then evaluated only on
// devices that the search reaches, and the first run-time error is fatal. With an order a device whose selector fails
// does not match, and the error is fatal only when nothing fits.
SearchResult SearchNode(const Inventory& inventory, const State& state, const NodeView& view, const Plan& plan,
                        const Options& options, const PickOrder* order, const KnownMatches* known = nullptr);

}  // namespace kumiko::allocator
