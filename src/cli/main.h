// The `kumiko` command: reads the command line, runs one command, turns its outcome into an exit code.
#pragma once

namespace kumiko::cli {

// Writes to stdout what was asked for and to stderr what is wrong. The exit codes stand in cli/exit_code.h.
int Main(int argc, char** argv);

}  // namespace kumiko::cli
