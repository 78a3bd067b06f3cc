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

kube::Object Store::State::Find(const kube::ObjectKey& key) const {
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Json>> Store::State::AllOf(const std::string& kind) const {
  std::vector<std::shared_ptr<const Json>> found;
  for (auto at = objects.lower_bound({kind, "", ""}); at != objects.end() && at->first.kind == kind; ++at) {
    found.push_back(at->second.tree());
  }
  return found;
}

std::shared_ptr<const Json> Store::State::Put(const kube::ObjectKey& key, Json object) {
  object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  auto tree = std::make_shared<const Json>(std::move(object));
  const kube::Object stored = kube::Object::Compact(tree);
  kube::Object& place = objects[key];
  const auto type = place == nullptr ? kube::WatchEvent::Type::kAdded : kube::WatchEvent::Type::kModified;
  // The history would keep whole trees alive that nobody asks for.
  Record(key, {.event = {type, stored}, .before = std::exchange(place, stored).Selectable()});
  return tree;
}

void Store::State::Remove(const kube::ObjectKey& key) {
  const auto found = objects.find(key);
  KU_CHECK(found != objects.end()) << Describe(key);
  const kube::Object before = found->second;
  objects.erase(found);
  Json last = *before.tree();
  last.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(revision + 1);
  const kube::Object gone = kube::Object::Compact(std::make_shared<const Json>(std::move(last)));
  Record(key, {.event = {kube::WatchEvent::Type::kDeleted, gone}, .before = before.Selectable()});
}

void Store::State::Record(const kube::ObjectKey& key, StoredChange change) {
  ++revision;
  if (key.kind == kDefinitionKind) {
    if (change.event.type == kube::WatchEvent::Type::kDeleted) {
      served->Forget(key.name);
    } else {
      served->Define(*change.event.object.tree());
    }
  }
  if (file != nullptr) {
    file->Append(revision, key, change.event.type == kube::WatchEvent::Type::kDeleted ? nullptr : change.event.object);
  }
  history.push_back({key, std::move(change)});
  if (history.size() > history_limit) history.pop_front();
  Publish(key);
}

void Store::State::Publish(const kube::ObjectKey& key) {
  for (const std::string& covered : {std::string(), key.namespace_}) {
    const auto found = latest.find({key.kind, covered, ""});
    if (found == latest.end()) continue;
    if (found->second.use_count() == 1) {
      latest.erase(found);
    } else {
      found->second->store(revision, std::memory_order_release);
    }
  }
  published->store(revision, std::memory_order_release);
}

std::shared_ptr<const std::atomic<std::uint64_t>> Store::State::LatestOf(const kube::ObjectKey& pattern) {
  auto& place = latest[{pattern.kind, pattern.namespace_, ""}];
  if (place == nullptr) place = std::make_shared<std::atomic<std::uint64_t>>(revision);
  return place;
}

}  // namespace kumiko::localcluster
