// What the cluster's loop runs: something that looks at what changed, acts, and says whether it did anything.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace kumiko::localcluster {

// Stepped by one thread, in the order of registration, until a whole round changes nothing. A retryable error means
// "step me again"; any other is logged and the controller is stepped again when something changes.
struct Controller {
  std::string name;
  std::function<Result<bool>()> step;              // true: wrote something
  std::function<std::optional<Time>()> next_wake;  // when time alone gives it work; empty function: never
};

}  // namespace kumiko::localcluster
