// Runs programs.
#pragma once

#include <cstddef>

#include "cel/program.h"
#include "cel/run_context.h"

namespace kumiko::cel {

// Runs the instructions from `begin` to `end`, which leave one value; adds to run.cost what they cost, which is exact
// for runs that end in an error too. Ends with an error value when the cost exceeds run.cost_limit.
Value Run(const Program& program, std::size_t begin, std::size_t end, RunContext& run);

}  // namespace kumiko::cel
