#include "kube/typed.h"

#include <algorithm>
#include <set>

#include "api/kinds.h"

namespace kumiko::kube {

namespace {

// The kind as an ObjectKey has it.
std::string KeyKindOf(const Json& object) {
  const std::string_view kind = StringAt(object, {"kind"});
  const std::string_view api_version = StringAt(object, {"apiVersion"});
  const std::size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  const api::KindInfo* built_in = api::FindKind(kind);
  const auto is_of_group = [&](const api::GroupVersion& served) { return served.group == group; };
  if (group.empty() ||
      (built_in != nullptr && (built_in->group == group ||
                               std::any_of(built_in->served_as.begin(), built_in->served_as.end(), is_of_group)))) {
    return std::string(kind);
  }
  return std::string(kind) + "." + std::string(group);
}

}  // namespace

ObjectKey KeyOf(const Json& object) {
  return ObjectKey{KeyKindOf(object), std::string(StringAt(object, {"metadata", "namespace"})),
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
