#include "allocator/board_shape.h"

#include <algorithm>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxStates = 20'000;
constexpr std::int64_t kMillion = 1'000'000;
constexpr Amount kOneUnit = 1000;

}  // namespace

BoardShape::BoardShape(std::vector<Amount> declared, std::vector<Type> types, std::uint32_t index)
    : index_(index), declared_(std::move(declared)), types_(std::move(types)), limit_of_type_(types_.size(), -1) {
  for (std::size_t t = 0; t < types_.size(); ++t) {
    bool limited = false;
    for (std::size_t c = 0; c < declared_.size(); ++c) {
      if (types_[t].need[c] > 0 && declared_[c] / types_[t].need[c] <= types_[t].count) limited = true;
    }
    if (!limited) limit_of_type_[t] = static_cast<int>(limit_count_++);
  }
  Merge({});
}

BoardShape::Free BoardShape::Full() const {
  Free full = declared_;
  full.resize(full.size() + limit_count_, 0);
  for (std::size_t t = 0; t < types_.size(); ++t) {
    if (limit_of_type_[t] >= 0) full[declared_.size() + static_cast<std::size_t>(limit_of_type_[t])] = types_[t].count;
  }
  return full;
}

std::int64_t BoardShape::FreePpm(const Free& free) const {
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t c = 0; c < declared_.size(); ++c) {
    if (declared_[c] <= 0) continue;
    sum += static_cast<double>(std::max<Amount>(free[c], 0)) / static_cast<double>(declared_[c]);
    ++counted;
  }
  if (counted > 0) {
    return static_cast<std::int64_t>(sum / static_cast<double>(counted) * static_cast<double>(kMillion) + 0.5);
  }
  return std::any_of(free.begin(), free.end(), [](Amount amount) { return amount > 0; }) ? kMillion : 0;
}

std::int64_t BoardShape::SharePpm(const Type& type) const {
  double share = 0;
  bool counted = false;
  Amount slots = 0;
  Amount slots_needed = 0;
  for (std::size_t c = 0; c < declared_.size(); ++c) {
    if (declared_[c] <= 0) continue;
    counted = counted || type.need[c] > 0;
    if (declared_[c] == kOneUnit) {
      slots += kOneUnit;
      slots_needed += type.need[c];
    } else {
      share = std::max(share, static_cast<double>(type.need[c]) / static_cast<double>(declared_[c]));
    }
  }
  if (!counted) return kMillion;
  if (slots > 0) share = std::max(share, static_cast<double>(slots_needed) / static_cast<double>(slots));
  return static_cast<std::int64_t>(share * static_cast<double>(kMillion) + 0.5);
}

bool BoardShape::Fits(const Free& free, std::size_t type) const {
  for (std::size_t c = 0; c < declared_.size(); ++c) {
    if (types_[type].need[c] > 0 && types_[type].need[c] > free[c]) return false;
  }
  return limit_of_type_[type] < 0 || free[declared_.size() + static_cast<std::size_t>(limit_of_type_[type])] > 0;
}

// What no device can use any more does not tell states apart.
void BoardShape::Clip(Free& free) const {
  Free usable(free.size(), 0);
  for (std::size_t t = 0; t < types_.size(); ++t) {
    if (!Fits(free, t)) continue;
    for (std::size_t c = 0; c < declared_.size(); ++c) usable[c] += types_[t].need[c] * types_[t].count;
    if (limit_of_type_[t] >= 0) {
      const auto limit = declared_.size() + static_cast<std::size_t>(limit_of_type_[t]);
      usable[limit] = free[limit];
    }
  }
  for (std::size_t c = 0; c < free.size(); ++c) free[c] = std::clamp<Amount>(free[c], 0, usable[c]);
}

std::uint32_t BoardShape::Merge(std::vector<Option> options) {
  std::sort(options.begin(), options.end());
  options.erase(std::unique(options.begin(), options.end()), options.end());
  const auto [found, added] = merged_of_.try_emplace(options, static_cast<std::uint32_t>(merged_.size()));
  if (added) merged_.push_back(std::move(options));
  return found->second;
}

std::optional<BoardShape::State> BoardShape::StateOf(const Free& free) {
  if (const auto found = written_.find(free); found != written_.end()) return found->second;
  const auto state = Explore(free);
  if (written_.size() > kMaxStates) written_.clear();
  if (state) written_.emplace(free, *state);
  return state;
}

std::optional<BoardShape::State> BoardShape::Explore(const Free& given) {
  if (!enumerable_) return std::nullopt;
  Free free = given;
  Clip(free);
  if (const auto found = states_.find(free); found != states_.end()) return found->second;
  if (states_.size() >= kMaxStates) {
    enumerable_ = false;
    return std::nullopt;
  }
  std::vector<Option> options;
  std::vector<State> children(types_.size(), kNoState);
  for (std::size_t t = 0; t < types_.size(); ++t) {
    if (!Fits(free, t)) continue;
    Free rest = free;
    for (std::size_t c = 0; c < declared_.size(); ++c) rest[c] -= types_[t].need[c];
    if (limit_of_type_[t] >= 0) --rest[declared_.size() + static_cast<std::size_t>(limit_of_type_[t])];
    const auto child = Explore(rest);
    if (!child) return std::nullopt;
    children[t] = *child;
    for (std::uint32_t c = 0; c < 64; ++c) {
      if ((types_[t].mask >> c & 1) != 0) options.push_back({.class_index = c, .child = merged_of_state_[*child]});
    }
  }
  const auto state = static_cast<State>(states_.size());
  children_.insert(children_.end(), children.begin(), children.end());
  free_ppm_.push_back(FreePpm(free));
  merged_of_state_.push_back(Merge(std::move(options)));
  states_.emplace(std::move(free), state);
  return state;
}

}  // namespace kumiko::allocator
