// Text scenarios (tests/scenarios/*.scn): a cluster, events at times, and what must hold then.
//
// One statement a line; `#` starts a comment; words with blanks stand in double quotes. File names are relative to
// ScenarioOptions::root. Statements before the first `cluster` configure; a scenario has one cluster.
//
//   variant NAME KEY=VALUE…      one more run of the whole file with these values (the first run is named "base")
//   let KEY=VALUE…               the values of the base run; ${KEY} is replaced in later lines and applied manifests
//   seed N                       of uids, generated names and choices (default 1); also a variant's KEY
//   policy first-fit | packed    of the scheduler (default packed)
//   cluster FILE                 a cluster file (kind: Cluster)
//   at N [STATEMENT]             moves the clock to N seconds after the start, runs until idle, then the statement
//   apply FILE…                  all documents of all files together, or none; then runs until idle
//   delete KIND NAME [namespace=NS]
//   expect running=20 | pending=1 | succeeded=3 | failed=0 [of=LABEL=VALUE] [namespace=NS] [reason TEXT]
//                                counts pods; TEXT must be part of the reason of each pending pod
//   expect memory-used=80% | memory-allocated=100%
//                                of the GPU memory of the cluster, by pods that run
//   expect pod NAME [phase=…] [node=…] [device=…] [profile=…] [model=…] [request=…] [reason TEXT]
//                                NAME may end in *: every pod whose name starts so, at least one
//   expect same-device NAME NAME…   the pods see the same devices and no others
//   expect objects KIND=3        how many objects of a kind there are
//   expect labels KIND NAME KEY=VALUE… [namespace=NS]
//   expect output FILE of COMMAND…   COMMAND, which begins with kubectl or kumiko, prints what stands in FILE, where
//   ${KEY}
//                                is replaced, a line ... stands for any lines and a * for any text. It runs while the
//                                clock stands still. Left out, and counted so, on a machine without kubectl
//   expect refused FILE reason TEXT   applying FILE fails, TEXT is part of the message, nothing is applied
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "localcluster/cluster.h"

namespace kumiko::localcluster {

// Runs the words of a command on a cluster; returns what it prints, or nothing when the program is not on this machine.
using CommandRunner =
    std::function<Result<std::optional<std::string>>(const std::vector<std::string>&, Cluster&, const Clock&)>;

struct ScenarioOptions {
  std::filesystem::path root = ".";  // of the file names inside the scenario
  std::string only_variant;          // empty: all
  CommandRunner run_command = {};    // for `expect output`
};

struct ScenarioFailure {
  std::string where;    // "tests/scenarios/s1.scn:12"
  std::string variant;  // "base" or the variant's name
  std::string message;  // "expected running=20, is running=10 pending=10 (train-3: no device …)"
  std::string ToString() const;
};

struct ScenarioReport {
  std::string name;                   // the file's stem
  std::vector<std::string> variants;  // those that ran
  int expectations = 0;               // checked, over all variants
  int left_out = 0;                   // of them, since kubectl is not there
  std::vector<ScenarioFailure> failures;
  bool Passed() const { return failures.empty(); }
};

// Runs every variant of the scenario in `path`. Expectations that do not hold are in the report, and each ends its
// variant; an error (kInvalidArgument, "FILE:LINE: …") means that the scenario itself cannot be read or run.
Result<ScenarioReport> RunScenario(const std::filesystem::path& path, const ScenarioOptions& options);

}  // namespace kumiko::localcluster
