// The status of a Deployment: counts, and the conditions Available, Progressing and ReplicaFailure. Pure functions.
// Source: pkg/controller/deployment/progress.go and util of Kubernetes 1.37.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/apps/types.h"
#include "base/json.h"
#include "base/time.h"
#include "localcluster/controllers/rollout.h"

namespace kumiko::localcluster {

struct DeploymentCondition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
};

// Writes the condition into a status unless one of the same status and reason is there. Unlike other conditions these
// also say when they were last updated, and the newest stands last.
void SetDeploymentCondition(JsonObject& status, const DeploymentCondition& condition, Time now);

// Whether a rollout is estimated, or only the counts are wanted (paused, scaled, being deleted).
enum class Estimate { kCounts, kProgress };

// Brings the status of `object`, a Deployment's tree that decodes to `deployment`, up to date.
void UpdateDeploymentStatus(Json& object, const api::Deployment& deployment, const RolloutSets& sets, Estimate estimate,
                            Time now);

// Whether what the status says is all that is wanted.
bool IsComplete(const api::Deployment& deployment);

// When the progress deadline of the status in `object` passes; nothing when it is complete or has passed.
std::optional<Time> ProgressDeadline(const Json& object, const api::Deployment& deployment);

}  // namespace kumiko::localcluster
