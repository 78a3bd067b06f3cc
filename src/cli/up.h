// `kumiko up`: a cluster with simulated GPUs in this process.
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// Applies what the options name (all of it or nothing), prints what runs where on `out`, and, but for a demo without
// `keep`, stays until SIGINT or SIGTERM and prints again when something changed. Progress goes to `err` when that is a
// terminal.
ExitCode RunUp(const UpOptions& options, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
