// Running an exec plugin: the program that a kubeconfig names to print credentials
// (client.authentication.k8s.io/v1 and v1beta1, ExecCredential).
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/kubeconfig.h"

namespace kumiko::kube {

struct PluginCredentials {
  std::string token;            // or empty
  std::string certificate_pem;  // both or none
  std::string private_key_pem;
  std::optional<Time> expires;
  bool operator==(const PluginCredentials&) const = default;
};

// What a plugin learns in $KUBERNETES_EXEC_INFO about its cluster, when it asks for that.
struct PluginCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string authority_pem;
  std::string proxy_url;
  Json config;  // the cluster's extension for plugins
};

// How long a plugin that talks to nobody may take.
inline constexpr int kPluginTimeoutSeconds = 60;

// Blocks until the program ends; its stderr is ours. Errors: kPermission, naming the kubeconfig's place, the command
// and what it did.
Result<PluginCredentials> RunPlugin(const ExecPlugin& plugin, const PluginCluster& cluster);

// What a plugin printed. Errors: kPermission.
Result<PluginCredentials> ReadPluginOutput(std::string_view output, std::string_view api_version);

}  // namespace kumiko::kube
