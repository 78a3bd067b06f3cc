#include "kube/typed.h"

#include <set>

namespace kumiko::kube {

ObjectKey KeyOf(const Json& object) {
  return ObjectKey{std::string(StringAt(object, {"kind"})), std::string(StringAt(object, {"metadata", "namespace"})),
                   std::string(StringAt(object, {"metadata", "name"}))};
}

Result<std::vector<TreeInformer::Change>> TreeInformer::Relist() {
  KU_TRY(const ObjectList list, client_.List({kind_, "", ""}));
  KU_TRY(watch_, client_.StartWatch({kind_, "", ""}, list.resource_version));
  std::map<ObjectKey, Change> changes;
  std::map<ObjectKey, std::string> versions;
  for (const std::shared_ptr<const Json>& item : list.items) {
    ObjectKey key = KeyOf(*item);
    const std::string version(StringAt(*item, {"metadata", "resourceVersion"}));
    const auto known = versions_.find(key);
    if (known == versions_.end() || known->second != version) changes[key] = Change{key, item};
    versions[std::move(key)] = version;
  }
  for (const auto& [key, version] : versions_) {
    if (!versions.contains(key)) changes[key] = Change{key, nullptr};
  }
  versions_ = std::move(versions);
  std::vector<Change> result;
  for (auto& [key, change] : changes) result.push_back(std::move(change));
  return result;
}

Result<std::vector<TreeInformer::Change>> TreeInformer::Sync() {
  if (watch_ == nullptr) return Relist();
  Result<std::vector<WatchEvent>> events = watch_->Poll();
  if (!events) {
    if (events.error().code != Code::kConflict) return tl::unexpected<Error>(events.error());
    return Relist();
  }
  std::map<ObjectKey, Change> changes;
  for (WatchEvent& event : *events) {
    ObjectKey key = KeyOf(*event.object);
    if (event.type == WatchEvent::Type::kDeleted) {
      versions_.erase(key);
      changes[key] = Change{key, nullptr};
    } else {
      versions_[key] = StringAt(*event.object, {"metadata", "resourceVersion"});
      changes[key] = Change{key, std::move(event.object)};
    }
  }
  std::vector<Change> result;
  for (auto& [key, change] : changes) result.push_back(std::move(change));
  return result;
}

}  // namespace kumiko::kube
