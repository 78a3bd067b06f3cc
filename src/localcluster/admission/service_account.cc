// Every pod runs as a service account and finds that account's token in a volume.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "api/defaults.h"
#include "localcluster/admission/admission.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr int kTokenSeconds = 3607;  // an hour, and the seconds by which Kubernetes knows its own
constexpr int kReadable = 420;       // mode 0644

Json TokenVolume(const std::string& name) {
  const JsonObject token{{"expirationSeconds", kTokenSeconds}, {"path", "token"}};
  const JsonObject certificate{{"name", "kube-root-ca.crt"},
                               {"items", JsonArray{JsonObject{{"key", "ca.crt"}, {"path", "ca.crt"}}}}};
  const JsonObject field{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}};
  const JsonObject name_space{{"items", JsonArray{JsonObject{{"path", "namespace"}, {"fieldRef", field}}}}};
  const JsonArray sources{JsonObject{{"serviceAccountToken", token}}, JsonObject{{"configMap", certificate}},
                          JsonObject{{"downwardAPI", name_space}}};
  return JsonObject{{"name", name}, {"projected", JsonObject{{"defaultMode", kReadable}, {"sources", sources}}}};
}

JsonArray& MakeListAt(JsonObject& object, std::string_view name) {
  Json& member = object[name];
  if (!member.is_array()) member = JsonArray();
  return member.get_array();
}

// The pod's wish counts before the account's.
bool WantsToken(const Json& account, const JsonObject& spec) {
  for (const Json* wish :
       {spec.if_contains("automountServiceAccountToken"), Find(account, "automountServiceAccountToken")}) {
    if (wish != nullptr && wish->is_bool()) return wish->get_bool();
  }
  return true;
}

// Whether the container had no volume at the token's path.
bool MountToken(JsonObject& container, const std::string& volume) {
  JsonArray& mounts = MakeListAt(container, "volumeMounts");
  const bool taken =
      std::ranges::any_of(mounts, [](const Json& mount) { return StringAt(mount, {"mountPath"}) == kTokenPath; });
  if (!taken) mounts.push_back(JsonObject{{"name", volume}, {"readOnly", true}, {"mountPath", kTokenPath}});
  return !taken;
}

void MountTokenEverywhere(JsonObject& spec, std::string_view suffix) {
  std::string volume;
  if (const JsonArray* volumes = api::ListAt(spec, "volumes")) {
    for (const Json& item : *volumes) {
      if (StringAt(item, {"name"}).starts_with(kTokenVolume)) volume = StringAt(item, {"name"});
    }
  }
  const bool has_volume = !volume.empty();
  if (!has_volume) volume = std::string(kTokenVolume) + std::string(suffix);
  bool mounted = false;
  for (const std::string_view list : {"initContainers", "containers"}) {
    JsonArray* containers = api::ListAt(spec, list);
    if (containers == nullptr) continue;
    for (Json& container : *containers) {
      if (container.is_object()) mounted = MountToken(container.get_object(), volume) || mounted;
    }
  }
  if (mounted && !has_volume) MakeListAt(spec, "volumes").push_back(TokenVolume(volume));
}

}  // namespace

Admission AdmitServiceAccount(Json& pod, const ClusterReader& cluster, std::string_view suffix) {
  JsonObject* spec = api::MapAt(pod.as_object(), "spec");
  // The pods of a kubelet's own manifests have no account.
  if (spec == nullptr || FindPath(pod, {"metadata", "annotations", "kubernetes.io/config.mirror"}) != nullptr)
    return {};
  std::string name(api::TextAt(*spec, "serviceAccountName"));
  if (name.empty()) name = "default";
  (*spec)["serviceAccountName"] = name;
  (*spec)["serviceAccount"] = name;
  const std::string_view name_space = StringAt(pod, {"metadata", "namespace"});
  std::shared_ptr<const Json> account = cluster.get("ServiceAccount", name_space, name);
  if (account == nullptr && name != "default") {
    return Forbid(pod, fmt::format("error looking up service account {0}/{1}: serviceaccount \"{1}\" not found",
                                   name_space, name));
  }
  // The account of a new namespace follows it at once; a pod that comes with its namespace need not wait for that.
  if (account == nullptr) account = std::make_shared<const Json>(JsonObject());
  if (WantsToken(*account, *spec)) MountTokenEverywhere(*spec, suffix);
  const JsonArray* secrets = api::ListAt(*spec, "imagePullSecrets");
  const Json* of_account = Find(*account, "imagePullSecrets");
  if ((secrets == nullptr || secrets->empty()) && of_account != nullptr) (*spec)["imagePullSecrets"] = *of_account;
  return {};
}

}  // namespace kumiko::localcluster
