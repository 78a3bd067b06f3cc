// The packed policy: which device to try first and which of several solutions loses least (spec packing-partitions §2).
// Order of candidates: smallest share of a board; then least loss of worth, where losses within a tolerance are equal
// and the board with least left wins; then the neighbourhood that the request breaks least; then position.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "allocator/board_shape.h"
#include "allocator/in_flight.h"
#include "allocator/packing_classes.h"
#include "allocator/prices.h"
#include "allocator/search.h"

namespace kumiko::allocator {

// Shapes that were met before, so that their states are enumerated once. Holds no decision.
class ShapeCache {
 public:
  BoardShape& Get(const PackingClasses& classes, std::vector<Amount> declared, std::vector<BoardShape::Type> types);

 private:
  std::map<std::string, std::unique_ptr<BoardShape>> shapes_;
};

// What a solution costs; smaller is better, compared in this order.
struct PackingCost {
  std::int64_t alternatives = 0;    // how far down the firstAvailable lists
  std::int64_t share_ppm = 0;       // of boards, summed over the devices taken
  double loss = 0;                  // of worth; equal within Packing::tolerance()
  std::int64_t board_free_ppm = 0;  // of the boards touched, before
  std::int64_t node_free_ppm = 0;   // of all boards of the node, before
};

class Packing {
 public:
  // One entry per node class: its first member's state, and how many nodes are like it. All borrowed.
  struct Node {
    const InFlight* in_flight = nullptr;
    std::size_t members = 1;
  };
  Packing(const Inventory& inventory, const Demand* demand, std::span<const Node> nodes, ShapeCache& shapes);

  // For SearchNode on nodes[index]. Borrows *this.
  PickOrder OrderFor(std::size_t index) const;
  PackingCost CostOf(std::size_t index, const std::vector<Pick>& picks) const;
  double tolerance() const { return worths_.tolerance; }

 private:
  struct Board {
    BoardShape* shape = nullptr;
    std::size_t census = 0;            // index into worths_.of
    std::uint32_t neighbourhood = 0;   // boards close to each other on one node
    std::vector<std::uint32_t> types;  // of its devices, in their order
  };
  struct Model {
    const InFlight* start = nullptr;
    std::vector<Board> boards;
    std::vector<std::uint32_t> place;  // by device: where it stands on its board
  };

  Model MakeModel(const Inventory& inventory, const InFlight& in_flight, const PackingClasses& classes,
                  ShapeCache& shapes);
  static BoardShape::Free FreeOf(const InFlight& in_flight, const NodeLayout::Board& view, const Board& board);
  double WorthOf(const Board& board, const BoardShape::Free& free) const;
  static std::int64_t FreePpm(const Board& board, const BoardShape::Free& free);
  void Sort(const Model& model, const InFlight& in_flight, std::size_t remaining,
            std::vector<std::uint32_t>& candidates) const;

  std::vector<Model> models_;
  std::vector<Census> census_;
  Worths worths_;
};

}  // namespace kumiko::allocator
