// What can be sorted, and the order in which sort and sortBy put items.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// Whether `<` takes two values of this kind.
bool HasOrder(ValueKind kind);

// Positions of `keys` from the smallest key to the largest. Keys that compare equal come out as in Kubernetes, whose
// sort is not stable: beyond twelve keys their order follows from the algorithm. `keys` are all of one kind that has an
// order; NaN is not less than anything.
std::vector<std::size_t> SortedPositions(RunContext& run, std::span<const Value> keys);

}  // namespace kumiko::cel
