// Typed views of what an ApiClient holds: reading one or all objects of a kind, and keeping a decoded copy of a kind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "base/clock.h"
#include "base/result.h"
#include "kube/api_client.h"
#include "kube/backoff.h"

namespace kumiko::kube {

// The key of an object tree.
ObjectKey KeyOf(const Json& object);

template <class T>
ObjectKey KeyOf(const T& object) {
  return ObjectKey{T::kKind, object.metadata.namespace_, object.metadata.name};
}

template <class T>
Result<T> Get(ApiClient& client, const std::string& namespace_, const std::string& name) {
  KU_TRY(const std::shared_ptr<const Json> object, client.Get({T::kKind, namespace_, name}));
  return api::Decode<T>(*object);
}

// In the order of (namespace, name). An empty namespace means all.
template <class T>
Result<std::vector<T>> List(ApiClient& client, const std::string& namespace_ = "") {
  KU_TRY(const ObjectList list, client.List({T::kKind, namespace_, ""}));
  std::vector<T> objects;
  objects.reserve(list.items.size());
  for (const Object& item : list.items) {
    KU_TRY(T object, api::Decode<T>(*item.tree()), "{}", KeyOf(item.outline()).name);
    objects.push_back(std::move(object));
  }
  return objects;
}

struct InformerOptions {
  std::string namespace_ = {};  // "": all
  Selectors selectors = {};     // where the server selects; see ApiClient::List
  // Called when Sync has something new, from any thread; see ApiClient::StartWatch.
  std::function<void()> wake = {};
  BackoffOptions backoff = {};   // between lists that fail
  const Clock* clock = nullptr;  // null: the real one; must outlive the informer
  std::uint64_t seed = 0;        // of the jitter of waits; 0: another each time
};

// The trees of one kind, kept up to date by a list and a watch. Owned by one thread.
class TreeInformer {
 public:
  TreeInformer(ApiClient& client, std::string kind, InformerOptions options = {});

  struct Change {
    ObjectKey key;
    Object object;  // null: gone
  };
  // What changed since the last call, one entry per key with its newest state, in the order of keys. The first call
  // lists. A watch that lost events is replaced by a new list, and what differs is reported. Until a list has succeeded
  // its error is returned; after that nothing fails: while the server cannot be reached nothing is reported, trouble()
  // says why, and what was missed is reported when it is back.
  Result<std::vector<Change>> Sync();

  // Why what was reported may be out of date, if it may.
  std::optional<Error> trouble() const;
  // When to call Sync at the latest, though nothing woke the caller.
  std::optional<Time> NextSyncAt() const;
  // A list has succeeded.
  bool synced() const { return synced_; }

 private:
  using Changes = std::vector<Change>;

  Result<Changes> Relist();

  ApiClient& client_;
  ObjectKey all_;
  InformerOptions options_;
  Backoff backoff_;
  std::unique_ptr<Watch> watch_;  // null: to be listed, not before `list_at_`
  Time list_at_;
  std::optional<Error> list_error_;
  bool synced_ = false;
  int relists_ = 0;                            // in a row, without an event between them
  std::map<ObjectKey, std::string> versions_;  // resourceVersion of what was last reported
};

// The decoded objects of one kind. Owned by one thread; the objects may be shared.
template <class T>
class Informer {
 public:
  using Objects = std::map<ObjectKey, std::shared_ptr<const T>>;

  explicit Informer(ApiClient& client, InformerOptions options = {}) : trees_(client, T::kKind, std::move(options)) {}

  // Takes in what happened since the last call; returns the keys that changed, appeared or went, in order. Errors and
  // what follows from them: TreeInformer::Sync.
  Result<std::vector<ObjectKey>> Sync() {
    KU_TRY(const std::vector<TreeInformer::Change> changes, trees_.Sync());
    std::vector<ObjectKey> keys;
    for (const TreeInformer::Change& change : changes) {
      if (change.object == nullptr) {
        objects_.erase(change.key);
      } else {
        KU_TRY(T object, api::Decode<T>(*change.object.tree()), "{} {}", change.key.kind, change.key.name);
        objects_[change.key] = std::make_shared<const T>(std::move(object));
      }
      keys.push_back(change.key);
    }
    return keys;
  }

  std::optional<Error> trouble() const { return trees_.trouble(); }
  std::optional<Time> NextSyncAt() const { return trees_.NextSyncAt(); }

  // Ordered by (namespace, name).
  const Objects& objects() const { return objects_; }

  // Null when there is none.
  std::shared_ptr<const T> Find(const std::string& namespace_, const std::string& name) const {
    const auto found = objects_.find(ObjectKey{T::kKind, namespace_, name});
    return found == objects_.end() ? nullptr : found->second;
  }

 private:
  TreeInformer trees_;
  Objects objects_;
};

}  // namespace kumiko::kube
