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
#include <optional>
#include <span>
#include <vector>

#include "allocator/node_layout.h"
#include "allocator/packing_classes.h"
#include "base/flat_map.h"

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
  // What is left of a board, as far as any device can use it. Dense; what remains of a state has a smaller number.
  using State = std::uint32_t;
  static constexpr State kNoState = 0xffff'ffff;

  // `declared` by counter; `index` is the caller's number of this shape.
  BoardShape(std::vector<Amount> declared, std::vector<Type> types, std::uint32_t index = 0);

  std::uint32_t index() const { return index_; }
  // The whole board. All that can remain of it are then known.
  Free Full() const;
  // Nullopt when the shape has too many states to enumerate.
  std::optional<State> StateOf(const Free& free);
  bool enumerable() const { return enumerable_; }
  std::size_t state_count() const { return states_.size(); }
  // By type, what remains when one device of it is taken; kNoState where none fits.
  std::span<const State> ChildrenOf(State state) const {
    return std::span(children_).subspan(state * types_.size(), types_.size());
  }
  // How much is left, averaged over the counters, in millionths of the board. Of a state: what devices can still use.
  std::int64_t FreePpm(State state) const { return free_ppm_[state]; }
  std::int64_t FreePpm(const Free& free) const;
  // States that serve the same classes in the same ways are one to prices: a merged state.
  std::uint32_t MergedOf(State state) const { return merged_of_state_[state]; }
  // Of a board with this much left; nullopt as StateOf.
  std::optional<std::uint32_t> MergedStateOf(const Free& free) {
    const auto state = StateOf(free);
    return state ? std::optional(MergedOf(*state)) : std::nullopt;
  }
  // Options of the merged states; merged state 0 has none.
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
  std::optional<State> Explore(const Free& given);
  bool Fits(const Free& free, std::size_t type) const;
  void Clip(Free& free) const;
  std::uint32_t Merge(std::vector<Option> options);

  std::uint32_t index_;
  std::vector<Amount> declared_;
  std::vector<Type> types_;
  std::vector<int> limit_of_type_;
  std::size_t limit_count_ = 0;
  bool enumerable_ = true;
  FlatMap<Free, State> states_;   // as far as any device can use what is left
  FlatMap<Free, State> written_;  // the same for what was asked for
  std::vector<State> children_;   // by state, then type
  std::vector<std::int64_t> free_ppm_;
  std::vector<std::uint32_t> merged_of_state_;
  std::map<std::vector<Option>, std::uint32_t> merged_of_;
  std::vector<std::vector<Option>> merged_;
};

}  // namespace kumiko::allocator
