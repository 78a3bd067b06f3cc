// What simulated containers run, read from the pod, and what they have printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/core/types.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "localcluster/node/container_program.h"

namespace kumiko::localcluster {

// When and how the container ends when it is started at `start`: by the pod's annotations (kubelet.h), else by what its
// command does.
ProgramRun EndOf(const api::Pod& pod, const api::Container& container, Time start);

struct LogLine {
  Time time;
  std::string text;  // with its line end, unless the output ended without one
};

enum class WhichRun { kPresent, kPrevious };

// What the container of the pod, a stored tree, has printed by `now`: in its present run, which may have ended, or in
// the one before. Fails as the API server and kubelet do: kInvalidArgument for a container that the pod does not have
// ("container x is not valid for pod y") or that waits to be started, kNotFound without a previous run.
Result<std::vector<LogLine>> LogOf(const Json& pod, const std::string& container, WhichRun which, Time now);

}  // namespace kumiko::localcluster
