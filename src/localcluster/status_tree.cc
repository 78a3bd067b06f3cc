#include "localcluster/status_tree.h"

#include <utility>

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

std::string ConditionStatus(const std::vector<api::Condition>& conditions, std::string_view type) {
  for (const api::Condition& condition : conditions) {
    if (condition.type == type) return condition.status;
  }
  return "";
}

}  // namespace kumiko::localcluster
