#include "cli/main.h"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>
#include <system_error>

#include "base/clock.h"
#include "base/term.h"
#include "cli/allocate_command.h"
#include "cli/cel_command.h"
#include "cli/command_line.h"
#include "cli/completed_names.h"
#include "cli/completed_words.h"
#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/explain_command.h"
#include "cli/file_output.h"
#include "cli/scenario.h"
#include "cli/screen.h"
#include "cli/top_command.h"
#include "cli/up.h"
#include "cli/validate.h"
#include "cli/version.h"

namespace kumiko::cli {
namespace {

// Runs what needs a cluster.
template <class Run>
int OnCluster(const ClusterChoice& choice, const Run& run) {
  const auto connection = Connect(choice);
  if (connection) return static_cast<int>(run(*connection));
  std::cerr << EscapeControls(connection.error().message) << '\n';
  return static_cast<int>(ExitCodeFor(connection.error()));
}

struct Runner {
  std::ostream& out;

  int operator()(const NothingToRun& nothing) const {
    (nothing.to_stderr ? std::cerr : out) << nothing.text;
    return nothing.exit_code;
  }
  int operator()(const UpOptions& options) const { return static_cast<int>(RunUp(options, out, std::cerr)); }
  int operator()(const ValidateOptions& options) const {
    return static_cast<int>(RunValidate(options, out, std::cerr));
  }
  int operator()(const ScenarioOptions& options) const {
    return static_cast<int>(RunScenarios(options, out, std::cerr));
  }
  int operator()(const CelOptions& options) const {
    return static_cast<int>(RunCel(options, std::cin, out, std::cerr));
  }
  int operator()(const AllocateOptions& options) const {
    return static_cast<int>(RunAllocate(options, std::cin, out, std::cerr));
  }
  int operator()(ExplainOptions options) const {
    return OnCluster(options.cluster, [&](const Connection& connection) {
      options.features = connection.features;
      return RunExplain(options, *connection.api, connection.namespace_, RealClock(),
                        StyleOfStdout(options.color, options.ascii), out, std::cerr);
    });
  }
  int operator()(TopOptions options) const {
    return OnCluster(options.cluster, [&](const Connection& connection) {
      options.features = connection.features;
      const auto style = [&] { return StyleOfStdout(options.color, options.ascii); };
      return RunTop(options, *connection.api, connection.namespace_, RealClock(), style, out, std::cerr);
    });
  }
  int operator()(const VersionOptions& options) const { return static_cast<int>(RunVersion(options, out, std::cerr)); }
  int operator()(const CompleteOptions& options) const {
    out << Lines(Complete(options.commands, options.words, NamesFor));
    return static_cast<int>(ExitCode::kDone);
  }
};

// Output that is lost is a failure, but for a reader who has seen enough.
int Finish(FileOutput& output, int code) {
  const int error = output.Finish();
  if (error == 0 || error == EPIPE) return code;
  std::cerr << "standard output: cannot write: " << std::generic_category().message(error) << '\n';
  return static_cast<int>(ExitCode::kInternalFailure);
}

}  // namespace

int Main(int argc, char** argv) {
  // Nothing of ours throws; what the standard library throws (no memory) ends the program with a word and a code.
  try {
    FileOutput output(STDOUT_FILENO);
    const int code = std::visit(Runner{output.stream()}, ParseCommandLine(argc, argv));
    return Finish(output, code);
  } catch (const std::exception& error) {
    std::cerr << "kumiko: " << error.what() << '\n';
    return static_cast<int>(ExitCode::kInternalFailure);
  }
}

}  // namespace kumiko::cli
