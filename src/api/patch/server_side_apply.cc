#include "api/patch/server_side_apply.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "api/forms.h"
#include "api/patch/field_ownership.h"
#include "api/patch/go_text.h"
#include "base/check.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

using Kind = PatchError::Kind;

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kKubectl = "kubectl";
constexpr std::size_t kMaxAnnotationBytes = 256 * 1024;
constexpr std::size_t kMaxManagerBytes = 128;

// Fields that nobody owns.
const FieldSet& Unowned() {
  static const FieldSet fields = FieldsAt({{"apiVersion"},
                                           {"kind"},
                                           {"metadata"},
                                           {"metadata", "name"},
                                           {"metadata", "namespace"},
                                           {"metadata", "creationTimestamp"},
                                           {"metadata", "selfLink"},
                                           {"metadata", "uid"},
                                           {"metadata", "clusterName"},
                                           {"metadata", "generation"},
                                           {"metadata", "managedFields"},
                                           {"metadata", "resourceVersion"}});
  return fields;
}

void DropUnowned(const std::string& id, ManagedFields& managed) {
  const auto found = managed.find(id);
  if (found == managed.end()) return;
  found->second.fields = Difference(found->second.fields, Unowned());
  if (found->second.fields.Empty()) managed.erase(found);
}

Json NewObject(const FieldManagement& kind) {
  const std::string_view version = kind.api_version;
  const std::size_t slash = version.find('/');
  const Form* form =
      kind.custom ? nullptr : FormOf(slash == std::string_view::npos ? "" : version.substr(0, slash), kind.kind);
  JsonObject object = form == nullptr ? JsonObject() : EmptyObject(*form);
  object["apiVersion"] = kind.api_version;
  object["kind"] = kind.kind;
  return object;
}

TypedObject Typed(const Json& object, const FieldManagement& kind) {
  return {object, *kind.schema, kind.api_version};
}

// "apps/v1, Kind=Deployment"; the group of core kinds is empty: "/v1, Kind=Pod".
std::string GroupVersionKind(std::string_view api_version, std::string_view kind) {
  const bool has_group = api_version.find('/') != std::string_view::npos;
  return fmt::format("{}{}, Kind={}", has_group ? "" : "/", api_version, kind);
}

std::string Describe(const Json& object, const FieldManagement& kind) {
  return fmt::format("{}/{}; {}", StringAt(object, {"metadata", "namespace"}), StringAt(object, {"metadata", "name"}),
                     GroupVersionKind(kind.api_version, kind.kind));
}

Manager ManagerOf(std::string_view name, Operation operation, const FieldManagement& kind) {
  Manager manager;
  manager.name = name.empty() ? "unknown" : name;
  manager.operation = operation;
  if (operation == Operation::kUpdate) manager.api_version = kind.api_version;
  manager.subresource = kind.subresource;
  return manager;
}

Status OwnUpdate(const Json& before, const Json& after, std::string_view name, const FieldManagement& kind, Time now,
                 ManagedFields& managed) {
  const Structure structure = StructureOf(*kind.schema);
  KU_TRY_OK(CheckStructure(after, structure, Duplicates::kAllowed), "failed to convert new object ({}) to smd typed",
            Describe(after, kind));
  KU_TRY_OK(CheckStructure(before, structure, Duplicates::kAllowed), "failed to convert live object ({}) to smd typed",
            Describe(before, kind));
  // Only what this request changes makes it the newest owner; what the manager owned before stays.
  const std::string self = "current-operation";
  OwnChanges(Typed(before, kind), Typed(after, kind), self, kind, managed);
  DropUnowned(self, managed);
  if (const auto found = managed.find(self); found != managed.end()) {
    Ownership changes = std::move(found->second);
    managed.erase(found);
    changes.manager = ManagerOf(name, Operation::kUpdate, kind);
    // kube-apiserver loses the time on the way from the entries of a Scale to those of its object.
    if (kind.subresource != "scale") changes.time = now;
    Ownership& all = managed[changes.manager.Id()];
    changes.fields = Union(changes.fields, all.fields);
    all = std::move(changes);
  }
  MergeOldUpdates(managed);
  return {};
}

PatchError ConflictError(const Conflicts& conflicts) {
  PatchError error{Kind::kConflict, {}, {}};
  for (const Conflict& conflict : conflicts) {
    error.causes.push_back({PathText(conflict.path), "conflict with " + DescribeManager(conflict.manager)});
  }
  if (conflicts.size() == 1) {
    error.message = fmt::format("Apply failed with 1 conflict: conflict with {}: {}",
                                DescribeManager(conflicts[0].manager), PathText(conflicts[0].path));
    return error;
  }
  error.message = fmt::format("Apply failed with {} conflicts: ", conflicts.size());
  const Manager* last = nullptr;
  for (const Conflict& conflict : conflicts) {
    const std::string_view separator = last == nullptr ? "" : "\n";
    if (last == nullptr || *last != conflict.manager) {
      error.message += fmt::format("{}conflicts with {}:", separator, DescribeManager(conflict.manager));
    }
    error.message += "\n- " + PathText(conflict.path);
    last = &conflict.manager;
  }
  return error;
}

// The fields that `kubectl apply` set before it changed to server-side apply, as far as they still have that value.
FieldSet LastAppliedFields(const Json& live, const FieldManagement& kind) {
  const std::string_view text = StringAt(live, {"metadata", "annotations", kLastApplied});
  const auto applied = ParseJson(text);
  if (!applied || StringAt(*applied, {"apiVersion"}) != kind.api_version || StringAt(*applied, {"kind"}) != kind.kind) {
    return {};
  }
  const Structure structure = StructureOf(*kind.schema);
  if (!CheckStructure(live, structure, Duplicates::kRefused)) return {};
  if (!CheckStructure(*applied, structure, Duplicates::kRefused)) return {};
  const Comparison changed = CompareStructured(*applied, live, structure);
  return Difference(Difference(Difference(FieldsOf(*applied, structure), changed.modified), changed.added),
                    changed.removed);
}

// Keeps the annotation of client-side apply, where there is one, so that one can go back to it.
void KeepLastApplied(const Json& config, Json& object) {
  if (StringAt(object, {"metadata", "annotations", kLastApplied}).empty()) return;
  Json applied = config;
  if (Json* metadata = applied.get_object().if_contains("metadata"); metadata != nullptr && metadata->is_object()) {
    Json* annotations = metadata->get_object().if_contains("annotations");
    if (annotations != nullptr && annotations->is_object()) {
      annotations->get_object().erase(kLastApplied);
    } else {
      metadata->get_object().erase("annotations");
    }
  }
  JsonObject& annotations = object.at("metadata").at("annotations").get_object();
  annotations[kLastApplied] = GoJson(applied) + "\n";
  std::size_t bytes = 0;
  for (const auto& annotation : annotations) {
    bytes += annotation.key().size() + (annotation.value().is_string() ? annotation.value().get_string().size() : 0);
  }
  if (bytes > kMaxAnnotationBytes) annotations.erase(kLastApplied);
}

// Who owns what of `live` when `config` comes to be applied; refuses what cannot be.
PatchResult<ManagedFields> OwnersBeforeApply(const Json& live, const Json& config, Time now,
                                             const FieldManagement& kind) {
  const std::string_view api_version = StringAt(config, {"apiVersion"});
  const std::string_view kind_name = StringAt(config, {"kind"});
  if (api_version != kind.api_version || kind_name != kind.kind) {
    return FailPatch(Kind::kBadRequest, "invalid object type: {}", GroupVersionKind(api_version, kind_name));
  }
  auto managed = ReadManagedFields(live);
  if (!managed) return FailPatch(Kind::kInternal, "failed to decode managed fields: {}", managed.error().message);
  if (managed->empty()) {
    const Status owned = OwnUpdate(NewObject(kind), live, "before-first-apply", kind, now, *managed);
    if (!owned) {
      return FailPatch(Kind::kInternal, "failed to create manager for existing fields: {}", owned.error().message);
    }
  }
  const Json* entries = FindPath(config, {"metadata", "managedFields"});
  if (entries != nullptr && entries->is_array()) {
    return FailPatch(Kind::kBadRequest, "metadata.managedFields must be nil");
  }
  const Structure structure = StructureOf(*kind.schema);
  if (const Status fits = CheckStructure(config, structure, Duplicates::kRefused); !fits) {
    return FailPatch(Kind::kInternal, "failed to create typed patch object ({}): {}", Describe(config, kind),
                     fits.error().message);
  }
  if (const Status fits = CheckStructure(live, structure, Duplicates::kAllowed); !fits) {
    return FailPatch(Kind::kInternal, "failed to create typed live object ({}): {}", Describe(live, kind),
                     fits.error().message);
  }
  return std::move(*managed);
}

}  // namespace

std::string ManagerFromUserAgent(std::string_view user_agent) {
  std::string manager;
  for (std::string_view rest = user_agent.substr(0, user_agent.find('/')); !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(Utf8Length(rest), 1);
    const std::string_view character = rest.substr(0, length);
    rest.remove_prefix(length);
    if (GoQuoted(character).starts_with("\"\\") && character != "\\" && character != "\"") continue;
    if (manager.size() + length > kMaxManagerBytes) break;
    manager += character;
  }
  return manager;
}

Json UpdateManagedFields(const Json* before, Json after, std::string_view manager, const FieldManagement& kind,
                         Time now) {
  KU_CHECK(kind.schema != nullptr) << kind.api_version << " " << kind.kind;
  const Json fresh = before == nullptr ? NewObject(kind) : Json();
  const Json& live = before == nullptr ? fresh : *before;
  ManagedFields managed;
  if (!kind.subresource.empty()) {
    // Entries sent to a subresource do not count.
    managed = ReadManagedFields(live).value_or(ManagedFields());
  } else if (!ResetsManagedFields(after)) {
    // A client that does not know managedFields must not delete it by accident.
    managed = ReadManagedFields(after).value_or(ManagedFields());
    if (managed.empty()) managed = ReadManagedFields(live).value_or(ManagedFields());
  }
  RemoveManagedFields(after);
  // Whoever has reset the entries of an object does without until the next apply.
  if (managed.empty() && !StringAt(live, {"metadata", "uid"}).empty()) return after;
  if (OwnUpdate(live, after, manager, kind, now, managed)) {
    WriteManagedFields(managed, after);
  } else if (const Json* entries = FindPath(live, {"metadata", "managedFields"})) {
    if (Json* metadata = after.is_object() ? after.get_object().if_contains("metadata") : nullptr) {
      if (metadata->is_object()) metadata->get_object()["managedFields"] = *entries;
    }
  }
  return after;
}

PatchResult<Json> Apply(const Json* before, const Json& config, const ApplyOptions& options,
                        const FieldManagement& kind) {
  KU_CHECK(kind.schema != nullptr) << kind.api_version << " " << kind.kind;
  const Json fresh = before == nullptr ? NewObject(kind) : Json();
  const Json& live = before == nullptr ? fresh : *before;
  auto managed = OwnersBeforeApply(live, config, options.now, kind);
  if (!managed) return tl::unexpected<PatchError>(std::move(managed).error());
  const Manager manager = ManagerOf(options.manager, Operation::kApply, kind);
  const std::string self = manager.Id();
  const TypedObject typed_live = Typed(live, kind);
  const TypedObject typed_config = Typed(config, kind);
  const ManagedFields managed_before = *managed;
  auto applied = ApplyConfig(typed_live, typed_config, self, options.force, kind, *managed);
  if (!applied && options.manager == kKubectl) {
    const FieldSet allowed = LastAppliedFields(live, kind);
    Conflicts conflicts = applied.error();
    std::erase_if(conflicts, [&](const Conflict& conflict) { return allowed.Has(conflict.path); });
    if (!conflicts.empty()) return tl::unexpected<PatchError>(ConflictError(conflicts));
    *managed = managed_before;
    applied = ApplyConfig(typed_live, typed_config, self, /*force=*/true, kind, *managed);
  }
  if (!applied) return tl::unexpected<PatchError>(ConflictError(applied.error()));

  if (const auto found = managed->find(self); found != managed->end()) found->second.manager = manager;
  DropUnowned(self, *managed);
  const bool changed = !ValuesEqual(live, applied->object());
  Json object = changed ? applied->object() : live;
  if (const auto found = managed->find(self); changed && found != managed->end()) found->second.time = options.now;
  RemoveManagedFields(object);
  if (options.manager == kKubectl) KeepLastApplied(config, object);
  WriteManagedFields(*managed, object);
  return object;
}

namespace {

using Equal = std::function<bool(const Json&, const Json&)>;

// Whether two objects are equal where `member` is compared by `equal`.
bool EqualBut(const Json& a, const Json& b, std::string_view member, const Equal& equal) {
  if (!a.is_object() || !b.is_object()) return ValuesEqual(a, b);
  const JsonObject& left = a.get_object();
  const JsonObject& right = b.get_object();
  return left.contains(member) == right.contains(member) && left.size() == right.size() &&
         std::all_of(left.begin(), left.end(), [&](const auto& entry) {
           const Json* other = right.if_contains(entry.key());
           if (other == nullptr) return false;
           return std::string_view(entry.key()) == member ? equal(entry.value(), *other)
                                                          : ValuesEqual(entry.value(), *other);
         });
}

// Whether two lists of managedFields are equal but for their times.
bool EqualEntries(const Json& a, const Json& b) {
  if (!a.is_array() || !b.is_array()) return ValuesEqual(a, b);
  const auto untimed = [](Json entry) {
    if (entry.is_object()) entry.get_object().erase("time");
    return entry;
  };
  return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(),
                    [&](const Json& x, const Json& y) { return ValuesEqual(untimed(x), untimed(y)); });
}

}  // namespace

bool EqualButForTimes(const Json& before, const Json& after) {
  return EqualBut(before, after, "metadata",
                  [](const Json& a, const Json& b) { return EqualBut(a, b, "managedFields", EqualEntries); });
}

}  // namespace kumiko::api
