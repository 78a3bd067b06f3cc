// Running another program and taking in what it prints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace kumiko {

struct ChildProgram {
  std::string program;  // found in $PATH when it has no slash
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // set on top of ours
  bool keeps_stdin = false;                                           // else it reads nothing
  bool takes_stderr = false;                                          // as part of the output; else stderr is ours
  std::optional<Duration> timeout = {};
  std::size_t max_output_bytes = 1 << 20;
};

struct ChildResult {
  std::string output;
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
};

// Blocks until the program ends. One that takes too long or prints too much is killed. Errors, in words that follow the
// name of the program: kNotFound ("it cannot be started: …"), kDeadline, kInvalidArgument (too much output), kInternal.
Result<ChildResult> RunChild(const ChildProgram& child);

}  // namespace kumiko
