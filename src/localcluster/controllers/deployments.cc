// ReplicaSets of Deployments.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/apps/types.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/step_result.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr const char* kHashLabel = "pod-template-hash";

// Ten characters of the alphabet that generated names use, from the FNV-1a hash of the template's text.
std::string TemplateHash(const Json& pod_template) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : WriteJson(pod_template)) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 1099511628211ULL;
  }
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += kAlphabet[hash % kAlphabet.size()];
    hash /= kAlphabet.size();
  }
  return text;
}

void SetMember(Json& object, std::initializer_list<std::string_view> path, std::string_view value) {
  Json* at = &object;
  for (const std::string_view step : path) {
    if (!at->is_object()) *at = JsonObject();
    at = &at->get_object()[step];
  }
  *at = value;
}

class DeploymentController {
 public:
  explicit DeploymentController(kube::ApiClient& api) : api_(api), deployments_(api), sets_(api) {}

  Result<bool> Step() {
    KU_TRY(const auto deployments, deployments_.Sync());
    KU_TRY(const auto sets, sets_.Sync());
    if (deployments.empty() && sets.empty() && !again_) return false;
    StepResult result("deployments");
    std::map<std::string, std::vector<const api::ReplicaSet*>> owned;
    for (const auto& [key, set] : sets_.objects()) {
      const api::OwnerReference* owner = api::ControllerOf(set->metadata);
      if (owner != nullptr && owner->kind == api::Deployment::kKind) owned[owner->uid].push_back(set.get());
    }
    for (const auto& [key, deployment] : deployments_.objects()) {
      if (!deployment->metadata.deletion_timestamp) Reconcile(*deployment, owned[deployment->metadata.uid], result);
    }
    again_ = result.again();
    return result.changed();
  }

 private:
  void Reconcile(const api::Deployment& deployment, const std::vector<const api::ReplicaSet*>& sets,
                 StepResult& result) {
    const auto tree = api_.Get(kube::KeyOf(deployment));
    if (!tree) return;
    const Json* pod_template = FindPath(**tree, {"spec", "template"});
    if (pod_template == nullptr) return;
    const std::string hash = TemplateHash(*pod_template);
    const std::int64_t wanted = deployment.spec.replicas.value_or(1);
    bool current_exists = false;
    std::int64_t replicas = 0;
    std::int64_t ready = 0;
    for (const api::ReplicaSet* set : sets) {
      const auto label = set->metadata.labels.find(kHashLabel);
      const bool is_current = label != set->metadata.labels.end() && label->second == hash;
      current_exists |= is_current;
      replicas += set->status.replicas;
      ready += set->status.ready_replicas;
      Scale(*set, is_current ? wanted : 0, result);
    }
    if (!current_exists) MakeSet(**tree, hash, wanted, result);
    bool wrote = false;
    const auto written =
        kube::UpdateWithRetry(api_, kube::KeyOf(deployment), kube::Subresource::kStatus, [&](Json& object) {
          wrote = SetStatus(object, "observedGeneration", deployment.metadata.generation);
          wrote |= SetStatus(object, "replicas", replicas);
          wrote |= SetStatus(object, "readyReplicas", ready);
          wrote |= SetStatus(object, "availableReplicas", ready);
          return Result<bool>(wrote);
        });
    if (!written || wrote) result.Note(written);
  }

  void Scale(const api::ReplicaSet& set, std::int64_t wanted, StepResult& result) {
    if (set.spec.replicas == wanted || set.metadata.deletion_timestamp) return;
    const Json patch = JsonObject{{"spec", JsonObject{{"replicas", wanted}}}};
    result.Note(api_.Patch(kube::KeyOf(set), patch, kube::Subresource::kNone));
  }

  void MakeSet(const Json& deployment, const std::string& hash, std::int64_t wanted, StepResult& result) {
    const std::string name = std::string(StringAt(deployment, {"metadata", "name"})) + "-" + hash;
    Json set = JsonObject{{"apiVersion", api::ReplicaSet::kApiVersion}, {"kind", api::ReplicaSet::kKind}};
    JsonObject metadata{{"name", name},
                        {"namespace", StringAt(deployment, {"metadata", "namespace"})},
                        {"ownerReferences", JsonArray{OwnerReferenceTo(deployment)}}};
    if (const Json* labels = FindPath(deployment, {"spec", "template", "metadata", "labels"})) {
      metadata["labels"] = *labels;
    }
    JsonObject spec{{"replicas", wanted}};
    for (const std::string_view member : {"selector", "template"}) {
      if (const Json* value = FindPath(deployment, {"spec", member})) spec[member] = *value;
    }
    set.get_object()["metadata"] = std::move(metadata);
    set.get_object()["spec"] = std::move(spec);
    SetMember(set, {"metadata", "labels", kHashLabel}, hash);
    SetMember(set, {"spec", "selector", "matchLabels", kHashLabel}, hash);
    SetMember(set, {"spec", "template", "metadata", "labels", kHashLabel}, hash);
    result.Note(api_.Create(set));
  }

  kube::ApiClient& api_;
  kube::Informer<api::Deployment> deployments_;
  kube::Informer<api::ReplicaSet> sets_;
  bool again_ = false;
};

}  // namespace

Controller MakeDeploymentController(kube::ApiClient& api) {
  auto controller = std::make_shared<DeploymentController>(api);
  return {"deployments", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
