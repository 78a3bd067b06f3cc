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

namespace {

constexpr int kRelistsInARow = 3;

const Clock& ClockOf(const InformerOptions& options) {
  static const RealClock real;
  return options.clock != nullptr ? *options.clock : real;
}

}  // namespace

TreeInformer::TreeInformer(ApiClient& client, std::string kind, InformerOptions options)
    : client_(client),
      all_{std::move(kind), options.namespace_, ""},
      options_(std::move(options)),
      backoff_(options_.seed == 0 ? Random::FromSystem() : Random(options_.seed), options_.backoff) {}

std::optional<Error> TreeInformer::trouble() const {
  return watch_ == nullptr ? list_error_ : watch_->Trouble();
}

std::optional<Time> TreeInformer::NextSyncAt() const {
  return watch_ == nullptr ? list_at_ : watch_->NextPollAt();
}

Result<TreeInformer::Changes> TreeInformer::Relist() {
  KU_TRY(const ObjectList list, client_.List(all_, options_.selectors));
  KU_TRY(watch_, client_.StartWatch(all_, list.resource_version, options_.selectors, options_.wake));
  std::map<ObjectKey, Change> changes;
  std::map<ObjectKey, std::string> versions;
  for (const Object& item : list.items) {
    ObjectKey key = KeyOf(item.outline());
    const std::string version(StringAt(item.outline(), {"metadata", "resourceVersion"}));
    const auto known = versions_.find(key);
    if (known == versions_.end() || known->second != version) changes[key] = Change{key, item};
    versions[std::move(key)] = version;
  }
  for (const auto& [key, version] : versions_) {
    if (!versions.contains(key)) changes[key] = Change{key, nullptr};
  }
  versions_ = std::move(versions);
  synced_ = true;
  Changes result;
  for (auto& [key, change] : changes) result.push_back(std::move(change));
  return result;
}

Result<TreeInformer::Changes> TreeInformer::Sync() {
  const Time now = ClockOf(options_).Now();
  Result<std::vector<WatchEvent>> events;
  if (watch_ != nullptr) events = watch_->Poll();
  if (watch_ != nullptr && !events) {
    list_error_ = events.error();
    watch_.reset();
    // A server that forgets at once what it just listed is not asked for list after list.
    if (++relists_ > kRelistsInARow) list_at_ = now + backoff_.Next(now);
  }
  if (watch_ == nullptr) {
    if (now >= list_at_) {
      Result<Changes> changes = Relist();
      if (changes) return changes;
      list_error_ = changes.error();
      list_at_ = now + backoff_.Next(now);
    }
    if (!synced_) return tl::unexpected<Error>(*list_error_);
    return Changes{};
  }
  if (!events->empty()) {
    relists_ = 0;
    backoff_.Reset();
  }
  std::map<ObjectKey, Change> changes;
  for (WatchEvent& event : *events) {
    ObjectKey key = KeyOf(event.object.outline());
    if (event.type == WatchEvent::Type::kDeleted) {
      versions_.erase(key);
      changes[key] = Change{key, nullptr};
    } else {
      versions_[key] = StringAt(event.object.outline(), {"metadata", "resourceVersion"});
      changes[key] = Change{key, std::move(event.object)};
    }
  }
  Changes result;
  for (auto& [key, change] : changes) result.push_back(std::move(change));
  return result;
}

}  // namespace kumiko::kube
