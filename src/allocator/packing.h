// The packed policy: which device to try first and which of several solutions loses least (spec packing-partitions §2).
// Order of candidates: smallest share of a board; then least loss of worth, where losses within a tolerance are equal
// and the board with least left wins; then the neighbourhood that the request breaks least; then position.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/board_model.h"
#include "allocator/in_flight.h"
#include "allocator/prices.h"
#include "allocator/search.h"

namespace kumiko::allocator {

// What a solution costs; smaller is better, compared in this order.
struct PackingCost {
  std::int64_t alternatives = 0;    // how far down the firstAvailable lists
  std::int64_t share_ppm = 0;       // of boards, summed over the devices taken
  double loss = 0;                  // of worth; equal within Packing::tolerance()
  std::int64_t board_free_ppm = 0;  // of the boards touched, before
  std::int64_t node_free_ppm = 0;   // of all boards of the node, before
};

// How many alternatives stand before those picked, over all requests.
std::int64_t AlternativesPassed(const Plan& plan, const std::vector<Pick>& picks);

// A node where the claims fit, and on which devices.
struct Candidate {
  std::string node;
  std::vector<Pick> picks;
  PackingCost cost;
};
// The one that loses least; losses within `tolerance` count as equal. Null when there is none.
const Candidate* Best(const std::vector<Candidate>& candidates, double tolerance);

class Packing {
 public:
  // One entry per node class: its first member's state, and how many nodes are like it. All borrowed. The worths are
  // worked out from these nodes and the demand.
  struct Node {
    const InFlight* in_flight = nullptr;
    std::size_t members = 1;
  };
  Packing(const Inventory& inventory, const Demand* demand, std::span<const Node> nodes, ShapeCache& shapes);
  // One node of many whose worths are known. Borrows `worths`.
  Packing(const InFlight& in_flight, NodeModel model, const Worths& worths);
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;

  // For SearchNode on nodes[index]. Borrows *this.
  PickOrder OrderFor(std::size_t index) const;
  PackingCost CostOf(std::size_t index, const std::vector<Pick>& picks) const;
  double tolerance() const { return worths_->tolerance; }

 private:
  struct Model : NodeModel {
    const InFlight* start = nullptr;
    std::vector<std::uint32_t> place;  // by device: where it stands on its board
  };

  // A board at some moment of a search. Without a state it has too many: what is left is worth its size.
  struct BoardNow {
    BoardShape::Free free;
    std::optional<BoardShape::State> state;
    double worth = 0;
    std::int64_t free_ppm = 0;
  };
  BoardNow Look(BoardShape& shape, BoardShape::Free free) const;
  BoardNow Look(const Model& model, const InFlight& in_flight, std::uint32_t board) const;
  double WorthOf(const BoardShape& shape, BoardShape::State state) const;
  double LossOf(BoardShape& shape, const BoardNow& before, std::uint32_t type) const;
  void Sort(const Model& model, const InFlight& in_flight, std::size_t remaining,
            std::vector<std::uint32_t>& candidates) const;

  std::vector<Model> models_;
  Worths own_worths_;
  const Worths* worths_;
};

}  // namespace kumiko::allocator
