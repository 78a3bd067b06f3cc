// What a call cost, by the cost rule of its overload, when its arguments and its result are known.
#pragma once

#include <cstdint>
#include <span>

#include "cel/overload.h"
#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// Arguments that are errors count too: the reference charges for a call that fails on them.
std::int64_t ActualCost(RunContext& run, CostRule rule, std::span<const Value> args, const Value& result);

// The parts of what matching a pattern costs.
std::int64_t PatternTextCost(const RunContext& run, CostRule rule, const Value& text);
std::uint32_t PatternCost(std::size_t code_points);

}  // namespace kumiko::cel
