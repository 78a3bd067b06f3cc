#include "allocator/state.h"

#include <algorithm>
#include <utility>

#include "allocator/decision_cache.h"
#include "allocator/inventory.h"
#include "base/check.h"

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxChangedPools = 10'000;

}  // namespace

State::State(const Inventory& inventory) : inventory_(&inventory), cache_(std::make_unique<DecisionCache>()) {}
State::~State() = default;

State::Entry State::EntryFor(std::string_view driver, std::string_view pool, std::string_view device) const {
  if (!last_pool_id_ || last_driver_ != driver || last_pool_ != pool) {
    last_driver_ = driver;
    last_pool_ = pool;
    last_pool_id_ = inventory_->PoolOf(driver, pool);
  }
  Entry entry;
  entry.pool = *last_pool_id_;
  entry.device = inventory_->names().Intern(device);
  return entry;
}

void State::Add(const api::AllocationResult& result) {
  Record(result, 1);
}
void State::Remove(const api::AllocationResult& result) {
  Record(result, -1);
}

void State::AddDevice(const DeviceId& id) {
  auto entry = EntryFor(id.driver, id.pool, id.device);
  entry.exclusive = 1;
  Record(std::move(entry), 1);
}

void State::AddShare(const DeviceId& id) {
  auto entry = EntryFor(id.driver, id.pool, id.device);
  entry.shares = 1;
  Record(std::move(entry), 1);
}

void State::AddConsumedCapacity(const DeviceId& id, const CapacityAmounts& amounts) {
  auto entry = EntryFor(id.driver, id.pool, id.device);
  entry.capacities = 1;
  entry.consumed = amounts;
  Record(std::move(entry), 1);
}

void State::Record(const api::AllocationResult& result, int sign) {
  journal_.reserve(journal_.size() + result.devices.results.size());
  for (const auto& device : result.devices.results) {
    if (device.admin_access.value_or(false)) continue;
    auto entry = EntryFor(device.driver, device.pool, device.device);
    if (device.share_id) {
      entry.shares = 1;
      entry.capacities = device.consumed_capacity.empty() ? 0 : 1;
      entry.consumed = device.consumed_capacity;
    } else {
      entry.exclusive = 1;
    }
    Record(std::move(entry), sign);
  }
}

void State::Record(Entry entry, int sign) {
  Apply(entry, sign);
  journal_.emplace_back(std::move(entry), sign);
}

void State::Apply(const Entry& entry, int sign) {
  if (pools_.size() <= entry.pool) pools_.resize(entry.pool + std::size_t{1});
  auto& holdings = pools_[entry.pool];
  auto found = std::find_if(holdings.begin(), holdings.end(), [&](const auto& h) { return h.device == entry.device; });
  if (found == holdings.end()) {
    holdings.push_back({.device = entry.device, .consumed = {}});
    found = holdings.end() - 1;
  }
  found->exclusive += sign * entry.exclusive;
  found->shares += sign * entry.shares;
  found->capacities += sign * entry.capacities;
  KU_CHECK(found->exclusive >= 0 && found->shares >= 0 && found->capacities >= 0)
      << "gave back what was not taken: device " << inventory_->names().Text(entry.device);
  for (const auto& [name, amount] : entry.consumed) {
    auto& sum = found->consumed[name];
    sum = sign > 0 ? sum.Add(amount) : sum.Sub(amount);
  }
  if (found->capacities == 0) found->consumed.clear();
  if (!found->held()) {
    if (found != holdings.end() - 1) *found = std::move(holdings.back());
    holdings.pop_back();
  }
  if (pool_versions_.size() <= entry.pool) pool_versions_.resize(entry.pool + std::size_t{1}, 0);
  ++pool_versions_[entry.pool];
  if (changes_forgotten_) return;
  changed_pools_.push_back(entry.pool);
  if (changed_pools_.size() <= kMaxChangedPools) return;
  changed_pools_.clear();
  changes_forgotten_ = true;
}

bool State::TakeChangedPools(std::vector<PoolId>& pools) {
  pools.clear();
  pools.swap(changed_pools_);
  return !std::exchange(changes_forgotten_, false);
}

std::span<const Holding> State::HoldingsOf(PoolId pool) const {
  return pool < pools_.size() ? std::span<const Holding>(pools_[pool]) : std::span<const Holding>();
}

const Holding* State::Find(PoolId pool, NameId device) const {
  for (const auto& holding : HoldingsOf(pool)) {
    if (holding.device == device) return &holding;
  }
  return nullptr;
}

bool State::Holds(const DeviceId& id) const {
  const auto entry = EntryFor(id.driver, id.pool, id.device);
  return Find(entry.pool, entry.device) != nullptr;
}

void State::UndoTo(JournalMark mark) {
  KU_CHECK(mark <= journal_.size()) << "mark of a journal that was cleared";
  while (journal_.size() > mark) {
    const auto& [entry, sign] = journal_.back();
    Apply(entry, -sign);
    journal_.pop_back();
  }
}

}  // namespace kumiko::allocator
