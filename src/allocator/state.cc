#include "allocator/state.h"

#include <utility>

#include "allocator/decision_cache.h"
#include "allocator/inventory.h"
#include "base/check.h"

namespace kumiko::allocator {

State::State(const Inventory& inventory) : inventory_(&inventory), cache_(std::make_unique<DecisionCache>()) {}
State::~State() = default;

void State::Add(const api::AllocationResult& result) {
  Record(result, 1);
}

void State::AddConsumed(const DeviceId& id, const std::map<std::string, Quantity>& amounts) {
  Entry entry;
  entry.device = inventory_->IndexOf(id);
  entry.consumed = amounts;
  Apply(entry, 1);
  journal_.push_back(std::move(entry));
}

void State::Remove(const api::AllocationResult& result) {
  Record(result, -1);
}

void State::Record(const api::AllocationResult& result, int sign) {
  for (const auto& device : result.devices.results) {
    if (device.admin_access.value_or(false)) continue;
    Entry entry;
    entry.device = inventory_->IndexOf({device.driver, device.pool, device.device});
    entry.exclusive = device.share_id ? 0 : 1;
    entry.shares = device.share_id ? 1 : 0;
    if (device.share_id) entry.consumed = device.consumed_capacity;
    entry.sign = sign;
    Apply(entry, sign);
    journal_.push_back(std::move(entry));
  }
}

void State::Apply(const Entry& entry, int sign) {
  if (entry.device >= exclusive_.size()) {
    exclusive_.resize(entry.device + std::size_t{1}, 0);
    shares_.resize(entry.device + std::size_t{1}, 0);
  }
  exclusive_[entry.device] += sign * entry.exclusive;
  shares_[entry.device] += sign * entry.shares;
  KU_CHECK(exclusive_[entry.device] >= 0 && shares_[entry.device] >= 0)
      << "device " << ToString(inventory_->IdOf(entry.device)) << " given back without having been taken";
  if (!entry.consumed.empty()) {
    auto& consumed = consumed_[entry.device];
    for (const auto& [name, amount] : entry.consumed) {
      if (sign > 0) {
        consumed[name] += amount;
      } else {
        Quantity& left = consumed[name];
        left -= amount;
        if (left.Sign() == 0) consumed.erase(name);
      }
    }
    if (consumed.empty()) consumed_.erase(entry.device);
  }
  const auto pool = inventory_->PoolIndexOf(entry.device);
  if (pool >= pool_versions_.size()) pool_versions_.resize(pool + std::size_t{1}, 0);
  ++pool_versions_[pool];
  ++version_;
}

bool State::Holds(const DeviceId& id) const {
  return Holds(inventory_->IndexOf(id));
}

bool State::Holds(DeviceIndex index) const {
  return index < exclusive_.size() && (exclusive_[index] > 0 || shares_[index] > 0);
}

bool State::HoldsExclusively(DeviceIndex index) const {
  return index < exclusive_.size() && exclusive_[index] > 0;
}

std::int32_t State::Shares(DeviceIndex index) const {
  return index < shares_.size() ? shares_[index] : 0;
}

const std::map<std::string, Quantity>* State::ConsumedCapacity(DeviceIndex index) const {
  const auto found = consumed_.find(index);
  return found == consumed_.end() ? nullptr : &found->second;
}

std::uint64_t State::PoolVersion(std::uint32_t pool) const {
  return pool < pool_versions_.size() ? pool_versions_[pool] : 0;
}

void State::UndoTo(JournalMark mark) {
  KU_CHECK(mark <= journal_.size()) << "undo to " << mark << " of " << journal_.size();
  while (journal_.size() > mark) {
    const Entry entry = std::move(journal_.back());
    journal_.pop_back();
    Apply(entry, -entry.sign);
  }
}

}  // namespace kumiko::allocator
