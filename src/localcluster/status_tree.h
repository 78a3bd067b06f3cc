// Editing the status of an object tree in place: conditions and members. Whatever else the status holds stays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/time.h"
#include "kube/api_client.h"
#include "localcluster/controllers/step_result.h"

namespace kumiko::localcluster {

// status as a map, made when absent.
JsonObject& StatusOf(Json& object);

// Writes one member of the status. Returns false when it was so already.
bool SetStatus(Json& object, std::string_view name, Json value);

// Writes the condition of this type; the transition time moves only with the condition's status. Returns false when
// status, reason and message were so already.
bool SetCondition(Json& object, const api::Condition& condition, Time now);

// The same for a pod, whose conditions also tell its generation.
bool SetPodCondition(Json& pod, const api::Condition& condition, Time now);

// Takes the condition of this type out.
void RemoveCondition(Json& object, std::string_view type);

// Writes a count that is left out when it is 0, as most of Kubernetes' are.
void SetCount(JsonObject& status, std::string_view name, std::int64_t value);

// Lets `change` edit the status of `key` as it stands and writes it when that made a difference; the outcome goes to
// `result`.
void WriteStatusWith(kube::ApiClient& api, const kube::ObjectKey& key, StepResult& result,
                     const std::function<void(Json& object)>& change);

// "True", "False", "Unknown", or empty without such a condition.
std::string ConditionStatus(const std::vector<api::Condition>& conditions, std::string_view type);

}  // namespace kumiko::localcluster
