// Pods of ReplicaSets. Source: pkg/controller/replicaset of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/apps/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"replicaset-controller"};

// After a pod could not be made or deleted.
constexpr Duration kRetryAfter = std::chrono::seconds(30);

class ReplicaSetController {
 public:
  explicit ReplicaSetController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        sets_(workloads.replica_sets, workloads.pods) {}

  Result<bool> Step() {
    KU_TRY_OK(sets_.Sync(work_));
    budget_ = kMostPodsPerStep;
    return work_.Run("replicasets", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      if (const auto set = sets_.Find(key)) Reconcile(*set, key, result);
    });
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  struct Counts {
    std::int64_t replicas = 0;
    std::int64_t labeled = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t terminating = 0;
  };

  void Reconcile(const api::ReplicaSet& set, const kube::ObjectKey& key, StepResult& result) {
    Pods active;
    Counts counts;
    for (const PodPointer& pod : sets_.Claim(set, key, result)) {
      if (IsActive(*pod)) active.push_back(pod);
      if (IsTerminating(*pod)) ++counts.terminating;
    }
    const Time now = clock_.Now();
    for (const PodPointer& pod : active) Count(set, key, *pod, now, counts);
    Status managed;
    if (!set.metadata.deletion_timestamp) managed = Manage(set, key, active, counts, result);
    WriteStatus(set, key, counts, managed, now, result);
  }

  void Count(const api::ReplicaSet& set, const kube::ObjectKey& key, const api::Pod& pod, Time now, Counts& counts) {
    ++counts.replicas;
    const api::LabelSelector labels{set.spec.template_.metadata.labels, {}};
    if (api::Matches(labels, pod.metadata.labels)) ++counts.labeled;
    const std::optional<Time> available = AvailableFrom(pod, set.spec.min_ready_seconds);
    if (!available) return;
    ++counts.ready;
    if (IsAvailable(pod, set.spec.min_ready_seconds, now)) {
      ++counts.available;
    } else {
      work_.AddAt(key, *available);
    }
  }

  // Makes or deletes pods. The counts are those of before, as the next step sees what came of it.
  Status Manage(const api::ReplicaSet& set, const kube::ObjectKey& key, Pods& active, const Counts& counts,
                StepResult& result) {
    const std::int64_t wanted = limit_.Cap(api::ReplicaSet::kKind, set.metadata, set.spec.replicas.value_or(1));
    if (counts.replicas < wanted) return MakePods(set, key, wanted - counts.replicas, result);
    if (counts.replicas == wanted) return {};
    SortForDeletion(active);
    for (std::size_t i = 0; i < static_cast<std::size_t>(counts.replicas - wanted); ++i) {
      kube::DeleteOptions options;
      options.uid = active[i]->metadata.uid;
      const Status deleted = api_.Delete(kube::KeyOf(*active[i]), options);
      result.Note(deleted);
      if (deleted) {
        events_.Normal(kSource, SubjectOf(set), "SuccessfulDelete",
                       fmt::format("Deleted pod: {}", active[i]->metadata.name));
      }
    }
    return {};
  }

  Status MakePods(const api::ReplicaSet& set, const kube::ObjectKey& key, std::int64_t missing, StepResult& result) {
    const auto owner = api_.Get(key);
    if (!owner) return {};
    KU_TRY(const Json pod, PodFromTemplate(**owner, {}));
    for (; missing > 0 && budget_ > 0; --missing, --budget_) {
      const auto created = api_.Create(pod);
      if (!created) {
        if (created.error().Retryable()) {
          result.Note(created);
          return {};
        }
        if (created.error().code == Code::kPermission) return {};  // the namespace is being deleted
        events_.Warning(kSource, SubjectOf(set), "FailedCreate",
                        fmt::format("Error creating: {}", created.error().message));
        work_.AddAt(key, clock_.Now() + kRetryAfter);
        return tl::unexpected<Error>(created.error());
      }
      result.Note(created);
      events_.Normal(kSource, SubjectOf(set), "SuccessfulCreate",
                     fmt::format("Created pod: {}", StringAt(**created, {"metadata", "name"})));
    }
    if (missing > 0) work_.Add(key);
    return {};
  }

  void WriteStatus(const api::ReplicaSet& set, const kube::ObjectKey& key, const Counts& counts, const Status& managed,
                   Time now, StepResult& result) {
    WriteStatusWith(api_, key, result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      status["replicas"] = counts.replicas;
      SetCount(status, "fullyLabeledReplicas", counts.labeled);
      SetCount(status, "readyReplicas", counts.ready);
      SetCount(status, "availableReplicas", counts.available);
      status["terminatingReplicas"] = counts.terminating;
      SetCount(status, "observedGeneration", set.metadata.generation);
      if (managed) {
        RemoveCondition(object, "ReplicaFailure");
      } else {
        SetCondition(object, {"ReplicaFailure", "True", "FailedCreate", managed.error().message, std::nullopt}, now);
      }
    });
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  Ownership<api::ReplicaSet, api::Pod> sets_;
  WorkList work_;
  OwnerLimit limit_;
  std::int64_t budget_ = 0;
};

}  // namespace

Controller MakeReplicaSetController(Workloads& workloads) {
  auto controller = std::make_shared<ReplicaSetController>(workloads);
  return {"replicasets", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
