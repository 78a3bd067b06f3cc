// `kumiko explain pod|claim NAME`: why something waits, what would help, or where it runs.
#pragma once

#include <iosfwd>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "kube/api_client.h"
#include "report/style.h"

namespace kumiko::cli {

enum class ExplainedKind { kPod, kClaim };
// "pod", "po", "claims", … Errors: kInvalidArgument.
Result<ExplainedKind> KindToExplain(const std::string& word);

// Reads `api` once. `namespace_` is that of names that say none. Exit code 3 with --check when the object does not run.
ExitCode RunExplain(const ExplainOptions& options, kube::ApiClient& api, const std::string& namespace_,
                    const Clock& clock, const report::Style& style, std::ostream& out, std::ostream& err);

}  // namespace kumiko::cli
