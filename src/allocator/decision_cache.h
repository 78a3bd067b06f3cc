// What earlier decisions worked out and later ones can use again. Caches only: a decision is the same without them.
#pragma once

#include <memory>

#include "allocator/cluster_search.h"
#include "allocator/node_classes.h"
#include "allocator/packing.h"

namespace kumiko::allocator {

struct DecisionCache {
  NodeClasses node_classes;
  ShapeCache shapes;
  std::unique_ptr<ClusterIndex> cluster;  // null until asked for

  ClusterIndex& ClusterOf(const Inventory& inventory) {
    if (!cluster) cluster = std::make_unique<ClusterIndex>(inventory, shapes);
    return *cluster;
  }
};

}  // namespace kumiko::allocator
