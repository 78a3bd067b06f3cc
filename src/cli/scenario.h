// `kumiko scenario FILE…`: runs text scenarios (src/localcluster/scenario.h describes their language).
#pragma once

#include <iosfwd>

#include "cli/command_line.h"
#include "cli/exit_code.h"

namespace kumiko::cli {

// One line a scenario on `out`; what did not hold on `err`, with exit code 3.
ExitCode RunScenarios(const ScenarioOptions& options, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
