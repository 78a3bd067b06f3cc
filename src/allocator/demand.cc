#include "allocator/demand.h"

#include <algorithm>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr std::size_t kMaxClasses = 16;
// Beyond as many a new class takes the place of the rarest.
constexpr std::size_t kMaxCounted = 256;

}  // namespace

Demand Demand::Declare(std::vector<std::pair<std::string, double>> weights) {
  Demand demand;
  std::vector<double> positive;
  for (auto& [label, weight] : weights) {
    if (weight <= 0) continue;
    demand.classes_.push_back({.label = std::move(label), .selectors = {}});
    positive.push_back(weight);
  }
  demand.mix_ = ArrivalMix::Declared(std::move(positive));
  demand.version_ = 1;
  return demand;
}

void Demand::Arrive(const std::vector<std::string>& selectors) {
  if (declared()) return;
  ++version_;
  auto arrived =
      std::find_if(classes_.begin(), classes_.end(), [&](const auto& c) { return c.selectors == selectors; });
  if (arrived == classes_.end()) {
    ++classes_version_;
    if (classes_.size() < kMaxCounted) {
      mix_.AddClass();
      arrived = classes_.insert(arrived, {.label = "", .selectors = selectors});
    } else {
      std::size_t rarest = 0;
      for (std::size_t c = 1; c < classes_.size(); ++c) rarest = mix_.count(c) < mix_.count(rarest) ? c : rarest;
      mix_.Restart(rarest);
      arrived = classes_.begin() + static_cast<std::ptrdiff_t>(rarest);
      arrived->selectors = selectors;
    }
  }
  mix_.Arrived(static_cast<std::size_t>(arrived - classes_.begin()));
}

std::vector<Demand::Class> Demand::Classes() const {
  std::vector<std::size_t> heaviest;
  for (std::size_t c = 0; c < classes_.size(); ++c) heaviest.push_back(c);
  std::stable_sort(heaviest.begin(), heaviest.end(),
                   [this](std::size_t a, std::size_t b) { return mix_.count(a) > mix_.count(b); });
  if (heaviest.size() > kMaxClasses) heaviest.resize(kMaxClasses);
  // As they first came: the order must not change with the weights, which change with every arrival.
  std::sort(heaviest.begin(), heaviest.end());
  const auto mix = mix_.ForClasses(heaviest);
  std::vector<Class> classes;
  for (std::size_t c = 0; c < heaviest.size(); ++c) {
    const auto& counted = classes_[heaviest[c]];
    classes.push_back(
        {.label = counted.label, .selectors = counted.selectors, .weight = mix.ShareOf(c), .index = heaviest[c]});
  }
  return classes;
}

}  // namespace kumiko::allocator
