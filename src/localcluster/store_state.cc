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

std::vector<std::shared_ptr<const Json>> Store::State::AllOf(const std::string& kind) const {
  std::vector<std::shared_ptr<const Json>> found;
  for (auto at = objects.lower_bound({kind, "", ""}); at != objects.end() && at->first.kind == kind; ++at) {
    found.push_back(at->second);
  }
  return found;
}

std::shared_ptr<const Json> Store::State::Put(const kube::ObjectKey& key, Json object) {
  object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  auto stored = std::make_shared<const Json>(std::move(object));
  auto& place = objects[key];
  const auto type = place == nullptr ? kube::WatchEvent::Type::kAdded : kube::WatchEvent::Type::kModified;
  Record(key, {.event = {type, stored}, .before = std::exchange(place, stored)});
  return stored;
}

void Store::State::Remove(const kube::ObjectKey& key) {
  const auto found = objects.find(key);
  KU_CHECK(found != objects.end()) << Describe(key);
  const std::shared_ptr<const Json> before = found->second;
  objects.erase(found);
  Json last = *before;
  last.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  Record(key, {.event = {kube::WatchEvent::Type::kDeleted, std::make_shared<const Json>(std::move(last))},
               .before = before});
}

void Store::State::Record(const kube::ObjectKey& key, StoredChange change) {
  ++revision;
  if (key.kind == kDefinitionKind) {
    if (change.event.type == kube::WatchEvent::Type::kDeleted) {
      served->Forget(key.name);
    } else {
      served->Define(*change.event.object);
    }
  }
  if (file != nullptr) {
    file->Append(revision, key, change.event.type == kube::WatchEvent::Type::kDeleted ? nullptr : change.event.object);
  }
  history.push_back({key, std::move(change)});
  if (history.size() > history_limit) history.pop_front();
}

}  // namespace kumiko::localcluster
