// Events: what the parts of the cluster tell people about objects (core v1 Event), as `kubectl describe` and `kubectl
// get events` show them. A repeated event counts up instead of being written anew.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/clock.h"
#include "base/json.h"
#include "kube/api_client.h"
#include "kube/typed.h"
#include "localcluster/controller.h"

namespace kumiko::localcluster {

// Who says it: "deployment-controller", or "kubelet" on a node.
struct EventSource {
  std::string_view component;
  std::string_view host = {};
};

// What an event is about. ReferenceTo reads it from an object.
struct EventSubject {
  std::string api_version;
  std::string kind;
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;  // "spec.containers{main}"
};

template <class T>
EventSubject SubjectOf(const T& object) {
  return {T::kApiVersion,
          T::kKind,
          object.metadata.namespace_,
          object.metadata.name,
          object.metadata.uid,
          object.metadata.resource_version,
          ""};
}

// Owned by the stepping thread.
class EventRecorder {
 public:
  // `api` and `clock` must outlive the recorder.
  EventRecorder(kube::ApiClient& api, const Clock& clock) : api_(api), clock_(clock), events_(api, "Event") {}

  void Normal(const EventSource& source, const EventSubject& about, std::string_view reason, std::string_view message) {
    Record(source, about, "Normal", reason, message);
  }
  void Warning(const EventSource& source, const EventSubject& about, std::string_view reason,
               std::string_view message) {
    Record(source, about, "Warning", reason, message);
  }

  // Removes events an hour after they were last seen, as the API server does, and beyond kMostEvents the oldest; those
  // that clients wrote, too.
  Result<bool> Expire();
  // When the next one is an hour old.
  std::optional<Time> NextWake() const;

  static constexpr std::size_t kMostEvents = 10'000;

 private:
  void Record(const EventSource& source, const EventSubject& about, std::string_view type, std::string_view reason,
              std::string_view message);
  // A name that no other event has: `<object>.<nanoseconds in hexadecimal>`.
  std::string NameFor(const EventSubject& about, Time now);

  kube::ApiClient& api_;
  const Clock& clock_;
  kube::TreeInformer events_;
  std::int64_t last_nanos_ = 0;
  // (uid and field, type and reason, message and source) → the event that says so.
  using Said = std::tuple<std::string, std::string, std::string>;
  std::map<Said, kube::ObjectKey> said_;
  std::map<kube::ObjectKey, Said> said_by_;
  std::map<kube::ObjectKey, Time> last_seen_;
  std::set<std::pair<Time, kube::ObjectKey>> by_age_;
};

}  // namespace kumiko::localcluster
