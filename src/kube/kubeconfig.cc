#include "kube/kubeconfig.h"

#include <filesystem>

#include "base/base64.h"
#include "base/files.h"
#include "base/text.h"
#include "base/yaml.h"

namespace kumiko::kube {
namespace {

namespace fs = std::filesystem;

// Reads the members of one map. The first thing that is wrong is kept; what is read after it does not matter.
class MapReader {
 public:
  MapReader(const Document& document, std::string path, const Json* value, Status& status)
      : document_(document), path_(std::move(path)), value_(value), status_(status) {
    if (value_ != nullptr && value_->is_null()) value_ = nullptr;
    if (value_ != nullptr && !value_->is_object()) Wrong("", "a map", *value_);
  }

  std::string Text(std::string_view key) {
    const Json* member = Member(key);
    if (member == nullptr) return "";
    if (member->is_string()) return std::string(member->get_string());
    Wrong(key, "a string (in quotes)", *member);
    return "";
  }

  bool Flag(std::string_view key) {
    const Json* member = Member(key);
    if (member == nullptr) return false;
    if (member->is_bool()) return member->get_bool();
    Wrong(key, "true or false", *member);
    return false;
  }

  std::string Bytes(std::string_view key) {
    const std::string text = Text(key);
    std::optional<std::string> bytes = DecodeBase64(text);
    if (bytes) return *std::move(bytes);
    Refuse(key, "is not base64; write the output of base64 -w0 FILE, or name the file in the member without -data");
    return "";
  }

  // Relative to the folder of the file.
  std::string Path(std::string_view key) {
    const std::string path = Text(key);
    return path.empty() ? path : InFolder(path);
  }
  std::string InFolder(const std::string& path) const {
    std::error_code ignored;
    return (fs::absolute(document_.file, ignored).parent_path() / path).lexically_normal().string();
  }

  std::vector<std::string> Texts(std::string_view key) {
    std::vector<std::string> texts;
    for (const Json& item : List(key)) {
      if (!item.is_string()) {
        Wrong(key, "a list of strings (each in quotes)", item);
        break;
      }
      texts.emplace_back(item.get_string());
    }
    return texts;
  }

  const JsonArray& List(std::string_view key) {
    static const JsonArray empty;
    const Json* member = Member(key);
    if (member == nullptr) return empty;
    if (member->is_array()) return member->get_array();
    Wrong(key, "a list", *member);
    return empty;
  }

  MapReader Map(std::string_view key) { return {document_, PathOf(key), Member(key), status_}; }
  MapReader Item(std::string_view key, std::size_t index, const Json& item) {
    return {document_, fmt::format("{}[{}]", PathOf(key), index), &item, status_};
  }

  bool present() const { return value_ != nullptr; }
  const Json* Member(std::string_view key) const {
    const Json* member = value_ == nullptr ? nullptr : Find(*value_, key);
    return member == nullptr || member->is_null() ? nullptr : member;
  }
  const Json* value() const { return value_; }
  std::string where() const { return document_.Where(path_); }
  void Refuse(std::string_view key, std::string_view what) {
    const std::string path = PathOf(key);
    if (status_) status_ = Fail(Code::kInvalidArgument, "{}: {} {}", document_.Where(path), path, what);
  }

 private:
  std::string PathOf(std::string_view key) const {
    if (key.empty()) return path_.empty() ? "the file" : path_;
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  void Wrong(std::string_view key, std::string_view wanted, const Json& got) {
    Refuse(key, fmt::format("must be {}, not {}", wanted, JsonTypeName(got)));
  }

  const Document& document_;
  std::string path_;
  const Json* value_;
  Status& status_;
};

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

KubeconfigCluster ReadCluster(MapReader map) {
  KubeconfigCluster cluster{.where = map.where(),
                            .server = map.Text("server"),
                            .certificate_authority = map.Path("certificate-authority"),
                            .certificate_authority_data = map.Bytes("certificate-authority-data"),
                            .insecure_skip_tls_verify = map.Flag("insecure-skip-tls-verify"),
                            .tls_server_name = map.Text("tls-server-name"),
                            .proxy_url = map.Text("proxy-url"),
                            .disable_compression = map.Flag("disable-compression"),
                            .exec_extension = {}};
  std::size_t index = 0;
  for (const Json& item : map.List("extensions")) {
    MapReader extension = map.Item("extensions", index++, item);
    const Json* content = extension.Member("extension");
    if (extension.Text("name") == kExecExtension && content != nullptr) cluster.exec_extension = *content;
  }
  return cluster;
}

InteractiveMode ReadInteractiveMode(MapReader& map, const std::string& api_version) {
  const std::string mode = map.Text("interactiveMode");
  if (mode == "Never") return InteractiveMode::kNever;
  if (mode == "Always") return InteractiveMode::kAlways;
  // Only v1 demands that it is given.
  const bool may_be_absent = mode.empty() && api_version != "client.authentication.k8s.io/v1";
  if (mode != "IfAvailable" && !may_be_absent) {
    map.Refuse("interactiveMode", "must be Never, IfAvailable or Always");
  }
  return InteractiveMode::kIfAvailable;
}

ExecPlugin ReadExec(MapReader map) {
  ExecPlugin exec{.where = map.where(),
                  .command = map.Text("command"),
                  .args = map.Texts("args"),
                  .env = {},
                  .api_version = map.Text("apiVersion"),
                  .install_hint = map.Text("installHint"),
                  .provide_cluster_info = map.Flag("provideClusterInfo"),
                  .interactive_mode = {}};
  if (exec.command.empty()) map.Refuse("command", "is missing: name the program that prints credentials");
  // A name without a slash is looked up in $PATH.
  if (exec.command.find('/') != std::string::npos) exec.command = map.InFolder(exec.command);
  if (exec.api_version != "client.authentication.k8s.io/v1" &&
      exec.api_version != "client.authentication.k8s.io/v1beta1") {
    map.Refuse("apiVersion",
               "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, as the plugin has it");
  }
  exec.interactive_mode = ReadInteractiveMode(map, exec.api_version);
  std::size_t index = 0;
  for (const Json& item : map.List("env")) {
    MapReader variable = map.Item("env", index++, item);
    exec.env.emplace_back(variable.Text("name"), variable.Text("value"));
    if (exec.env.back().first.empty()) variable.Refuse("name", "is missing: name the variable");
  }
  return exec;
}

Impersonation ReadImpersonation(MapReader& map) {
  Impersonation impersonate{
      .user = map.Text("as"), .uid = map.Text("as-uid"), .groups = map.Texts("as-groups"), .extra = {}};
  MapReader extra = map.Map("as-user-extra");
  if (extra.present() && extra.value()->is_object()) {
    for (const auto& member : extra.value()->get_object()) {
      impersonate.extra.emplace_back(member.key(), extra.Texts(member.key()));
    }
  }
  const bool more = !impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty();
  if (more && impersonate.user.empty()) map.Refuse("as", "is missing: groups, uid and extra go with a user name");
  return impersonate;
}

KubeconfigUser ReadUser(MapReader map) {
  KubeconfigUser user{.where = map.where(),
                      .client_certificate = map.Path("client-certificate"),
                      .client_certificate_data = map.Bytes("client-certificate-data"),
                      .client_key = map.Path("client-key"),
                      .client_key_data = map.Bytes("client-key-data"),
                      .token = map.Text("token"),
                      .token_file = map.Path("tokenFile"),
                      .username = map.Text("username"),
                      .password = map.Text("password"),
                      .impersonate = ReadImpersonation(map),
                      .exec = {},
                      .auth_provider = map.Map("auth-provider").Text("name")};
  if (MapReader exec = map.Map("exec"); exec.present()) user.exec = ReadExec(std::move(exec));
  return user;
}

// Lists of {name, <what>}: of one name twice, the first stands.
template <class Entry>
std::map<std::string, Entry> ReadNamed(MapReader& root, std::string_view list, std::string_view what,
                                       Entry (*read)(MapReader)) {
  std::map<std::string, Entry> entries;
  std::size_t index = 0;
  for (const Json& item : root.List(list)) {
    MapReader map = root.Item(list, index++, item);
    std::string name = map.Text("name");
    if (name.empty()) map.Refuse("name", "is missing");
    entries.emplace(std::move(name), read(map.Map(what)));
  }
  return entries;
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& file) {
  KU_TRY(const std::vector<Document> documents, ParseYamlDocuments(text, file));
  Kubeconfig config;
  config.files = {file};
  if (documents.empty()) return config;
  Status status;
  MapReader root(documents.front(), "", &documents.front().value, status);
  const std::string kind = root.Text("kind");
  if (!kind.empty() && kind != "Config") root.Refuse("kind", fmt::format("is {}, not Config: no kubeconfig", kind));
  config.clusters = ReadNamed<KubeconfigCluster>(root, "clusters", "cluster", ReadCluster);
  config.users = ReadNamed<KubeconfigUser>(root, "users", "user", ReadUser);
  config.contexts = ReadNamed<KubeconfigContext>(root, "contexts", "context", [](MapReader map) {
    return KubeconfigContext{.where = map.where(),
                             .cluster = map.Text("cluster"),
                             .user = map.Text("user"),
                             .namespace_ = map.Text("namespace")};
  });
  config.current_context = root.Text("current-context");
  if (!status) return tl::unexpected<Error>(status.error());
  return config;
}

Result<Kubeconfig> LoadKubeconfig(const std::vector<std::string>& files) {
  Kubeconfig merged;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    Result<std::string> text = ReadFile(file);
    if (!text && text.error().code == Code::kNotFound) continue;
    if (!text) return tl::unexpected<Error>(text.error());
    KU_TRY(Kubeconfig config, ParseKubeconfig(*text, file));
    merged.clusters.merge(config.clusters);
    merged.users.merge(config.users);
    merged.contexts.merge(config.contexts);
    if (merged.current_context.empty()) merged.current_context = config.current_context;
    merged.files.push_back(file);
  }
  return merged;
}

}  // namespace kumiko::kube
