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
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "allocator/node_view.h"
#include "api/resource/types.h"

namespace kumiko::allocator {

class Inventory;
struct DecisionCache;

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

  // Takes capacity of a device without a share of it, for who knows sums only.
  void AddConsumed(const DeviceId& id, const std::map<std::string, Quantity>& amounts);

  // Held in any way: exclusively or by at least one share.
  bool Holds(const DeviceId& id) const;
  bool Holds(DeviceIndex index) const;
  bool HoldsExclusively(DeviceIndex index) const;
  std::int32_t Shares(DeviceIndex index) const;
  // Null when nothing is consumed.
  const std::map<std::string, Quantity>* ConsumedCapacity(DeviceIndex index) const;

  // Marks nest: undoing to an outer mark undoes everything since.
  JournalMark Mark() const { return journal_.size(); }
  void UndoTo(JournalMark mark);
  // Forgets how to undo; the state stays. Called between decisions, so that the journal does not grow.
  void Commit() { journal_.clear(); }

  // Grows with every change of any device, undo included.
  std::uint64_t version() const { return version_; }
  // Grows with every change of a device of this pool (Inventory::PoolIndexOf).
  std::uint64_t PoolVersion(std::uint32_t pool) const;

  // Scratch memory of Place; holds nothing that a decision depends on.
  DecisionCache& cache() const { return *cache_; }

 private:
  struct Entry {
    DeviceIndex device = 0;
    std::int32_t exclusive = 0;
    std::int32_t shares = 0;
    std::map<std::string, Quantity> consumed;
    int sign = 1;
  };
  void Apply(const Entry& entry, int sign);
  void Record(const api::AllocationResult& result, int sign);

  const Inventory* inventory_;
  std::vector<std::int32_t> exclusive_;  // by DeviceIndex; holders of the whole device
  std::vector<std::int32_t> shares_;     // by DeviceIndex
  std::map<DeviceIndex, std::map<std::string, Quantity>> consumed_;
  std::vector<Entry> journal_;
  std::vector<std::uint64_t> pool_versions_;
  std::uint64_t version_ = 0;
  std::unique_ptr<DecisionCache> cache_;
};

}  // namespace kumiko::allocator
