// What the store's lock guards, and the writes that keep objects, revision and history in step. Private to the store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/random.h"
#include "kube/api_client.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct Store::State {
  struct Change {
    kube::ObjectKey key;
    StoredChange what;
  };

  State(std::shared_ptr<ServedKinds> kinds, std::uint64_t seed, std::size_t limit)
      : random(seed), history_limit(limit), served(std::move(kinds)) {}

  // Null when there is none.
  kube::Object Find(const kube::ObjectKey& key) const;
  // All of a kind, ordered by (namespace, name).
  std::vector<std::shared_ptr<const Json>> AllOf(const std::string& kind) const;
  // Stores `object` under a new revision, which is written into it. Adds the key or replaces what it holds.
  std::shared_ptr<const Json> Put(const kube::ObjectKey& key, Json object);
  // The key must exist.
  void Remove(const kube::ObjectKey& key);
  // What a watch of `pattern` looks at to know, without the lock, that nothing has happened to its objects: the
  // revision of the last change to one of them, or a later one. It is written before `published`.
  std::shared_ptr<const std::atomic<std::uint64_t>> LatestOf(const kube::ObjectKey& pattern);
  // The revision of the oldest change kept; revision + 1 when none is.
  std::uint64_t OldestKept() const { return revision + 1 - history.size(); }

  std::map<kube::ObjectKey, kube::Object> objects;
  std::uint64_t revision = 0;
  std::deque<Change> history;  // one a revision, the last is `revision`
  Random random;
  std::size_t history_limit;
  std::shared_ptr<ServedKinds> served;
  StateFile* file = nullptr;  // told of every change, in order
  // `revision`, for readers without the lock.
  std::shared_ptr<std::atomic<std::uint64_t>> published = std::make_shared<std::atomic<std::uint64_t>>(0);

 private:
  void Record(const kube::ObjectKey& key, StoredChange change);
  void Publish(const kube::ObjectKey& key);

  // By kind and namespace, an empty one standing for all; those that somebody watches.
  std::map<kube::ObjectKey, std::shared_ptr<std::atomic<std::uint64_t>>> latest;
};

// Whether `key` names the object or is a pattern (empty name or namespace) that covers it.
bool Covers(const kube::ObjectKey& pattern, const kube::ObjectKey& key);

inline constexpr std::string_view kDefinitionKind = "CustomResourceDefinition";

// "ResourceClaim ml/train-0": how the store's errors name an object.
std::string Describe(const kube::ObjectKey& key);

}  // namespace kumiko::localcluster
