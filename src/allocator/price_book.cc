#include "allocator/price_book.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace kumiko::allocator {
namespace {

constexpr int kSettlingRounds = 480;
// Many prices can be equally right, and one start may lie on the edge of them, where good places look like bad ones.
// Descents that start with different classes dear end on different sides; their mean lies inside.
constexpr std::size_t kMostStarts = 8;
constexpr double kStartAhead = 1;
constexpr double kStep = 0.07;
constexpr double kMostOverserved = 4;
constexpr double kAveraging = 0.02;
constexpr double kPriorShare = 0.2;
constexpr double kLowestLogPrice = -12;

// Boards are counted in fixed point, so that what is added and taken away again leaves nothing.
constexpr std::int64_t kWhole = std::int64_t{1} << 30;

constexpr std::size_t kMostExact = 10;
constexpr std::uint32_t kSamples = 256;

// Uniform in [0, 1), the same in every run.
double Draw(std::uint32_t sample, std::size_t device) {
  std::uint64_t x = (std::uint64_t{sample} << 32 | device) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

void AddChance(std::vector<Layout::Chance>& chances, std::uint32_t state, double probability) {
  if (probability <= 0) return;
  for (auto& chance : chances) {
    if (chance.state != state) continue;
    chance.probability += probability;
    return;
  }
  chances.push_back({.state = state, .probability = probability});
}

}  // namespace

Layout Layout::Staying(std::uint32_t state) {
  Layout layout;
  layout.soon.fill({{.state = state, .probability = 1}});
  return layout;
}

Layout Layout::Of(BoardShape& shape, const BoardShape::Free& free, std::span<const std::uint32_t> taken) {
  Layout layout;
  // `gone` by device of `taken`.
  const auto state_without = [&](const auto& gone) {
    auto left = free;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (!gone(i)) continue;
      const auto& need = shape.types()[taken[i]].need;
      for (std::size_t c = 0; c < need.size(); ++c) left[c] += need[c];
      const auto limit = shape.limit_of_type()[taken[i]];
      if (limit >= 0) ++left[need.size() + static_cast<std::size_t>(limit)];
    }
    const auto state = shape.MergedStateOf(left);
    KU_CHECK(state.has_value()) << "a layout was asked for of a board with too many states to enumerate";
    return *state;
  };
  layout.soon[0] = {{.state = state_without([](std::size_t) { return false; }), .probability = 1}};
  if (taken.size() <= kMostExact) {
    for (std::uint32_t subset = 0; subset < std::uint32_t{1} << taken.size(); ++subset) {
      const auto state = state_without([&](std::size_t i) { return (subset >> i & 1) != 0; });
      for (std::size_t step = 1; step < layout.soon.size(); ++step) {
        const double leaves = static_cast<double>(step) * ArrivalMix::kThinningStep;
        double probability = 1;
        for (std::size_t i = 0; i < taken.size(); ++i) probability *= (subset >> i & 1) != 0 ? leaves : 1 - leaves;
        AddChance(layout.soon[step], state, probability);
      }
    }
    return layout;
  }
  for (std::size_t step = 1; step < layout.soon.size(); ++step) {
    for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
      const auto state = state_without(
          [&](std::size_t i) { return Draw(sample, i) < static_cast<double>(step) * ArrivalMix::kThinningStep; });
      AddChance(layout.soon[step], state, 1.0 / kSamples);
    }
  }
  return layout;
}

PriceBook::PriceBook(std::vector<double> sizes, ArrivalMix mix)
    : sizes_(std::move(sizes)),
      mix_(std::move(mix)),
      demand_(sizes_.size(), 0),
      log_prices_(sizes_.size(), 0),
      prices_(sizes_.size(), 0),
      served_(sizes_.size(), 0),
      alive_(sizes_.size(), 0) {
  KU_CHECK(sizes_.size() == mix_.size()) << sizes_.size() << " sizes for a mix of " << mix_.size() << " classes";
  MeasureDemand();
}

void PriceBook::SetMix(const ArrivalMix& mix) {
  KU_CHECK(mix.size() == sizes_.size()) << sizes_.size() << " sizes for a mix of " << mix.size() << " classes";
  mix_ = mix;
}

PriceBook::ShapeId PriceBook::AddShape(const MergedStates& merged) {
  shapes_.emplace_back().first_option.push_back(0);
  settled_ = false;
  const auto shape = static_cast<ShapeId>(shapes_.size() - 1);
  Grow(shape, merged);
  return shape;
}

void PriceBook::Grow(ShapeId shape, const MergedStates& merged) {
  auto& s = shapes_[shape];
  for (std::size_t k = s.mean.size(); k < merged.size(); ++k) {
    double worth = 0;
    double work = 0;
    for (const auto& option : merged[k]) {
      worth = std::max(worth, prices_[option.class_index] + s.mean[option.child]);
      work = std::max(work, sizes_[option.class_index] + s.most_work[option.child]);
      s.options.push_back(option);
    }
    s.mean.push_back(worth);
    s.most_work.push_back(work);
    s.first_option.push_back(static_cast<std::uint32_t>(s.options.size()));
  }
  s.boards.resize(merged.size(), 0);
  s.value.resize(merged.size(), 0);
  s.flow.resize(merged.size(), 0);
  s.option_share.resize(s.options.size(), 0);
}

PriceBook::LayoutId PriceBook::AddLayout(ShapeId shape, const Layout& layout) {
  Placed placed;
  placed.shape = shape;
  for (std::size_t step = 0; step < layout.soon.size(); ++step) {
    placed.first[step] = static_cast<std::uint32_t>(parts_.size());
    std::int64_t rest = kWhole;
    const auto& chances = layout.soon[step];
    for (const auto& chance : chances) {
      const auto exact = static_cast<std::int64_t>(chance.probability * static_cast<double>(kWhole));
      const auto amount = &chance == &chances.back() ? rest : std::min(rest, exact);
      rest -= amount;
      parts_.push_back({chance.state, amount});
    }
  }
  placed.first.back() = static_cast<std::uint32_t>(parts_.size());
  layouts_.push_back(placed);
  return static_cast<LayoutId>(layouts_.size() - 1);
}

void PriceBook::Spread(const Placed& layout, std::int64_t boards) {
  auto& counted = shapes_[layout.shape].boards;
  for (auto p = layout.first[thinning_]; p < layout.first[thinning_ + 1]; ++p) {
    counted[parts_[p].state] += parts_[p].amount * boards;
  }
}

void PriceBook::AddBoards(LayoutId layout, std::int64_t boards) {
  layouts_[layout].boards += boards;
  Spread(layouts_[layout], boards);
}

double PriceBook::Worth(LayoutId layout) const {
  const auto& placed = layouts_[layout];
  double worth = 0;
  for (auto p = placed.first[thinning_]; p < placed.first[thinning_ + 1]; ++p) {
    worth += static_cast<double>(parts_[p].amount) / static_cast<double>(kWhole) * Worth(placed.shape, parts_[p].state);
  }
  return worth;
}

void PriceBook::MeasureDemand() {
  const double drift = mix_.drift();
  softness_ = 0.1 * drift;
  most_work_share_ = 0.3 * drift;
  tolerance_ = 0.05 + 0.05 * drift;
  double prior_sum = 0;
  double known_sum = 0;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (sizes_[c] <= 0) continue;
    prior_sum += 1 / sizes_[c];
    known_sum += mix_.ShareOf(c);
  }
  const double prior_share = mix_.declared() ? 0 : kPriorShare;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    demand_[c] =
        sizes_[c] <= 0 ? 0 : (1 - prior_share) * mix_.ShareOf(c) / known_sum + prior_share / (sizes_[c] * prior_sum);
  }

  // With parts that may leave, a state that hardly any board will be in does not count.
  const std::int64_t least = mix_.thinning() > 0 ? kWhole / 2 : 0;
  std::fill(alive_.begin(), alive_.end(), std::uint8_t{0});
  for (const auto& shape : shapes_) {
    for (std::size_t k = 0; k < shape.boards.size(); ++k) {
      if (shape.boards[k] <= least) continue;
      for (auto o = shape.first_option[k]; o < shape.first_option[k + 1]; ++o) alive_[shape.options[o].class_index] = 1;
    }
  }
  asked_ = 0;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (demand_[c] <= 0) alive_[c] = 0;
    if (alive_[c] != 0) asked_ += demand_[c] * sizes_[c];
  }
}

void PriceBook::SetPrices() {
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (alive_[c] != 0) highest = std::max(highest, log_prices_[c]);
  }
  double sum = 0;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    prices_[c] = 0;
    if (alive_[c] == 0) continue;
    log_prices_[c] = std::max(log_prices_[c] - highest, kLowestLogPrice);
    prices_[c] = std::exp(log_prices_[c]);
    sum += prices_[c];
  }
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (alive_[c] != 0) prices_[c] *= asked_ / (sum * demand_[c]);
  }
}

// The most that each state can earn, children first. Which option earns it is looked for only where boards are.
void PriceBook::Value(Shape& shape) const {
  const double* prices = prices_.data();
  double* value = shape.value.data();
  for (std::size_t k = 0; k < shape.value.size(); ++k) {
    double most = 0;
    for (auto o = shape.first_option[k]; o < shape.first_option[k + 1]; ++o) {
      const auto& option = shape.options[o];
      most = std::max(most, prices[option.class_index] + value[option.child]);
    }
    value[k] = most;
  }
}

// The same with soft choice: an option is taken the more, the more it earns.
void PriceBook::ValueSoftly(Shape& shape) const {
  for (std::size_t k = 0; k < shape.value.size(); ++k) {
    const auto begin = shape.first_option[k];
    const auto end = shape.first_option[k + 1];
    shape.value[k] = 0;
    if (begin == end) continue;
    double most = 0;
    for (auto o = begin; o < end; ++o) {
      const auto& option = shape.options[o];
      shape.option_share[o] = prices_[option.class_index] + shape.value[option.child];
      most = std::max(most, shape.option_share[o]);
    }
    double sum = 0;
    for (auto o = begin; o < end; ++o) {
      shape.option_share[o] = std::exp((shape.option_share[o] - most) / softness_);
      sum += shape.option_share[o];
    }
    for (auto o = begin; o < end; ++o) shape.option_share[o] /= sum;
    shape.value[k] = most + softness_ * std::log(sum);
  }
}

double PriceBook::Earns(const Shape& shape, std::uint32_t o) const {
  return prices_[shape.options[o].class_index] + shape.value[shape.options[o].child];
}

// How much of each class the free space would serve: boards go from the emptiest state down.
void PriceBook::Flow(Shape& shape) {
  for (std::size_t k = 0; k < shape.flow.size(); ++k) {
    shape.flow[k] = static_cast<double>(shape.boards[k]) / static_cast<double>(kWhole);
  }
  for (std::size_t k = shape.flow.size(); k-- > 0;) {
    const auto begin = shape.first_option[k];
    const auto end = shape.first_option[k + 1];
    if (shape.flow[k] <= 0 || begin == end) continue;
    const auto send = [&](std::uint32_t o, double boards) {
      served_[shape.options[o].class_index] += boards;
      shape.flow[shape.options[o].child] += boards;
    };
    if (softness_ <= 0) {
      auto best = begin;
      while (best + 1 < end && Earns(shape, best) < shape.value[k]) ++best;
      send(best, shape.flow[k]);
    } else {
      for (auto o = begin; o < end; ++o) send(o, shape.flow[k] * shape.option_share[o]);
    }
  }
}

void PriceBook::Round() {
  SetPrices();
  std::fill(served_.begin(), served_.end(), 0.0);
  for (auto& shape : shapes_) {
    if (softness_ > 0) {
      ValueSoftly(shape);
    } else {
      Value(shape);
    }
    Flow(shape);
    for (std::size_t k = 0; k < shape.mean.size(); ++k) shape.mean[k] += kAveraging * (shape.value[k] - shape.mean[k]);
  }
  double work = 0;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (alive_[c] != 0) work += served_[c] * sizes_[c];
  }
  if (work <= 0) return;
  const double theta = work / asked_;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (alive_[c] == 0) continue;
    log_prices_[c] -= kStep * (std::min(served_[c] / (demand_[c] * theta), kMostOverserved) - 1);
  }
}

void PriceBook::Rounds(int rounds) {
  if (const auto step = mix_.thinning(); step != thinning_) {
    thinning_ = step;
    for (auto& shape : shapes_) std::fill(shape.boards.begin(), shape.boards.end(), 0);
    for (const auto& layout : layouts_) Spread(layout, layout.boards);
  }
  MeasureDemand();
  if (asked_ <= 0) return;
  if (!settled_) {
    Settle();
    return;
  }
  for (int r = 0; r < rounds; ++r) Round();
}

void PriceBook::Settle() {
  std::vector<double> log_prices(sizes_.size(), 0);
  std::vector<std::vector<double>> means;
  for (const auto& shape : shapes_) means.emplace_back(shape.mean.size(), 0);
  const auto starts = std::min(sizes_.size(), kMostStarts);
  for (std::size_t start = 0; start < starts; ++start) {
    for (std::size_t c = 0; c < sizes_.size(); ++c) log_prices_[c] = c % kMostStarts == start ? kStartAhead : 0;
    Round();
    for (auto& shape : shapes_) shape.mean = shape.value;
    for (int r = 1; r < kSettlingRounds; ++r) Round();
    SetPrices();
    for (std::size_t c = 0; c < sizes_.size(); ++c) log_prices[c] += log_prices_[c] / static_cast<double>(starts);
    for (std::size_t s = 0; s < shapes_.size(); ++s) {
      for (std::size_t k = 0; k < means[s].size(); ++k) means[s][k] += shapes_[s].mean[k] / static_cast<double>(starts);
    }
  }
  log_prices_ = std::move(log_prices);
  for (std::size_t s = 0; s < shapes_.size(); ++s) shapes_[s].mean = std::move(means[s]);
  settled_ = true;
}

}  // namespace kumiko::allocator
