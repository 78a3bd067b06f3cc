// Pods of ReplicaSets.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
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

// The first are deleted first when there are too many: those that run nowhere, then those that do not run, then the
// newest.
bool GoesBefore(const api::Pod* a, const api::Pod* b) {
  const auto rank = [](const api::Pod* pod) {
    if (pod->spec.node_name.empty()) return 0;
    return pod->status.phase == "Running" ? 2 : 1;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a->metadata.creation_timestamp != b->metadata.creation_timestamp) {
    return a->metadata.creation_timestamp > b->metadata.creation_timestamp;
  }
  return a->metadata.name > b->metadata.name;
}

class ReplicaSetController {
 public:
  explicit ReplicaSetController(kube::ApiClient& api) : api_(api), sets_(api), pods_(api) {}

  Result<bool> Step() {
    KU_TRY(const auto sets, sets_.Sync());
    KU_TRY(const auto pods, pods_.Sync());
    if (sets.empty() && pods.empty() && !again_) return false;
    StepResult result("replicasets");
    std::map<std::string, std::vector<const api::Pod*>> active;
    for (const auto& [key, pod] : pods_.objects()) {
      const api::OwnerReference* owner = api::ControllerOf(pod->metadata);
      if (owner == nullptr || owner->kind != api::ReplicaSet::kKind) continue;
      if (!api::IsFinished(*pod) && !pod->metadata.deletion_timestamp) active[owner->uid].push_back(pod.get());
    }
    for (const auto& [key, set] : sets_.objects()) {
      if (!set->metadata.deletion_timestamp) Reconcile(*set, active[set->metadata.uid], result);
    }
    again_ = result.again();
    return result.changed();
  }

 private:
  void Reconcile(const api::ReplicaSet& set, std::vector<const api::Pod*>& active, StepResult& result) {
    std::sort(active.begin(), active.end(), GoesBefore);
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, set.spec.replicas.value_or(1)));
    std::size_t count = active.size();
    for (; count < wanted; ++count) {
      const auto owner = api_.Get(kube::KeyOf(set));
      if (!owner) break;
      const Result<Json> pod = PodFromTemplate(**owner, {});
      if (!pod) {
        result.Note(pod);
        break;
      }
      if (!result.Note(api_.Create(*pod))) break;
    }
    for (std::size_t i = 0; count > wanted; ++i, --count) {
      kube::DeleteOptions options;
      options.uid = active[i]->metadata.uid;
      result.Note(api_.Delete(kube::KeyOf(*active[i]), options));
    }
    const auto ready =
        std::count_if(active.begin(), active.end(), [](const api::Pod* pod) { return pod->status.phase == "Running"; });
    bool wrote = false;
    const auto written = kube::UpdateWithRetry(api_, kube::KeyOf(set), kube::Subresource::kStatus, [&](Json& object) {
      wrote = SetStatus(object, "observedGeneration", set.metadata.generation);
      wrote |= SetStatus(object, "replicas", static_cast<std::int64_t>(count));
      wrote |= SetStatus(object, "readyReplicas", static_cast<std::int64_t>(ready));
      wrote |= SetStatus(object, "availableReplicas", static_cast<std::int64_t>(ready));
      return Result<bool>(wrote);
    });
    if (!written || wrote) result.Note(written);
  }

  kube::ApiClient& api_;
  kube::Informer<api::ReplicaSet> sets_;
  kube::Informer<api::Pod> pods_;
  bool again_ = false;
};

}  // namespace

Controller MakeReplicaSetController(kube::ApiClient& api) {
  auto controller = std::make_shared<ReplicaSetController>(api);
  return {"replicasets", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
