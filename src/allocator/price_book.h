// Prices of classes of requests, carried from one arrival to the next, and what a board is worth at them (spec
// packing-partitions §2). The prices are such that the free space of all boards, filled in the best way at these
// prices, would serve the classes in the proportion in which they arrive; a request goes where the least worth is lost.
//
//   PriceBook book(sizes, ArrivalMix(sizes.size()));
//   auto shape = book.AddShape(board_shape.merged());
//   auto empty = book.AddLayout(shape, Layout::Staying(full_state));
//   book.AddBoards(empty, 800);
//   for each request:  book.Arrived(c);  book.Rounds(PriceBook::kRoundsPerArrival);
//                      take the board with the least Worth(before) - Worth(after);  move it with AddBoards(.., ∓1)
//
// Pure, one thread. Rounds allocates nothing; its time grows with shapes and their options, not with boards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "allocator/arrival_mix.h"
#include "allocator/board_shape.h"

namespace kumiko::allocator {

// What is on a board, as far as prices care: the merged states of its shape that it may be in soon, and how likely, for
// each step of thinning.
struct Layout {
  struct Chance {
    std::uint32_t state = 0;
    double probability = 0;
  };
  std::array<std::vector<Chance>, ArrivalMix::kThinningSteps> soon;  // [0]: nothing leaves, one entry

  // Nothing on the board will ever leave.
  static Layout Staying(std::uint32_t state);
  // Each of `taken` (indexes into shape.types()) leaves independently; `free` is what the board has now. Exact for up
  // to ten devices, else from 256 samples that are the same in every run. The shape must be enumerable.
  static Layout Of(BoardShape& shape, const BoardShape::Free& free, std::span<const std::uint32_t> taken);
};

class PriceBook {
 public:
  static constexpr int kRoundsPerArrival = 8;
  using ShapeId = std::uint32_t;
  using LayoutId = std::uint32_t;
  using MergedStates = std::vector<std::vector<BoardShape::Option>>;  // as of BoardShape::merged()

  // `sizes` by class: eighths of a board that its smallest device takes; 0: no device serves it. One per class of
  // `mix`.
  PriceBook(std::vector<double> sizes, ArrivalMix mix);

  // Prices start anew at the next Rounds.
  ShapeId AddShape(const MergedStates& merged);
  // `merged` has grown at its end since the shape was added. Prices stay.
  void Grow(ShapeId shape, const MergedStates& merged);
  LayoutId AddLayout(ShapeId shape, const Layout& layout);
  // How many more boards are in that layout; negative: fewer.
  void AddBoards(LayoutId layout, std::int64_t boards);

  // The same classes as before, counted elsewhere.
  void SetMix(const ArrivalMix& mix);
  void Arrived(std::size_t class_index) { mix_.Arrived(class_index); }
  void Departed() { mix_.Departed(); }
  // Adapts prices to boards and arrivals. The first call after the start or a new shape settles from several starts,
  // 480 rounds each.
  void Rounds(int rounds);

  // In eighths of a board; of a state as it is, and of a layout as it may be soon.
  double Worth(ShapeId shape, std::uint32_t state) const {
    const auto& s = shapes_[shape];
    return (1 - most_work_share_) * s.mean[state] + most_work_share_ * s.most_work[state];
  }
  double Worth(LayoutId layout) const;
  // Losses closer than this count as equal.
  double tolerance() const { return tolerance_; }
  // What one more request of the class is worth now; 0 when no board has room for it.
  double Price(std::size_t class_index) const { return prices_[class_index]; }
  // To build the book of another list of classes from.
  const ArrivalMix& mix() const { return mix_; }

 private:
  struct Shape {
    std::vector<std::uint32_t> first_option;  // by state, and one behind the last
    std::vector<BoardShape::Option> options;
    std::vector<double> option_share;  // soft prices: of the state's boards, those that take this option
    std::vector<std::int64_t> boards;  // by state, in kWhole-ths of a board
    std::vector<double> value;
    std::vector<double> mean;
    std::vector<double> most_work;
    std::vector<double> flow;
  };
  struct Part {
    std::uint32_t state = 0;
    std::int64_t amount = 0;
  };
  struct Placed {
    ShapeId shape = 0;
    std::int64_t boards = 0;
    std::array<std::uint32_t, ArrivalMix::kThinningSteps + 1> first{};  // into parts_, by step
  };

  void Spread(const Placed& layout, std::int64_t boards);
  void MeasureDemand();
  void SetPrices();
  void Value(Shape& shape) const;
  void ValueSoftly(Shape& shape) const;
  double Earns(const Shape& shape, std::uint32_t o) const;
  void Flow(Shape& shape);
  void Round();
  void Settle();

  std::vector<double> sizes_;
  ArrivalMix mix_;
  std::vector<Shape> shapes_;
  std::vector<Placed> layouts_;
  std::vector<Part> parts_;
  std::size_t thinning_ = 0;
  bool settled_ = false;

  // By class.
  std::vector<double> demand_;
  std::vector<double> log_prices_;
  std::vector<double> prices_;
  std::vector<double> served_;
  std::vector<std::uint8_t> alive_;

  double asked_ = 0;  // eighths of a board per arrival, of classes that some board has room for
  double softness_ = 0;
  double most_work_share_ = 0;
  double tolerance_ = 0;
};

}  // namespace kumiko::allocator
