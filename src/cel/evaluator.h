// Runs compiled expressions. No recursion, no locks; a run that only reads and compares does not allocate.
#pragma once

#include "cel/device_access.h"
#include "cel/program.h"

namespace kumiko::cel {

// The value that instructions [begin, end) leave; an error value when the run failed or its budget is spent.
Value Run(const Program& program, std::size_t begin, std::size_t end, RunContext& run);

}  // namespace kumiko::cel
