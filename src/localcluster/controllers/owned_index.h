// The decoded objects of one kind, found by the object that controls them, with a feed of changes for each of several
// readers: so that many controllers look at thousands of pods that are decoded once, and only at what has changed.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/codec.h"
#include "api/core/types.h"
#include "api/meta/object_meta.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/api_client.h"
#include "kube/typed.h"

namespace kumiko::localcluster {

// Owned by the stepping thread.
template <class T>
class OwnedIndex {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Objects = std::map<kube::ObjectKey, Pointer>;
  struct Change {
    kube::ObjectKey key;
    Pointer before;  // null: new
    Pointer after;   // null: gone
  };

  explicit OwnedIndex(kube::ApiClient& api) : api_(api), trees_(api, T::kKind) {}

  // A new reader; its first Read gives all objects that there are.
  std::size_t AddReader() {
    std::vector<Change>& feed = feeds_.emplace_back();
    for (const auto& [key, object] : objects_) feed.push_back({key, nullptr, object});
    return feeds_.size() - 1;
  }

  // Takes in what happened and hands out what this reader has not seen. An object may occur several times, in order.
  Result<std::vector<Change>> Read(std::size_t reader) {
    KU_TRY_OK(Sync());
    return std::exchange(feeds_[reader], {});
  }

  // Ordered by (namespace, name).
  const Objects& objects() const { return objects_; }
  Pointer Find(const kube::ObjectKey& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }
  // Those whose controller reference names this uid.
  const Objects& OwnedBy(const std::string& uid) const {
    static const Objects kNone;
    const auto found = owned_.find(uid);
    return found == owned_.end() ? kNone : found->second;
  }

  kube::ApiClient& api() const { return api_; }

 private:
  Status Sync() {
    KU_TRY(const std::vector<kube::TreeInformer::Change> changes, trees_.Sync());
    for (const kube::TreeInformer::Change& change : changes) {
      Pointer after;
      if (change.object != nullptr) {
        if (Result<T> object = api::Decode<T>(*change.object.tree())) {
          after = std::make_shared<const T>(std::move(*object));
        } else {
          // One that cannot be read must not keep the others from being looked at.
          Log(LogLevel::kWarning, "object left out",
              {{"kind", change.key.kind},
               {"object", change.key.namespace_ + "/" + change.key.name},
               {"error", object.error().message}});
        }
      }
      const Pointer before = Find(change.key);
      if (before != nullptr) Forget(change.key, *before);
      if (after == nullptr) {
        objects_.erase(change.key);
      } else {
        objects_[change.key] = after;
        if (const auto* owner = api::ControllerOf(after->metadata)) owned_[owner->uid][change.key] = after;
      }
      for (std::vector<Change>& feed : feeds_) feed.push_back({change.key, before, after});
    }
    return {};
  }

  void Forget(const kube::ObjectKey& key, const T& object) {
    const auto* owner = api::ControllerOf(object.metadata);
    if (owner == nullptr) return;
    const auto found = owned_.find(owner->uid);
    found->second.erase(key);
    if (found->second.empty()) owned_.erase(found);
  }

  kube::ApiClient& api_;
  kube::TreeInformer trees_;
  Objects objects_;
  std::map<std::string, Objects> owned_;  // by the uid of the controller
  std::vector<std::vector<Change>> feeds_;
};

using PodIndex = OwnedIndex<api::Pod>;

}  // namespace kumiko::localcluster
