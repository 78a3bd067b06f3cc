// What is taken: which devices are held by allocations, alone or shared, and how much of their capacity. Changes go to
// a journal, so that trial decisions are undone exactly.
//
//   auto mark = state.Mark();
//   state.Add(trial);          // decide further on this basis
//   state.UndoTo(mark);        // as before, in every detail
//
// Results with admin access never count. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/capacity.h"
#include "allocator/device_id.h"
#include "allocator/slice_shape.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

class Inventory;
struct DecisionCache;

// One device of which something is held.
struct Holding {
  NameId device = 0;
  std::int32_t exclusive = 0;   // holders of the whole device
  std::int32_t shares = 0;      // holders of a share
  std::int32_t capacities = 0;  // entries of consumed capacity, empty ones too
  CapacityAmounts consumed;     // their sum

  bool shared() const { return shares > 0 || capacities > 0; }
  bool held() const { return exclusive > 0 || shared(); }
};

class State {
 public:
  using JournalMark = std::size_t;

  // `inventory` is borrowed and must outlive the state.
  explicit State(const Inventory& inventory);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Takes everything that the result names, also devices that are not published at the moment.
  void Add(const api::AllocationResult& result);
  // Gives back what Add took; the result must have been added.
  void Remove(const api::AllocationResult& result);
  // The parts of an allocation one by one: a whole device, a share, consumed capacity.
  void AddDevice(const DeviceId& id);
  void AddShare(const DeviceId& id);
  void AddConsumedCapacity(const DeviceId& id, const CapacityAmounts& amounts);

  // Takes capacity of a device without a share of it, for who knows sums only.
  void AddConsumed(const DeviceId& id, const std::map<std::string, Quantity>& amounts);

  // Held in any way: exclusively or by at least one share.
  bool Holds(const DeviceId& id) const;
  // Everything held of a pool, in no particular order.
  std::span<const Holding> HoldingsOf(PoolId pool) const;
  // Null when nothing is held of the device.
  const Holding* Find(PoolId pool, NameId device) const;

  // Marks nest: undoing to an outer mark undoes everything since.
  JournalMark Mark() const { return journal_.size(); }
  void UndoTo(JournalMark mark);
  // Forgets how to undo; the state stays. Called between decisions, so that the journal does not grow.
  void Commit() { journal_.clear(); }

  // The pools of which something changed since the last call, each maybe more than once; false when there were too many
  // to remember, and any pool may have changed. For the one index that follows this state.
  bool TakeChangedPools(std::vector<PoolId>& pools);

  // Grows with every change of a device of this pool, undo included.
  std::uint64_t PoolVersion(PoolId pool) const { return pool < pool_versions_.size() ? pool_versions_[pool] : 0; }

  const Inventory& inventory() const { return *inventory_; }
  // Scratch memory of decisions; holds nothing that a decision depends on.
  DecisionCache& cache() const { return *cache_; }

 private:
  struct Entry {
    PoolId pool = 0;
    NameId device = 0;
    std::int32_t exclusive = 0;
    std::int32_t shares = 0;
    std::int32_t capacities = 0;
    CapacityAmounts consumed;
  };
  void Apply(const Entry& entry, int sign);
  void Record(Entry entry, int sign);
  void Record(const api::AllocationResult& result, int sign);
  Entry EntryFor(std::string_view driver, std::string_view pool, std::string_view device) const;

  const Inventory* inventory_;
  // The pool asked for last; allocations name one many times over.
  mutable std::string last_driver_;
  mutable std::string last_pool_;
  mutable std::optional<PoolId> last_pool_id_;
  std::vector<std::vector<Holding>> pools_;  // by PoolId
  std::vector<std::pair<Entry, int>> journal_;
  std::vector<std::uint64_t> pool_versions_;
  std::vector<PoolId> changed_pools_;
  bool changes_forgotten_ = true;  // until somebody asks, nothing is remembered
  std::unique_ptr<DecisionCache> cache_;
};

}  // namespace kumiko::allocator
