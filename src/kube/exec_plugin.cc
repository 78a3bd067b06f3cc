#include "kube/exec_plugin.h"

#include <unistd.h>

#include <chrono>

#include "base/base64.h"
#include "base/child_process.h"
#include "base/term.h"

namespace kumiko::kube {
namespace {

constexpr std::size_t kMaxOutputBytes = 1 << 20;
constexpr std::string_view kInfoVariable = "KUBERNETES_EXEC_INFO";

std::string ExecInfo(const ExecPlugin& plugin, const PluginCluster& cluster, bool interactive) {
  JsonObject spec{{"interactive", interactive}};
  if (plugin.provide_cluster_info) {
    JsonObject about{{"server", cluster.server}};
    if (!cluster.tls_server_name.empty()) about["tls-server-name"] = cluster.tls_server_name;
    if (cluster.insecure_skip_tls_verify) about["insecure-skip-tls-verify"] = true;
    if (!cluster.authority_pem.empty()) about["certificate-authority-data"] = EncodeBase64(cluster.authority_pem);
    if (!cluster.proxy_url.empty()) about["proxy-url"] = cluster.proxy_url;
    if (!cluster.config.is_null()) about["config"] = cluster.config;
    spec["cluster"] = std::move(about);
  }
  return WriteJson(JsonObject{{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", spec}});
}

Result<PluginCredentials> Run(const ExecPlugin& plugin, const PluginCluster& cluster) {
  const bool has_terminal = IsTerminal(STDIN_FILENO);
  if (plugin.interactive_mode == InteractiveMode::kAlways && !has_terminal) {
    return Fail(Code::kPermission, "it wants to ask you, but standard input is no terminal");
  }
  const bool interactive = plugin.interactive_mode != InteractiveMode::kNever && has_terminal;
  ChildProgram child{.program = plugin.command,
                     .arguments = plugin.args,
                     .environment = plugin.env,
                     .keeps_stdin = interactive,
                     .max_output_bytes = kMaxOutputBytes};
  child.environment.emplace_back(kInfoVariable, ExecInfo(plugin, cluster, interactive));
  // Somebody who is asked may take his time.
  if (!interactive) child.timeout = std::chrono::seconds(kPluginTimeoutSeconds);
  const Result<ChildResult> ended = RunChild(child);
  if (!ended) {
    const bool hint = ended.error().code == Code::kNotFound && !plugin.install_hint.empty();
    return Fail(Code::kPermission, "{}{}", ended.error().message,
                hint ? "; " + EscapeControls(plugin.install_hint) : "");
  }
  if (ended->signal != 0) return Fail(Code::kPermission, "it was ended by signal {}", ended->signal);
  if (ended->exit_code != 0) return Fail(Code::kPermission, "it failed with exit code {}", ended->exit_code);
  return ReadPluginOutput(ended->output, plugin.api_version);
}

}  // namespace

Result<PluginCredentials> ReadPluginOutput(std::string_view output, std::string_view api_version) {
  const Result<Json> credential = ParseJson(output);
  if (!credential) return Fail(Code::kPermission, "what it printed is no JSON: {}", credential.error().message);
  const std::string_view kind = StringAt(*credential, {"kind"});
  const std::string_view version = StringAt(*credential, {"apiVersion"});
  if (kind != "ExecCredential" || version != api_version) {
    return Fail(Code::kPermission, "it printed {} \"{}\", wanted ExecCredential \"{}\": let both name one apiVersion",
                kind.empty() ? "an object without kind" : kind, version, api_version);
  }
  PluginCredentials read{.token = std::string(StringAt(*credential, {"status", "token"})),
                         .certificate_pem = std::string(StringAt(*credential, {"status", "clientCertificateData"})),
                         .private_key_pem = std::string(StringAt(*credential, {"status", "clientKeyData"})),
                         .expires = {}};
  if (read.certificate_pem.empty() != read.private_key_pem.empty()) {
    return Fail(Code::kPermission, "it printed only one of clientCertificateData and clientKeyData");
  }
  if (read.token.empty() && read.certificate_pem.empty()) {
    return Fail(Code::kPermission, "it printed neither a token nor a certificate in status");
  }
  const std::string_view expires = StringAt(*credential, {"status", "expirationTimestamp"});
  if (!expires.empty()) {
    KU_TRY(read.expires, ParseRfc3339(expires), "its expirationTimestamp");
  }
  return read;
}

Result<PluginCredentials> RunPlugin(const ExecPlugin& plugin, const PluginCluster& cluster) {
  Result<PluginCredentials> credentials = Run(plugin, cluster);
  if (credentials) return credentials;
  return Fail(Code::kPermission, "{}: exec plugin {}: {}", plugin.where, EscapeControls(plugin.command),
              credentials.error().message);
}

}  // namespace kumiko::kube
