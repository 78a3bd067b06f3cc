// `kumiko cel`: what an expression is and costs, and what it gives on devices. Two forms: an expression on the command
// line for people, and questions as JSON, one a line, for programs.
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// Questions: {expression, derived, new, features{EnableConsumableCapacity, EnableListTypeAttributes}, driver, device},
// device in the form of resource.k8s.io/v1. Answers, one for each, in order: {compileError} or {outputType, maxCost,
// match | value, error, actualCost, ns}; members that are empty or zero are left out. A line that is no question is
// answered {error} and named on `err`; reading goes on and the exit code is kBadInput.
//
// The expression of the options, when there is one, is answered in words instead: kBadInput when it does not compile or
// a run fails.
ExitCode RunCel(const CelOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
