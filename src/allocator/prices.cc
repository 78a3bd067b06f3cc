#include "allocator/prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr int kRounds = 200;
constexpr int kRoundsBeforeMean = 60;
// Many prices can be equally right; descents that start with different classes dear end on different sides of that set,
// and their mean lies inside it, where it tells good places from bad ones.
constexpr std::size_t kMaxStarts = 8;
constexpr double kStartAhead = 1;
constexpr double kStep = 0.07;
constexpr double kAveraging = 0.02;
constexpr double kPriorShare = 0.2;
constexpr double kSlicesPerBoard = 8;
constexpr double kLowestLogPrice = -12;

using ByClass = std::vector<double>;

// Demand that has been declared counts as it is; learnt demand is mixed with equal work for all classes.
ByClass DemandOf(const PackingClasses& classes, const ByClass& sizes) {
  ByClass prior(classes.size(), 0);
  ByClass demand(classes.size(), 0);
  double prior_sum = 0;
  double known_sum = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (sizes[c] <= 0) continue;
    prior[c] = 1 / sizes[c];
    prior_sum += prior[c];
    known_sum += classes.weight(c);
  }
  const double share = !classes.known() || known_sum <= 0 ? 1 : classes.declared() ? 0 : kPriorShare;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (sizes[c] <= 0) continue;
    demand[c] = share * prior[c] / prior_sum + (share < 1 ? (1 - share) * classes.weight(c) / known_sum : 0);
  }
  return demand;
}

// V(k) and the best option of each state, children first.
void Value(const BoardShape& shape, const ByClass& prices, std::vector<double>& value, std::vector<int>& best) {
  const auto& merged = shape.merged();
  value.assign(merged.size(), 0);
  best.assign(merged.size(), -1);
  for (std::size_t k = 0; k < merged.size(); ++k) {
    for (std::size_t o = 0; o < merged[k].size(); ++o) {
      const auto& option = merged[k][o];
      const double worth = prices[option.class_index] + value[option.child];
      if (best[k] < 0 || worth > value[k]) {
        value[k] = worth;
        best[k] = static_cast<int>(o);
      }
    }
  }
}

// How much of each class the free boards would serve when each is filled along its best options.
void Flow(const Census& entry, const std::vector<int>& best, ByClass& served) {
  const auto& merged = entry.shape->merged();
  std::vector<double> flow = entry.boards;
  flow.resize(merged.size(), 0);
  for (std::size_t k = merged.size(); k-- > 0;) {
    if (flow[k] <= 0 || best[k] < 0) continue;
    const auto& option = merged[k][static_cast<std::size_t>(best[k])];
    served[option.class_index] += flow[k];
    flow[option.child] += flow[k];
  }
}

std::vector<bool> AliveClasses(const std::vector<Census>& census, const ByClass& demand) {
  std::vector<bool> alive(demand.size(), false);
  for (const auto& entry : census) {
    for (std::size_t k = 0; k < entry.boards.size(); ++k) {
      if (entry.boards[k] <= 0) continue;
      for (const auto& option : entry.shape->merged()[k]) {
        if (demand[option.class_index] > 0) alive[option.class_index] = true;
      }
    }
  }
  return alive;
}

struct Market {
  const ByClass& demand;
  const ByClass& sizes;
  const std::vector<bool>& alive;
  double asked = 0;  // eighths of a board per arrival
};

// Mirror descent on the prices from one starting point; the mean worth of each state on the way.
std::vector<std::vector<double>> FindPrices(const std::vector<Census>& census, const Market& market,
                                            ByClass log_prices) {
  const auto& [demand, sizes, alive, asked] = market;
  const auto class_count = demand.size();
  std::vector<std::vector<double>> means(census.size());
  std::vector<double> value;
  std::vector<int> best;
  for (int round = 0; round < kRounds; ++round) {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < class_count; ++c) {
      if (alive[c]) highest = std::max(highest, log_prices[c]);
    }
    double sum = 0;
    for (std::size_t c = 0; c < class_count; ++c) {
      if (!alive[c]) continue;
      log_prices[c] = std::max(log_prices[c] - highest, kLowestLogPrice);
      sum += std::exp(log_prices[c]);
    }
    ByClass prices(class_count, 0);
    for (std::size_t c = 0; c < class_count; ++c) {
      if (alive[c]) prices[c] = std::exp(log_prices[c]) / sum / demand[c] * asked;
    }
    ByClass served(class_count, 0);
    for (std::size_t i = 0; i < census.size(); ++i) {
      Value(*census[i].shape, prices, value, best);
      Flow(census[i], best, served);
      if (round < kRoundsBeforeMean) continue;
      if (round == kRoundsBeforeMean) means[i] = value;
      for (std::size_t k = 0; k < value.size(); ++k) means[i][k] += kAveraging * (value[k] - means[i][k]);
    }
    double work = 0;
    for (std::size_t c = 0; c < class_count; ++c) work += alive[c] ? served[c] * sizes[c] : 0;
    const double theta = work / asked;
    if (theta <= 0) break;
    for (std::size_t c = 0; c < class_count; ++c) {
      if (alive[c]) log_prices[c] -= kStep * (std::min(served[c] / (demand[c] * theta), 4.0) - 1);
    }
  }
  return means;
}

}  // namespace

std::vector<double> ClassSizes(const std::vector<Census>& census, std::size_t class_count) {
  ByClass sizes(class_count, 0);
  for (const auto& entry : census) {
    if (!entry.shape) continue;
    for (const auto& type : entry.shape->types()) {
      const double size = kSlicesPerBoard * static_cast<double>(entry.shape->SharePpm(type)) / 1e6;
      for (std::size_t c = 0; c < class_count; ++c) {
        if ((type.mask >> c & 1) != 0 && size > 0) sizes[c] = sizes[c] > 0 ? std::min(sizes[c], size) : size;
      }
    }
  }
  return sizes;
}

Worths ComputeWorths(const std::vector<Census>& census, const PackingClasses& classes) {
  const auto sizes = ClassSizes(census, classes.size());
  const auto demand = DemandOf(classes, sizes);
  const auto alive = AliveClasses(census, demand);
  double asked = 0;  // eighths of a board per arrival
  for (std::size_t c = 0; c < classes.size(); ++c) asked += alive[c] ? demand[c] * sizes[c] : 0;

  Worths worths;
  for (const auto& entry : census) {
    if (worths.of.size() <= entry.shape->index()) worths.of.resize(entry.shape->index() + std::size_t{1});
    worths.of[entry.shape->index()].resize(entry.shape->merged().size(), 0);
  }
  const auto starts = std::min(classes.size(), kMaxStarts);
  for (std::size_t start = 0; start < starts && asked > 0; ++start) {
    ByClass log_prices(classes.size(), 0);
    for (std::size_t c = start; c < classes.size(); c += kMaxStarts) log_prices[c] = kStartAhead;
    const auto found = FindPrices(census, {demand, sizes, alive, asked}, std::move(log_prices));
    for (std::size_t i = 0; i < census.size(); ++i) {
      auto& of = worths.of[census[i].shape->index()];
      for (std::size_t k = 0; k < found[i].size(); ++k) of[k] += found[i][k] / static_cast<double>(starts);
    }
  }

  const double drift = classes.drift();
  worths.tolerance = 0.05 + 0.05 * drift;
  const double most_work_share = asked > 0 ? 0.3 * drift : 1;
  std::vector<double> value;
  std::vector<int> best;
  for (const auto& entry : census) {
    if (most_work_share <= 0) continue;
    Value(*entry.shape, sizes, value, best);
    auto& of = worths.of[entry.shape->index()];
    for (std::size_t k = 0; k < value.size(); ++k) of[k] = (1 - most_work_share) * of[k] + most_work_share * value[k];
  }
  return worths;
}

}  // namespace kumiko::allocator
