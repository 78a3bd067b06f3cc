#include "cli/scenario.h"

#include <fmt/format.h>

#include <ostream>

#include "base/term.h"
#include "localcluster/scenario.h"
#include "report/text.h"

namespace kumiko::cli {

ExitCode RunScenarios(const ScenarioOptions& options, std::ostream& out, std::ostream& err) {
  ExitCode code = ExitCode::kDone;
  for (const std::string& file : options.files) {
    localcluster::ScenarioOptions run;
    run.root = options.root;
    run.only_variant = options.only;
    const auto report = localcluster::RunScenario(file, run);
    if (!report) {
      err << EscapeControls(report.error().message) << '\n';
      return ExitCodeFor(report.error());
    }
    for (const auto& failure : report->failures) err << EscapeControls(failure.ToString()) << '\n';
    if (!report->Passed()) code = ExitCode::kCheckFailed;
    out << fmt::format("{} {}: {}, {}\n", report->Passed() ? "held" : "did not hold", report->name,
                       report::Counted(static_cast<std::int64_t>(report->variants.size()), "run", "runs"),
                       report::Counted(report->expectations, "expectation", "expectations"));
  }
  return code;
}

}  // namespace kumiko::cli
