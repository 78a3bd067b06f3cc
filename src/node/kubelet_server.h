// The kubelet's side of the node driver: plugin registration v1 and DRA v1 and v1beta1 over sockets in the file system.
// Source: spec node-driver §3.1 and appendix A.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "node/claim_request.h"

namespace kumiko::node {

struct KubeletServerOptions {
  std::string driver;               // "gpu.nvidia.com"
  std::string plugin_socket;        // absolute: .../plugins/gpu.nvidia.com/dra.sock
  std::string registration_socket;  // .../plugins_registry/gpu.nvidia.com-reg.sock
};

// What the kubelet said of the registration last.
struct RegistrationState {
  bool told = false;
  bool registered = false;
  std::string error;
};

// Thread safe. Calls run at the same time, each in a thread of gRPC.
class KubeletServer {
  struct Impl;
  struct Private {};

 public:
  // The plugin's socket is there before the one for registration, so the kubelet can call as soon as it looks. The
  // folders must be there, and their lock held (plugin_lock.h). Errors: those of making the sockets.
  static Result<std::unique_ptr<KubeletServer>> Start(KubeletServerOptions options, ClaimHandler handler);
  KubeletServer(Private, std::unique_ptr<Impl> impl);
  // Both sockets go first; calls that run may take up to 20 s to end.
  ~KubeletServer();

  RegistrationState registration() const;
  // How often one of the sockets was found removed or replaced.
  int sockets_lost() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::node
