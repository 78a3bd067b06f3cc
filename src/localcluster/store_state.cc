#include "localcluster/store_state.h"

#include <utility>

#include "base/check.h"

namespace kumiko::localcluster {

bool Covers(const kube::ObjectKey& pattern, const kube::ObjectKey& key) {
  return pattern.kind == key.kind && (pattern.namespace_.empty() || pattern.namespace_ == key.namespace_) &&
         (pattern.name.empty() || pattern.name == key.name);
}

std::string Describe(const kube::ObjectKey& key) {
  return key.namespace_.empty() ? key.kind + " " + key.name : key.kind + " " + key.namespace_ + "/" + key.name;
}

std::shared_ptr<const Json> Store::State::Find(const kube::ObjectKey& key) const {
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

std::shared_ptr<const Json> Store::State::Put(const kube::ObjectKey& key, Json object) {
  object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  auto stored = std::make_shared<const Json>(std::move(object));
  const bool added = objects.insert_or_assign(key, stored).second;
  Record(key, {added ? kube::WatchEvent::Type::kAdded : kube::WatchEvent::Type::kModified, stored});
  return stored;
}

void Store::State::Remove(const kube::ObjectKey& key) {
  const auto found = objects.find(key);
  KU_CHECK(found != objects.end()) << Describe(key);
  Json last = *found->second;
  last.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  objects.erase(found);
  Record(key, {kube::WatchEvent::Type::kDeleted, std::make_shared<const Json>(std::move(last))});
}

void Store::State::Record(const kube::ObjectKey& key, kube::WatchEvent event) {
  ++revision;
  history.push_back({key, std::move(event)});
  if (history.size() > history_limit) history.pop_front();
}

}  // namespace kumiko::localcluster
