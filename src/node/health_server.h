// The health check that the kubelet's probes of the driver's pod call: gRPC on a TCP port, services "" and "liveness".
// It does not ask the process how it feels but calls its sockets as the kubelet does. Source: spec node-driver §4.3.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace kumiko::node {

struct HealthServerOptions {
  int port = 0;  // 0: any free one
  std::string plugin_socket;
  std::string registration_socket;
};

class HealthServer {
  struct Impl;
  struct Private {};

 public:
  // Errors: kUnavailable when the port is taken.
  static Result<std::unique_ptr<HealthServer>> Start(HealthServerOptions options);
  HealthServer(Private, std::unique_ptr<Impl> impl);
  ~HealthServer();

  int port() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::node
