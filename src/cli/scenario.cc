#include "cli/scenario.h"

#include <fmt/format.h>

#include <ostream>

#include "base/term.h"
#include "base/text.h"
#include "cli/scenario_commands.h"
#include "localcluster/scenario.h"
#include "report/text.h"

namespace kumiko::cli {

ExitCode RunScenarios(const ScenarioOptions& options, std::ostream& out, std::ostream& err) {
  ExitCode code = ExitCode::kDone;
  for (const std::string& file : options.files) {
    localcluster::ScenarioOptions run;
    run.root = options.root;
    run.only_variant = options.only;
    run.run_command = RunCommand;
    const auto report = localcluster::RunScenario(file, run);
    if (!report) {
      err << EscapeControls(report.error().message) << '\n';
      return ExitCodeFor(report.error());
    }
    for (const auto& failure : report->failures) {
      // What a command printed has lines.
      const std::string text = failure.ToString();
      for (const std::string_view line : Split(text, '\n')) err << EscapeControls(line) << '\n';
    }
    if (!report->Passed()) code = ExitCode::kCheckFailed;
    out << fmt::format("{} {}: {}, {}{}\n", report->Passed() ? "held" : "did not hold", report->name,
                       report::Counted(static_cast<std::int64_t>(report->variants.size()), "run", "runs"),
                       report::Counted(report->expectations, "expectation", "expectations"),
                       report->left_out == 0 ? "" : fmt::format(" ({} left out: no kubectl)", report->left_out));
  }
  return code;
}

}  // namespace kumiko::cli
