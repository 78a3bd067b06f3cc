// The commands that scenarios look at their cluster with: kubectl, over the cluster's API, and kumiko itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {

// What the command prints on stdout and stderr; `command` begins with kubectl or kumiko. kubectl is the one in $PATH
// and sees the cluster through a server that ends with it; nothing when there is none. kumiko may explain and top.
// Errors: kInvalidArgument when it cannot be run here, and what keeps a server from starting.
Result<std::optional<std::string>> RunCommand(const std::vector<std::string>& command, localcluster::Cluster& cluster,
                                              const Clock& clock);

}  // namespace kumiko::cli
