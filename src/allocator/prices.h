// What a board state is worth: prices of request classes such that the free space, filled in the best way at these
// prices, would serve the classes in the proportion in which they arrive (spec packing-partitions §2). Pure: the same
// census and demand give the same worths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/board_shape.h"
#include "allocator/packing_classes.h"

namespace kumiko::allocator {

// How many boards of one shape are in each merged state.
struct Census {
  const BoardShape* shape = nullptr;
  std::vector<double> boards;  // by merged state
};

struct Worths {
  std::vector<std::vector<double>> of;  // by shape index, then merged state; in eighths of a board
  double tolerance = 0.05;              // losses closer than this count as equal
};

// Of each class the size of its smallest device, in eighths of its board; 0: no device serves it. Entries without shape
// count for nothing.
std::vector<double> ClassSizes(const std::vector<Census>& census, std::size_t class_count);

// `census`: one entry for each shape.
Worths ComputeWorths(const std::vector<Census>& census, const PackingClasses& classes);

}  // namespace kumiko::allocator
