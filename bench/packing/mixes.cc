#include "mixes.h"

#include <algorithm>

namespace kumiko::packing {

std::vector<std::size_t> DrawRequests(const Mix& mix, const Kind& kind, Order order, std::int64_t slots,
                                      double load_percent, Random& random) {
  std::vector<std::size_t> requests;
  double whole = 0;
  for (const auto weight : mix.weights) whole += weight;
  std::int64_t arrived = 0;
  while (true) {
    double draw = random.Fraction() * whole;
    std::size_t profile = 0;
    while (profile + 1 < kProfiles && draw >= mix.weights[profile]) draw -= mix.weights[profile++];
    arrived += kind.slots[profile];
    if (static_cast<double>(arrived) > load_percent / 100 * static_cast<double>(slots)) break;
    requests.push_back(profile);
  }
  const auto smaller = [&](std::size_t a, std::size_t b) { return kind.slots[a] < kind.slots[b]; };
  switch (order) {
    case Order::kRandom:
      break;
    case Order::kSmallFirst:
      std::stable_sort(requests.begin(), requests.end(), smaller);
      break;
    case Order::kLargeFirst:
      std::stable_sort(requests.begin(), requests.end(), [&](std::size_t a, std::size_t b) { return smaller(b, a); });
      break;
  }
  return requests;
}

}  // namespace kumiko::packing
