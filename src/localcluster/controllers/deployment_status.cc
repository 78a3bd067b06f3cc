#include "localcluster/controllers/deployment_status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

// What clients that know no infinity write for "no deadline".
constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int32_t>::max();

std::optional<Duration> DeadlineOf(const api::Deployment& deployment) {
  const std::optional<std::int64_t>& seconds = deployment.spec.progress_deadline_seconds;
  if (!seconds || *seconds == kNoDeadline) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

struct Counts {
  std::int64_t replicas = 0;
  std::int64_t updated = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t terminating = 0;
  std::int64_t size = 0;
};

Counts CountsOf(const RolloutSets& sets) {
  Counts counts;
  const auto add = [&](const api::ReplicaSet& set) {
    counts.replicas += set.status.replicas;
    counts.ready += set.status.ready_replicas;
    counts.available += set.status.available_replicas;
    counts.terminating += set.status.terminating_replicas.value_or(0);
    counts.size += set.spec.replicas.value_or(1);
  };
  for (const SetPointer& set : sets.old) add(*set);
  if (sets.current) {
    add(*sets.current);
    counts.updated = sets.current->status.replicas;
  }
  return counts;
}

JsonArray& ConditionsOf(JsonObject& status) {
  Json& list = status["conditions"];
  if (!list.is_array()) list = JsonArray();
  return list.get_array();
}

const Json* FindCondition(const JsonObject& status, std::string_view type) {
  const Json* list = status.if_contains("conditions");
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const Json& condition : list->get_array()) {
    if (StringAt(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

// Takes the condition out and returns it.
std::optional<Json> TakeCondition(JsonObject& status, std::string_view type) {
  JsonArray& list = ConditionsOf(status);
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (StringAt(*at, {"type"}) != type) continue;
    Json taken = *at;
    list.erase(at);
    return taken;
  }
  return std::nullopt;
}

std::int64_t Integer(const JsonObject& status, std::string_view name) {
  const Json* value = status.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

bool MadeProgress(const JsonObject& before, const Counts& now) {
  const std::int64_t old_before = Integer(before, "replicas") - Integer(before, "updatedReplicas");
  return now.updated > Integer(before, "updatedReplicas") || now.replicas - now.updated < old_before ||
         now.ready > Integer(before, "readyReplicas") || now.available > Integer(before, "availableReplicas");
}

bool TimedOut(const Json& progressing, Duration deadline, Time now) {
  const std::string_view reason = StringAt(progressing, {"reason"});
  if (reason == "NewReplicaSetAvailable") return false;
  if (reason == "ProgressDeadlineExceeded") return true;
  return ParseRfc3339(StringAt(progressing, {"lastUpdateTime"})).value_or(now) + deadline < now;
}

void EstimateProgress(JsonObject& status, const JsonObject& before, const api::Deployment& deployment,
                      const RolloutSets& sets, const Counts& counts, Time now) {
  const std::optional<Duration> deadline = DeadlineOf(deployment);
  if (!deadline) {
    TakeCondition(status, "Progressing");
    return;
  }
  const Json* progressing = FindCondition(status, "Progressing");
  const bool was_complete = counts.replicas == counts.updated && progressing != nullptr &&
                            StringAt(*progressing, {"reason"}) == "NewReplicaSetAvailable";
  if (was_complete) return;
  const std::string subject = sets.current ? fmt::format("ReplicaSet \"{}\"", sets.current->metadata.name)
                                           : fmt::format("Deployment \"{}\"", deployment.metadata.name);
  const std::int64_t wanted = WantedReplicas(deployment);
  if (counts.updated == wanted && counts.replicas == wanted && counts.available == wanted) {
    SetDeploymentCondition(
        status, {"Progressing", "True", "NewReplicaSetAvailable", subject + " has successfully progressed."}, now);
  } else if (MadeProgress(before, counts)) {
    // Written anew each time, as its update time is what the deadline counts from.
    const std::optional<Json> earlier = TakeCondition(status, "Progressing");
    SetDeploymentCondition(status, {"Progressing", "True", "ReplicaSetUpdated", subject + " is progressing."}, now);
    if (earlier && StringAt(*earlier, {"status"}) == "True") {
      ConditionsOf(status).back().as_object()["lastTransitionTime"] = StringAt(*earlier, {"lastTransitionTime"});
    }
  } else if (progressing != nullptr && TimedOut(*progressing, *deadline, now)) {
    SetDeploymentCondition(
        status, {"Progressing", "False", "ProgressDeadlineExceeded", subject + " has timed out progressing."}, now);
  }
}

// A set that cannot make its pods makes the Deployment say so.
void TakeOverFailure(JsonObject& status, const RolloutSets& sets, Time now) {
  const auto failure = [](const SetPointer& set) -> const api::Condition* {
    if (!set) return nullptr;
    for (const api::Condition& condition : set->status.conditions) {
      if (condition.type == "ReplicaFailure") return &condition;
    }
    return nullptr;
  };
  const api::Condition* found = failure(sets.current);
  for (const SetPointer& set : sets.old) {
    if (found == nullptr) found = failure(set);
  }
  if (found == nullptr) {
    TakeCondition(status, "ReplicaFailure");
  } else {
    SetDeploymentCondition(status, {"ReplicaFailure", found->status, found->reason, found->message}, now);
  }
}

}  // namespace

void SetDeploymentCondition(JsonObject& status, const DeploymentCondition& condition, Time now) {
  std::string since = FormatRfc3339(now);
  if (const Json* present = FindCondition(status, condition.type)) {
    const bool same_status = StringAt(*present, {"status"}) == condition.status;
    if (same_status && StringAt(*present, {"reason"}) == condition.reason) return;
    if (same_status) since = StringAt(*present, {"lastTransitionTime"});
    TakeCondition(status, condition.type);
  }
  ConditionsOf(status).push_back(JsonObject{{"type", condition.type},
                                            {"status", condition.status},
                                            {"reason", condition.reason},
                                            {"message", condition.message},
                                            {"lastUpdateTime", FormatRfc3339(now)},
                                            {"lastTransitionTime", since}});
}

void UpdateDeploymentStatus(Json& object, const api::Deployment& deployment, const RolloutSets& sets, Estimate estimate,
                            Time now) {
  JsonObject& status = StatusOf(object);
  const JsonObject before = status;
  const Counts counts = CountsOf(sets);
  SetCount(status, "observedGeneration", deployment.metadata.generation);
  SetCount(status, "replicas", counts.replicas);
  SetCount(status, "updatedReplicas", counts.updated);
  SetCount(status, "readyReplicas", counts.ready);
  SetCount(status, "availableReplicas", counts.available);
  SetCount(status, "unavailableReplicas", std::max<std::int64_t>(0, counts.size - counts.available));
  status["terminatingReplicas"] = counts.terminating;
  if (counts.available >= WantedReplicas(deployment) - MaxUnavailable(deployment)) {
    SetDeploymentCondition(
        status, {"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."}, now);
  } else {
    SetDeploymentCondition(
        status, {"Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."},
        now);
  }
  if (estimate == Estimate::kCounts) return;
  EstimateProgress(status, before, deployment, sets, counts, now);
  TakeOverFailure(status, sets, now);
}

bool IsComplete(const api::Deployment& deployment) {
  const api::WorkloadStatus& status = deployment.status;
  const std::int64_t wanted = WantedReplicas(deployment);
  return status.updated_replicas == wanted && status.replicas == wanted && status.available_replicas == wanted &&
         status.observed_generation >= deployment.metadata.generation;
}

std::optional<Time> ProgressDeadline(const Json& object, const api::Deployment& deployment) {
  const std::optional<Duration> deadline = DeadlineOf(deployment);
  const Json* status = Find(object, "status");
  if (!deadline || status == nullptr || !status->is_object() || IsComplete(deployment)) return std::nullopt;
  const Json* progressing = FindCondition(status->get_object(), "Progressing");
  if (progressing == nullptr || StringAt(*progressing, {"reason"}) == "ProgressDeadlineExceeded") return std::nullopt;
  const auto updated = ParseRfc3339(StringAt(*progressing, {"lastUpdateTime"}));
  if (!updated) return std::nullopt;
  return *updated + *deadline + std::chrono::seconds(1);
}

}  // namespace kumiko::localcluster
