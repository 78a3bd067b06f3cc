// The cluster that a command looks at, chosen as kubectl chooses it.
#pragma once

#include <memory>
#include <string>

#include "allocator/features.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "kube/cluster_access.h"
#include "kube/http_client.h"

namespace kumiko::cli {

struct Connection {
  std::unique_ptr<kube::HttpClient> api;
  std::string namespace_;        // of -n, else of the context
  allocator::Features features;  // what the server's release has on by default
  std::string description;       // `context "dev"`
  Json server_version;           // what it says of itself at /version
};

// Where the choice leads, without asking there. Errors: kNotFound without a kubeconfig, kInvalidArgument when it or the
// choice is wrong.
Result<kube::ClusterAccess> ChosenCluster(const ClusterChoice& choice);

// Asks the server for its version. Errors: those of ChosenCluster, and kUnavailable when the server does not answer.
Result<Connection> Connect(const ClusterChoice& choice);

}  // namespace kumiko::cli
