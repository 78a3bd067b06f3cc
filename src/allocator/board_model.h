// Boards of a node as packing sees them: the shape of each, and which of its devices are alike.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "allocator/board_shape.h"
#include "allocator/in_flight.h"
#include "allocator/packing_classes.h"

namespace kumiko::allocator {

// Shapes that were met before, so that their states are enumerated once. Holds no decision.
class ShapeCache {
 public:
  BoardShape& Get(const PackingClasses& classes, std::vector<Amount> declared, std::vector<BoardShape::Type> types);
  // How many there are; their indices are smaller.
  std::size_t size() const { return shapes_.size(); }

 private:
  std::map<std::string, std::unique_ptr<BoardShape>> shapes_;
};

struct BoardModel {
  BoardShape* shape = nullptr;
  std::vector<std::uint32_t> types;  // of its devices, in their order

  // Which counters and devices `in_flight` has left of the board.
  BoardShape::Free FreeOf(const InFlight& in_flight, const NodeLayout::Board& board) const;
};
BoardModel MakeBoardModel(const NodeView& view, const NodeLayout::Board& board, const PackingClasses& classes,
                          ShapeCache& shapes);

struct NodeModel {
  std::vector<std::shared_ptr<const BoardModel>> boards;  // parallel to NodeLayout::boards
  std::vector<std::uint32_t> neighbourhoods;              // the same: equal numbers are near to each other
};
// By board, which PCIe root it hangs on, numbered as they come.
std::vector<std::uint32_t> NeighbourhoodsOf(const Inventory& inventory, const NodeView& view);

// By device, where it stands on its board.
std::vector<std::uint32_t> PlacesOnBoards(const NodeLayout& layout);

}  // namespace kumiko::allocator
