#include "allocator/price_book.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <numeric>

#include "base/random.h"

namespace kumiko::allocator {
namespace {

constexpr Amount kUnit = 1000;
constexpr std::size_t kSlots = 8;

// A part of a board of eight memory slots and seven compute slices, as NVIDIA's boards have.
struct Part {
  std::size_t class_index = 0;
  Amount compute = 0;
  unsigned slots = 0;  // bit i: slot i
};
struct Profile {
  double size = 0;
  Amount compute = 0;
  std::vector<unsigned> starts;
};
// 1g, 1g with double memory, 2g, 3g, 4g, 7g.
const std::vector<Profile> kProfiles = {
    {1, 1, {0, 1, 2, 3, 4, 5, 6}}, {2, 1, {0, 2, 4, 6}}, {2, 2, {0, 2, 4}}, {4, 3, {0, 4}}, {4, 4, {0}}, {8, 7, {0}}};

std::vector<double> Sizes() {
  std::vector<double> sizes;
  for (const auto& profile : kProfiles) sizes.push_back(profile.size);
  return sizes;
}

std::vector<Part> Parts() {
  std::vector<Part> parts;
  for (std::size_t c = 0; c < kProfiles.size(); ++c) {
    for (const auto start : kProfiles[c].starts) {
      parts.push_back({c, kProfiles[c].compute, ((1u << static_cast<unsigned>(kProfiles[c].size)) - 1) << start});
    }
  }
  return parts;
}

std::vector<BoardShape::Type> Types() {
  std::vector<BoardShape::Type> types;
  for (const auto& part : Parts()) {
    BoardShape::Type type{.mask = ClassMask{1} << part.class_index, .need = {part.compute * kUnit}, .count = 1};
    for (std::size_t s = 0; s < kSlots; ++s) type.need.push_back((part.slots >> s & 1) != 0 ? kUnit : 0);
    types.push_back(std::move(type));
  }
  return types;
}

BoardShape Shape() {
  std::vector<Amount> declared(kSlots + 1, kUnit);
  declared[0] = 7 * kUnit;
  return {declared, Types()};
}

// One counter of so many units, and parts of the given sizes, one class each.
BoardShape Bar(Amount units, const std::vector<Amount>& sizes) {
  std::vector<BoardShape::Type> types;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    types.push_back({.mask = ClassMask{1} << c, .need = {sizes[c] * kUnit}, .count = 100});
  }
  return {{units * kUnit}, types};
}

// A cluster of equal boards that takes parts where the book loses least and never gives one back.
class Fleet {
 public:
  Fleet(std::int64_t boards, ArrivalMix mix) : shape_(Shape()), parts_(Parts()), book_(Sizes(), std::move(mix)) {
    const auto types = Types();
    std::vector<bool> reachable(1u << kSlots, false);
    reachable[0] = true;
    free_.resize(reachable.size());
    free_[0] = shape_.declared();
    EXPECT_TRUE(shape_.MergedStateOf(free_[0]).has_value());
    shape_id_ = book_.AddShape(shape_.merged());
    for (unsigned used = 0; used < reachable.size(); ++used) {
      if (!reachable[used]) continue;
      layout_[used] = book_.AddLayout(shape_id_, Layout::Staying(*shape_.MergedStateOf(free_[used])));
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const auto after = used | parts_[p].slots;
        if ((used & parts_[p].slots) != 0 || reachable[after]) continue;
        reachable[after] = true;
        free_[after] = free_[used];
        for (std::size_t c = 0; c < types[p].need.size(); ++c) free_[after][c] -= types[p].need[c];
      }
    }
    count_[0] = boards;
    book_.AddBoards(layout_[0], boards);
  }

  // False when no board has room.
  bool Take(std::size_t class_index) {
    book_.Arrived(class_index);
    book_.Rounds(PriceBook::kRoundsPerArrival);
    struct Choice {
      unsigned used = 0;
      unsigned after = 0;
      double loss = 0;
      int free = 0;
    };
    std::vector<Choice> choices;
    for (const auto& [used, boards] : count_) {
      if (boards == 0) continue;
      for (const auto& part : parts_) {
        if (part.class_index != class_index || (used & part.slots) != 0) continue;
        const auto after = used | part.slots;
        choices.push_back({used, after, book_.Worth(layout_.at(used)) - book_.Worth(layout_.at(after)),
                           static_cast<int>(kSlots) - std::popcount(used)});
      }
    }
    if (choices.empty()) return false;
    double least = choices.front().loss;
    for (const auto& choice : choices) least = std::min(least, choice.loss);
    const Choice* best = nullptr;
    for (const auto& choice : choices) {
      if (choice.loss > least + book_.tolerance()) continue;
      if (!best || std::tie(choice.free, choice.loss) < std::tie(best->free, best->loss)) best = &choice;
    }
    --count_[best->used];
    ++count_[best->after];
    book_.AddBoards(layout_.at(best->used), -1);
    book_.AddBoards(layout_.at(best->after), 1);
    return true;
  }

  const PriceBook& book() const { return book_; }
  PriceBook& book() { return book_; }

 private:
  BoardShape shape_;
  std::vector<Part> parts_;
  PriceBook book_;
  PriceBook::ShapeId shape_id_ = 0;
  std::vector<BoardShape::Free> free_;              // by used slots
  std::map<unsigned, PriceBook::LayoutId> layout_;  // by used slots
  std::map<unsigned, std::int64_t> count_;          // boards by used slots
};

// Percent of all slots that parts take, in the mean over loads of 100, 115 and 130 % of them.
double Fill(std::int64_t boards, const std::vector<double>& weights, std::uint64_t seed) {
  Random random(seed);
  Fleet fleet(boards, ArrivalMix(kProfiles.size()));
  const double slots = static_cast<double>(boards) * kSlots;
  double arrived = 0;
  double accepted = 0;
  double sum = 0;
  for (const double load : {1.0, 1.15, 1.3}) {
    while (true) {
      double draw = random.Fraction() * std::accumulate(weights.begin(), weights.end(), 0.0);
      std::size_t c = 0;
      while (c + 1 < weights.size() && draw >= weights[c]) draw -= weights[c++];
      if (arrived + kProfiles[c].size > load * slots) break;
      arrived += kProfiles[c].size;
      if (fleet.Take(c)) accepted += kProfiles[c].size;
    }
    sum += 100 * accepted / slots / 3;
  }
  return sum;
}

// A book over one shape with so many boards of the given states; settled.
PriceBook Settled(BoardShape& shape, std::vector<double> sizes, std::vector<double> weights,
                  const std::vector<std::pair<BoardShape::Free, std::int64_t>>& boards) {
  PriceBook book(std::move(sizes), ArrivalMix::Declared(std::move(weights)));
  std::vector<std::uint32_t> states;
  for (const auto& [free, count] : boards) states.push_back(*shape.MergedStateOf(free));
  const auto id = book.AddShape(shape.merged());
  for (std::size_t i = 0; i < boards.size(); ++i) {
    book.AddBoards(book.AddLayout(id, Layout::Staying(states[i])), boards[i].second);
  }
  book.Rounds(1);
  return book;
}

// What the prices are in the limit: of the mean, since each round leaves the optimum by a step.
std::vector<double> MeanPrices(PriceBook& book, std::size_t classes) {
  std::vector<double> mean(classes, 0);
  for (int i = 0; i < 2000; ++i) {
    book.Rounds(1);
    for (std::size_t c = 0; c < classes; ++c) mean[c] += book.Price(c) / 2000;
  }
  return mean;
}

TEST(PriceBook, PartsThatFillTheBoardAloneAreWorthTheirSize) {
  auto shape = Bar(4, {1, 4});
  auto book = Settled(shape, {2, 8}, {5, 1}, {{{4 * kUnit}, 10}});
  const auto prices = MeanPrices(book, 2);
  EXPECT_NEAR(prices[0], 2, 0.05);
  EXPECT_NEAR(prices[1], 8, 0.4);
  EXPECT_NEAR(book.Worth(0, *shape.MergedStateOf({4 * kUnit})), 8, 0.4);
  EXPECT_EQ(book.Worth(0, *shape.MergedStateOf({0})), 0);
}

TEST(PriceBook, APartThatWastesAnEighthPaysForIt) {
  // Seven parts of one eighth leave the last eighth of a board empty: 7 p0 = p1 where 8/9 p0 + 1/9 p1 = 16/9.
  auto shape = Bar(7, {1, 7});
  auto book = Settled(shape, {1, 8}, {8, 1}, {{{7 * kUnit}, 10}});
  const auto prices = MeanPrices(book, 2);
  EXPECT_NEAR(prices[0], 16.0 / 15, 0.05);
  EXPECT_NEAR(prices[1], 7 * 16.0 / 15, 0.4);
}

TEST(PriceBook, WhatHasMoreRoomThanItNeedsIsCheap) {
  // Boards with one unit left serve class 0 only; 20 of them and 10 whole ones are more than its half of the demand.
  auto shape = Bar(2, {1, 2});
  auto plenty = Settled(shape, {8, 8}, {1, 1}, {{{2 * kUnit}, 10}, {{1 * kUnit}, 20}});
  EXPECT_LT(MeanPrices(plenty, 2)[0], 0.5);
  EXPECT_GT(plenty.Price(1), 15);
  // With few of them both compete for whole boards, which hold two of class 0: 2 p0 = p1 and p0 + p1 = 16.
  auto scarce = Settled(shape, {8, 8}, {1, 1}, {{{2 * kUnit}, 10}, {{1 * kUnit}, 1}});
  EXPECT_NEAR(MeanPrices(scarce, 2)[0], 16.0 / 3, 0.2);
}

TEST(PriceBook, ClassesWithoutRoomCostNothingAndOthersGoOn) {
  auto shape = Bar(4, {1, 4});
  ASSERT_TRUE(shape.MergedStateOf({4 * kUnit}));
  auto book = Settled(shape, {2, 8}, {5, 1}, {{{3 * kUnit}, 10}});
  EXPECT_EQ(book.Price(1), 0);
  EXPECT_NEAR(book.Price(0), 2, 1e-9);
  auto full = Settled(shape, {2, 8}, {5, 1}, {{{0}, 10}});
  EXPECT_EQ(full.Price(0), 0);
}

TEST(PriceBook, BoardsTakenAndGivenBackLeaveNoTrace) {
  auto shape = Bar(4, {1, 4});
  ASSERT_TRUE(shape.MergedStateOf({4 * kUnit}));
  const std::uint32_t taken[] = {0, 0};
  const auto layout = Layout::Of(shape, {2 * kUnit}, taken);
  const auto worth = [&](int moves) {
    PriceBook book({2, 8}, ArrivalMix(2));
    const auto id = book.AddShape(shape.merged());
    const auto full = book.AddLayout(id, Layout::Staying(*shape.MergedStateOf({4 * kUnit})));
    const auto half = book.AddLayout(id, layout);
    book.AddBoards(full, 5);
    for (int i = 0; i < 30; ++i) {
      book.Arrived(0);
      book.Departed();
    }
    book.Rounds(1);
    for (int i = 0; i < moves; ++i) {
      book.AddBoards(full, -3);
      book.AddBoards(half, 3);
      book.AddBoards(half, -3);
      book.AddBoards(full, 3);
    }
    book.Rounds(8);
    return book.Worth(half);
  };
  EXPECT_EQ(worth(0), worth(1000));
}

TEST(PriceBook, StatesThatShapesMeetLaterAreWorthWhatTheyCanBecome) {
  auto shape = Bar(4, {1, 4});
  ASSERT_TRUE(shape.MergedStateOf({2 * kUnit}));
  PriceBook book({2, 8}, ArrivalMix::Declared({1, 1}));
  const auto id = book.AddShape(shape.merged());
  book.AddBoards(book.AddLayout(id, Layout::Staying(*shape.MergedStateOf({2 * kUnit}))), 3);
  book.Rounds(1);
  const auto before = book.Worth(id, *shape.MergedStateOf({1 * kUnit}));
  const auto whole = *shape.MergedStateOf({4 * kUnit});
  book.Grow(id, shape.merged());
  EXPECT_EQ(book.Worth(id, *shape.MergedStateOf({1 * kUnit})), before);
  EXPECT_NEAR(book.Worth(id, whole), 4 * before, 1e-9);
}

TEST(Layout, SpreadsABoardOverWhatMayLeave) {
  auto shape = Bar(2, {1});
  const std::uint32_t taken[] = {0, 0};
  const auto layout = Layout::Of(shape, {0}, taken);
  ASSERT_EQ(layout.soon[0].size(), 1U);
  EXPECT_EQ(layout.soon[0][0].state, *shape.MergedStateOf({0}));
  std::map<std::uint32_t, double> soon;
  for (const auto& chance : layout.soon[6]) soon[chance.state] = chance.probability;
  EXPECT_NEAR(soon[*shape.MergedStateOf({0})], 0.49, 1e-9);
  EXPECT_NEAR(soon[*shape.MergedStateOf({1 * kUnit})], 0.42, 1e-9);
  EXPECT_NEAR(soon[*shape.MergedStateOf({2 * kUnit})], 0.09, 1e-9);
}

TEST(Layout, SamplesWhatManyPartsMayLeave) {
  auto shape = Bar(20, {1});
  const std::vector<std::uint32_t> taken(20, 0);
  const auto layout = Layout::Of(shape, {0}, taken);
  for (std::size_t step = 1; step < layout.soon.size(); ++step) {
    double sum = 0;
    double left = 0;
    for (const auto& chance : layout.soon[step]) {
      sum += chance.probability;
      for (Amount units = 0; units <= 20; ++units) {
        if (*shape.MergedStateOf({units * kUnit}) == chance.state)
          left += chance.probability * static_cast<double>(units);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(left, static_cast<double>(step), 0.3) << "of 20 parts, one in twenty for each step";
  }
}

TEST(ArrivalMix, TrustsWhatKeepsArriving) {
  ArrivalMix mix(2);
  EXPECT_EQ(mix.drift(), 1);
  for (int i = 0; i < 400; ++i) mix.Arrived(i % 4 == 0 ? 1 : 0);
  EXPECT_EQ(mix.drift(), 0);
  EXPECT_NEAR(mix.ShareOf(0), 0.75, 0.01);
  for (int i = 0; i < 100; ++i) mix.Arrived(1);
  EXPECT_GT(mix.drift(), 0);
  EXPECT_GT(mix.ShareOf(1), 0.42) << "more than its share of all that was counted";
}

TEST(ArrivalMix, ThinsTheMoreLeavesForEachThatArrives) {
  ArrivalMix mix(1);
  EXPECT_EQ(mix.thinning(), 0U);
  for (int i = 0; i < 1000; ++i) mix.Arrived(0);
  EXPECT_EQ(mix.thinning(), 0U);
  for (int i = 0; i < 2000; ++i) {
    mix.Arrived(0);
    if (i % 2 == 0) mix.Departed();
  }
  EXPECT_EQ(mix.thinning(), 3U);
  for (int i = 0; i < 3000; ++i) {
    mix.Arrived(0);
    mix.Departed();
  }
  EXPECT_EQ(mix.thinning(), 6U);
}

TEST(ArrivalMix, KeepsCountsWhenClassesChange) {
  ArrivalMix mix(2);
  for (int i = 0; i < 300; ++i) mix.Arrived(i % 3 == 0 ? 0 : 1);
  const std::size_t from[] = {1, ArrivalMix::kOther, 0};
  const auto changed = mix.ForClasses(from);
  EXPECT_GT(changed.ShareOf(0), changed.ShareOf(2));
  EXPECT_LT(changed.ShareOf(1), 0.01);
  EXPECT_NEAR(changed.ShareOf(0) / changed.ShareOf(2), mix.ShareOf(1) / mix.ShareOf(0), 1e-9);
}

TEST(PriceBook, FillsAHundredNodesAsTheStudyReports) {
  struct Mix {
    const char* name;
    std::vector<double> weights;
    double study;  // spec packing-partitions §3, E3, kumiko
  };
  const std::vector<Mix> mixes = {{"uniform", {1, 1, 1, 1, 1, 1}, 99.95},
                                  {"small", {.50, .15, .20, .10, .03, .02}, 99.98},
                                  {"large", {.05, .05, .10, .25, .25, .30}, 99.85},
                                  {"bimodal", {.45, .05, .05, .05, .05, .35}, 98.97},
                                  {"one-three", {.60, 0, 0, .40, 0, 0}, 99.99},
                                  {"two-three", {0, 0, .50, .50, 0, 0}, 99.97},
                                  {"openb", {.0042, .0373, 0, .1738, 0, .7847}, 99.98}};
  double mean = 0;
  for (const auto& mix : mixes) {
    const double filled = Fill(800, mix.weights, 1);
    EXPECT_NEAR(filled, mix.study, 0.4) << mix.name;
    mean += filled / static_cast<double>(mixes.size());
  }
  EXPECT_NEAR(mean, 99.81, 0.1);
}

TEST(PriceBook, PutsFourSmallAndOneLargeOnABoardInAnyOrder) {
  for (std::size_t boards = 1; boards <= 8; ++boards) {
    for (std::size_t large_at = 0; large_at < 5; ++large_at) {
      Fleet fleet(static_cast<std::int64_t>(boards), ArrivalMix::Declared({4, 0, 0, 1, 0, 0}));
      for (std::size_t i = 0; i < 5 * boards; ++i) {
        EXPECT_TRUE(fleet.Take(i % 5 == large_at ? 3 : 0))
            << boards << " boards, large at " << large_at << ", part " << i;
      }
    }
  }
}

}  // namespace
}  // namespace kumiko::allocator
