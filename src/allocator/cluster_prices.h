// The price book of the whole cluster: follows the boards and the demand from decision to decision.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/cluster_boards.h"
#include "allocator/demand.h"
#include "allocator/price_book.h"
#include "allocator/prices.h"

namespace kumiko::allocator {

class ClusterPrices {
 public:
  // Called once for each decision: takes over what moved and lets the prices adapt to it. `demand` null: every kind of
  // device is in equal demand by work. Prices start anew with other classes or other shapes.
  void Follow(const ClusterBoards& boards, const Demand* demand);
  const Worths& worths() const { return worths_; }

 private:
  struct Shape {
    std::uint32_t index = 0;  // of the board shape
    PriceBook::ShapeId id = 0;
    std::vector<PriceBook::LayoutId> layouts;  // by merged state
    std::vector<std::int64_t> boards;          // the same, as the book knows them
  };

  void StartAnew(const ClusterBoards& boards, const Demand* demand);

  std::uint64_t epoch_ = 0;
  std::unique_ptr<PriceBook> book_;  // null: no classes
  std::vector<Shape> shapes_;
  std::vector<std::size_t> classes_;  // in the demand's mix; empty when that does not count arrivals
  Worths worths_;
};

}  // namespace kumiko::allocator
