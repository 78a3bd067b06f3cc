// Pods of ReplicaSets.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/apps/types.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
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
  ReplicaSetController(kube::ApiClient& api, const Clock& clock) : api_(api), clock_(clock), sets_(api), pods_(api) {}

  Result<bool> Step() {
    KU_TRY(const auto sets, sets_.Sync());
    KU_TRY(const auto pods, pods_.Sync());
    const Time now = clock_.Now();
    if (sets.empty() && pods.empty() && !again_ && !(next_wake_ && now >= *next_wake_)) return false;
    StepResult result("replicasets");
    std::map<std::string, std::vector<const api::Pod*>> active;
    for (const auto& [key, pod] : pods_.objects()) {
      const api::OwnerReference* owner = api::ControllerOf(pod->metadata);
      if (owner == nullptr || owner->kind != api::ReplicaSet::kKind) continue;
      if (pod->metadata.deletion_timestamp) continue;
      if (api::IsFinished(*pod)) {
        delay_.Ended(owner->uid, pod->metadata.uid, now);
      } else {
        active[owner->uid].push_back(pod.get());
      }
    }
    std::int64_t budget = kMostPodsPerStep;
    std::set<std::string> present;
    for (const auto& [key, set] : sets_.objects()) {
      present.insert(set->metadata.uid);
      if (!set->metadata.deletion_timestamp) Reconcile(*set, active[set->metadata.uid], now, budget, result);
    }
    delay_.KeepOnly(present);
    next_wake_ = delay_.NextWake(now);
    again_ = result.again() || budget == 0;
    return result.changed();
  }

  // When ended pods may be replaced.
  std::optional<Time> NextWake() const { return next_wake_; }

 private:
  // Makes at most `budget` pods and takes them off it.
  void Reconcile(const api::ReplicaSet& set, std::vector<const api::Pod*>& active, Time now, std::int64_t& budget,
                 StepResult& result) {
    std::sort(active.begin(), active.end(), GoesBefore);
    const std::int64_t wanted = limit_.Cap(api::ReplicaSet::kKind, set.metadata, set.spec.replicas.value_or(1));
    const std::int64_t allowed = wanted - delay_.Waiting(set.metadata.uid, now);
    auto count = static_cast<std::int64_t>(active.size());
    for (; count < allowed && budget > 0; ++count, --budget) {
      const auto owner = api_.Get(kube::KeyOf(set));
      if (!owner) break;
      const Result<Json> pod = PodFromTemplate(**owner, {});
      if (!pod) {
        result.Note(pod);
        break;
      }
      if (!result.Note(api_.Create(*pod))) break;
    }
    for (std::size_t i = 0; i < active.size() && count > wanted; ++i, --count) {
      kube::DeleteOptions options;
      options.uid = active[i]->metadata.uid;
      result.Note(api_.Delete(kube::KeyOf(*active[i]), options));
    }
    const auto ready =
        std::count_if(active.begin(), active.end(), [](const api::Pod* pod) { return pod->status.phase == "Running"; });
    bool wrote = false;
    const auto written = kube::UpdateWithRetry(api_, kube::KeyOf(set), kube::Subresource::kStatus, [&](Json& object) {
      wrote = SetStatus(object, "observedGeneration", set.metadata.generation);
      wrote |= SetStatus(object, "replicas", count);
      wrote |= SetStatus(object, "readyReplicas", static_cast<std::int64_t>(ready));
      wrote |= SetStatus(object, "availableReplicas", static_cast<std::int64_t>(ready));
      return Result<bool>(wrote);
    });
    if (!written || wrote) result.Note(written);
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  kube::Informer<api::ReplicaSet> sets_;
  kube::Informer<api::Pod> pods_;
  OwnerLimit limit_;
  ReplaceDelay delay_;
  std::optional<Time> next_wake_;
  bool again_ = false;
};

}  // namespace

Controller MakeReplicaSetController(kube::ApiClient& api, const Clock& clock) {
  auto controller = std::make_shared<ReplicaSetController>(api, clock);
  return {"replicasets", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
