// The API server as its clients see it. Two implementations: localcluster::Store in the same process, and the HTTP
// client of a real cluster. Objects travel as JSON of the stored version (kube/object.h); kube/typed.h decodes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/object.h"

namespace kumiko::kube {

// Names one object, or with an empty `name` all of a kind (in one namespace, or in all when `namespace_` is empty).
struct ObjectKey {
  std::string kind;  // "Pod", whose name is unique among built-in kinds; "Widget.example.com" of custom resources
  std::string namespace_;
  std::string name;
  auto operator<=>(const ObjectKey&) const = default;
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  Object object;  // for kDeleted the last state, with the resourceVersion of the deletion
};

// A stream of changes. Owned by the reader; dropping it ends the watch.
class Watch {
 public:
  virtual ~Watch() = default;
  // The events that have arrived, in order, without waiting. Fails with kConflict when events were lost because the
  // reader fell too far behind (HTTP 410): the watch is over, list again. Nothing else ends it: what it cannot hear now
  // it hears later, from the event that it gave last.
  virtual Result<std::vector<WatchEvent>> Poll() = 0;
  // What keeps it from hearing of changes now, if anything does.
  virtual std::optional<Error> Trouble() const { return std::nullopt; }
  // When to poll at the latest, though nothing woke the reader.
  virtual std::optional<Time> NextPollAt() const { return std::nullopt; }
};

struct ObjectList {
  std::vector<Object> items;  // ordered by (namespace, name)
  std::string resource_version;
};

// Which objects of a kind; empty: all.
struct Selectors {
  std::string labels;  // "app=web,tier in (front)"
  std::string fields;  // "spec.nodeName=n1"
};

enum class Propagation { kBackground, kForeground, kOrphan };

struct DeleteOptions {
  Propagation propagation = Propagation::kBackground;
  std::optional<std::string> uid = {};               // precondition
  std::optional<std::string> resource_version = {};  // precondition
  // Of pods on a node: how long the kubelet has to stop them; 0 removes at once. Absent: as the pod's spec says.
  std::optional<std::int64_t> grace_period_seconds = {};
};

enum class Subresource { kNone, kStatus };

// Errors: kNotFound, kAlreadyExists, kConflict (resourceVersion moved; re-read), kInvalidArgument (validation, each
// field named), kUnavailable. Thread safe.
class ApiClient {
 public:
  virtual ~ApiClient() = default;

  virtual Result<std::shared_ptr<const Json>> Get(const ObjectKey& key) = 0;
  virtual Result<ObjectList> List(const ObjectKey& key) = 0;
  // Everything after `resource_version`, as a list gave it.
  virtual Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version) = 0;
  // The same; `wake` is called when Poll has something to say, from any thread, perhaps once more after the watch was
  // dropped. It must be quick. A store in this process does not call it: it has StoreOptions::on_change.
  virtual Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version,
                                                    std::function<void()> /*wake*/) {  // NOLINT: a client keeps it
    return StartWatch(key, resource_version);
  }

  // As List and StartWatch, of the selected objects. A store in this process gives all: a caller looks again at what it
  // gets; what selecting spares is the way over the network.
  virtual Result<ObjectList> List(const ObjectKey& key, const Selectors& /*selectors*/) { return List(key); }
  virtual Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey& key, const std::string& resource_version,
                                                    const Selectors& /*selectors*/, std::function<void()> wake) {
    return StartWatch(key, resource_version, std::move(wake));
  }

  // metadata.generateName is honoured. Returns the object as stored.
  virtual Result<std::shared_ptr<const Json>> Create(const Json& object) = 0;
  // Replaces the object; a metadata.resourceVersion in it must be current. Writes spec and metadata, or only status.
  virtual Result<std::shared_ptr<const Json>> Update(const Json& object, Subresource subresource) = 0;
  // RFC 7386 merge patch. A metadata.resourceVersion inside the patch is a precondition.
  virtual Result<std::shared_ptr<const Json>> Patch(const ObjectKey& key, const Json& merge_patch,
                                                    Subresource subresource) = 0;
  // Sets the deletion timestamp while finalizers or a grace period remain, else removes.
  virtual Status Delete(const ObjectKey& key, const DeleteOptions& options) = 0;
};

}  // namespace kumiko::kube
