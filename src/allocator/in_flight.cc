#include "allocator/in_flight.h"

#include <algorithm>
#include <utility>

#include "allocator/inventory.h"
#include "allocator/mutant.h"

namespace kumiko::allocator {
namespace {

// What the devices that draw from one counter set have in common (spec dra-allocator §2.6 step 4).
class GroupIntersection {
 public:
  bool Admits(const std::vector<NameId>& groups) const {
    if (!any_) return true;
    if (groups.empty()) return all_empty_;
    if (all_empty_) return false;
    return std::any_of(groups.begin(), groups.end(),
                       [this](NameId g) { return std::find(common_.begin(), common_.end(), g) != common_.end(); });
  }

  void Add(const std::vector<NameId>& groups) {
    if (!any_) {
      any_ = true;
      all_empty_ = groups.empty();
      common_ = groups;
      return;
    }
    if (all_empty_ || groups.empty()) return;
    std::erase_if(common_, [&](NameId g) { return std::find(groups.begin(), groups.end(), g) == groups.end(); });
  }

 private:
  bool any_ = false;
  bool all_empty_ = false;
  std::vector<NameId> common_;
};

}  // namespace

InFlight::InFlight(const NodeView& view, const State& state)
    : view_(&view),
      layout_(view.layout.get()),
      names_(&state.inventory().names()),
      consumable_(state.inventory().features().consumable_capacity),
      remaining_(layout_->counters.size()),
      negative_(layout_->pools.size(), 0),
      devices_(layout_->devices.size()) {
  for (std::size_t c = 0; c < remaining_.size(); ++c) remaining_[c] = layout_->counters[c].declared;
  for (std::uint32_t pool = 0; pool < view.pools.size(); ++pool) {
    std::uint32_t next = 0;  // allocations often stand in the order of devices
    for (const auto& holding : state.HoldingsOf(view.pools[pool])) {
      const bool guessed = next < layout_->devices.size() && layout_->devices[next].name == holding.device &&
                           layout_->devices[next].pool == pool;
      const auto device = guessed ? std::optional(next) : layout_->FindDevice(pool, holding.device);
      if (!device) continue;
      next = *device + 1;
      devices_[*device].holding = &holding;
      devices_[*device].held = holding.exclusive > 0 || (holding.shared() && !Shareable(*device));
      if (!Mutant(9) || *device < layout_->candidates) Charge(*device, 1);
    }
  }
  for (const auto twin : layout_->twins) {
    const auto& device = layout_->devices[twin];
    if (state.Find(view.pools[device.pool], device.name)) Charge(twin, 1);
  }
}

void InFlight::Charge(std::uint32_t device, int sign) {
  const auto pool = layout_->devices[device].pool;
  for (const auto& consumption : layout_->ConsumptionOf(device)) {
    auto& remaining = remaining_[consumption.counter];
    const bool was_negative = remaining < 0;
    remaining -= sign * consumption.amount;
    if (was_negative != (remaining < 0)) negative_[pool] += remaining < 0 ? 1 : -1;
  }
}

bool InFlight::PickedBy(std::uint32_t claim, std::uint32_t device) const {
  return std::any_of(picks_.begin(), picks_.end(),
                     [&](const Pick& pick) { return pick.claim == claim && pick.device == device; });
}

bool InFlight::CountersSuffice(std::uint32_t device) const {
  const auto& entry = layout_->devices[device];
  if (!entry.draws) return true;
  if (negative_[entry.pool] > 0 && !Mutant(8)) return false;
  for (const auto& consumption : layout_->ConsumptionOf(device)) {
    if (consumption.amount > remaining_[consumption.counter]) return false;
  }
  return true;
}

bool InFlight::GroupsAdmit(std::uint32_t device) const {
  const auto ref = view_->Device(device);
  const auto& shape = ref.shape();
  const auto range = ref.device().draws;
  for (auto g = range.begin; g < range.end; ++g) {
    const auto& wanted = shape.draws[g];
    GroupIntersection common;
    const auto add = [&](std::uint32_t other) {
      const auto other_ref = view_->Device(other);
      const auto other_range = other_ref.device().draws;
      for (auto i = other_range.begin; i < other_range.end; ++i) {
        const auto& draw = other_ref.shape().draws[i];
        if (draw.set == wanted.set) common.Add(draw.groups);
      }
    };
    const auto pool = layout_->devices[device].pool;
    for (std::uint32_t d = 0; d < layout_->devices.size(); ++d) {
      if (layout_->devices[d].pool == pool && devices_[d].holding && !Mutant(12)) add(d);
    }
    for (const auto& pick : picks_) {
      if (pick.charged && layout_->devices[pick.device].pool == pool) add(pick.device);
    }
    if (!common.Admits(wanted.groups)) return false;
  }
  return true;
}

bool InFlight::CapacitySuffices(std::uint32_t device, const std::vector<Quantity>& amounts) const {
  const auto capacities = view_->Device(device).capacities();
  std::vector<CapacityAmounts> picked;
  for (const auto& pick : picks_) {
    if (pick.device == device && pick.shared) picked.push_back(ByName(capacities, pick.amounts));
  }
  std::vector<const CapacityAmounts*> used;
  if (devices_[device].holding && !Mutant(14)) used.push_back(&devices_[device].holding->consumed);
  for (const auto& amounts_of_pick : picked) used.push_back(&amounts_of_pick);
  return FitsCapacity(capacities, amounts, used);
}

void InFlight::Push(Pick pick) {
  pick.charged = !pick.alternative->admin_access && !(pick.shared && HasShares(pick.device));
  if (pick.charged) Charge(pick.device, 1);
  // Who only looks at a device pays nothing for those who use it.
  if (!pick.alternative->admin_access) ++(pick.shared ? devices_[pick.device].shares : devices_[pick.device].picked);
  picks_.push_back(std::move(pick));
}

void InFlight::Pop() {
  const auto pick = std::move(picks_.back());
  picks_.pop_back();
  if (!pick.alternative->admin_access && !Mutant(pick.shared ? 3 : 1)) {
    --(pick.shared ? devices_[pick.device].shares : devices_[pick.device].picked);
  }
  if (pick.charged && !Mutant(2)) Charge(pick.device, -1);
}

}  // namespace kumiko::allocator
