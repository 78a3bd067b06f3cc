// Whether a pod may be evicted now, by the PodDisruptionBudgets that select it. Source:
// pkg/registry/core/pod/storage/eviction.go of Kubernetes 1.37.
#pragma once

#include <optional>

#include "base/json.h"
#include "kube/api_error.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

enum class EvictionRun { kReal, kDry };

// Takes one disruption off the budget of `pod`, a stored tree; a dry run only looks. Nothing: the pod may go, as those
// without a budget and those that do not run always may. Else kTooManyRequests with the budget's cause, or
// kInternalError when there are two budgets.
std::optional<kube::ApiError> WhyNotEvict(Store& store, const Json& pod, EvictionRun run);

}  // namespace kumiko::localcluster
