// Pods of StatefulSets: in order, with names that stay. Source: pkg/controller/statefulset of Kubernetes 1.37.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/apps/types.h"
#include "api/meta/int_or_percent.h"
#include "base/text.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/controllers/revisions.h"
#include "localcluster/controllers/template_hash.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"statefulset-controller"};
constexpr const char* kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr const char* kPodIndexLabel = "apps.kubernetes.io/pod-index";
// After a pod could not be made.
constexpr Duration kRetryAfter = std::chrono::seconds(30);

std::string RevisionNameOf(const api::Pod& pod) {
  const auto found = pod.metadata.labels.find(kRevisionHashLabel);
  return found == pod.metadata.labels.end() ? "" : found->second;
}

// N of `<set>-N`.
std::optional<std::int64_t> OrdinalOf(const api::Pod& pod, const std::string& set) {
  const std::string& name = pod.metadata.name;
  if (name.size() <= set.size() + 1 || !name.starts_with(set) || name[set.size()] != '-') return std::nullopt;
  return ParseInt64(std::string_view(name).substr(set.size() + 1));
}

class StatefulSetController {
 public:
  explicit StatefulSetController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        revisions_(workloads.revisions),
        revision_feed_(workloads.revisions.AddReader()),
        sets_(workloads.api),
        pods_(sets_, workloads.pods) {}

  Result<bool> Step() {
    KU_TRY_OK(pods_.Sync(work_));
    KU_TRY_OK(revisions_.Read(revision_feed_));
    return work_.Run("statefulsets", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto set = pods_.Find(key);
      if (set && !set->metadata.deletion_timestamp) Reconcile(*set, key, result);
    });
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  // What one look at a set works with.
  struct Look {
    const api::StatefulSet& set;
    const kube::ObjectKey& key;
    const Json& tree;
    std::vector<RevisionPointer> revisions;
    RevisionPointer current;
    RevisionPointer update;
    std::map<std::int64_t, PodPointer> replicas;   // by ordinal, of those wanted
    std::map<std::int64_t, PodPointer> condemned;  // the others
    StepResult& result;

    std::int64_t first() const { return set.spec.ordinals.start; }
    std::int64_t end() const { return first() + set.spec.replicas.value_or(1); }
    bool ordered() const { return set.spec.pod_management_policy != "Parallel"; }
    bool rolls() const { return set.spec.update_strategy.type != "OnDelete"; }
    // Pods below it keep the current revision.
    std::int64_t partition() const { return first() + set.spec.update_strategy.rolling_update.partition; }
  };

  void Reconcile(const api::StatefulSet& set, const kube::ObjectKey& key, StepResult& result) {
    const auto tree = api_.Get(key);
    if (!tree) return;
    Look look{set, key, **tree, RevisionsOf(revisions_, set.metadata.uid), nullptr, nullptr, {}, {}, result};
    if (!FindRevisions(look)) return;
    for (const PodPointer& pod : pods_.Claim(set, key, result)) {
      const std::optional<std::int64_t> ordinal = OrdinalOf(*pod, set.metadata.name);
      if (!ordinal) continue;
      (*ordinal >= look.first() && *ordinal < look.end() ? look.replicas : look.condemned)[*ordinal] = pod;
    }
    if (MakeReplicas(look) && RemoveCondemned(look)) RollOn(look);
    WriteStatus(look);
    std::vector<std::string> used{look.current->metadata.name, look.update->metadata.name};
    for (const auto& [ordinal, pod] : look.replicas) used.push_back(RevisionNameOf(*pod));
    TrimRevisions(api_, look.revisions, used, set.spec.revision_history_limit.value_or(10), result);
  }

  bool FindRevisions(Look& look) {
    const RevisionRequest request{look.tree, look.revisions, "controller.kubernetes.io/hash",
                                  look.set.status.collision_count};
    Result<RevisionPointer> present = PresentRevision(api_, request, look.result);
    if (!present) {
      if (present.error().code == Code::kAlreadyExists) {
        WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
          StatusOf(object)["collisionCount"] = look.set.status.collision_count + 1;
        });
      } else if (present.error().code != Code::kPermission) {
        look.result.Note(present);
      }
      return false;
    }
    look.update = *present;
    look.current = look.update;
    for (const RevisionPointer& revision : look.revisions) {
      if (revision->metadata.name == look.set.status.current_revision) look.current = revision;
    }
    return true;
  }

  bool Healthy(const api::Pod& pod) const { return IsReady(pod) && !pod.metadata.deletion_timestamp; }

  bool Available(const Look& look, const api::Pod& pod) {
    if (!Healthy(pod)) return false;
    if (IsAvailable(pod, look.set.spec.min_ready_seconds, clock_.Now())) return true;
    work_.AddAt(look.key, *AvailableFrom(pod, look.set.spec.min_ready_seconds));
    return false;
  }

  // Whether all that are wanted are there; in ordered sets each waits for those before it.
  bool MakeReplicas(Look& look) {
    bool complete = true;
    std::int64_t budget = kMostPodsPerStep;
    const std::int64_t end =
        look.first() + limit_.Cap(api::StatefulSet::kKind, look.set.metadata, look.set.spec.replicas.value_or(1));
    for (std::int64_t ordinal = look.first(); ordinal < end; ++ordinal) {
      const auto found = look.replicas.find(ordinal);
      if (found == look.replicas.end()) {
        if (budget-- <= 0) return false;
        if (!MakePod(look, ordinal) || look.ordered()) return false;
        complete = false;
        continue;
      }
      const api::Pod& pod = *found->second;
      if (api::IsFinished(pod) && !pod.metadata.deletion_timestamp) {
        Delete(look, pod);
        if (look.ordered()) return false;
        complete = false;
        continue;
      }
      if (look.ordered() && !Available(look, pod)) return false;
    }
    return complete;
  }

  // The largest ordinals go first; in ordered sets one at a time.
  bool RemoveCondemned(Look& look) {
    for (auto at = look.condemned.rbegin(); at != look.condemned.rend(); ++at) {
      const api::Pod& pod = *at->second;
      if (!pod.metadata.deletion_timestamp) Delete(look, pod);
      if (look.ordered()) return false;
    }
    return true;
  }

  // Replaces pods of older templates, the largest ordinals first, so that few are away at a time.
  void RollOn(Look& look) {
    if (!look.rolls()) return;
    const std::int64_t most_away =
        std::max<std::int64_t>(1, api::ScaledValue(look.set.spec.update_strategy.rolling_update.max_unavailable,
                                                   look.set.spec.replicas.value_or(1), api::Rounding::kUp));
    std::int64_t away = 0;
    for (const auto& [ordinal, pod] : look.replicas) away += Available(look, *pod) ? 0 : 1;
    for (auto at = look.replicas.rbegin(); at != look.replicas.rend(); ++at) {
      if (at->first < look.partition()) return;
      const api::Pod& pod = *at->second;
      const bool available = Available(look, pod);
      if (RevisionNameOf(pod) == look.update->metadata.name) {
        if (!available && look.ordered() && most_away == 1) return;
        continue;
      }
      if (pod.metadata.deletion_timestamp) continue;
      // One that is away already costs nothing.
      if (available && away >= most_away) return;
      away += available ? 1 : 0;
      Delete(look, pod);
    }
  }

  void Delete(Look& look, const api::Pod& pod) {
    kube::DeleteOptions options;
    options.uid = pod.metadata.uid;
    if (!look.result.Note(api_.Delete(kube::KeyOf(pod), options))) return;
    events_.Normal(kSource, SubjectOf(look.set), "SuccessfulDelete",
                   fmt::format("Delete Pod {} in StatefulSet {} successful", pod.metadata.name, look.key.name));
  }

  // Which template a new pod is made from.
  const RevisionPointer& RevisionFor(const Look& look, std::int64_t ordinal) const {
    return look.rolls() && ordinal < look.partition() ? look.current : look.update;
  }

  bool MakePod(Look& look, std::int64_t ordinal) {
    const RevisionPointer& revision = RevisionFor(look, ordinal);
    Json owner = look.tree;
    owner.as_object()["spec"].as_object()["template"] = TemplateOf(*revision);
    const std::string name = fmt::format("{}-{}", look.set.metadata.name, ordinal);
    Result<Json> pod = PodFromTemplate(owner, {{kPodNameLabel, name},
                                               {kPodIndexLabel, std::to_string(ordinal)},
                                               {kRevisionHashLabel, revision->metadata.name}});
    if (!pod) return look.result.Note(pod);
    MetadataOf(*pod)["name"] = name;
    JsonObject& spec = pod->as_object()["spec"].as_object();
    spec["hostname"] = name;
    if (!look.set.spec.service_name.empty()) spec["subdomain"] = look.set.spec.service_name;
    MakeVolumes(look, name, spec);
    const auto created = api_.Create(*pod);
    if (created) {
      look.result.Note(created);
      events_.Normal(kSource, SubjectOf(look.set), "SuccessfulCreate",
                     fmt::format("Create Pod {} in StatefulSet {} successful", name, look.key.name));
      return true;
    }
    if (created.error().Retryable()) return look.result.Note(created);
    if (created.error().code == Code::kPermission) return false;  // the namespace is being deleted
    events_.Warning(
        kSource, SubjectOf(look.set), "FailedCreate",
        fmt::format("Create Pod {} in StatefulSet {} failed error: {}", name, look.key.name, created.error().message));
    work_.AddAt(look.key, clock_.Now() + kRetryAfter);
    return false;
  }

  // The volume claims of the set's templates, one for each pod; they outlive it.
  void MakeVolumes(Look& look, const std::string& pod, JsonObject& spec) {
    const Json* templates = FindPath(look.tree, {"spec", "volumeClaimTemplates"});
    if (templates == nullptr || !templates->is_array()) return;
    Json& volumes = spec["volumes"];
    if (!volumes.is_array()) volumes = JsonArray();
    for (const Json& claim_template : templates->get_array()) {
      const std::string name(StringAt(claim_template, {"metadata", "name"}));
      Json claim = claim_template;
      claim.as_object()["apiVersion"] = "v1";
      claim.as_object()["kind"] = "PersistentVolumeClaim";
      claim.as_object().erase("status");
      MetadataOf(claim)["name"] = name + "-" + pod;
      MetadataOf(claim)["namespace"] = look.key.namespace_;
      if (const Json* labels = FindPath(look.tree, {"spec", "selector", "matchLabels"})) {
        MetadataOf(claim)["labels"] = *labels;
      }
      if (const auto created = api_.Create(claim)) {
        events_.Normal(
            kSource, SubjectOf(look.set), "SuccessfulCreate",
            fmt::format("Create Claim {}-{} Pod {} in StatefulSet {} success", name, pod, pod, look.key.name));
      } else if (created.error().code != Code::kAlreadyExists) {
        look.result.Note(created);
      }
      volumes.get_array().push_back(
          JsonObject{{"name", name}, {"persistentVolumeClaim", JsonObject{{"claimName", name + "-" + pod}}}});
    }
  }

  void WriteStatus(Look& look) {
    std::int64_t replicas = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t current = 0;
    std::int64_t updated = 0;
    for (const auto* pods : {&look.replicas, &look.condemned}) {
      for (const auto& [ordinal, pod] : *pods) {
        ++replicas;
        if (pod->status.phase == "Running" && IsReady(*pod)) ++ready;
        if (Available(look, *pod)) ++available;
        if (pod->metadata.deletion_timestamp) continue;
        if (RevisionNameOf(*pod) == look.current->metadata.name) ++current;
        if (RevisionNameOf(*pod) == look.update->metadata.name) ++updated;
      }
    }
    std::string current_name = look.current->metadata.name;
    const std::int64_t wanted = look.set.spec.replicas.value_or(1);
    if (look.rolls() && updated == replicas && ready == replicas && replicas == wanted) {
      current_name = look.update->metadata.name;
      current = updated;
    }
    WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      status["observedGeneration"] = look.set.metadata.generation;
      status["replicas"] = replicas;
      SetCount(status, "readyReplicas", ready);
      SetCount(status, "currentReplicas", current);
      SetCount(status, "updatedReplicas", updated);
      status["availableReplicas"] = available;
      status["currentRevision"] = current_name;
      status["updateRevision"] = look.update->metadata.name;
      if (!status.contains("collisionCount")) status["collisionCount"] = 0;
    });
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  RevisionIndex& revisions_;
  std::size_t revision_feed_;
  OwnedIndex<api::StatefulSet> sets_;
  Ownership<api::StatefulSet, api::Pod> pods_;
  WorkList work_;
  OwnerLimit limit_;
};

}  // namespace

Controller MakeStatefulSetController(Workloads& workloads) {
  auto controller = std::make_shared<StatefulSetController>(workloads);
  return {"statefulsets", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
