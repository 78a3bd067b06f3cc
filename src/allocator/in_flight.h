// The state of one node during a search: what allocations hold, plus what the search has picked so far. Every pick can
// be taken back exactly, in reverse order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "allocator/capacity.h"
#include "allocator/node_view.h"
#include "allocator/request_plan.h"
#include "allocator/state.h"

namespace kumiko::allocator {

// One device given to one request.
struct Pick {
  std::uint32_t claim = 0;
  std::uint32_t request = 0;
  const AlternativePlan* alternative = nullptr;
  std::uint32_t device = 0;  // index into NodeView::devices
  bool shared = false;       // one share of a device that allows several
  CapacityAmounts consumed;  // only when shared
};

class InFlight {
 public:
  InFlight(const NodeView& view, const State& state);

  const NodeView& view() const { return *view_; }
  const std::vector<Pick>& picks() const { return picks_; }

  // Held by an allocation or picked by an ordinary request; never so for a device that is only shared.
  bool InUse(std::uint32_t device) const { return held_[device] != 0 || picked_[device] != 0; }
  // Held by an allocation before the search began.
  bool Held(std::uint32_t device) const { return held_[device] != 0; }
  bool PickedBy(std::uint32_t claim, std::uint32_t device) const;
  bool HasShares(std::uint32_t device) const { return shares_[device] > 0; }

  // Whether every counter that the device consumes has enough left. A counter below zero blocks its whole pool.
  bool CountersSuffice(std::uint32_t device) const;
  Amount Remaining(std::uint32_t pool, std::uint32_t counter) const { return remaining_[offset_[pool] + counter]; }
  bool PoolBlocked(std::uint32_t pool) const { return negative_[pool] > 0; }
  // What shares of the device consume; null: nothing.
  const CapacityAmounts* Consumed(std::uint32_t device) const;

  void Push(Pick pick);
  void Pop();

 private:
  void Charge(std::uint32_t device, int sign);

  const NodeView* view_;
  std::vector<std::size_t> offset_;  // by pool: its first counter in remaining_
  std::vector<Amount> remaining_;
  std::vector<std::int32_t> negative_;  // by pool: counters below zero
  std::vector<std::uint8_t> held_;      // by device
  std::vector<std::uint8_t> picked_;    // by device
  std::vector<std::int32_t> shares_;    // by device, allocated and picked
  std::map<std::uint32_t, CapacityAmounts> consumed_;
  std::vector<Pick> picks_;
};

}  // namespace kumiko::allocator
