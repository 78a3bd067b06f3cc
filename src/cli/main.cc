#include "cli/main.h"

#include <iostream>

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/version.h"

namespace kumiko::cli {

int Main(int argc, char** argv) {
  const Command command = ParseCommandLine(argc, argv);
  if (const auto* nothing = std::get_if<NothingToRun>(&command)) {
    (nothing->to_stderr ? std::cerr : std::cout) << nothing->text;
    return nothing->exit_code;
  }
  std::cout << VersionLine() << '\n';
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace kumiko::cli
