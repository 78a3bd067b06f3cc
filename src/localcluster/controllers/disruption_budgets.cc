// The status of PodDisruptionBudgets. Source: pkg/controller/disruption of Kubernetes 1.37.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/meta/int_or_percent.h"
#include "api/policy/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/pod_state.h"
#include "localcluster/controllers/work_list.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr const char* kCondition = "DisruptionAllowed";

struct Budget {
  std::int64_t expected = 0;
  std::int64_t desired = 0;
  bool unmanaged = false;  // pods that nobody controls are not counted
};

constexpr EventSource kSource{"controllermanager"};

// A selector as the String method of its Go type writes it.
std::string GoText(const api::LabelSelector& selector) {
  std::string labels;
  for (const auto& [key, value] : selector.match_labels) labels += fmt::format("{}: {},", key, value);
  std::string expressions;
  for (const auto& requirement : selector.match_expressions) {
    expressions += fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", requirement.key,
                               requirement.operator_, fmt::join(requirement.values, " "));
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
      labels, expressions);
}

std::int64_t ReplicasOf(const Json& object) {
  const Json* replicas = FindPath(object, {"spec", "replicas"});
  return replicas != nullptr && replicas->is_int64() ? replicas->get_int64() : 1;
}

class DisruptionBudgetController {
 public:
  explicit DisruptionBudgetController(Workloads& workloads)
      : api_(workloads.api),
        clock_(workloads.clock),
        events_(workloads.events),
        pods_(workloads.pods),
        pod_feed_(workloads.pods.AddReader()),
        budgets_(workloads.api) {}

  Result<bool> Step() {
    KU_TRY(const auto changed, budgets_.Sync());
    for (const kube::ObjectKey& key : changed) work_.Add(key);
    KU_TRY(const auto pods, pods_.Read(pod_feed_));
    for (const PodIndex::Change& change : pods) {
      if (change.before) Mark(*change.before);
      if (change.after) Mark(*change.after);
    }
    return work_.Run("disruptionbudgets", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      if (const auto budget = budgets_.Find(key.namespace_, key.name)) Reconcile(*budget, key, result);
    });
  }

 private:
  void Mark(const api::Pod& pod) {
    const auto& budgets = budgets_.objects();
    const std::string& in = pod.metadata.namespace_;
    for (auto at = budgets.lower_bound({api::PodDisruptionBudget::kKind, in, ""}); at != budgets.end(); ++at) {
      if (at->first.namespace_ != in) break;
      if (Selects(*at->second, pod)) work_.Add(at->first);
    }
  }

  // A selector that is not given selects nothing, an empty one all.
  static bool Selects(const api::PodDisruptionBudget& budget, const api::Pod& pod) {
    return budget.spec.selector && api::Matches(*budget.spec.selector, pod.metadata.labels);
  }

  void Reconcile(const api::PodDisruptionBudget& budget, const kube::ObjectKey& key, StepResult& result) {
    Pods pods;
    const auto& all = pods_.objects();
    for (auto at = all.lower_bound({api::Pod::kKind, key.namespace_, ""}); at != all.end(); ++at) {
      if (at->first.namespace_ != key.namespace_) break;
      if (Selects(budget, *at->second) && !api::IsFinished(*at->second)) pods.push_back(at->second);
    }
    const Result<Budget> counts = Count(budget, pods);
    Tell(budget, pods, counts);
    const std::int64_t healthy = std::ranges::count_if(
        pods, [](const PodPointer& pod) { return IsReady(*pod) && !pod->metadata.deletion_timestamp; });
    const Time now = clock_.Now();
    WriteStatusWith(api_, key, result, [&](Json& object) {
      JsonObject& status = StatusOf(object);
      if (!counts) {
        status["disruptionsAllowed"] = 0;
        SetAllowed(object, budget, {kCondition, "False", "SyncFailed", counts.error().message, std::nullopt}, now);
        return;
      }
      const std::int64_t allowed = counts->expected <= 0 ? 0 : std::max<std::int64_t>(0, healthy - counts->desired);
      status["disruptionsAllowed"] = allowed;
      status["currentHealthy"] = healthy;
      status["desiredHealthy"] = counts->desired;
      status["expectedPods"] = counts->expected;
      status["observedGeneration"] = budget.metadata.generation;
      const api::Condition condition{kCondition, allowed > 0 ? "True" : "False",
                                     allowed > 0 ? "SufficientPods" : "InsufficientPods", "", std::nullopt};
      SetAllowed(object, budget, condition, now);
    });
  }

  void Tell(const api::PodDisruptionBudget& budget, const Pods& pods, const Result<Budget>& counts) {
    if (pods.empty()) events_.Normal(kSource, SubjectOf(budget), "NoPods", "No matching pods found");
    if (!counts) {
      events_.Warning(kSource, SubjectOf(budget), "CalculateExpectedPodCountFailed",
                      fmt::format("Failed to calculate the number of expected pods: {}", counts.error().message));
    } else if (counts->unmanaged) {
      events_.Warning(kSource, SubjectOf(budget), "UnmanagedPods",
                      fmt::format("Pods selected by this PodDisruptionBudget (selector: {}) were found to be "
                                  "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which "
                                  "may result in undefined behavior. To account for these pods please set "
                                  "\".spec.minAvailable\" field of the PDB to an integer value.",
                                  GoText(*budget.spec.selector)));
    }
  }

  static void SetAllowed(Json& object, const api::PodDisruptionBudget& budget, const api::Condition& condition,
                         Time now) {
    SetCondition(object, condition, now);
    for (Json& entry : StatusOf(object)["conditions"].as_array()) {
      if (StringAt(entry, {"type"}) != kCondition) continue;
      entry.as_object()["observedGeneration"] = budget.metadata.generation;
      entry.as_object()["message"] = condition.message;
    }
  }

  Result<Budget> Count(const api::PodDisruptionBudget& budget, const Pods& pods) const {
    Budget counts;
    const Json& min_available = budget.spec.min_available;
    if (min_available.is_int64()) {
      counts.expected = static_cast<std::int64_t>(pods.size());
      counts.desired = min_available.get_int64();
      return counts;
    }
    KU_TRY(counts.expected, ExpectedPods(pods));
    counts.unmanaged =
        std::ranges::any_of(pods, [](const PodPointer& pod) { return api::ControllerOf(pod->metadata) == nullptr; });
    if (!min_available.is_null()) {
      counts.desired = api::ScaledValue(min_available, counts.expected, api::Rounding::kUp);
    } else {
      const std::int64_t away = api::ScaledValue(budget.spec.max_unavailable, counts.expected, api::Rounding::kUp);
      counts.desired = std::max<std::int64_t>(0, counts.expected - away);
    }
    return counts;
  }

  // The sum of the sizes of what controls the pods.
  Result<std::int64_t> ExpectedPods(const Pods& pods) const {
    std::set<std::string> seen;
    std::int64_t sum = 0;
    for (const PodPointer& pod : pods) {
      const api::OwnerReference* owner = api::ControllerOf(pod->metadata);
      if (owner == nullptr) continue;
      if (!seen.insert(owner->uid).second) continue;
      KU_TRY(auto object, api_.Get({owner->kind, pod->metadata.namespace_, owner->name}));
      if (owner->kind == api::ReplicaSet::kKind) {
        KU_TRY(const api::ReplicaSet set, api::Decode<api::ReplicaSet>(*object));
        if (const api::OwnerReference* above = api::ControllerOf(set.metadata)) {
          if (!seen.insert(above->uid).second) continue;
          KU_TRY(object, api_.Get({above->kind, pod->metadata.namespace_, above->name}));
        }
      } else if (owner->kind != api::StatefulSet::kKind) {
        return Fail(Code::kInvalidArgument, "{} {} does not implement the scale subresource", owner->kind, owner->name);
      }
      sum += ReplicasOf(*object);
    }
    return sum;
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  PodIndex& pods_;
  std::size_t pod_feed_;
  kube::Informer<api::PodDisruptionBudget> budgets_;
  WorkList work_;
};

}  // namespace

Controller MakeDisruptionBudgetController(Workloads& workloads) {
  auto controller = std::make_shared<DisruptionBudgetController>(workloads);
  return {"disruptionbudgets", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
