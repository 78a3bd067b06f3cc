// What earlier decisions worked out and later ones can use again. Caches only: a decision is the same without them.
#pragma once

#include "allocator/node_classes.h"
#include "allocator/packing.h"

namespace kumiko::allocator {

struct DecisionCache {
  NodeClasses node_classes;
  ShapeCache shapes;
};

}  // namespace kumiko::allocator
