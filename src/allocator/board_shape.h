// A board of some vendor, recognised from shared counters alone: which states it can be in and what still fits in each
// (spec packing-partitions §4). Boards with the same counters and the same devices share one shape, on any node.
//
//   A board with two counters a and b, each 1, and devices A (takes a), B (takes b), W (takes both):
//
//        [1 1]  ── W ──►  [0 0]
//          │ ╲              ▲
//          A  B             │
//          ▼   ╲            │
//        [0 1]  [1 0] ── A ─┘        [0 1] and [1 0] merge when A and B serve the same class
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allocator/node_layout.h"
#include "allocator/packing_classes.h"

namespace kumiko::allocator {

class BoardShape {
 public:
  struct Option {
    std::uint32_t class_index = 0;
    std::uint32_t child = 0;  // merged state that remains; smaller than the state it belongs to
    auto operator<=>(const Option&) const = default;
  };
  struct Type {
    ClassMask mask = 0;
    std::vector<Amount> need;  // by counter
    std::uint32_t count = 0;   // devices of this kind
    auto operator<=>(const Type&) const = default;
  };
  using Free = std::vector<Amount>;  // by counter, then the free devices of each type whose number can run out first

  // `declared` by counter.
  BoardShape(std::vector<Amount> declared, std::vector<Type> types);

  // The merged state of a board with this much left. Nullopt when the shape has too many states to enumerate.
  std::optional<std::uint32_t> StateOf(const Free& free);
  bool enumerable() const { return enumerable_; }
  std::size_t state_count() const { return states_.size(); }
  // Options of the merged states; state 0 has none.
  const std::vector<std::vector<Option>>& merged() const { return merged_; }

  const std::vector<Amount>& declared() const { return declared_; }
  const std::vector<Type>& types() const { return types_; }
  // For each type, its place in Free behind the counters, or -1 when counters limit it already.
  const std::vector<int>& limit_of_type() const { return limit_of_type_; }
  std::size_t limit_count() const { return limit_count_; }
  // Of a board that one device of the type takes, the largest share over the counters, in millionths. Counters of one
  // unit are slots and count together: a device on four of eight takes half. A device without counters takes all.
  std::int64_t SharePpm(const Type& type) const;

 private:
  bool Fits(const Free& free, std::size_t type) const;
  void Clip(Free& free) const;
  std::uint32_t Merge(std::vector<Option> options);

  std::vector<Amount> declared_;
  std::vector<Type> types_;
  std::vector<int> limit_of_type_;
  std::size_t limit_count_ = 0;
  bool enumerable_ = true;
  std::map<Free, std::uint32_t> states_;
  std::map<std::vector<Option>, std::uint32_t> merged_of_;
  std::vector<std::vector<Option>> merged_;
};

}  // namespace kumiko::allocator
