#include "allocator/demand.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxClasses = 16;
constexpr double kSlow = 1.0 / 2000;
constexpr double kFast = 1.0 / 100;
constexpr double kStart = 0.5;

}  // namespace

Demand Demand::Declare(std::vector<std::pair<std::string, double>> weights) {
  Demand demand;
  demand.declared_ = true;
  demand.version_ = 1;
  for (auto& [label, weight] : weights) {
    if (weight > 0)
      demand.classes_.push_back({.label = std::move(label), .selectors = {}, .slow = weight, .fast = weight});
  }
  return demand;
}

void Demand::Arrive(const std::vector<std::string>& selectors) {
  if (declared_) return;
  ++arrivals_;
  ++version_;
  Counted* arrived = nullptr;
  for (auto& counted : classes_) {
    counted.slow *= 1 - kSlow;
    counted.fast *= 1 - kFast;
    if (counted.selectors == selectors) arrived = &counted;
  }
  if (!arrived) {
    classes_.push_back({.label = "", .selectors = selectors, .slow = kStart, .fast = kStart});
    arrived = &classes_.back();
  }
  arrived->slow += 1;
  arrived->fast += 1;
}

std::vector<Demand::Class> Demand::Classes() const {
  std::vector<const Counted*> heaviest;
  for (const auto& counted : classes_) heaviest.push_back(&counted);
  std::stable_sort(heaviest.begin(), heaviest.end(), [](const auto* a, const auto* b) { return a->slow > b->slow; });
  if (heaviest.size() > kMaxClasses) heaviest.resize(kMaxClasses);
  double slow = 0;
  double fast = 0;
  for (const auto* counted : heaviest) {
    slow += counted->slow;
    fast += counted->fast;
  }
  const double drift = Drift();
  std::vector<Class> classes;
  for (const auto* counted : heaviest) {
    const double steady = counted->slow / slow;
    const double recent = counted->fast / fast;
    classes.push_back({.label = counted->label,
                       .selectors = counted->selectors,
                       .weight = declared_ ? steady : steady + drift / 2 * (recent - steady)});
  }
  return classes;
}

double Demand::Drift() const {
  if (declared_ || classes_.empty()) return 0;
  double slow = 0;
  double fast = 0;
  for (const auto& counted : classes_) {
    slow += counted.slow;
    fast += counted.fast;
  }
  double distance = 0;
  for (const auto& counted : classes_) distance += std::abs(counted.slow / slow - counted.fast / fast) / 2;
  const double shift = std::clamp((distance - 0.25) / 0.25, 0.0, 1.0);
  return std::max(shift, 1 - std::min(1.0, static_cast<double>(arrivals_) / 100));
}

}  // namespace kumiko::allocator
