// Calls a function: the overload that fits the arguments, what looking for it and running it takes from the budget, and
// what an error says when none fits.
#pragma once

#include <cstdint>
#include <span>

#include "cel/program.h"
#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// The first of the arguments that is an error, else what the call gives. Costs are the caller's.
Value Apply(RunContext& run, const Callee& callee, std::span<const Value> args);

// Quantities, versions and the like are objects, errors have a text: the steps that making one takes.
std::int64_t MakingSteps(const Value& made);

bool HasError(std::span<const Value> args);
// Whether the overload takes the arguments, as the reference looks at them: at lists by their first item.
bool Takes(const Overload& overload, std::span<const Value> args);
// "no such overload: isGreaterThan(int, string)". The oldest functions say less.
Value NoOverload(RunContext& run, const Callee& callee, std::span<const Value> args);

}  // namespace kumiko::cel
