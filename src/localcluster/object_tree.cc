#include "localcluster/object_tree.h"

#include <algorithm>
#include <array>

#include "api/schema/definition_check.h"
#include "api/validation.h"
#include "localcluster/definitions.h"
#include "localcluster/service_strategy.h"
#include "localcluster/strategies.h"
#include "localcluster/update_rules.h"

namespace kumiko::localcluster {
namespace {

// Set by the server when an object is created or deleted; whatever a client sends for them is replaced.
constexpr std::array<std::string_view, 5> kServerOwned = {"uid", "creationTimestamp", "generation", "deletionTimestamp",
                                                          "deletionGracePeriodSeconds"};

// A kubelet registers its node with status; for all other kinds a new object has none.
bool KeepsStatusOnCreate(std::string_view kind) {
  return kind == "Node";
}

bool IsEmptyList(const Json* value) {
  return value == nullptr || value->is_null() || (value->is_array() && value->get_array().empty());
}

// Objects are large, so nothing is copied that does not stay.
void MoveMember(Json& from, Json& to, std::string_view name) {
  if (Json* member = from.as_object().if_contains(name)) {
    to.as_object()[name] = std::move(*member);
  } else {
    to.as_object().erase(name);
  }
}

// `object` but for its status.
Json WithoutStatus(const Json& object) {
  JsonObject members;
  for (const auto& [name, value] : object.get_object()) {
    if (name != "status") members.emplace(name, value);
  }
  return members;
}

void CopyMember(const Json& from, Json& to, std::string_view name) {
  if (const Json* member = Find(from, name)) {
    to.as_object()[name] = *member;
  } else {
    to.as_object().erase(name);
  }
}

std::int64_t IntegerAt(const Json& object, std::initializer_list<std::string_view> path, std::int64_t fallback) {
  const Json* value = FindPath(object, path);
  if (value == nullptr || !value->is_number()) return fallback;
  boost::system::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? fallback : number;
}

// Pods that never started or have ended have nothing to stop.
std::int64_t GraceOf(const Json& object, const kube::DeleteOptions& options) {
  if (StringAt(object, {"kind"}) != "Pod" || StringAt(object, {"spec", "nodeName"}).empty()) return 0;
  const std::string_view phase = StringAt(object, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return 0;
  if (options.grace_period_seconds) return std::max<std::int64_t>(0, *options.grace_period_seconds);
  return IntegerAt(object, {"spec", "terminationGracePeriodSeconds"}, 30);
}

void AddFinalizer(Json& object, std::string_view finalizer) {
  Json& list = MetadataOf(object)["finalizers"];
  if (!list.is_array()) list = JsonArray();
  JsonArray& finalizers = list.get_array();
  const bool present = std::any_of(finalizers.begin(), finalizers.end(), [&](const Json& item) {
    return item.is_string() && std::string_view(item.get_string()) == finalizer;
  });
  if (!present) finalizers.emplace_back(finalizer);
}

// Everything but metadata, and status where it is written apart, is what is wanted.
void CountCustomChange(const ServedKind& kind, const Json& before, Json& after) {
  const auto wanted = [&](const Json& object) {
    JsonObject members = object.get_object();
    members.erase("metadata");
    if (kind.info->has_status) members.erase("status");
    return members;
  };
  if (wanted(before) == wanted(after)) return;
  MetadataOf(after)["generation"] = IntegerAt(before, {"metadata", "generation"}, 0) + 1;
}

Result<Json> DecodeCustom(const ServedKind& kind, Json object) {
  KU_TRY(auto decoded, kind.custom->stored().schema->Decode(std::move(object)));
  return std::move(decoded.object);
}

}  // namespace

JsonObject& MetadataOf(Json& object) {
  Json& metadata = object.as_object()["metadata"];
  if (!metadata.is_object()) metadata = JsonObject();
  return metadata.get_object();
}

Result<Json> ToStored(const ServedKind& kind, Json object) {
  if (kind.custom == nullptr) return api::ToStored(std::move(object));
  // Versions differ in their schema only: there is no conversion but that of the name.
  object.as_object()["apiVersion"] = kind.info->ApiVersion();
  return object;
}

Result<Json> PrepareCreate(const ServedKind& served, Json object, const Owning& own) {
  KU_TRY(Json stored, ToStored(served, std::move(object)));
  const Json* metadata_sent = Find(stored, "metadata");
  if (metadata_sent != nullptr && !metadata_sent->is_object() && !metadata_sent->is_null()) {
    return Fail(Code::kInvalidArgument, "metadata: expected a map, got {}", JsonTypeName(*metadata_sent));
  }
  const std::string kind(StringAt(stored, {"kind"}));
  const api::KindInfo& info = *served.info;
  JsonObject& metadata = MetadataOf(stored);
  for (const std::string_view name : kServerOwned) metadata.erase(name);
  metadata.erase("resourceVersion");
  metadata.erase("managedFields");
  if (!info.namespaced) {
    metadata.erase("namespace");
  } else if (StringAt(stored, {"metadata", "namespace"}).empty()) {
    metadata["namespace"] = "default";
  }
  if (info.has_status && !KeepsStatusOnCreate(kind)) stored.as_object().erase("status");
  if (served.custom != nullptr) {
    KU_TRY(stored, DecodeCustom(served, std::move(stored)));
    if (own) own(nullptr, stored);
    return stored;
  }
  api::SetDefaults(stored);
  if (own) own(nullptr, stored);
  if (kind == "CustomResourceDefinition") PrepareDefinition(stored);
  if (kind == "Service") ChooseFamilies(stored);
  if (kind == "Namespace") {
    stored.as_object()["spec"] = JsonObject{{"finalizers", JsonArray{"kubernetes"}}};
    stored.as_object()["status"] = JsonObject{{"phase", "Active"}};
  }
  return stored;
}

Json PrepareUpdate(const ServedKind& kind, const Json& before, Json sent, kube::Subresource subresource,
                   const Owning& own) {
  if (subresource == kube::Subresource::kStatus) {
    Json after = WithoutStatus(before);
    MoveMember(sent, after, "status");
    // Its controller counts the revision in an annotation, together with the status; that is no change of what is
    // wanted.
    if (StringAt(before, {"kind"}) == "Deployment") {
      if (const Json* metadata = Find(sent, "metadata"); metadata != nullptr && metadata->is_object()) {
        CopyMember(*metadata, after.as_object()["metadata"], "annotations");
      }
    }
    if (kind.custom == nullptr) api::SetDefaults(after);
    if (own) own(&before, after);
    return after;
  }
  Json after = std::move(sent);
  if (kind.info->has_status) CopyMember(before, after, "status");
  const Json& metadata_before = before.as_object().at("metadata");
  Json metadata = MetadataOf(after);
  for (const std::string_view name : kServerOwned) CopyMember(metadata_before, metadata, name);
  for (const std::string_view name : {"name", "namespace", "resourceVersion"}) {
    CopyMember(metadata_before, metadata, name);
  }
  after.as_object()["metadata"] = std::move(metadata);
  if (kind.custom != nullptr) {
    if (own) own(&before, after);
    CountCustomChange(kind, before, after);
    return after;
  }
  api::SetDefaults(after);
  if (own) own(&before, after);
  if (kind.info->kind == "Service") {
    KeepService(before, after);
    ChooseFamilies(after);
  }
  if (kind.info->kind == "CustomResourceDefinition") PrepareDefinition(after);
  CountChange(before, after);
  return after;
}

std::vector<api::FieldError> CheckObject(const ServedKind& kind, const Json& object, const Json* before) {
  if (kind.custom != nullptr) {
    api::FieldErrors wrong;
    const Result<api::ObjectMeta> meta = api::Decode<api::ObjectMeta>(object.at("metadata"));
    if (!meta) return {{"metadata", meta.error().message}};
    api::ValidateMeta(*meta, api::FieldPath("metadata"), kind.info->namespaced, api::CheckDnsSubdomain, wrong);
    std::vector<api::FieldError> errors = wrong.Take();
    for (api::FieldError& error : kind.custom->stored().schema->Validate(object, before)) {
      errors.push_back(std::move(error));
    }
    return errors;
  }
  if (kind.info->kind == "CustomResourceDefinition") return api::CheckDefinition(object, before);
  std::vector<api::FieldError> errors = api::Validate(object);
  if (before == nullptr) return errors;
  std::vector<api::FieldError> of_change = CheckUpdate(*before, object);
  // The order is the API server's, which looks at the change of these kinds first.
  const bool change_first =
      kind.info->kind == "ConfigMap" || kind.info->kind == "Secret" || kind.info->kind == "Service";
  if (change_first) std::swap(errors, of_change);
  errors.insert(errors.end(), of_change.begin(), of_change.end());
  return errors;
}

void StampCreated(const ServedKind& kind, Json& object, const std::string& uid, Time now) {
  JsonObject& metadata = MetadataOf(object);
  metadata["uid"] = uid;
  metadata["creationTimestamp"] = FormatRfc3339(now);
  if (kind.info->counts_generations) metadata["generation"] = 1;
  if (kind.info->kind == "CustomResourceDefinition") AcceptDefinition(object, now);
  if (kind.custom == nullptr) WriteGenerated(object);
}

bool MayGo(const Json& object) {
  if (FindPath(object, {"metadata", "deletionTimestamp"}) == nullptr) return false;
  if (!IsEmptyList(FindPath(object, {"metadata", "finalizers"}))) return false;
  if (StringAt(object, {"kind"}) == "Namespace" && !IsEmptyList(FindPath(object, {"spec", "finalizers"}))) return false;
  return IntegerAt(object, {"metadata", "deletionGracePeriodSeconds"}, 0) == 0;
}

std::optional<Json> PrepareDelete(const Json& object, const kube::DeleteOptions& options, Time now) {
  Json after = object;
  switch (options.propagation) {
    case kube::Propagation::kBackground:
      break;
    case kube::Propagation::kForeground:
      AddFinalizer(after, kForegroundFinalizer);
      break;
    case kube::Propagation::kOrphan:
      AddFinalizer(after, kOrphanFinalizer);
      break;
  }
  const std::int64_t grace = GraceOf(object, options);
  JsonObject& metadata = MetadataOf(after);
  const bool first = !metadata.contains("deletionTimestamp");
  if (first) {
    if (StringAt(object, {"kind"}) == "CustomResourceDefinition") AddFinalizer(after, kDefinitionFinalizer);
    if (const std::int64_t generation = IntegerAt(object, {"metadata", "generation"}, 0); generation > 0) {
      metadata["generation"] = generation + 1;
    }
    metadata["deletionTimestamp"] = FormatRfc3339(now + std::chrono::seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
  } else if (grace < IntegerAt(object, {"metadata", "deletionGracePeriodSeconds"}, 0)) {
    metadata["deletionTimestamp"] = FormatRfc3339(now + std::chrono::seconds(grace));
    metadata["deletionGracePeriodSeconds"] = grace;
  }
  if (StringAt(object, {"kind"}) == "Namespace") {
    Json& status = after.as_object()["status"];
    if (!status.is_object()) status = JsonObject();
    status.get_object()["phase"] = "Terminating";
  }
  if (MayGo(after)) return std::nullopt;
  return after;
}

}  // namespace kumiko::localcluster
