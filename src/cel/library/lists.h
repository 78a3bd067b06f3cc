// Functions on lists: those of Kubernetes (sum, min, isSorted ...) and those of CEL's list extension (slice, flatten,
// sort ...).
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

// isSorted, sum, min, max, indexOf, lastIndexOf.
std::span<const Overload> KubernetesListsOverloads();
// includes, which new expressions have only behind a gate.
std::span<const Overload> IncludesOverloads();
// slice, flatten, distinct, lists.range, reverse, sort, and what sortBy(x, key) calls: @sortByAssociatedKeys.
std::span<const Overload> ExtendedListsOverloads();

}  // namespace kumiko::cel
