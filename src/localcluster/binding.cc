#include "localcluster/binding.h"

#include <fmt/core.h>

#include <string_view>

#include "api/defaults.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {

void TakeTopology(const Json* node, Json& pod) {
  for (const std::string_view label : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    const Json* value = node == nullptr ? nullptr : FindPath(*node, {"metadata", "labels", label});
    if (value == nullptr) continue;
    if (JsonObject* labels = api::MakeMapAt(MetadataOf(pod), "labels")) (*labels)[label] = *value;
  }
}

kube::ApiResult<std::shared_ptr<const Json>> BindPod(Store& store, const Binding& binding, Time now, bool dry_run) {
  const auto node = store.Get({"Node", "", binding.node});
  const api::KindInfo& kind = *api::FindKind("Pod");
  const std::string& name = binding.pod.name;
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    const std::string_view bound = StringAt(current, {"spec", "nodeName"});
    std::string why;
    if (!bound.empty()) why = fmt::format("pod {} is already assigned to node \"{}\"", name, bound);
    if (FindPath(current, {"metadata", "deletionTimestamp"}) != nullptr) {
      why = fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
    }
    if (!binding.uid.empty() && binding.uid != StringAt(current, {"metadata", "uid"})) {
      why = fmt::format("pod {} is another one than that of uid {}", name, binding.uid);
    }
    if (!why.empty()) return kube::Refuse(kube::Conflict(kind, name, why));
    Json pod = current;
    if (JsonObject* spec = api::MakeMapAt(pod.as_object(), "spec")) (*spec)["nodeName"] = binding.node;
    TakeTopology(node ? node->get() : nullptr, pod);
    return pod;
  };
  WriteOptions options{.dry_run = dry_run};
  options.finish = [now](Json& pod) { SetPodCondition(pod, {"PodScheduled", "True", "", "", std::nullopt}, now); };
  return store.ChangeObject(binding.pod, kube::Subresource::kNone, edit, options);
}

}  // namespace kumiko::localcluster
