// `kumiko top [nodes|gpus|pods|pending]`: what is used, free and broken, who holds it, and who waits.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/clock.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "kube/api_client.h"
#include "report/style.h"

namespace kumiko::cli {

// With -w it goes on until a signal or q ends it: redrawn in place on a terminal, else rows are added as they change.
// `style` is asked for each time, since terminals change their width.
ExitCode RunTop(const TopOptions& options, kube::ApiClient& api, const std::string& namespace_, const Clock& clock,
                const std::function<report::Style()>& style, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
