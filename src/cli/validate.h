// `kumiko validate FILE…`: are these manifests and cluster files right?
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// One line a problem on `err`, or how much was checked on `out`.
ExitCode RunValidate(const ValidateOptions& options, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
