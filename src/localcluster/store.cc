#include "localcluster/store.h"

#include <charconv>
#include <optional>
#include <utility>

#include "api/patch/merge_patch.h"
#include "base/check.h"
#include "kube/typed.h"
#include "localcluster/object_tree.h"
#include "localcluster/store_state.h"

namespace kumiko::localcluster {
namespace {

using Tree = std::shared_ptr<const Json>;

// How often a generated name is drawn anew when it is taken.
constexpr int kNameTries = 8;

// Kubernetes cuts the base so that name and suffix stay within 63 characters.
constexpr std::size_t kMaxGeneratedBase = 58;

Result<std::uint64_t> ParseRevision(const std::string& text) {
  std::uint64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Fail(Code::kInvalidArgument, "resource version \"{}\" is not one that a list gave", text);
  }
  return revision;
}

Status CheckKind(const std::string& kind) {
  if (api::FindKind(kind) == nullptr) return Fail(Code::kNotFound, "kind {} is not served here", kind);
  return {};
}

// Reads the history at its reader's pace.
class HistoryWatch final : public kube::Watch {
 public:
  HistoryWatch(std::shared_ptr<Guarded<Store::State>> state, kube::ObjectKey pattern, std::uint64_t seen)
      : state_(std::move(state)), pattern_(std::move(pattern)), seen_(seen) {}

  Result<std::vector<kube::WatchEvent>> Poll() override {
    return state_->With([this](const Store::State& state) -> Result<std::vector<kube::WatchEvent>> {
      if (seen_ + 1 < state.OldestKept()) {
        return Fail(Code::kConflict, "watch of {}: the changes after revision {} are no longer kept; list again",
                    pattern_.kind, seen_);
      }
      std::vector<kube::WatchEvent> events;
      for (std::uint64_t next = seen_ + 1; next <= state.revision; ++next) {
        const Store::State::Change& change = state.history[next - state.OldestKept()];
        if (Covers(pattern_, change.key)) events.push_back(change.event);
      }
      seen_ = state.revision;
      return events;
    });
  }

 private:
  std::shared_ptr<Guarded<Store::State>> state_;
  kube::ObjectKey pattern_;
  std::uint64_t seen_;
};

// Whether a new object may be put into its namespace.
Status CheckNamespace(const Store::State& state, const kube::ObjectKey& key) {
  if (key.namespace_.empty()) return {};
  const Tree found = state.Find({"Namespace", "", key.namespace_});
  if (found == nullptr) {
    return Fail(Code::kNotFound, "{}: metadata.namespace: namespace {} does not exist", Describe(key), key.namespace_);
  }
  if (FindPath(*found, {"metadata", "deletionTimestamp"}) != nullptr) {
    return Fail(Code::kPermission, "{}: metadata.namespace: namespace {} is being deleted", Describe(key),
                key.namespace_);
  }
  return {};
}

Result<Tree> NotThere(const kube::ObjectKey& key) {
  return Fail(Code::kNotFound, "{} does not exist", Describe(key));
}

Result<Tree> MovedOn(const kube::ObjectKey& key) {
  return Fail(Code::kConflict, "{} has been changed by someone else; read it again", Describe(key));
}

// What a client states about the object it means: its version and uid, when given.
bool MeansVersion(const Json& sent, const Json& current) {
  for (const std::string_view name : {"resourceVersion", "uid"}) {
    const std::string_view expected = StringAt(sent, {"metadata", name});
    if (!expected.empty() && expected != StringAt(current, {"metadata", name})) return false;
  }
  return true;
}

// Stores `after` in place of `before` unless somebody was faster; nothing then. An unchanged object is not written.
std::optional<Tree> Replace(Store::State& state, const kube::ObjectKey& key, const Tree& before, Json after,
                            bool& wrote) {
  if (state.Find(key) != before) return std::nullopt;
  if (after == *before) return before;
  wrote = true;
  if (!MayGo(after)) return state.Put(key, std::move(after));
  state.Remove(key);
  return std::make_shared<const Json>(std::move(after));
}

}  // namespace

Store::Store(const Clock& clock, StoreOptions options)
    : clock_(clock),
      options_(std::move(options)),
      state_(std::make_shared<Guarded<State>>(options_.seed, options_.history_limit)) {
  for (const std::string_view name : {"default", "kube-system"}) {
    const Result<Tree> created =
        Create(Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
    KU_CHECK(created.has_value()) << created.error().message;
  }
}

Store::~Store() = default;

void Store::Changed() const {
  if (options_.on_change) options_.on_change();
}

Result<Tree> Store::Get(const kube::ObjectKey& key) {
  KU_TRY_OK(CheckKind(key.kind));
  Tree found = state_->With([&](const State& state) { return state.Find(key); });
  if (found == nullptr) return NotThere(key);
  return found;
}

Result<kube::ObjectList> Store::List(const kube::ObjectKey& key) {
  KU_TRY_OK(CheckKind(key.kind));
  return state_->With([&](const State& state) {
    kube::ObjectList list;
    list.resource_version = std::to_string(state.revision);
    for (auto at = state.objects.lower_bound({key.kind, key.namespace_, ""}); at != state.objects.end(); ++at) {
      if (at->first.kind != key.kind || (!key.namespace_.empty() && at->first.namespace_ != key.namespace_)) break;
      if (Covers(key, at->first)) list.items.push_back(at->second);
    }
    return list;
  });
}

Result<std::unique_ptr<kube::Watch>> Store::StartWatch(const kube::ObjectKey& key,
                                                       const std::string& resource_version) {
  KU_TRY_OK(CheckKind(key.kind));
  KU_TRY(const std::uint64_t seen, ParseRevision(resource_version));
  if (seen > Revision()) {
    return Fail(Code::kInvalidArgument, "resource version {} is later than anything written", resource_version);
  }
  return std::make_unique<HistoryWatch>(state_, key, seen);
}

Result<Tree> Store::Create(const Json& object) {
  KU_TRY(Json prepared, PrepareCreate(object));
  const std::string base(StringAt(prepared, {"metadata", "generateName"}));
  const bool generates = StringAt(prepared, {"metadata", "name"}).empty() && !base.empty();
  // The suffix is drawn under the lock; any suffix is as valid as this one.
  if (generates) MetadataOf(prepared)["name"] = base.substr(0, kMaxGeneratedBase) + "xxxxx";
  kube::ObjectKey key = kube::KeyOf(prepared);
  if (key.name.empty()) {
    return Fail(Code::kInvalidArgument, "{}: metadata.name: Required value: name or generateName is required",
                key.kind);
  }
  if (const auto errors = CheckObject(prepared, nullptr); !errors.empty()) {
    return Fail(Code::kInvalidArgument, "{}: {}", Describe(key), api::Describe(errors));
  }
  const Time now = clock_.Now();
  Result<Tree> created = state_->With([&](State& state) -> Result<Tree> {
    KU_TRY_OK(CheckNamespace(state, key));
    for (int tries = 0; generates && tries < kNameTries; ++tries) {
      key.name = base.substr(0, kMaxGeneratedBase) + RandomSuffix(state.random);
      if (state.Find(key) == nullptr) break;
    }
    if (state.Find(key) != nullptr) return Fail(Code::kAlreadyExists, "{} already exists", Describe(key));
    MetadataOf(prepared)["name"] = key.name;
    StampCreated(prepared, RandomUuid(state.random), now);
    return state.Put(key, std::move(prepared));
  });
  if (created) Changed();
  return created;
}

Result<Tree> Store::Write(const kube::ObjectKey& key, kube::Subresource subresource, const Json& conditions,
                          const std::function<Json(const Json&)>& next) {
  for (;;) {
    KU_TRY(const Tree before, Get(key));
    if (!MeansVersion(conditions, *before)) return MovedOn(key);
    Json after = PrepareUpdate(*before, next(*before), subresource);
    if (after != *before) {
      if (const auto errors = CheckObject(after, before.get()); !errors.empty()) {
        return Fail(Code::kInvalidArgument, "{}: {}", Describe(key), api::Describe(errors));
      }
    }
    bool wrote = false;
    const std::optional<Tree> stored =
        state_->With([&](State& state) { return Replace(state, key, before, std::move(after), wrote); });
    if (wrote) Changed();
    if (stored) return *stored;
  }
}

Result<Tree> Store::Update(const Json& object, kube::Subresource subresource) {
  KU_TRY(const Json sent, api::ToStored(object));
  const kube::ObjectKey key = kube::KeyOf(sent);
  return Write(key, subresource, sent, [&](const Json&) { return sent; });
}

Result<Tree> Store::Patch(const kube::ObjectKey& key, const Json& merge_patch, kube::Subresource subresource) {
  if (!merge_patch.is_object()) {
    return Fail(Code::kInvalidArgument, "{}: a merge patch is a map, got {}", Describe(key), JsonTypeName(merge_patch));
  }
  return Write(key, subresource, merge_patch, [&](const Json& current) {
    Json patched = current;
    api::MergePatch(patched, merge_patch);
    // A patch cannot turn an object into another one.
    for (const std::string_view name : {"apiVersion", "kind"}) patched.as_object()[name] = current.at(name);
    if (!patched.at("metadata").is_object()) patched.as_object()["metadata"] = current.at("metadata");
    return patched;
  });
}

Status Store::Delete(const kube::ObjectKey& key, const kube::DeleteOptions& options) {
  KU_TRY_OK(CheckKind(key.kind));
  const Time now = clock_.Now();
  bool wrote = false;
  Status deleted = state_->With([&](State& state) -> Status {
    const Tree before = state.Find(key);
    if (before == nullptr) return Fail(Code::kNotFound, "{} does not exist", Describe(key));
    if (options.uid && StringAt(*before, {"metadata", "uid"}) != *options.uid) {
      return Fail(Code::kConflict, "{} is another object than the one meant (uid differs)", Describe(key));
    }
    std::optional<Json> after = PrepareDelete(*before, options, now);
    wrote = !after || *after != *before;
    if (!after) {
      state.Remove(key);
    } else if (wrote) {
      state.Put(key, std::move(*after));
    }
    return {};
  });
  if (wrote) Changed();
  return deleted;
}

std::uint64_t Store::Revision() const {
  return state_->With([](const State& state) { return state.revision; });
}

}  // namespace kumiko::localcluster
