// ReplicaSets of Deployments. Source: pkg/controller/deployment of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apps/types.h"
#include "base/text.h"
#include "kube/retry.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/deployment_status.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/controllers/rollout.h"
#include "localcluster/controllers/template_hash.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"deployment-controller"};

// How long the list of earlier revisions of one set may get.
constexpr std::size_t kMaxRevisionHistory = 2000;

// Annotations of a Deployment that are not its sets' business.
bool StaysWithDeployment(std::string_view annotation) {
  static constexpr std::string_view kStay[] = {"kubectl.kubernetes.io/last-applied-configuration",
                                               kRevisionAnnotation,
                                               kRevisionHistoryAnnotation,
                                               kDesiredReplicasAnnotation,
                                               kMaxReplicasAnnotation,
                                               "deprecated.deployment.rollback.to"};
  return std::ranges::find(kStay, annotation) != std::end(kStay);
}

// What of the annotations of a set is to be written so that it carries its Deployment's and `revision`.
JsonObject AnnotationChanges(const api::Deployment& deployment, const api::StringMap& present, std::int64_t revision) {
  JsonObject changes;
  for (const auto& [name, value] : deployment.metadata.annotations) {
    if (StaysWithDeployment(name)) continue;
    const auto found = present.find(name);
    if (found == present.end() || found->second != value) changes[name] = value;
  }
  const auto known = present.find(kRevisionAnnotation);
  const std::int64_t before = known == present.end() ? 0 : ParseInt64(known->second).value_or(0);
  if (before >= revision) return changes;
  changes[kRevisionAnnotation] = std::to_string(revision);
  if (known == present.end()) return changes;
  const auto history = present.find(kRevisionHistoryAnnotation);
  std::string list = history == present.end() || history->second.empty() ? "" : history->second + ",";
  list += known->second;
  while (list.size() > kMaxRevisionHistory) list.erase(0, list.find(',') + 1);
  changes[kRevisionHistoryAnnotation] = list;
  return changes;
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
  explicit DeploymentController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        pods_(workloads.pods),
        deployments_(workloads.api),
        sets_(deployments_, workloads.replica_sets) {}

  Result<bool> Step() {
    KU_TRY_OK(sets_.Sync(work_));
    return work_.Run("deployments", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      if (const auto deployment = sets_.Find(key)) Reconcile(*deployment, key, result);
    });
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  // What one look at a Deployment works with.
  struct Look {
    const api::Deployment& deployment;
    const kube::ObjectKey& key;
    const Json& tree;
    RolloutSets sets;
    StepResult& result;
  };

  void Reconcile(const api::Deployment& deployment, const kube::ObjectKey& key, StepResult& result) {
    const auto tree = api_.Get(key);
    if (!tree || IsEmpty(deployment.spec.selector)) return;
    Look look{deployment, key, **tree, Sort(**tree, sets_.Claim(deployment, key, result)), result};
    if (deployment.metadata.deletion_timestamp) {
      WriteStatus(look, Estimate::kCounts);
      return;
    }
    if (look.sets.current) CarryOver(look);
    if (deployment.spec.paused || SizeChanged(deployment, look.sets)) {
      Scale(look, PlanResize(deployment, look.sets));
      if (deployment.spec.paused) CleanUp(look);
      WriteStatus(look, Estimate::kCounts);
      return;
    }
    if (deployment.spec.strategy.type == "Recreate") {
      Recreate(look);
    } else {
      RollingUpdate(look);
    }
  }

  // The oldest first; the one of the Deployment's present template apart.
  RolloutSets Sort(const Json& tree, std::vector<SetPointer> sets) const {
    std::ranges::stable_sort(sets, [](const SetPointer& a, const SetPointer& b) {
      return a->metadata.creation_timestamp < b->metadata.creation_timestamp;
    });
    RolloutSets sorted;
    const Json* pod_template = FindPath(tree, {"spec", "template"});
    for (SetPointer& set : sets) {
      const auto set_tree = api_.Get(kube::KeyOf(*set));
      const Json* of_set = set_tree ? FindPath(**set_tree, {"spec", "template"}) : nullptr;
      const bool is_current = of_set != nullptr && pod_template != nullptr && SameTemplate(*of_set, *pod_template);
      if (is_current && !sorted.current) {
        sorted.current = std::move(set);
      } else {
        sorted.old.push_back(std::move(set));
      }
    }
    return sorted;
  }

  std::int64_t NextRevision(const Look& look) const {
    std::int64_t newest = 0;
    for (const SetPointer& set : look.sets.old) newest = std::max(newest, RevisionOf(*set));
    return newest + 1;
  }

  // The current set carries the newest revision and the Deployment's annotations and minReadySeconds.
  void CarryOver(Look& look) {
    const api::ReplicaSet& set = *look.sets.current;
    JsonObject annotations = AnnotationChanges(look.deployment, set.metadata.annotations, NextRevision(look));
    JsonObject patch;
    if (!annotations.empty()) patch["metadata"] = JsonObject{{"annotations", std::move(annotations)}};
    if (set.spec.min_ready_seconds != look.deployment.spec.min_ready_seconds) {
      patch["spec"] = JsonObject{{"minReadySeconds", look.deployment.spec.min_ready_seconds}};
    }
    if (!patch.empty()) look.result.Note(api_.Patch(kube::KeyOf(set), patch, kube::Subresource::kNone));
  }

  void RollingUpdate(Look& look) {
    if (!look.sets.current) {
      Make(look);
      return;
    }
    const std::vector<Scaling> plan = PlanRollingUpdate(look.deployment, look.sets);
    Scale(look, plan);
    if (plan.empty() && IsComplete(look.deployment)) CleanUp(look);
    WriteStatus(look, Estimate::kProgress);
  }

  // All old pods are gone before the first new one is made.
  void Recreate(Look& look) {
    std::vector<Scaling> down;
    for (const SetPointer& set : look.sets.old) {
      if (set->spec.replicas.value_or(1) > 0) down.push_back({set, 0, false});
    }
    Scale(look, down);
    if (down.empty() && !OldPodsRun(look)) {
      if (!look.sets.current) {
        Make(look);
        return;
      }
      const std::int64_t wanted = WantedReplicas(look.deployment);
      if (look.sets.current->spec.replicas.value_or(1) != wanted) Scale(look, {{look.sets.current, wanted, false}});
      if (IsComplete(look.deployment)) CleanUp(look);
    }
    WriteStatus(look, Estimate::kProgress);
  }

  bool OldPodsRun(const Look& look) const {
    return std::ranges::any_of(look.sets.old, [this](const SetPointer& set) {
      const auto& pods = pods_.OwnedBy(set->metadata.uid);
      return set->status.replicas > 0 ||
             std::ranges::any_of(pods, [](const auto& entry) { return !api::IsFinished(*entry.second); });
    });
  }

  void Scale(Look& look, const std::vector<Scaling>& plan) {
    for (const Scaling& scaling : plan) {
      const std::int64_t before = scaling.set->spec.replicas.value_or(1);
      if (before == scaling.replicas && !scaling.annotate) continue;
      const Json patch = JsonObject{{"metadata", JsonObject{{"annotations", SizeAnnotations(look.deployment)}}},
                                    {"spec", JsonObject{{"replicas", scaling.replicas}}}};
      if (!look.result.Note(api_.Patch(kube::KeyOf(*scaling.set), patch, kube::Subresource::kNone))) continue;
      if (before == scaling.replicas) continue;
      events_.Normal(kSource, SubjectOf(look.deployment), "ScalingReplicaSet",
                     fmt::format("Scaled {} replica set {} from {} to {}", before < scaling.replicas ? "up" : "down",
                                 scaling.set->metadata.name, before, scaling.replicas));
    }
  }

  static JsonObject SizeAnnotations(const api::Deployment& deployment) {
    const std::int64_t wanted = WantedReplicas(deployment);
    return JsonObject{{kDesiredReplicasAnnotation, std::to_string(wanted)},
                      {kMaxReplicasAnnotation, std::to_string(wanted + MaxSurge(deployment))}};
  }

  // The set of the present template, with as many replicas as it may begin with.
  void Make(Look& look) {
    const Json* pod_template = FindPath(look.tree, {"spec", "template"});
    if (pod_template == nullptr) return;
    const std::string hash = TreeHash(*pod_template, look.deployment.status.collision_count);
    const std::int64_t size = FirstSize(look.deployment, look.sets);
    const auto created = api_.Create(NewSet(look, hash, size));
    const std::string name = look.deployment.metadata.name + "-" + hash;
    if (!created && created.error().code == Code::kAlreadyExists) {
      // Another set has the name: another hash is tried in the next step.
      WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
        StatusOf(object)["collisionCount"] = look.deployment.status.collision_count + 1;
      });
      return;
    }
    const Time now = clock_.Now();
    if (!created && created.error().Retryable()) {
      look.result.Note(created);
      return;
    }
    if (!created && created.error().code == Code::kPermission) return;  // the namespace is being deleted
    DeploymentCondition condition{"Progressing", "True", "NewReplicaSetCreated",
                                  fmt::format("Created new replica set \"{}\"", name)};
    if (!created) {
      condition = {"Progressing", "False", "ReplicaSetCreateError",
                   fmt::format("Failed to create new replica set \"{}\": {}", name, created.error().message)};
      events_.Warning(kSource, SubjectOf(look.deployment), "ReplicaSetCreateError", condition.message);
    } else {
      look.result.Note(created);
      if (size > 0) {
        events_.Normal(kSource, SubjectOf(look.deployment), "ScalingReplicaSet",
                       fmt::format("Scaled up replica set {} from 0 to {}", name, size));
      }
    }
    WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
      if (look.deployment.spec.progress_deadline_seconds) {
        SetDeploymentCondition(StatusOf(object), condition, now);
      }
      if (created)
        SetMember(object, {"metadata", "annotations", kRevisionAnnotation}, std::to_string(NextRevision(look)));
      UpdateDeploymentStatus(object, look.deployment, look.sets, Estimate::kCounts, now);
    });
  }

  Json NewSet(const Look& look, const std::string& hash, std::int64_t size) const {
    JsonObject annotations = AnnotationChanges(look.deployment, {}, NextRevision(look));
    for (const auto& entry : SizeAnnotations(look.deployment)) annotations[entry.key()] = entry.value();
    JsonObject metadata{{"name", look.deployment.metadata.name + "-" + hash},
                        {"namespace", look.key.namespace_},
                        {"annotations", std::move(annotations)},
                        {"ownerReferences", JsonArray{OwnerReferenceTo(look.tree)}}};
    if (const Json* labels = FindPath(look.tree, {"spec", "template", "metadata", "labels"})) {
      metadata["labels"] = *labels;
    }
    JsonObject spec{{"replicas", size}};
    SetCount(spec, "minReadySeconds", look.deployment.spec.min_ready_seconds);
    for (const std::string_view member : {"selector", "template"}) {
      if (const Json* value = FindPath(look.tree, {"spec", member})) spec[member] = *value;
    }
    Json set = JsonObject{{"apiVersion", api::ReplicaSet::kApiVersion},
                          {"kind", api::ReplicaSet::kKind},
                          {"metadata", std::move(metadata)},
                          {"spec", std::move(spec)}};
    SetMember(set, {"metadata", "labels", kTemplateHashLabel}, hash);
    SetMember(set, {"spec", "selector", "matchLabels", kTemplateHashLabel}, hash);
    SetMember(set, {"spec", "template", "metadata", "labels", kTemplateHashLabel}, hash);
    return set;
  }

  // Old sets without pods go, the earliest revisions first, until only the history that is wanted is left.
  void CleanUp(Look& look) {
    const std::optional<std::int64_t>& limit = look.deployment.spec.revision_history_limit;
    if (!limit) return;
    std::vector<SetPointer> old;
    for (const SetPointer& set : look.sets.old) {
      if (!set->metadata.deletion_timestamp) old.push_back(set);
    }
    std::ranges::stable_sort(old, {}, [](const SetPointer& set) { return RevisionOf(*set); });
    const std::int64_t surplus = static_cast<std::int64_t>(old.size()) - *limit;
    for (std::int64_t i = 0; i < surplus; ++i) {
      const api::ReplicaSet& set = *old[static_cast<std::size_t>(i)];
      if (set.spec.replicas.value_or(1) != 0 || set.status.replicas != 0 ||
          set.metadata.generation > set.status.observed_generation) {
        continue;
      }
      kube::DeleteOptions options;
      options.uid = set.metadata.uid;
      look.result.Note(api_.Delete(kube::KeyOf(set), options));
    }
  }

  void WriteStatus(Look& look, Estimate estimate) {
    const Time now = clock_.Now();
    std::optional<Time> deadline;
    WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      if (!look.deployment.metadata.deletion_timestamp) NotePaused(status, look, now);
      if (look.sets.current) {
        const std::int64_t revision = std::max(RevisionOf(*look.sets.current), NextRevision(look));
        SetMember(object, {"metadata", "annotations", kRevisionAnnotation}, std::to_string(revision));
      }
      UpdateDeploymentStatus(object, look.deployment, look.sets, estimate, now);
      deadline = ProgressDeadline(object, look.deployment);
    });
    if (deadline && *deadline > now) work_.AddAt(look.key, *deadline);
  }

  static void NotePaused(JsonObject& status, const Look& look, Time now) {
    const api::Deployment& deployment = look.deployment;
    if (!deployment.spec.progress_deadline_seconds) return;
    std::string_view reason;
    const Json whole = status;
    if (const Json* list = Find(whole, "conditions"); list != nullptr && list->is_array()) {
      for (const Json& condition : list->get_array()) {
        if (StringAt(condition, {"type"}) == "Progressing") reason = StringAt(condition, {"reason"});
      }
    }
    // A rollout that got stuck stays known as such.
    if (reason == "ProgressDeadlineExceeded") return;
    if (deployment.spec.paused && reason != "DeploymentPaused") {
      SetDeploymentCondition(status, {"Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"}, now);
    } else if (!deployment.spec.paused && reason == "DeploymentPaused") {
      SetDeploymentCondition(status, {"Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed"}, now);
    } else if (reason.empty() && look.sets.current) {
      // A set that was adopted.
      const std::string message = fmt::format("Found new replica set \"{}\"", look.sets.current->metadata.name);
      SetDeploymentCondition(status, {"Progressing", "True", "FoundNewReplicaSet", message}, now);
    }
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  PodIndex& pods_;
  OwnedIndex<api::Deployment> deployments_;
  Ownership<api::Deployment, api::ReplicaSet> sets_;
  WorkList work_;
};

}  // namespace

Controller MakeDeploymentController(Workloads& workloads) {
  auto controller = std::make_shared<DeploymentController>(workloads);
  return {"deployments", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
