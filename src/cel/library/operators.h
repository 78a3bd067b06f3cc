// The operators of the language and size(): arithmetic that never overflows silently, order, equality, membership.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> OperatorsOverloads(Dialect dialect = Dialect::kKubernetes);

// ==: NoSuchOverload() when `a` refuses to be compared with `b`.
Value EqualValues(RunContext& run, std::span<const Value> args);
// !=: what cannot be compared is not equal.
Value NotEqualValues(RunContext& run, std::span<const Value> args);
// Whether the map or list (second) has the key or item (first).
Value In(RunContext& run, std::span<const Value> args);

}  // namespace kumiko::cel
