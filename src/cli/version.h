// `kumiko version`.
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// "kumiko 0.1.0", the version of the build; then that of the API server, when there is a kubeconfig, and whether it
// serves what kumiko works with. A server that does not answer is an error, no kubeconfig is none.
ExitCode RunVersion(const VersionOptions& options, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
