// Editing the status of an object tree in place: conditions and members. Whatever else the status holds stays.
#pragma once

#include <string>
#include <string_view>

#include "api/meta/object_meta.h"
#include "base/json.h"
#include "base/time.h"

namespace kumiko::localcluster {

// status as a map, made when absent.
JsonObject& StatusOf(Json& object);

// Writes one member of the status. Returns false when it was so already.
bool SetStatus(Json& object, std::string_view name, Json value);

// Writes the condition of this type; the transition time moves only with the condition's status. Returns false when
// status, reason and message were so already.
bool SetCondition(Json& object, const api::Condition& condition, Time now);

// "True", "False", "Unknown", or empty without such a condition.
std::string ConditionStatus(const std::vector<api::Condition>& conditions, std::string_view type);

}  // namespace kumiko::localcluster
