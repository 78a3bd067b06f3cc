// How the ReplicaSets of a Deployment are to be scaled next. Pure functions over the decoded objects.
// Source: pkg/controller/deployment (rolling.go, recreate.go, sync.go) of Kubernetes 1.37.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/apps/types.h"

namespace kumiko::localcluster {

inline constexpr const char* kRevisionAnnotation = "deployment.kubernetes.io/revision";
inline constexpr const char* kRevisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
inline constexpr const char* kDesiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
inline constexpr const char* kMaxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

using SetPointer = std::shared_ptr<const api::ReplicaSet>;

// The ReplicaSets of one Deployment, the oldest first.
struct RolloutSets {
  SetPointer current;  // of the present pod template; null: not made yet
  std::vector<SetPointer> old;
};

struct Scaling {
  SetPointer set;
  std::int64_t replicas = 0;
  // Whether the annotations that say how large the Deployment is are to be written even when the size stays.
  bool annotate = false;
};

std::int64_t WantedReplicas(const api::Deployment& deployment);
// How many pods more, and how many available pods less, than wanted a rolling update may have. 0 when recreating.
std::int64_t MaxSurge(const api::Deployment& deployment);
std::int64_t MaxUnavailable(const api::Deployment& deployment);

// The revision that an annotation tells, 0 without one.
std::int64_t RevisionOf(const api::ReplicaSet& set);

// Whether the Deployment's size changed since its active sets were last scaled.
bool SizeChanged(const api::Deployment& deployment, const RolloutSets& sets);
// Follows a changed size without rolling further: in proportion where several sets are active.
std::vector<Scaling> PlanResize(const api::Deployment& deployment, const RolloutSets& sets);

// The next step of a rolling update: the current set up, else old ones down. Empty: none is possible, or it is done.
std::vector<Scaling> PlanRollingUpdate(const api::Deployment& deployment, const RolloutSets& sets);

// With which size the current set is made.
std::int64_t FirstSize(const api::Deployment& deployment, const RolloutSets& sets);

}  // namespace kumiko::localcluster
