// Events are served in two groups: the core group has them as they are stored, events.k8s.io renames what it kept of
// the older form (kubernetes pkg/apis/events/v1/conversion.go).
#include <array>
#include <utility>

#include "api/group.h"

namespace kumiko::api {
namespace {

struct Renamed {
  std::string_view core;
  std::string_view events;
};

constexpr std::array<Renamed, 7> kRenamed = {{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
}};

void Rename(Json& object, std::string_view from, std::string_view to) {
  JsonObject& members = object.as_object();
  const auto found = members.find(from);
  if (found == members.end()) return;
  Json value = std::move(found->value());
  members.erase(found);
  members.insert_or_assign(to, std::move(value));
}

}  // namespace

void ConvertFromEventsV1(Json& event) {
  for (const auto& [core, events] : kRenamed) Rename(event, events, core);
}

void ConvertToEventsV1(Json& event) {
  for (const auto& [core, events] : kRenamed) Rename(event, core, events);
  // Written when empty in the core group only.
  for (const std::string_view name : {"reportingController", "reportingInstance"}) {
    if (StringAt(event, {name}).empty()) event.as_object().erase(name);
  }
}

}  // namespace kumiko::api
