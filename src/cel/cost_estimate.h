// What a checked expression may cost at most, without running it: from literal sizes, the shapes of variables and the
// cost rules of the functions. Formulas: cost estimation of CEL with the Kubernetes libraries (spec "CEL for DRA").
#pragma once

#include <cstdint>

#include "cel/checker.h"
#include "cel/environment.h"

namespace kumiko::cel {

struct CostRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

// Sums and products stay at the largest number instead of wrapping.
CostRange EstimateCost(const CheckedAst& checked, const Environment& environment);

}  // namespace kumiko::cel
