#include "localcluster/event_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "kube/retry.h"

namespace kumiko::localcluster {
namespace {

constexpr Duration kKept = std::chrono::hours(1);

Json InvolvedObject(const EventSubject& about) {
  JsonObject reference{{"kind", about.kind},
                       {"name", about.name},
                       {"uid", about.uid},
                       {"apiVersion", about.api_version},
                       {"resourceVersion", about.resource_version}};
  if (!about.namespace_.empty()) reference["namespace"] = about.namespace_;
  if (!about.field_path.empty()) reference["fieldPath"] = about.field_path;
  return reference;
}

std::int64_t CountOf(const Json& event) {
  const Json* count = Find(event, "count");
  return count != nullptr && count->is_int64() ? count->get_int64() : 1;
}

// Whoever writes an event may tell of long ago: it is kept from when it was made.
Time LastSeen(const Json& event) {
  const Time made = ParseRfc3339(StringAt(event, {"metadata", "creationTimestamp"})).value_or(Time());
  for (const char* member : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (const auto time = ParseRfc3339(StringAt(event, {member}))) return std::max(*time, made);
  }
  return made;
}

}  // namespace

std::string EventRecorder::NameFor(const EventSubject& about, Time now) {
  last_nanos_ = std::max(last_nanos_ + 1, now.micros * 1000);
  // A name has at most 253 characters, a dot and 16 digits among them.
  return fmt::format("{}.{:016x}", about.name.substr(0, 253 - 17), last_nanos_);
}

void EventRecorder::Record(const EventSource& source, const EventSubject& about, std::string_view type,
                           std::string_view reason, std::string_view message) {
  const Time now = clock_.Now();
  const Said said{fmt::format("{}/{}", about.uid, about.field_path), fmt::format("{}/{}", type, reason),
                  fmt::format("{}/{}/{}", source.component, source.host, message)};
  if (const auto known = said_.find(said); known != said_.end()) {
    const auto counted =
        kube::UpdateWithRetry(api_, known->second, kube::Subresource::kNone, [&](Json& event) -> Result<bool> {
          event.as_object()["count"] = CountOf(event) + 1;
          event.as_object()["lastTimestamp"] = FormatRfc3339(now);
          return true;
        });
    if (counted) return;
  }
  const std::string namespace_ = about.namespace_.empty() ? "default" : about.namespace_;
  const std::string name = NameFor(about, now);
  JsonObject from{{"component", source.component}};
  if (!source.host.empty()) from["host"] = source.host;
  const Json event = JsonObject{{"apiVersion", "v1"},
                                {"kind", "Event"},
                                {"metadata", JsonObject{{"name", name}, {"namespace", namespace_}}},
                                {"involvedObject", InvolvedObject(about)},
                                {"reason", reason},
                                {"message", message},
                                {"source", std::move(from)},
                                {"firstTimestamp", FormatRfc3339(now)},
                                {"lastTimestamp", FormatRfc3339(now)},
                                {"count", 1},
                                {"type", type},
                                {"eventTime", nullptr},
                                {"reportingComponent", source.component},
                                {"reportingInstance", source.host}};
  // Nothing depends on an event: one that cannot be written, as in a namespace that is being deleted, is left out.
  if (!api_.Create(event)) return;
  const kube::ObjectKey key{"Event", namespace_, name};
  said_[said] = key;
  said_by_[key] = said;
}

Result<bool> EventRecorder::Expire() {
  KU_TRY(const auto changes, events_.Sync());
  for (const kube::TreeInformer::Change& change : changes) {
    if (const auto seen = last_seen_.find(change.key); seen != last_seen_.end()) {
      by_age_.erase({seen->second, change.key});
      last_seen_.erase(seen);
    }
    if (change.object != nullptr) {
      const Time seen = LastSeen(*change.object.tree());
      last_seen_[change.key] = seen;
      by_age_.emplace(seen, change.key);
    } else if (const auto said = said_by_.find(change.key); said != said_by_.end()) {
      const auto known = said_.find(said->second);
      if (known != said_.end() && known->second == change.key) said_.erase(known);
      said_by_.erase(said);
    }
  }
  const Time now = clock_.Now();
  bool removed = false;
  std::size_t left = by_age_.size();
  for (auto oldest = by_age_.begin(); oldest != by_age_.end(); ++oldest, --left) {
    if (left <= kMostEvents && oldest->first + kKept > now) break;
    removed |= api_.Delete(oldest->second, {}).has_value();
  }
  return removed;
}

std::optional<Time> EventRecorder::NextWake() const {
  if (by_age_.empty()) return std::nullopt;
  return by_age_.begin()->first + kKept;
}

}  // namespace kumiko::localcluster
