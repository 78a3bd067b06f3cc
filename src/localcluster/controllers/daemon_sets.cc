// Pods of DaemonSets: one on each node that they fit. Source: pkg/controller/daemon of Kubernetes 1.37.
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
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/pod_limits.h"
#include "localcluster/controllers/pod_ownership.h"
#include "localcluster/controllers/revisions.h"
#include "localcluster/controllers/template_hash.h"
#include "localcluster/node_fit.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr EventSource kSource{"daemonset-controller"};
constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";
// After a pod could not be made.
constexpr Duration kRetryAfter = std::chrono::seconds(30);

// What every pod of a DaemonSet tolerates, so that it runs where others may not.
std::vector<api::Toleration> DaemonTolerations(bool host_network) {
  std::vector<api::Toleration> tolerations{
      {"node.kubernetes.io/not-ready", "Exists", "", "NoExecute", std::nullopt},
      {"node.kubernetes.io/unreachable", "Exists", "", "NoExecute", std::nullopt},
      {"node.kubernetes.io/disk-pressure", "Exists", "", "NoSchedule", std::nullopt},
      {"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule", std::nullopt},
      {"node.kubernetes.io/pid-pressure", "Exists", "", "NoSchedule", std::nullopt},
      {"node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule", std::nullopt}};
  if (host_network) {
    tolerations.push_back({"node.kubernetes.io/network-unavailable", "Exists", "", "NoSchedule", std::nullopt});
  }
  return tolerations;
}

// The node that a pod runs on or is meant for.
std::string TargetOf(const api::Pod& pod) {
  return pod.spec.node_name.empty() ? NamedNode(pod) : pod.spec.node_name;
}

struct NodeVerdict {
  bool may_start = false;
  bool may_stay = false;
};

NodeVerdict Judge(const api::PodSpec& spec, const api::Node& node) {
  for (const auto& [key, value] : spec.node_selector) {
    const auto label = node.metadata.labels.find(key);
    if (label == node.metadata.labels.end() || label->second != value) return {};
  }
  if (const auto& required = spec.affinity.node_affinity.required) {
    if (!api::Matches(*required, node.metadata.name, node.metadata.labels).value_or(false)) return {};
  }
  std::vector<api::Toleration> tolerations = DaemonTolerations(spec.host_network);
  tolerations.insert(tolerations.end(), spec.tolerations.begin(), spec.tolerations.end());
  NodeVerdict verdict{true, true};
  for (const api::Taint& taint : node.spec.taints) {
    const bool tolerated = std::ranges::any_of(
        tolerations, [&](const api::Toleration& toleration) { return api::Tolerates(toleration, taint); });
    if (tolerated) continue;
    if (taint.effect == "NoSchedule" || taint.effect == "NoExecute") verdict.may_start = false;
    if (taint.effect == "NoExecute") verdict.may_stay = false;
  }
  return verdict;
}

// The pod for one node: node affinity by its name, instead of a node that is written in, so that the
// scheduler still looks at resources.
void AimAt(Json& pod, const std::string& node) {
  const Json by_name = JsonArray{JsonObject{{"key", "metadata.name"}, {"operator", "In"}, {"values", JsonArray{node}}}};
  Json* at = &pod.as_object()["spec"];
  for (const char* member : {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}) {
    if (!at->is_object()) *at = JsonObject();
    at = &at->get_object()[member];
  }
  if (!at->is_object()) *at = JsonObject();
  // The node was judged by what the template requires; now its name says it all.
  at->get_object()["nodeSelectorTerms"] = JsonArray{JsonObject{{"matchFields", by_name}}};
}

class DaemonSetController {
 public:
  explicit DaemonSetController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        revisions_(workloads.revisions),
        revision_feed_(workloads.revisions.AddReader()),
        sets_(workloads.api),
        pods_(sets_, workloads.pods),
        nodes_(workloads.api) {}

  Result<bool> Step() {
    KU_TRY_OK(pods_.Sync(work_));
    KU_TRY_OK(revisions_.Read(revision_feed_));
    KU_TRY(const auto changed_nodes, nodes_.Sync());
    if (!changed_nodes.empty()) {
      for (const auto& [key, set] : sets_.objects()) work_.Add(key);
    }
    budget_ = kMostPodsPerStep;
    return work_.Run("daemonsets", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto set = pods_.Find(key);
      if (set && !set->metadata.deletion_timestamp && !IsEmpty(set->spec.selector)) Reconcile(*set, key, result);
    });
  }

  std::optional<Time> NextWake() const { return work_.NextWake(); }

 private:
  struct Look {
    const api::DaemonSet& set;
    const kube::ObjectKey& key;
    const Json& tree;
    std::vector<RevisionPointer> revisions;
    std::string hash;                     // of the present template
    std::map<std::string, Pods> by_node;  // pods that have not ended
    StepResult& result;
  };

  void Reconcile(const api::DaemonSet& set, const kube::ObjectKey& key, StepResult& result) {
    const auto tree = api_.Get(key);
    if (!tree) return;
    Look look{set, key, **tree, RevisionsOf(revisions_, set.metadata.uid), "", {}, result};
    const auto present = PresentRevision(api_, {look.tree, look.revisions, kRevisionHashLabel, 0}, result);
    if (!present) {
      if (present.error().code != Code::kPermission) result.Note(present);
      return;
    }
    look.hash = (*present)->metadata.labels.at(kRevisionHashLabel);
    for (const PodPointer& pod : pods_.Claim(set, key, result)) {
      if (api::IsFinished(*pod)) {
        DeleteEnded(look, *pod);
      } else {
        look.by_node[TargetOf(*pod)].push_back(pod);
      }
    }
    PlacePods(look);
    if (set.spec.update_strategy.type != "OnDelete") RollOn(look);
    WriteStatus(look);
    TrimRevisions(api_, look.revisions, UsedRevisions(look, (*present)->metadata.name),
                  set.spec.revision_history_limit.value_or(10), result);
  }

  static std::vector<std::string> UsedRevisions(const Look& look, const std::string& present) {
    std::vector<std::string> used{present};
    for (const auto& [node, pods] : look.by_node) {
      for (const PodPointer& pod : pods) used.push_back(look.set.metadata.name + "-" + HashOf(*pod));
    }
    return used;
  }

  static std::string HashOf(const api::Pod& pod) {
    const auto found = pod.metadata.labels.find(kRevisionHashLabel);
    return found == pod.metadata.labels.end() ? "" : found->second;
  }

  void DeleteEnded(Look& look, const api::Pod& pod) {
    if (pod.metadata.deletion_timestamp) return;
    if (pod.status.phase == "Failed") {
      events_.Warning(kSource, SubjectOf(look.set), "FailedDaemonPod",
                      fmt::format("Found failed daemon pod {}/{} on node {}, will try to kill it",
                                  pod.metadata.namespace_, pod.metadata.name, pod.spec.node_name));
    }
    Delete(look, pod);
  }

  void PlacePods(Look& look) {
    std::optional<Json> pod;
    for (const auto& [key, node] : nodes_.objects()) {
      const NodeVerdict verdict = Judge(look.set.spec.template_.spec, *node);
      const auto here = look.by_node.find(key.name);
      if (here != look.by_node.end()) {
        KeepOne(look, here->second, verdict.may_stay);
      } else if (verdict.may_start) {
        if (budget_ <= 0) {
          work_.Add(look.key);
          return;
        }
        if (!pod) pod = NewPod(look);
        if (!pod || !MakePod(look, *pod, key.name)) return;
        --budget_;
      }
    }
    for (const auto& [node, pods] : look.by_node) {
      if (nodes_.Find("", node) == nullptr) KeepOne(look, pods, false);
    }
  }

  // Of several pods on one node the oldest stays.
  void KeepOne(Look& look, const Pods& pods, bool may_stay) {
    const PodPointer* oldest = nullptr;
    for (const PodPointer& pod : pods) {
      if (pod->metadata.deletion_timestamp) continue;
      if (oldest == nullptr || pod->metadata.creation_timestamp < (*oldest)->metadata.creation_timestamp) {
        oldest = &pod;
      }
    }
    // While an old one is being replaced there may be two.
    for (const PodPointer& pod : pods) {
      if (!pod->metadata.deletion_timestamp && (!may_stay || (&pod != oldest && HashOf(*pod) == HashOf(**oldest)))) {
        Delete(look, *pod);
      }
    }
  }

  std::optional<Json> NewPod(Look& look) const {
    const auto generation = look.set.metadata.annotations.find(kTemplateGeneration);
    Result<Json> pod = PodFromTemplate(
        look.tree,
        {{kRevisionHashLabel, look.hash},
         {"pod-template-generation", generation == look.set.metadata.annotations.end() ? "1" : generation->second}});
    if (!pod) {
      look.result.Note(pod);
      return std::nullopt;
    }
    Json& tolerations = pod->as_object()["spec"].as_object()["tolerations"];
    if (!tolerations.is_array()) tolerations = JsonArray();
    for (const api::Toleration& toleration : DaemonTolerations(look.set.spec.template_.spec.host_network)) {
      tolerations.get_array().push_back(
          JsonObject{{"key", toleration.key}, {"operator", toleration.operator_}, {"effect", toleration.effect}});
    }
    return *pod;
  }

  bool MakePod(Look& look, const Json& made, const std::string& node) {
    Json pod = made;
    AimAt(pod, node);
    const auto created = api_.Create(pod);
    if (created) {
      look.result.Note(created);
      events_.Normal(kSource, SubjectOf(look.set), "SuccessfulCreate",
                     fmt::format("Created pod: {}", StringAt(**created, {"metadata", "name"})));
      return true;
    }
    if (created.error().Retryable()) return look.result.Note(created);
    if (created.error().code == Code::kPermission) return false;  // the namespace is being deleted
    events_.Warning(kSource, SubjectOf(look.set), "FailedCreate",
                    fmt::format("Error creating: {}", created.error().message));
    work_.AddAt(look.key, clock_.Now() + kRetryAfter);
    return false;
  }

  void Delete(Look& look, const api::Pod& pod) {
    kube::DeleteOptions options;
    options.uid = pod.metadata.uid;
    if (!look.result.Note(api_.Delete(kube::KeyOf(pod), options))) return;
    events_.Normal(kSource, SubjectOf(look.set), "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.metadata.name));
  }

  std::int64_t WantedNodes(const Look& look) const {
    return std::ranges::count_if(nodes_.objects(), [&](const auto& entry) {
      return Judge(look.set.spec.template_.spec, *entry.second).may_start;
    });
  }

  // Deletes pods of older templates while no more nodes than maxUnavailable lack an available one. A surge is not made:
  // the old pod goes first.
  void RollOn(Look& look) {
    const std::int64_t wanted = WantedNodes(look);
    const Json& given = look.set.spec.update_strategy.rolling_update.max_unavailable;
    const std::int64_t most = std::max<std::int64_t>(1, api::ScaledValue(given, wanted, api::Rounding::kUp));
    const Time now = clock_.Now();
    std::int64_t away = 0;
    Pods old_available;
    for (const auto& [key, node] : nodes_.objects()) {
      const auto here = look.by_node.find(key.name);
      if (here == look.by_node.end()) {
        away += Judge(look.set.spec.template_.spec, *node).may_start ? 1 : 0;
        continue;
      }
      bool available = false;
      for (const PodPointer& pod : here->second) {
        const bool is_available =
            !pod->metadata.deletion_timestamp && IsAvailable(*pod, look.set.spec.min_ready_seconds, now);
        available |= is_available;
        if (HashOf(*pod) == look.hash || pod->metadata.deletion_timestamp) continue;
        if (is_available) {
          old_available.push_back(pod);
        } else {
          Delete(look, *pod);
        }
      }
      away += available ? 0 : 1;
    }
    for (const PodPointer& pod : old_available) {
      if (away >= most) return;
      Delete(look, *pod);
      ++away;
    }
  }

  void WriteStatus(Look& look) {
    const Time now = clock_.Now();
    std::int64_t wanted = 0;
    std::int64_t scheduled = 0;
    std::int64_t misplaced = 0;
    std::int64_t ready = 0;
    std::int64_t updated = 0;
    std::int64_t available = 0;
    for (const auto& [key, node] : nodes_.objects()) {
      const bool may_start = Judge(look.set.spec.template_.spec, *node).may_start;
      wanted += may_start ? 1 : 0;
      const auto here = look.by_node.find(key.name);
      if (here == look.by_node.end()) continue;
      (may_start ? scheduled : misplaced) += 1;
      if (!may_start) continue;
      const api::Pod& pod = *here->second.front();
      if (HashOf(pod) == look.hash) ++updated;
      if (!IsReady(pod)) continue;
      ++ready;
      if (IsAvailable(pod, look.set.spec.min_ready_seconds, now)) {
        ++available;
      } else {
        work_.AddAt(look.key, *AvailableFrom(pod, look.set.spec.min_ready_seconds));
      }
    }
    WriteStatusWith(api_, look.key, look.result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      status["observedGeneration"] = look.set.metadata.generation;
      status["desiredNumberScheduled"] = wanted;
      status["currentNumberScheduled"] = scheduled;
      status["numberMisscheduled"] = misplaced;
      status["numberReady"] = ready;
      SetCount(status, "updatedNumberScheduled", updated);
      SetCount(status, "numberAvailable", available);
      SetCount(status, "numberUnavailable", wanted - available);
    });
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  RevisionIndex& revisions_;
  std::size_t revision_feed_;
  OwnedIndex<api::DaemonSet> sets_;
  Ownership<api::DaemonSet, api::Pod> pods_;
  kube::Informer<api::Node> nodes_;
  WorkList work_;
  std::int64_t budget_ = 0;
};

}  // namespace

Controller MakeDaemonSetController(Workloads& workloads) {
  auto controller = std::make_shared<DaemonSetController>(workloads);
  return {"daemonsets", [controller] { return controller->Step(); }, [controller] { return controller->NextWake(); }};
}

}  // namespace kumiko::localcluster
