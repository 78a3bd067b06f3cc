// The command line of kumiko-node as a value; the names of flags and environment variables are the peer's where it has
// them (spec node-driver §4.1). CLI11 stays behind command_line.cc.
#pragma once

#include <string>

#include "base/log.h"
#include "base/result.h"
#include "node/node_driver.h"

namespace kumiko::node {

struct CommandLine {
  NodeDriverOptions driver;
  std::string kubeconfig;  // empty: $KUBECONFIG, ~/.kube/config, or the cluster of the pod
  bool dry_run = false;    // print the slices and end
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

// What to print in place of running: help, version, or what is wrong.
struct NothingToRun {
  std::string text;
  bool is_error = false;
};

// Errors are those of a user's input: each names the flag and what to write.
tl::expected<CommandLine, NothingToRun> ParseCommandLine(int argc, const char* const* argv);

// "Name=true,Other=false,": the gates that are asked for must be there. Errors: kInvalidArgument, naming the gate.
Status CheckFeatureGates(std::string_view gates);

}  // namespace kumiko::node
