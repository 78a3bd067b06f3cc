#include "localcluster/store.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "api/patch/merge_patch.h"
#include "api/patch/server_side_apply.h"
#include "base/check.h"
#include "kube/typed.h"
#include "localcluster/admission/admission.h"
#include "localcluster/object_tree.h"
#include "localcluster/service_addresses.h"
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

kube::ApiResult<ServedKind> KindOf(const ServedKinds& kinds, const std::string& key_kind) {
  ServedKind found = kinds.OfKey(key_kind);
  if (!found) return kube::Refuse(kube::StatusReason::kNotFound, "kind {} is not served here", key_kind);
  return found;
}

template <class T>
Result<T> ToResult(kube::ApiResult<T> result) {
  if (!result) return tl::unexpected<Error>(ToError(result.error()));
  return std::move(*result);
}

// Reads the history at its reader's pace.
class HistoryReader final : public ChangeReader {
 public:
  HistoryReader(std::shared_ptr<Guarded<Store::State>> state, kube::ObjectKey pattern, std::uint64_t seen)
      : state_(std::move(state)), pattern_(std::move(pattern)), seen_(seen) {
    state_->With([this](Store::State& shared) {
      latest_ = shared.LatestOf(pattern_);
      published_ = shared.published;
    });
  }

  Result<std::vector<StoredChange>> Read() override {
    const std::uint64_t published = published_->load(std::memory_order_acquire);
    if (latest_->load(std::memory_order_acquire) <= seen_) {
      seen_ = std::max(seen_, published);
      return std::vector<StoredChange>();
    }
    return state_->With([this](const Store::State& state) -> Result<std::vector<StoredChange>> {
      if (seen_ + 1 < state.OldestKept()) {
        return Fail(Code::kConflict, "watch of {}: the changes after revision {} are no longer kept; list again",
                    pattern_.kind, seen_);
      }
      std::vector<StoredChange> changes;
      for (std::uint64_t next = seen_ + 1; next <= state.revision; ++next) {
        const Store::State::Change& change = state.history[next - state.OldestKept()];
        if (Covers(pattern_, change.key)) changes.push_back(change.what);
      }
      seen_ = state.revision;
      return changes;
    });
  }
  std::uint64_t revision() const override { return seen_; }

 private:
  std::shared_ptr<Guarded<Store::State>> state_;
  std::shared_ptr<const std::atomic<std::uint64_t>> latest_;
  std::shared_ptr<const std::atomic<std::uint64_t>> published_;
  kube::ObjectKey pattern_;
  std::uint64_t seen_;
};

class EventWatch final : public kube::Watch {
 public:
  explicit EventWatch(std::unique_ptr<ChangeReader> changes) : changes_(std::move(changes)) {}

  Result<std::vector<kube::WatchEvent>> Poll() override {
    KU_TRY(std::vector<StoredChange> changes, changes_->Read());
    std::vector<kube::WatchEvent> events;
    events.reserve(changes.size());
    for (StoredChange& change : changes) events.push_back(std::move(change.event));
    return events;
  }

 private:
  std::unique_ptr<ChangeReader> changes_;
};

// Whether a new object may be put into its namespace.
std::optional<kube::ApiError> CheckNamespace(const Store::State& state, const api::KindInfo& kind,
                                             const kube::ObjectKey& key) {
  if (key.namespace_.empty()) return std::nullopt;
  const kube::Object found = state.Find({"Namespace", "", key.namespace_});
  if (found == nullptr) return kube::NotFound(*api::FindKind("Namespace"), key.namespace_);
  if (FindPath(found.outline(), {"metadata", "deletionTimestamp"}) == nullptr) return std::nullopt;
  kube::ApiError error = kube::Forbidden(
      kind, key.name,
      fmt::format("unable to create new content in namespace {} because it is being terminated", key.namespace_));
  error.causes.push_back(
      {"NamespaceTerminating", fmt::format("namespace {} is being terminated", key.namespace_), "metadata.namespace"});
  return error;
}

// Where kube-apiserver keeps an object in etcd, which one of its messages tells.
std::string EtcdKey(const ServedKind& kind, const kube::ObjectKey& key) {
  std::string resource(kind.info->plural);
  if (kind.custom != nullptr) resource = fmt::format("{}/{}", kind.info->group, resource);
  if (key.kind == "Service") resource = "services/specs";
  if (key.kind == "Endpoints") resource = "services/endpoints";
  if (key.kind == "Node") resource = "minions";
  return fmt::format("/registry/{}{}{}/{}", resource, key.namespace_.empty() ? "" : "/", key.namespace_, key.name);
}

// What a client states about the object that it means to replace, its uid and version; nothing when it means this one.
std::optional<kube::ApiError> CheckMeant(const ServedKind& kind, const kube::ObjectKey& key, const Json& sent,
                                         const Json& current) {
  const std::string_view uid = StringAt(sent, {"metadata", "uid"});
  const std::string_view current_uid = StringAt(current, {"metadata", "uid"});
  if (!uid.empty() && uid != current_uid) {
    return kube::Conflict(*kind.info, key.name,
                          fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, "
                                      "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object "
                                      "meta: {}",
                                      EtcdKey(kind, key), uid, current_uid));
  }
  const std::string_view version = StringAt(sent, {"metadata", "resourceVersion"});
  if (version.empty() || version == StringAt(current, {"metadata", "resourceVersion"})) return std::nullopt;
  return kube::Conflict(*kind.info, key.name, kube::kModifiedMeanwhile);
}

// The same about one to be deleted.
std::optional<kube::ApiError> CheckMeant(const api::KindInfo& kind, const kube::DeleteOptions& options,
                                         const Json& current) {
  const std::string_view name = StringAt(current, {"metadata", "name"});
  const auto differs = [&](std::string_view what, const std::optional<std::string>& meant, std::string_view member) {
    const std::string_view found = StringAt(current, {"metadata", member});
    std::optional<kube::ApiError> error;
    if (!meant || *meant == found) return error;
    error = kube::Conflict(kind, name, {});
    error->message = fmt::format(
        "Operation cannot be fulfilled on {0} \"{1}\": the {2} in the precondition ({3}) does not match the {2} in "
        "record ({4}). The object might have been {5}",
        kind.kind, name, what, *meant, found, what == "UID" ? "deleted and then recreated" : "modified");
    return error;
  };
  if (auto error = differs("UID", options.uid, "uid")) return error;
  return differs("ResourceVersion", options.resource_version, "resourceVersion");
}

// Stores `after` in place of `before` unless somebody was faster; nothing then.
std::optional<Tree> Replace(Store::State& state, const kube::ObjectKey& key, const kube::Object& before, Json after,
                            bool& wrote) {
  if (state.Find(key) != before) return std::nullopt;
  wrote = true;
  if (!MayGo(after)) return state.Put(key, std::move(after));
  state.Remove(key);
  return std::make_shared<const Json>(std::move(after));
}

// More revisions than a kill can have taken before they were written. Readers and watches have seen them, so they are
// not given again: who asks for what happened since gets kExpired, and lists.
constexpr std::uint64_t kLostInAKill = std::uint64_t{1} << 20;

// The end of a generated name that admission may need. Only pods draw one, so that other writes leave the dice alone.
std::string SuffixFor(const kube::ObjectKey& key, Random& random) {
  return key.kind == "Pod" ? RandomSuffix(random) : std::string();
}

ClusterReader ReaderOf(Store& store) {
  return {.get =
              [&store](std::string_view kind, std::string_view name_space, std::string_view name) {
                return store.Get({std::string(kind), std::string(name_space), std::string(name)}).value_or(nullptr);
              },
          .list =
              [&store](std::string_view kind) {
                std::vector<Tree> trees;
                const auto list = store.List({std::string(kind), "", ""});
                if (list) std::ranges::transform(list->items, std::back_inserter(trees), &kube::Object::tree);
                return trees;
              }};
}

}  // namespace

Store::Store(const Clock& clock, StoreOptions options)
    : clock_(clock),
      options_(std::move(options)),
      kinds_(std::make_shared<ServedKinds>()),
      // Names and uids of an earlier run must not come again.
      state_(
          std::make_shared<Guarded<State>>(kinds_, options_.seed + options_.content.revision, options_.history_limit)) {
  state_->With([&](State& state) {
    for (auto& [key, object] : options_.content.objects) {
      if (key.kind == kDefinitionKind) kinds_->Define(*object.tree());
      state.objects.emplace(std::move(key), std::move(object));
    }
    state.revision = options_.content.revision;
    if (state.revision > 0) state.revision += kLostInAKill;
    state.file = options_.state;
    state.published->store(state.revision);
  });
  options_.content = {};
  for (const std::string_view name : {"default", "kube-system"}) {
    if (Find({"Namespace", "", std::string(name)})) continue;
    const Result<Tree> created =
        Create(Json{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
    KU_CHECK(created.has_value()) << created.error().message;
  }
}

Store::~Store() = default;

void Store::Changed() const {
  if (options_.on_change) options_.on_change();
}

kube::ApiResult<Tree> Store::Find(const kube::ObjectKey& key) {
  KU_TRY_API(const ServedKind kind, KindOf(*kinds_, key.kind));
  const kube::Object found = state_->With([&](const State& state) { return state.Find(key); });
  if (found == nullptr) return kube::Refuse(kube::NotFound(*kind.info, key.name));
  return found.tree();
}

Result<Tree> Store::Get(const kube::ObjectKey& key) {
  return ToResult(Find(key));
}

Result<kube::ObjectList> Store::List(const kube::ObjectKey& key) {
  KU_TRY_OK(ToResult(KindOf(*kinds_, key.kind)));
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

kube::ApiResult<std::unique_ptr<ChangeReader>> Store::ReadChanges(const kube::ObjectKey& key, std::uint64_t revision) {
  if (const auto kind = KindOf(*kinds_, key.kind); !kind) return kube::Refuse(kind.error());
  const auto [oldest, newest] =
      state_->With([](const State& state) { return std::pair(state.OldestKept(), state.revision); });
  if (revision + 1 < oldest) {
    return kube::Refuse(kube::StatusReason::kExpired, "too old resource version: {} ({})", revision, oldest - 1);
  }
  if (revision > newest) {
    return kube::Refuse(kube::StatusReason::kTimeout, "Too large resource version: {}, current: {}", revision, newest);
  }
  return std::make_unique<HistoryReader>(state_, key, revision);
}

Result<std::unique_ptr<kube::Watch>> Store::StartWatch(const kube::ObjectKey& key,
                                                       const std::string& resource_version) {
  KU_TRY(const std::uint64_t seen, ParseRevision(resource_version));
  if (seen > Revision()) {
    return Fail(Code::kInvalidArgument, "resource version {} is later than anything written", resource_version);
  }
  KU_TRY(auto changes, ToResult(ReadChanges(key, seen)));
  return std::make_unique<EventWatch>(std::move(changes));
}

kube::ApiResult<Tree> Store::CreateObject(const Json& object, const WriteOptions& options) {
  const ServedKind kind = kinds_->OfObject(object);
  if (!kind) {
    const Result<Json> refused = api::ToStored(object);
    return kube::Refuse(kube::StatusReason::kBadRequest, "{}", refused ? "not served here" : refused.error().message);
  }
  Result<Json> stored = PrepareCreate(kind, object, options.own);
  if (!stored) return kube::Refuse(kube::StatusReason::kBadRequest, "{}", stored.error().message);
  Json prepared = std::move(*stored);
  const std::string base(StringAt(prepared, {"metadata", "generateName"}));
  const bool generates = StringAt(prepared, {"metadata", "name"}).empty() && !base.empty();
  // The suffix is drawn under the lock; any suffix is as valid as this one.
  if (generates) MetadataOf(prepared)["name"] = base.substr(0, kMaxGeneratedBase) + "xxxxx";
  kube::ObjectKey key = kube::KeyOf(prepared);
  if (kind.custom == nullptr) {
    const std::string suffix = state_->With([&](State& state) { return SuffixFor(key, state.random); });
    if (auto admitted = Admit(prepared, ReaderOf(*this), suffix); !admitted) {
      return kube::Refuse(std::move(admitted).error());
    }
  }
  std::vector<api::FieldError> errors = CheckObject(kind, prepared, nullptr);
  if (key.name.empty())
    errors.insert(errors.begin(), {"metadata.name", "Required value: name or generateName is required"});
  if (!errors.empty()) return kube::Refuse(kube::Invalid(*kind.info, key.name, errors));
  const Time now = clock_.Now();
  kube::ApiResult<Tree> created = state_->With([&](State& state) -> kube::ApiResult<Tree> {
    if (auto error = CheckNamespace(state, *kind.info, key)) return kube::Refuse(std::move(*error));
    for (int tries = 0; generates && tries < kNameTries; ++tries) {
      key.name = base.substr(0, kMaxGeneratedBase) + RandomSuffix(state.random);
      if (state.Find(key) == nullptr) break;
    }
    if (state.Find(key) != nullptr) return kube::Refuse(kube::AlreadyExists(*kind.info, key.name));
    MetadataOf(prepared)["name"] = key.name;
    StampCreated(kind, prepared, RandomUuid(state.random), now);
    if (kind.custom == nullptr && key.kind == "Service") {
      const auto taken = AssignAddresses(prepared, state.AllOf(key.kind));
      if (!taken.empty()) return kube::Refuse(kube::Invalid(*kind.info, key.name, taken));
    }
    if (options.dry_run) return std::make_shared<const Json>(std::move(prepared));
    return state.Put(key, std::move(prepared));
  });
  if (created && !options.dry_run) Changed();
  return created;
}

kube::ApiResult<Tree> Store::ChangeObject(const kube::ObjectKey& key, kube::Subresource subresource, const Edit& edit,
                                          const WriteOptions& options) {
  KU_TRY_API(const ServedKind kind, KindOf(*kinds_, key.kind));
  for (;;) {
    const kube::Object found = state_->With([&](const State& state) { return state.Find(key); });
    if (found == nullptr) return kube::Refuse(kube::NotFound(*kind.info, key.name));
    Tree before = found.tree();
    KU_TRY_API(Json sent, edit(*before));
    if (auto error = CheckMeant(kind, key, sent, *before)) return kube::Refuse(std::move(*error));
    Json after = PrepareUpdate(kind, *before, std::move(sent), subresource, options.own);
    if (options.finish) options.finish(after);
    if (options.own && api::EqualButForTimes(*before, after)) after = *before;
    if (kind.custom == nullptr && key.kind == "Service") {
      const auto others = state_->With([&](const State& state) { return state.AllOf(key.kind); });
      const auto taken = AssignAddresses(after, others);
      if (!taken.empty()) return kube::Refuse(kube::Invalid(*kind.info, key.name, taken));
    }
    const bool changes = after != *before;
    if (changes) {
      const auto errors = CheckObject(kind, after, before.get());
      if (!errors.empty()) return kube::Refuse(kube::Invalid(*kind.info, key.name, errors));
    }
    if (options.dry_run) return std::make_shared<const Json>(std::move(after));
    if (!changes) return before;
    bool wrote = false;
    const std::optional<Tree> stored =
        state_->With([&](State& state) { return Replace(state, key, found, std::move(after), wrote); });
    if (wrote) Changed();
    if (stored) return *stored;
  }
}

Result<Tree> Store::Create(const Json& object) {
  return Create(object, {});
}
Result<Tree> Store::Update(const Json& object, kube::Subresource subresource) {
  return Update(object, subresource, {});
}
Result<Tree> Store::Patch(const kube::ObjectKey& key, const Json& merge_patch, kube::Subresource subresource) {
  return Patch(key, merge_patch, subresource, {});
}

Result<Tree> Store::Create(const Json& object, const WriteOptions& options) {
  return ToResult(CreateObject(object, options));
}

Result<Tree> Store::Update(const Json& object, kube::Subresource subresource, const WriteOptions& options) {
  KU_TRY(const Json sent, api::ToStored(object));
  return ToResult(ChangeObject(
      kube::KeyOf(sent), subresource, [&](const Json&) -> kube::ApiResult<Json> { return sent; }, options));
}

Result<Tree> Store::Patch(const kube::ObjectKey& key, const Json& merge_patch, kube::Subresource subresource,
                          const WriteOptions& options) {
  if (!merge_patch.is_object()) {
    return Fail(Code::kInvalidArgument, "{}: a merge patch is a map, got {}", Describe(key), JsonTypeName(merge_patch));
  }
  const auto edit = [&](const Json& current) {
    Json patched = current;
    api::MergePatch(patched, merge_patch);
    // A patch cannot turn an object into another one.
    for (const std::string_view name : {"apiVersion", "kind"}) patched.as_object()[name] = current.at(name);
    if (!patched.at("metadata").is_object()) patched.as_object()["metadata"] = current.at("metadata");
    return patched;
  };
  return ToResult(ChangeObject(key, subresource, edit, options));
}

kube::ApiResult<DeletedObject> Store::DeleteObject(const kube::ObjectKey& key, const kube::DeleteOptions& options,
                                                   const WriteOptions& write_options) {
  KU_TRY_API(const ServedKind kind, KindOf(*kinds_, key.kind));
  const Time now = clock_.Now();
  bool wrote = false;
  kube::ApiResult<DeletedObject> deleted = state_->With([&](State& state) -> kube::ApiResult<DeletedObject> {
    const kube::Object found = state.Find(key);
    if (found == nullptr) return kube::Refuse(kube::NotFound(*kind.info, key.name));
    const Tree before = found.tree();
    if (auto error = CheckMeant(*kind.info, options, *before)) return kube::Refuse(std::move(*error));
    std::optional<Json> after = PrepareDelete(*before, options, now);
    wrote = !write_options.dry_run && (!after || *after != *before);
    if (!after) {
      if (wrote) state.Remove(key);
      return DeletedObject{found, true};
    }
    if (!wrote) return DeletedObject{std::make_shared<const Json>(std::move(*after)), false};
    return DeletedObject{state.Put(key, std::move(*after)), false};
  });
  if (wrote) Changed();
  return deleted;
}

Status Store::Delete(const kube::ObjectKey& key, const kube::DeleteOptions& options) {
  const auto deleted = DeleteObject(key, options);
  if (!deleted) return tl::unexpected<Error>(ToError(deleted.error()));
  return {};
}

Status Store::AwaitWritten() {
  return options_.state == nullptr ? Status() : options_.state->Await(Revision());
}

std::uint64_t Store::Revision() const {
  return state_->With([](const State& state) { return state.revision; });
}

}  // namespace kumiko::localcluster
