// Typed views of what an ApiClient holds: reading one or all objects of a kind, and keeping a decoded copy of a kind.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "base/result.h"
#include "kube/api_client.h"

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
  for (const std::shared_ptr<const Json>& item : list.items) {
    KU_TRY(T object, api::Decode<T>(*item), "{}", KeyOf(*item).name);
    objects.push_back(std::move(object));
  }
  return objects;
}

// The trees of one kind, kept up to date by a list and a watch. Owned by one thread.
class TreeInformer {
 public:
  TreeInformer(ApiClient& client, std::string kind) : client_(client), kind_(std::move(kind)) {}

  struct Change {
    ObjectKey key;
    std::shared_ptr<const Json> object;  // null: gone
  };
  // What changed since the last call, one entry per key with its newest state, in the order of keys. The first call
  // lists. A watch that lost events is replaced by a new list, and what differs is reported.
  Result<std::vector<Change>> Sync();

 private:
  Result<std::vector<Change>> Relist();

  ApiClient& client_;
  std::string kind_;
  std::unique_ptr<Watch> watch_;
  std::map<ObjectKey, std::string> versions_;  // resourceVersion of what was last reported
};

// The decoded objects of one kind. Owned by one thread; the objects may be shared.
template <class T>
class Informer {
 public:
  using Objects = std::map<ObjectKey, std::shared_ptr<const T>>;

  explicit Informer(ApiClient& client) : trees_(client, T::kKind) {}

  // Takes in what happened since the last call; returns the keys that changed, appeared or went, in order.
  Result<std::vector<ObjectKey>> Sync() {
    KU_TRY(const std::vector<TreeInformer::Change> changes, trees_.Sync());
    std::vector<ObjectKey> keys;
    for (const TreeInformer::Change& change : changes) {
      if (change.object == nullptr) {
        objects_.erase(change.key);
      } else {
        KU_TRY(T object, api::Decode<T>(*change.object), "{} {}", change.key.kind, change.key.name);
        objects_[change.key] = std::make_shared<const T>(std::move(object));
      }
      keys.push_back(change.key);
    }
    return keys;
  }

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
