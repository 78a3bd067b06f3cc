#include "kube/exec_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/base64.h"
#include "base/term.h"

extern char** environ;

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

// Ours, with the plugin's own and the info set last, so that they count.
std::vector<std::string> EnvironmentOf(const ExecPlugin& plugin, std::string info) {
  std::vector<std::pair<std::string, std::string>> set = plugin.env;
  set.emplace_back(kInfoVariable, std::move(info));
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    bool replaced = false;
    for (const auto& [key, value] : set) replaced = replaced || key == name;
    if (!replaced) variables.emplace_back(variable);
  }
  for (const auto& [key, value] : set) variables.push_back(fmt::format("{}={}", key, value));
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Child {
  pid_t pid = 0;
  int output = -1;
};

Result<Child> Start(const ExecPlugin& plugin, std::string info, bool interactive) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(Code::kInternal, "pipe: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (!interactive) ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<std::string> arguments = {plugin.command};
  arguments.insert(arguments.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> variables = EnvironmentOf(plugin, std::move(info));
  Child child;
  const int error = ::posix_spawnp(&child.pid, plugin.command.c_str(), &actions, nullptr, Pointers(arguments).data(),
                                   Pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  child.output = ends[0];
  if (error == 0) return child;
  ::close(ends[0]);
  const std::string hint = plugin.install_hint.empty() ? "" : "; " + EscapeControls(plugin.install_hint);
  return Fail(Code::kPermission, "it cannot be started: {}{}", std::strerror(error), hint);
}

// All that the child prints until it closes its end. A child that takes too long, or says too much, is killed.
Result<std::string> ReadOutput(const Child& child, bool interactive) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(kPluginTimeoutSeconds);
  std::string output;
  std::array<char, 4096> buffer;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{.fd = child.output, .events = POLLIN, .revents = 0};
    const int timeout = interactive ? -1 : static_cast<int>(std::max<std::int64_t>(0, left.count()));
    const int ready = ::poll(&readable, 1, timeout);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Fail(Code::kPermission, "it did not end within {} s", kPluginTimeoutSeconds);
    const ssize_t count = ::read(child.output, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > kMaxOutputBytes) return Fail(Code::kPermission, "it printed more than a megabyte");
  }
}

Result<PluginCredentials> Run(const ExecPlugin& plugin, const PluginCluster& cluster) {
  const bool has_terminal = IsTerminal(STDIN_FILENO);
  if (plugin.interactive_mode == InteractiveMode::kAlways && !has_terminal) {
    return Fail(Code::kPermission, "it wants to ask you, but standard input is no terminal");
  }
  const bool interactive = plugin.interactive_mode != InteractiveMode::kNever && has_terminal;
  KU_TRY(const Child child, Start(plugin, ExecInfo(plugin, cluster, interactive), interactive));
  Result<std::string> output = ReadOutput(child, interactive);
  ::close(child.output);
  if (!output) ::kill(child.pid, SIGKILL);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!output) return tl::unexpected<Error>(output.error());
  if (WIFSIGNALED(status)) return Fail(Code::kPermission, "it was ended by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return Fail(Code::kPermission, "it failed with exit code {}", WEXITSTATUS(status));
  return ReadPluginOutput(*output, plugin.api_version);
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
