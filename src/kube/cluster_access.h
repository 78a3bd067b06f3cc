// How to reach an API server and prove who one is, from a kubeconfig or from inside a pod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/kubeconfig.h"

namespace kumiko::kube {

// Of each pair either the path or the bytes are given, or neither. Files are read again when they change.
struct TlsSettings {
  std::string authority_file;
  std::string authority_pem;
  std::string certificate_file;
  std::string certificate_pem;
  std::string key_file;
  std::string key_pem;
  std::string server_name;  // the name in the server's certificate, when it is not that of the address
  bool insecure = false;    // the server's certificate is not checked
};

struct ClusterAccess {
  std::string description;  // `context "dev"`, to begin messages with
  std::string server;       // "https://10.0.0.1:6443", perhaps with a path, without a slash at its end
  TlsSettings tls;
  std::string proxy_url;
  bool compression = true;
  std::string namespace_ = "default";
  std::string token;
  std::string token_file;  // goes before `token`
  std::string username;
  std::string password;
  std::optional<ExecPlugin> exec;
  Json exec_extension;
  Impersonation impersonate;
};

// Which of the contexts; "" for the current one. Errors: kInvalidArgument naming file, entry and what to do.
Result<ClusterAccess> Resolve(const Kubeconfig& config, const std::string& context);

// What a process knows from outside about where its cluster is.
struct AccessOptions {
  std::string kubeconfig;  // --kubeconfig: this file and no other; it must be there
  std::string context;     // --context
  // Else the files of $KUBECONFIG, separated by colons, else $HOME/.kube/config.
  std::string kubeconfig_variable;
  std::string home;
  // In a pod: $KUBERNETES_SERVICE_HOST and _PORT, and where the service account is mounted.
  std::string service_host;
  std::string service_port;
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

  static AccessOptions FromEnvironment();
};

// The kubeconfigs that the options lead to, each once, in order; they need not be there.
std::vector<std::string> KubeconfigFiles(const AccessOptions& options);

// The kubeconfig's context; without a kubeconfig, the cluster of the pod that this process runs in. Errors: those of
// reading and resolving, and kNotFound when there is neither.
Result<ClusterAccess> FindCluster(const AccessOptions& options);

}  // namespace kumiko::kube
