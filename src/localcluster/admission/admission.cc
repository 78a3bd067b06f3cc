#include "localcluster/admission/admission.h"

#include "api/defaults.h"
#include "api/kinds.h"
#include "base/check.h"
#include "localcluster/binding.h"

namespace kumiko::localcluster {
namespace {

constexpr int kFailedNodeSeconds = 300;  // how long a pod stays on a node that does not answer

bool Tolerates(const JsonArray& tolerations, std::string_view taint) {
  for (const Json& toleration : tolerations) {
    const std::string_view key = StringAt(toleration, {"key"});
    const std::string_view effect = StringAt(toleration, {"effect"});
    if ((key.empty() || key == taint) && (effect.empty() || effect == "NoExecute")) return true;
  }
  return false;
}

}  // namespace

tl::unexpected<kube::ApiError> Forbid(const Json& object, std::string_view why) {
  const api::KindInfo* kind = api::FindKind(StringAt(object, {"kind"}));
  KU_CHECK(kind != nullptr) << "only kinds that are stored are admitted";
  std::string_view name = StringAt(object, {"metadata", "name"});
  if (name.empty()) name = StringAt(object, {"metadata", "generateName"});
  return kube::Refuse(kube::Forbidden(*kind, name, why));
}

void AdmitTolerations(Json& pod) {
  JsonObject* spec = api::MapAt(pod.as_object(), "spec");
  if (spec == nullptr) return;
  Json& member = (*spec)["tolerations"];
  if (!member.is_array()) member = JsonArray();
  JsonArray& tolerations = member.get_array();
  for (const std::string_view taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (Tolerates(tolerations, taint)) continue;
    tolerations.push_back(JsonObject{
        {"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", kFailedNodeSeconds}});
  }
}

Admission Admit(Json& object, const ClusterReader& cluster, std::string_view suffix) {
  const std::string_view kind = StringAt(object, {"kind"});
  if (kind == "PriorityClass") return AdmitPriorityClass(object, cluster);
  if (kind != "Pod" || !object.is_object()) return {};
  if (Admission admitted = AdmitServiceAccount(object, cluster, suffix); !admitted) return admitted;
  AdmitTolerations(object);
  if (const std::string node(StringAt(object, {"spec", "nodeName"})); !node.empty()) {
    TakeTopology(cluster.get("Node", "", node).get(), object);
  }
  return AdmitPriority(object, cluster);
}

}  // namespace kumiko::localcluster
