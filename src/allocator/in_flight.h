// The state of one node during a search: what allocations hold, plus what the search has picked so far. Every pick can
// be taken back exactly, in reverse order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allocator/capacity.h"
#include "allocator/node_layout.h"
#include "allocator/request_plan.h"
#include "allocator/state.h"

namespace kumiko::allocator {

// One device given to one request.
struct Pick {
  std::uint32_t claim = 0;
  std::uint32_t request = 0;
  const AlternativePlan* alternative = nullptr;
  std::uint32_t device = 0;       // index into NodeLayout::devices
  bool shared = false;            // one share of a device that allows several
  bool charged = false;           // took the device's counters
  std::vector<Quantity> amounts;  // of every capacity of the device, when shared
};

class InFlight {
 public:
  InFlight(const NodeView& view, const State& state);

  const NodeView& view() const { return *view_; }
  const NodeLayout& layout() const { return *layout_; }
  const std::vector<Pick>& picks() const { return picks_; }

  // Whether devices that allow it may be given to several; without the feature all are exclusive.
  bool Shareable(std::uint32_t device) const {
    return consumable_ && layout_->devices[device].allow_multiple_allocations;
  }
  // Held as a whole by an allocation, or picked by an ordinary request. A device whose shares are held but that may not
  // be shared any more is in use too (the reference gives it out again: defect D2).
  bool InUse(std::uint32_t device) const { return devices_[device].held || devices_[device].picked != 0; }
  // Held by an allocation before the search began.
  bool Held(std::uint32_t device) const { return devices_[device].held; }
  bool PickedBy(std::uint32_t claim, std::uint32_t device) const;
  // Whether a further share would charge no counters.
  bool HasShares(std::uint32_t device) const {
    const auto& use = devices_[device];
    return (use.holding && use.holding->shared()) || use.shares > 0;
  }
  const Holding* HoldingOf(std::uint32_t device) const { return devices_[device].holding; }

  // Whether every counter that the device consumes has enough left. A counter below zero blocks its whole pool.
  bool CountersSuffice(std::uint32_t device) const;
  Amount Remaining(std::uint32_t counter) const { return remaining_[counter]; }
  bool PoolBlocked(std::uint32_t pool) const { return negative_[pool] > 0; }
  // Whether the device's compatibility groups go with those of everything else that draws from its counter sets.
  bool GroupsAdmit(std::uint32_t device) const;
  // Whether `amounts` fit on top of what shares of the device consume.
  bool CapacitySuffices(std::uint32_t device, const std::vector<Quantity>& amounts) const;

  void Push(Pick pick);
  void Pop();

 private:
  struct Use {
    const Holding* holding = nullptr;
    std::int32_t picked = 0;  // ordinary picks
    std::int32_t shares = 0;  // picked shares
    bool held = false;
  };

  void Charge(std::uint32_t device, int sign);

  const NodeView* view_;
  const NodeLayout* layout_;
  const NameTable* names_;
  bool consumable_;
  std::vector<Amount> remaining_;       // by counter
  std::vector<std::int32_t> negative_;  // by pool: counters below zero
  std::vector<Use> devices_;            // by device
  std::vector<Pick> picks_;
};

}  // namespace kumiko::allocator
