// What each kind of board offers each kind of request: for every state of a board, the ways to serve the request from
// it. Worked out once for a request and a kind, then read by every decision.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/cluster_boards.h"
#include "allocator/request_plan.h"
#include "base/flat_map.h"

namespace kumiko::allocator {

// A device of `type` taken from a board.
struct WayToServe {
  std::int64_t share_ppm = 0;  // of the board
  std::uint32_t merged_child = 0;
  std::uint32_t type = 0;
};

// What the boards of one kind offer a request.
class KindFit {
 public:
  KindFit(const Inventory& inventory, const AlternativePlan& alternative, const NodeView& view,
          const NodeLayout::Board& board, const BoardModel& model);

  // A selector fails on a device, or the amount to take cannot be told: the search has to raise it.
  bool errs() const { return errs_; }
  // Of devices that are alike, either all suit the request or none, so that states tell exactly what fits.
  bool exact() const { return exact_; }
  // Least share first; then only the ways with the least share matter for one device.
  std::span<const WayToServe> Ways(BoardShape::State state) const;
  // How many devices, one after the other, a board in this state can give at most.
  std::uint32_t Most(BoardShape::State state) const;
  bool Suits(std::uint32_t place) const { return suits_[place] != 0; }

 private:
  void Extend(BoardShape::State state) const;

  const BoardShape* shape_;
  bool errs_ = false;
  bool exact_ = true;
  std::vector<std::uint8_t> suits_;   // by place on the board
  std::vector<std::uint32_t> types_;  // with a suitable device
  // By state, as far as asked.
  mutable std::vector<std::uint32_t> most_;
  mutable std::vector<Range> ranges_;
  mutable std::vector<WayToServe> ways_;
};

// The request as far as one device tells: selectors, tolerations, capacity.
class RequestFits {
 public:
  // Equal requests have equal numbers, until Tidy. Nullopt when boards cannot be told apart well enough for this
  // request, or it asks for more than a number of devices.
  std::optional<std::uint32_t> NumberOf(const AlternativePlan& alternative, ClusterBoards& boards);
  // `alternative` has the number `request`; some board is of this kind.
  const KindFit& FitOf(const Inventory& inventory, const ClusterBoards& boards, std::uint32_t request,
                       const AlternativePlan& alternative, ClusterBoards::KindId kind);
  // Called between decisions: forgets when there is too much to remember.
  void Tidy();

 private:
  StringFlatMap<std::optional<std::uint32_t>> numbers_;
  std::vector<std::vector<std::unique_ptr<KindFit>>> fits_;  // by request, then kind
  std::uint64_t epoch_ = 0;
  std::string text_;  // scratch
};

}  // namespace kumiko::allocator
