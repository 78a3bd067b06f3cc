#include "kube/cluster_access.h"

#include <unistd.h>

#include <cstdlib>
#include <set>

#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"

namespace kumiko::kube {
namespace {

template <class Entry>
std::string NamesOf(const std::map<std::string, Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) names.push_back(name);
  return names.empty() ? "none is there" : "there are " + Join(names, ", ");
}

template <class Entry>
const Entry* FindNamed(const std::map<std::string, Entry>& entries, const std::string& name) {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

// Either a path or bytes; a path must be readable, so that a mistake shows now and by its name.
Status CheckPair(const std::string& where, std::string_view member, const std::string& file, const std::string& bytes) {
  if (!file.empty() && !bytes.empty()) {
    return Fail(Code::kInvalidArgument, "{}: {} and {}-data are both there; keep one", where, member, member);
  }
  if (file.empty()) return {};
  KU_TRY_OK(ReadFile(file), "{}: {}", where, member);
  return {};
}

Status CheckServer(const KubeconfigCluster& cluster, const std::string& name) {
  const std::string& server = cluster.server;
  if (server.empty()) {
    return Fail(Code::kInvalidArgument, "{}: cluster \"{}\" has no server; write server: https://HOST:PORT",
                cluster.where, name);
  }
  // As client-go, a server without a scheme is reached by http; that is a mistake far more often than it is meant.
  if (!server.starts_with("https://") && !server.starts_with("http://")) {
    return Fail(Code::kInvalidArgument, "{}: cluster \"{}\": server {} is no URL; write https://HOST:PORT",
                cluster.where, name, server);
  }
  const std::string& proxy = cluster.proxy_url;
  if (!proxy.empty() && !proxy.starts_with("http://") && !proxy.starts_with("https://") &&
      !proxy.starts_with("socks5://") && !proxy.starts_with("socks5h://")) {
    return Fail(Code::kInvalidArgument,
                "{}: cluster \"{}\": proxy-url {} must begin with http://, https:// or socks5://", cluster.where, name,
                proxy);
  }
  if (cluster.insecure_skip_tls_verify &&
      !(cluster.certificate_authority.empty() && cluster.certificate_authority_data.empty())) {
    return Fail(Code::kInvalidArgument,
                "{}: cluster \"{}\" has a certificate-authority and insecure-skip-tls-verify; keep one", cluster.where,
                name);
  }
  return CheckPair(cluster.where, "certificate-authority", cluster.certificate_authority,
                   cluster.certificate_authority_data);
}

Status CheckUser(const KubeconfigUser& user, const std::string& name) {
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  const bool has_password = !user.username.empty() || !user.password.empty();
  if (has_token && has_password) {
    return Fail(Code::kInvalidArgument, "{}: user \"{}\" has a token and a username; keep one", user.where, name);
  }
  if (!user.auth_provider.empty()) {
    return Fail(Code::kInvalidArgument,
                "{}: user \"{}\": auth-provider {} went with Kubernetes 1.26; use an exec plugin, as the cluster's "
                "provider describes",
                user.where, name, user.auth_provider);
  }
  const bool has_certificate = !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (has_certificate != has_key) {
    return Fail(Code::kInvalidArgument, "{}: user \"{}\" has a {} but no {}; give both", user.where, name,
                has_key ? "client-key" : "client-certificate", has_key ? "client-certificate" : "client-key");
  }
  KU_TRY_OK(CheckPair(user.where, "client-certificate", user.client_certificate, user.client_certificate_data));
  KU_TRY_OK(CheckPair(user.where, "client-key", user.client_key, user.client_key_data));
  return CheckPair(user.where, "tokenFile", user.token_file, "");
}

ClusterAccess Combine(const KubeconfigCluster& cluster, const KubeconfigUser& user) {
  ClusterAccess access;
  access.server = cluster.server;
  while (access.server.ends_with('/')) access.server.pop_back();
  access.tls.authority_file = cluster.certificate_authority;
  access.tls.authority_pem = cluster.certificate_authority_data;
  access.tls.server_name = cluster.tls_server_name;
  access.tls.insecure = cluster.insecure_skip_tls_verify;
  access.proxy_url = cluster.proxy_url;
  access.compression = !cluster.disable_compression;
  access.impersonate = user.impersonate;
  // Nothing secret goes over a connection that is not encrypted.
  if (!access.server.starts_with("https://")) return access;
  access.tls.certificate_file = user.client_certificate;
  access.tls.certificate_pem = user.client_certificate_data;
  access.tls.key_file = user.client_key;
  access.tls.key_pem = user.client_key_data;
  access.token = user.token;
  access.token_file = user.token_file;
  access.username = user.username;
  access.password = user.password;
  // A token or password given beside a plugin is meant to be used instead.
  const bool has_own = !access.token.empty() || !access.token_file.empty() || !access.username.empty();
  if (!has_own && access.tls.certificate_file.empty() && access.tls.certificate_pem.empty()) {
    access.exec = user.exec;
    access.exec_extension = cluster.exec_extension;
  }
  return access;
}

Result<ClusterAccess> ResolveInPod(const AccessOptions& options) {
  ClusterAccess access;
  access.description = "the service account of this pod";
  const bool is_ipv6 = options.service_host.find(':') != std::string::npos;
  access.server = is_ipv6 ? fmt::format("https://[{}]:{}", options.service_host, options.service_port)
                          : fmt::format("https://{}:{}", options.service_host, options.service_port);
  access.token_file = options.service_account + "/token";
  KU_TRY_OK(ReadFile(access.token_file), "{}: set automountServiceAccountToken, or give --kubeconfig",
            access.description);
  access.tls.authority_file = options.service_account + "/ca.crt";
  KU_TRY_OK(ReadFile(access.tls.authority_file), "{}", access.description);
  const Result<std::string> name = ReadFile(options.service_account + "/namespace");
  if (name && !Trim(*name).empty()) access.namespace_ = Trim(*name);
  return access;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<ClusterAccess> Resolve(const Kubeconfig& config, const std::string& context) {
  const std::string files = Join(config.files, ", ");
  const std::string& name = context.empty() ? config.current_context : context;
  if (name.empty()) {
    return Fail(Code::kInvalidArgument, "{}: no current-context; choose one with --context ({})", files,
                NamesOf(config.contexts));
  }
  const KubeconfigContext* found = FindNamed(config.contexts, name);
  if (found == nullptr) {
    return Fail(Code::kInvalidArgument, "{}: no context \"{}\" ({})", files, name, NamesOf(config.contexts));
  }
  const KubeconfigCluster* cluster = FindNamed(config.clusters, found->cluster);
  if (cluster == nullptr) {
    return Fail(Code::kInvalidArgument, "{}: context \"{}\" names cluster \"{}\", which is not there ({})",
                found->where, name, found->cluster, NamesOf(config.clusters));
  }
  // A context may do without a user: some servers ask for nothing.
  static const KubeconfigUser nobody;
  const KubeconfigUser* user = found->user.empty() ? &nobody : FindNamed(config.users, found->user);
  if (user == nullptr) {
    return Fail(Code::kInvalidArgument, "{}: context \"{}\" names user \"{}\", which is not there ({})", found->where,
                name, found->user, NamesOf(config.users));
  }
  KU_TRY_OK(CheckServer(*cluster, found->cluster));
  KU_TRY_OK(CheckUser(*user, found->user));
  ClusterAccess access = Combine(*cluster, *user);
  access.description = fmt::format("context \"{}\"", name);
  if (!found->namespace_.empty()) access.namespace_ = found->namespace_;
  return access;
}

AccessOptions AccessOptions::FromEnvironment() {
  AccessOptions options;
  options.kubeconfig_variable = Variable("KUBECONFIG");
  options.home = Variable("HOME");
  options.service_host = Variable("KUBERNETES_SERVICE_HOST");
  options.service_port = Variable("KUBERNETES_SERVICE_PORT");
  return options;
}

std::vector<std::string> KubeconfigFiles(const AccessOptions& options) {
  if (!options.kubeconfig.empty()) return {options.kubeconfig};
  if (options.kubeconfig_variable.empty()) return {options.home + "/.kube/config"};
  std::vector<std::string> files;
  std::set<std::string_view> seen;
  for (const std::string_view file : Split(options.kubeconfig_variable, ':')) {
    if (!file.empty() && seen.insert(file).second) files.emplace_back(file);
  }
  return files;
}

Result<ClusterAccess> FindCluster(const AccessOptions& options) {
  const std::vector<std::string> files = KubeconfigFiles(options);
  KU_TRY(const Kubeconfig config, LoadKubeconfig(files));
  if (!config.empty()) return Resolve(config, options.context);
  if (!options.kubeconfig.empty()) {
    return config.files.empty() ? Fail(Code::kNotFound, "{}: no such file", options.kubeconfig)
                                : Fail(Code::kInvalidArgument, "{}: no clusters in it", options.kubeconfig);
  }
  const bool in_pod = !options.service_host.empty() && !options.service_port.empty();
  if (in_pod && options.context.empty()) return ResolveInPod(options);
  return Fail(Code::kNotFound, "no cluster to talk to: none in {}; give --kubeconfig FILE or set KUBECONFIG",
              Join(files, ", "));
}

}  // namespace kumiko::kube
