// What a simulated container does and prints, in virtual time: a few commands of a shell (echo, printf, sleep, seq,
// date, env, true, false, exit, hostname) alone or in a script given to `sh -c`; anything else runs silently until the
// container is stopped. A pure function of its input, so that logs need not be kept: they are computed when asked for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace kumiko::localcluster {

struct ContainerProgram {
  std::vector<std::string> command_line;  // command and arguments; empty: what the image would run, which runs on
  std::vector<std::pair<std::string, std::string>> environment;
  std::string hostname;
};

struct OutputLine {
  Duration at;       // since the start
  std::string text;  // with its line end, unless the output ended without one
};

struct ProgramRun {
  std::vector<OutputLine> lines;  // the last kMostLines
  std::optional<Duration> end;    // since the start; nothing: it has not ended, or never does
  int exit_code = 0;
};

inline constexpr std::size_t kMostLines = 50'000;

// What happens until `horizon` after `start`. A script that does very much is followed no further than a million
// commands and counts as running on.
ProgramRun RunProgram(const ContainerProgram& program, Time start, Duration horizon);

// When and how the program ends by itself; output is not kept. Loops that are meant to go on for ever are recognised.
ProgramRun EndOfProgram(const ContainerProgram& program, Time start);

}  // namespace kumiko::localcluster
