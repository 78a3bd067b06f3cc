#include "allocator/in_flight.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kumiko::allocator {

InFlight::InFlight(const NodeView& view, const State& state)
    : view_(&view),
      offset_(view.pools.size() + 1, 0),
      negative_(view.pools.size(), 0),
      held_(view.devices.size(), 0),
      picked_(view.devices.size(), 0),
      shares_(view.devices.size(), 0) {
  for (std::size_t p = 0; p < view.pools.size(); ++p) {
    offset_[p + 1] = offset_[p] + view.pools[p].counters.size();
    for (const auto& counter : view.pools[p].counters) remaining_.push_back(counter.declared);
    for (const auto& counter : view.pools[p].counters) negative_[p] += counter.declared < 0 ? 1 : 0;
  }
  for (std::uint32_t d = 0; d < view.devices.size(); ++d) {
    const auto& device = view.devices[d];
    if (const auto* consumed = state.ConsumedCapacity(device.index)) consumed_[d] = *consumed;
    if (!state.Holds(device.index)) continue;
    shares_[d] = state.Shares(device.index);
    // A device that is shared no longer, but still has shares, is not given away as a whole.
    const bool multiple = device.content->allow_multiple_allocations;
    held_[d] = state.HoldsExclusively(device.index) || (shares_[d] > 0 && !multiple) ? 1 : 0;
    Charge(d, 1);
  }
}

bool InFlight::PickedBy(std::uint32_t claim, std::uint32_t device) const {
  return std::any_of(picks_.begin(), picks_.end(),
                     [&](const Pick& pick) { return pick.claim == claim && pick.device == device; });
}

bool InFlight::CountersSuffice(std::uint32_t device) const {
  const auto& entry = view_->devices[device];
  if (entry.consumes.empty()) return true;
  if (negative_[entry.pool] > 0) return false;
  return std::all_of(entry.consumes.begin(), entry.consumes.end(), [&](const Consumption& consumption) {
    return consumption.amount <= Remaining(entry.pool, consumption.counter);
  });
}

const CapacityAmounts* InFlight::Consumed(std::uint32_t device) const {
  const auto found = consumed_.find(device);
  return found == consumed_.end() ? nullptr : &found->second;
}

void InFlight::Charge(std::uint32_t device, int sign) {
  const auto& entry = view_->devices[device];
  for (const auto& consumption : entry.consumes) {
    auto& remaining = remaining_[offset_[entry.pool] + consumption.counter];
    negative_[entry.pool] -= remaining < 0 ? 1 : 0;
    remaining -= sign * consumption.amount;
    negative_[entry.pool] += remaining < 0 ? 1 : 0;
  }
}

void InFlight::Push(Pick pick) {
  const auto device = pick.device;
  if (!pick.alternative->admin_access) {
    if (pick.shared) {
      // Further shares of a device use the counters that the first one was charged for.
      if (shares_[device]++ == 0) Charge(device, 1);
      auto& consumed = consumed_[device];
      for (const auto& [name, amount] : pick.consumed) consumed[name] += amount;
    } else {
      KU_CHECK(!InUse(device)) << "device picked twice";
      picked_[device] = 1;
      Charge(device, 1);
    }
  }
  picks_.push_back(std::move(pick));
}

void InFlight::Pop() {
  const Pick pick = std::move(picks_.back());
  picks_.pop_back();
  if (pick.alternative->admin_access) return;
  if (pick.shared) {
    if (--shares_[pick.device] == 0) Charge(pick.device, -1);
    auto& consumed = consumed_[pick.device];
    for (const auto& [name, amount] : pick.consumed) consumed[name] -= amount;
    if (shares_[pick.device] == 0) consumed_.erase(pick.device);
  } else {
    picked_[pick.device] = 0;
    Charge(pick.device, -1);
  }
}

}  // namespace kumiko::allocator
