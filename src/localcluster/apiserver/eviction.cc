#include "localcluster/apiserver/eviction.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/policy/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/pod_state.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

std::int64_t CountIn(const Json& budget, std::string_view name) {
  const Json* count = FindPath(budget, {"status", name});
  return count != nullptr && count->is_int64() ? count->get_int64() : 0;
}

tl::unexpected<kube::ApiError> NotNow(std::string cause, std::optional<int> retry_after_seconds) {
  kube::ApiError error{.reason = StatusReason::kTooManyRequests,
                       .message = "Cannot evict pod as it would violate the pod's disruption budget."};
  error.causes.push_back({"DisruptionBudget", std::move(cause), ""});
  error.retry_after_seconds = retry_after_seconds;
  return Refuse(std::move(error));
}

std::string WhyNotNow(const Json& budget, const std::string& name) {
  const std::int64_t healthy = CountIn(budget, "currentHealthy");
  const std::int64_t desired = CountIn(budget, "desiredHealthy");
  if (const Json* list = FindPath(budget, {"status", "conditions"}); list != nullptr && list->is_array()) {
    for (const Json& condition : list->get_array()) {
      if (StringAt(condition, {"reason"}) != "SyncFailed") continue;
      return fmt::format("The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
                         name, StringAt(condition, {"message"}));
    }
  }
  if (healthy <= desired) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name, desired, healthy);
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

// A pod that is not ready costs its budget nothing.
bool UnreadyMayGo(const Json& budget) {
  if (StringAt(budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") return true;
  const std::int64_t desired = CountIn(budget, "desiredHealthy");
  return desired > 0 && CountIn(budget, "currentHealthy") >= desired;
}

}  // namespace

std::optional<kube::ApiError> WhyNotEvict(Store& store, const Json& tree, EvictionRun run) {
  const auto pod = api::Decode<api::Pod>(tree);
  if (!pod) return kube::ApiError{.reason = StatusReason::kInternalError, .message = pod.error().message};
  if (!IsActive(*pod) || pod->status.phase == "Pending") return std::nullopt;
  const auto budgets = kube::List<api::PodDisruptionBudget>(store, pod->metadata.namespace_);
  if (!budgets) return kube::ApiError{.reason = StatusReason::kInternalError, .message = budgets.error().message};
  std::vector<kube::ObjectKey> keys;
  for (const api::PodDisruptionBudget& budget : *budgets) {
    if (budget.spec.selector && api::Matches(*budget.spec.selector, pod->metadata.labels)) {
      keys.push_back(kube::KeyOf(budget));
    }
  }
  if (keys.empty()) return std::nullopt;
  if (keys.size() > 1) {
    return kube::ApiError{.reason = StatusReason::kInternalError,
                          .message =
                              "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                              "does not support."};
  }
  const auto take_one = [&](const Json& budget) -> kube::ApiResult<Json> {
    if (!IsReady(*pod) && UnreadyMayGo(budget)) return budget;
    const Json* generation = FindPath(budget, {"metadata", "generation"});
    if (generation != nullptr && generation->is_int64() &&
        CountIn(budget, "observedGeneration") < generation->get_int64()) {
      return NotNow(fmt::format("The disruption budget {} is still being processed by the server.", keys[0].name), 10);
    }
    const std::int64_t allowed = CountIn(budget, "disruptionsAllowed");
    if (allowed <= 0) return NotNow(WhyNotNow(budget, keys[0].name), std::nullopt);
    Json after = budget;
    StatusOf(after)["disruptionsAllowed"] = allowed - 1;
    return after;
  };
  const auto taken = store.ChangeObject(keys[0], kube::Subresource::kStatus, take_one,
                                        {.dry_run = run == EvictionRun::kDry, .finish = {}});
  return taken ? std::nullopt : std::optional<kube::ApiError>(taken.error());
}

}  // namespace kumiko::localcluster
