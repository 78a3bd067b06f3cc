#include "localcluster/controllers/rollout.h"

#include <algorithm>
#include <map>
#include <optional>

#include "api/meta/int_or_percent.h"
#include "base/text.h"

namespace kumiko::localcluster {
namespace {

std::int64_t SizeOf(const api::ReplicaSet& set) {
  return set.spec.replicas.value_or(1);
}

std::vector<SetPointer> Active(const RolloutSets& sets) {
  std::vector<SetPointer> active;
  for (const SetPointer& set : sets.old) {
    if (SizeOf(*set) > 0) active.push_back(set);
  }
  if (sets.current && SizeOf(*sets.current) > 0) active.push_back(sets.current);
  return active;
}

std::int64_t TotalSize(const std::vector<SetPointer>& sets) {
  std::int64_t sum = 0;
  for (const SetPointer& set : sets) sum += SizeOf(*set);
  return sum;
}

std::optional<std::int64_t> NumberIn(const api::ReplicaSet& set, const char* annotation) {
  const auto found = set.metadata.annotations.find(annotation);
  if (found == set.metadata.annotations.end()) return std::nullopt;
  return ParseInt64(found->second);
}

bool IsRolling(const api::Deployment& deployment) {
  return deployment.spec.strategy.type != "Recreate";
}

bool IsSaturated(const api::Deployment& deployment, const SetPointer& set) {
  const std::int64_t wanted = WantedReplicas(deployment);
  return set && SizeOf(*set) == wanted && NumberIn(*set, kDesiredReplicasAnnotation) == wanted &&
         set->status.available_replicas == wanted;
}

// a * b / c, rounded to the nearest.
std::int64_t Proportion(std::int64_t a, std::int64_t b, std::int64_t c) {
  return (2 * a * b + c) / (2 * c);
}

// What the set gets of a changed size when it keeps its share.
std::int64_t ShareOf(const api::ReplicaSet& set, const api::Deployment& deployment) {
  const std::int64_t size = SizeOf(set);
  if (WantedReplicas(deployment) == 0) return -size;
  std::int64_t before = NumberIn(set, kMaxReplicasAnnotation).value_or(0);
  if (before == 0) before = deployment.status.replicas;
  if (before == 0) return 0;
  return Proportion(size, WantedReplicas(deployment) + MaxSurge(deployment), before) - size;
}

// All active sets grow or shrink by their share; what rounding leaves goes to the largest.
std::vector<Scaling> ResizeInProportion(const api::Deployment& deployment, const RolloutSets& sets) {
  std::vector<SetPointer> active = Active(sets);
  const std::int64_t wanted = WantedReplicas(deployment);
  const std::int64_t allowed = wanted > 0 ? wanted + MaxSurge(deployment) : 0;
  const std::int64_t to_add = allowed - TotalSize(active);
  // Of equal sizes the newer ones grow first and the older ones shrink first.
  std::ranges::stable_sort(active, [&](const SetPointer& a, const SetPointer& b) {
    if (SizeOf(*a) != SizeOf(*b)) return SizeOf(*a) > SizeOf(*b);
    if (to_add > 0) return a->metadata.creation_timestamp > b->metadata.creation_timestamp;
    return a->metadata.creation_timestamp < b->metadata.creation_timestamp;
  });
  std::vector<Scaling> plan;
  std::int64_t added = 0;
  for (const SetPointer& set : active) {
    std::int64_t share = 0;
    if (to_add != added) {
      share = ShareOf(*set, deployment);
      share = to_add > 0 ? std::min(share, to_add - added) : std::max(share, to_add - added);
    }
    plan.push_back({set, SizeOf(*set) + share, true});
    added += share;
  }
  if (!plan.empty()) plan[0].replicas = std::max<std::int64_t>(0, plan[0].replicas + to_add - added);
  return plan;
}

// Old sets down: first their pods that are not available, then as many as the available ones allow.
std::vector<Scaling> ScaleDownOld(const api::Deployment& deployment, const RolloutSets& sets) {
  std::vector<SetPointer> old;
  for (const SetPointer& set : sets.old) {
    if (SizeOf(*set) > 0) old.push_back(set);
  }
  const api::ReplicaSet& current = *sets.current;
  const std::int64_t min_available = WantedReplicas(deployment) - MaxUnavailable(deployment);
  const std::int64_t unavailable_new = SizeOf(current) - current.status.available_replicas;
  const std::int64_t may_clean = TotalSize(old) + SizeOf(current) - min_available - unavailable_new;
  if (old.empty() || may_clean <= 0) return {};

  std::map<SetPointer, std::int64_t> sizes;
  std::int64_t cleaned = 0;
  std::int64_t available = current.status.available_replicas;
  for (const SetPointer& set : old) {
    const std::int64_t unhealthy = std::max<std::int64_t>(0, SizeOf(*set) - set->status.available_replicas);
    const std::int64_t down = std::min(unhealthy, may_clean - cleaned);
    sizes[set] = SizeOf(*set) - down;
    cleaned += down;
    available += set->status.available_replicas;
  }
  std::int64_t may_go = available - min_available;
  std::vector<Scaling> plan;
  for (const SetPointer& set : old) {
    const std::int64_t down = std::clamp<std::int64_t>(may_go, 0, sizes[set]);
    sizes[set] -= down;
    may_go -= down;
    if (sizes[set] != SizeOf(*set)) plan.push_back({set, sizes[set], false});
  }
  return plan;
}

}  // namespace

std::int64_t WantedReplicas(const api::Deployment& deployment) {
  return deployment.spec.replicas.value_or(1);
}

std::int64_t MaxSurge(const api::Deployment& deployment) {
  if (!IsRolling(deployment)) return 0;
  return api::ScaledValue(deployment.spec.strategy.rolling_update.max_surge, WantedReplicas(deployment),
                          api::Rounding::kUp);
}

std::int64_t MaxUnavailable(const api::Deployment& deployment) {
  const std::int64_t wanted = WantedReplicas(deployment);
  if (!IsRolling(deployment) || wanted == 0) return 0;
  const std::int64_t unavailable =
      api::ScaledValue(deployment.spec.strategy.rolling_update.max_unavailable, wanted, api::Rounding::kDown);
  // Percentages of few replicas may both come to nothing, and something must be able to move.
  if (unavailable == 0 && MaxSurge(deployment) == 0) return 1;
  return std::min(unavailable, wanted);
}

std::int64_t RevisionOf(const api::ReplicaSet& set) {
  return NumberIn(set, kRevisionAnnotation).value_or(0);
}

bool SizeChanged(const api::Deployment& deployment, const RolloutSets& sets) {
  return std::ranges::any_of(Active(sets), [&](const SetPointer& set) {
    const std::optional<std::int64_t> desired = NumberIn(*set, kDesiredReplicasAnnotation);
    return desired && *desired != WantedReplicas(deployment);
  });
}

std::vector<Scaling> PlanResize(const api::Deployment& deployment, const RolloutSets& sets) {
  const std::vector<SetPointer> active = Active(sets);
  if (active.size() <= 1) {
    SetPointer only = active.empty() ? sets.current : active.front();
    if (!only && !sets.old.empty()) only = sets.old.back();
    if (!only || SizeOf(*only) == WantedReplicas(deployment)) return {};
    return {{only, WantedReplicas(deployment), false}};
  }
  if (IsSaturated(deployment, sets.current)) {
    std::vector<Scaling> plan;
    for (const SetPointer& set : sets.old) {
      if (SizeOf(*set) > 0) plan.push_back({set, 0, false});
    }
    return plan;
  }
  if (!IsRolling(deployment)) return {};
  return ResizeInProportion(deployment, sets);
}

std::int64_t FirstSize(const api::Deployment& deployment, const RolloutSets& sets) {
  const std::int64_t wanted = WantedReplicas(deployment);
  if (!IsRolling(deployment)) return wanted;
  const std::int64_t size = sets.current ? SizeOf(*sets.current) : 0;
  const std::int64_t room = wanted + MaxSurge(deployment) - TotalSize(sets.old) - size;
  return size + std::clamp<std::int64_t>(wanted - size, 0, std::max<std::int64_t>(0, room));
}

std::vector<Scaling> PlanRollingUpdate(const api::Deployment& deployment, const RolloutSets& sets) {
  const std::int64_t size = SizeOf(*sets.current);
  const std::int64_t wanted = WantedReplicas(deployment);
  const std::int64_t next = size > wanted ? wanted : FirstSize(deployment, sets);
  if (next != size) return {{sets.current, next, false}};
  return ScaleDownOld(deployment, sets);
}

}  // namespace kumiko::localcluster
