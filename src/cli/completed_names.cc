#include "cli/completed_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "cli/connection.h"
#include "cli/explain_command.h"
#include "kube/cluster_access.h"

namespace kumiko::cli {
namespace {

constexpr int kMostNames = 500;
constexpr const char* kTimeout = "2s";

std::string Given(const NameQuestion& question, const std::string& option) {
  const auto found = question.options.find(option);
  return found == question.options.end() ? "" : found->second;
}

std::vector<std::string> Contexts(const NameQuestion& question) {
  kube::AccessOptions options = kube::AccessOptions::FromEnvironment();
  options.kubeconfig = Given(question, "--kubeconfig");
  const auto config = kube::LoadKubeconfig(kube::KubeconfigFiles(options));
  std::vector<std::string> names;
  if (config) {
    for (const auto& [name, context] : config->contexts) names.push_back(name);
  }
  return names;
}

// Where the objects are listed; empty when there is no such place.
std::string PathFor(const NameQuestion& question, const std::string& namespace_) {
  if (question.type == "NAMESPACE") return "/api/v1/namespaces";
  if (question.type == "NODE") return "/api/v1/nodes";
  const bool is_name = std::all_of(namespace_.begin(), namespace_.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  const auto kind = KindToExplain(question.kind);
  if (!is_name || !kind) return "";
  return *kind == ExplainedKind::kPod
             ? fmt::format("/api/v1/namespaces/{}/pods", namespace_)
             : fmt::format("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", namespace_);
}

}  // namespace

std::vector<std::string> NamesFor(const NameQuestion& question) {
  if (question.type == "CONTEXT") return Contexts(question);
  const auto connection = Connect({.kubeconfig = Given(question, "--kubeconfig"),
                                   .context = Given(question, "--context"),
                                   .namespace_ = Given(question, "--namespace"),
                                   .request_timeout = kTimeout});
  if (!connection) return {};
  const std::string path = PathFor(question, connection->namespace_);
  if (path.empty()) return {};
  const auto text = connection->api->GetRaw(fmt::format("{}?limit={}", path, kMostNames));
  if (!text) return {};
  const auto list = ParseJson(*text);
  const Json* items = list ? FindPath(*list, {"items"}) : nullptr;
  std::vector<std::string> names;
  if (items == nullptr || !items->is_array()) return names;
  for (const Json& item : items->as_array()) names.emplace_back(StringAt(item, {"metadata", "name"}));
  return names;
}

}  // namespace kumiko::cli
