#include "cli/main.h"

#include <exception>
#include <iostream>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/scenario.h"
#include "cli/up.h"
#include "cli/validate.h"
#include "cli/version.h"

namespace kumiko::cli {
namespace {

struct Runner {
  int operator()(const NothingToRun& nothing) const {
    (nothing.to_stderr ? std::cerr : std::cout) << nothing.text;
    return nothing.exit_code;
  }
  int operator()(const UpOptions& options) const { return static_cast<int>(RunUp(options, std::cout, std::cerr)); }
  int operator()(const ValidateOptions& options) const {
    return static_cast<int>(RunValidate(options, std::cout, std::cerr));
  }
  int operator()(const ScenarioOptions& options) const {
    return static_cast<int>(RunScenarios(options, std::cout, std::cerr));
  }
  int operator()(const VersionOptions&) const {
    std::cout << VersionLine() << '\n';
    return static_cast<int>(ExitCode::kDone);
  }
};

}  // namespace

int Main(int argc, char** argv) {
  // Nothing of ours throws; what the standard library throws (no memory) ends the program with a word and a code.
  try {
    return std::visit(Runner{}, ParseCommandLine(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "kumiko: " << error.what() << '\n';
    return static_cast<int>(ExitCode::kInternalFailure);
  }
}

}  // namespace kumiko::cli
