// Kubeconfig files (client-go, tools/clientcmd): reading one, merging several. Which server they lead to and how a
// client proves who it is: kube/cluster_access.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kumiko::kube {

// Paths in entries are absolute: relative ones are taken from the folder of the file that names them. Data members
// hold the decoded bytes. `where` is "FILE:LINE:COL" of the entry, to begin a message with.

struct KubeconfigCluster {
  std::string where;
  std::string server;
  std::string certificate_authority;  // path
  std::string certificate_authority_data;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;
  std::string proxy_url;
  bool disable_compression = false;
  Json exec_extension;  // what an exec plugin may be told: the extension client.authentication.k8s.io/exec
};

enum class InteractiveMode { kNever, kIfAvailable, kAlways };

// A program that prints credentials.
struct ExecPlugin {
  std::string where;
  std::string command;  // a path, or a name to be found in $PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string install_hint;
  bool provide_cluster_info = false;
  InteractiveMode interactive_mode = InteractiveMode::kIfAvailable;
  bool operator==(const ExecPlugin&) const = default;
};

struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
  bool operator==(const Impersonation&) const = default;
};

struct KubeconfigUser {
  std::string where;
  std::string client_certificate;  // path
  std::string client_certificate_data;
  std::string client_key;  // path
  std::string client_key_data;
  std::string token;
  std::string token_file;  // path
  std::string username;
  std::string password;
  Impersonation impersonate;
  std::optional<ExecPlugin> exec;
  std::string auth_provider;  // the name of one of the methods that Kubernetes 1.26 removed
};

struct KubeconfigContext {
  std::string where;
  std::string cluster;
  std::string user;
  std::string namespace_;
};

struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
  std::vector<std::string> files;  // those that were read

  bool empty() const { return clusters.empty() && users.empty() && contexts.empty() && current_context.empty(); }
};

// Errors: kInvalidArgument, "FILE:LINE:COL: what is wrong".
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& file);

// The files in order: of entries with one name the first file's stands whole, and the first current-context that is
// not empty. Files that are not there are left out, as `kubectl` does. Errors: those of ReadFile and ParseKubeconfig.
Result<Kubeconfig> LoadKubeconfig(const std::vector<std::string>& files);

}  // namespace kumiko::kube
