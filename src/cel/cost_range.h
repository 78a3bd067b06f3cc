// Arithmetic on estimates. Sizes and costs are ranges alike; a size is what size(x) gives: code points, bytes, items,
// entries, and 1 of scalars.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cel/cost_estimate.h"

namespace kumiko::cel {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
inline constexpr CostRange kUnknownSize{0, kUnlimited};
inline constexpr CostRange kOneUnit{1, 1};
inline constexpr CostRange kEmptyUnion{kUnlimited, 0};

constexpr CostRange FixedRange(std::uint64_t value) {
  return {value, value};
}

constexpr std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) {
  return a > kUnlimited - b ? kUnlimited : a + b;
}
constexpr std::uint64_t SaturatingMultiply(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnlimited / b ? kUnlimited : a * b;
}
// Rounded up to an integer.
inline std::uint64_t SaturatingCeil(double value) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const double up = std::ceil(value);
  return up >= kTwoTo64 ? kUnlimited : static_cast<std::uint64_t>(up);
}

inline CostRange operator+(CostRange a, CostRange b) {
  return {SaturatingAdd(a.min, b.min), SaturatingAdd(a.max, b.max)};
}
inline CostRange operator*(CostRange a, CostRange b) {
  return {SaturatingMultiply(a.min, b.min), SaturatingMultiply(a.max, b.max)};
}
// In floating point, as the reference has it: large numbers lose their low digits there too.
inline CostRange operator*(CostRange a, double factor) {
  return {SaturatingCeil(static_cast<double>(a.min) * factor), SaturatingCeil(static_cast<double>(a.max) * factor)};
}
inline CostRange Union(CostRange a, CostRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace kumiko::cel
