#include "localcluster/status_tree.h"

#include <utility>

#include "kube/retry.h"

namespace kumiko::localcluster {

JsonObject& StatusOf(Json& object) {
  Json& status = object.as_object()["status"];
  if (!status.is_object()) status = JsonObject();
  return status.get_object();
}

bool SetStatus(Json& object, std::string_view name, Json value) {
  Json& member = StatusOf(object)[name];
  if (member == value) return false;
  member = std::move(value);
  return true;
}

bool SetCondition(Json& object, const api::Condition& condition, Time now) {
  Json& list = StatusOf(object)["conditions"];
  if (!list.is_array()) list = JsonArray();
  Json* entry = nullptr;
  for (Json& item : list.get_array()) {
    if (StringAt(item, {"type"}) == condition.type) entry = &item;
  }
  if (entry == nullptr) {
    list.get_array().push_back(JsonObject{{"type", condition.type}});
    entry = &list.get_array().back();
  }
  JsonObject& members = entry->as_object();
  const bool moved = StringAt(*entry, {"status"}) != condition.status;
  bool changed = moved;
  if (moved) {
    members["status"] = condition.status;
    members["lastTransitionTime"] = FormatRfc3339(now);
  }
  for (const auto& [name, value] : {std::pair<std::string_view, const std::string&>{"reason", condition.reason},
                                    std::pair<std::string_view, const std::string&>{"message", condition.message}}) {
    if (StringAt(*entry, {name}) == value) continue;
    changed = true;
    if (value.empty()) {
      members.erase(name);
    } else {
      members[name] = value;
    }
  }
  return changed;
}

bool SetPodCondition(Json& pod, const api::Condition& condition, Time now) {
  if (!SetCondition(pod, condition, now)) return false;
  const Json* generation = FindPath(pod, {"metadata", "generation"});
  const Json observed = generation == nullptr ? Json(1) : *generation;
  for (Json& entry : StatusOf(pod)["conditions"].as_array()) {
    if (StringAt(entry, {"type"}) != condition.type) continue;
    entry.as_object()["lastProbeTime"] = nullptr;
    entry.as_object()["observedGeneration"] = observed;
  }
  return true;
}

void RemoveCondition(Json& object, std::string_view type) {
  Json* list = StatusOf(object).if_contains("conditions");
  if (list == nullptr || !list->is_array()) return;
  JsonArray left;
  for (Json& item : list->get_array()) {
    if (StringAt(item, {"type"}) != type) left.push_back(std::move(item));
  }
  if (left.empty()) {
    StatusOf(object).erase("conditions");
  } else {
    *list = std::move(left);
  }
}

void SetCount(JsonObject& status, std::string_view name, std::int64_t value) {
  if (value == 0) {
    status.erase(name);
  } else {
    status[name] = value;
  }
}

void WriteStatusWith(kube::ApiClient& api, const kube::ObjectKey& key, StepResult& result,
                     const std::function<void(Json& object)>& change) {
  bool wrote = false;
  const auto written = kube::UpdateWithRetry(api, key, kube::Subresource::kStatus, [&](Json& object) {
    const Json before = object;
    change(object);
    wrote = object != before;
    return Result<bool>(wrote);
  });
  if (!written || wrote) result.Note(written);
}

std::string ConditionStatus(const std::vector<api::Condition>& conditions, std::string_view type) {
  for (const api::Condition& condition : conditions) {
    if (condition.type == type) return condition.status;
  }
  return "";
}

}  // namespace kumiko::localcluster
