// The cluster that a command looks at, chosen as kubectl chooses it.
#pragma once

#include <memory>
#include <string>

#include "allocator/features.h"
#include "base/result.h"
#include "cli/command_line.h"
#include "kube/http_client.h"

namespace kumiko::cli {

struct Connection {
  std::unique_ptr<kube::HttpClient> api;
  std::string namespace_;        // of -n, else of the context
  allocator::Features features;  // what the server's release has on by default
};

// Asks the server for its version. Errors: kNotFound without a kubeconfig, kInvalidArgument when it or the choice is
// wrong, kUnavailable when the server does not answer.
Result<Connection> Connect(const ClusterChoice& choice);

}  // namespace kumiko::cli
