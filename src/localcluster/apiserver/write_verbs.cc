// create, update and patch.
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/server_side_apply.h"
#include "api/patch/strategic_merge.h"
#include "kube/typed.h"
#include "localcluster/apiserver/field_management.h"
#include "localcluster/apiserver/resource_api.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

kube::ApiError ErrorOf(const ResourceCall& call, const api::PatchError& error) {
  using Kind = api::PatchError::Kind;
  kube::ApiError answer{.message = error.message,
                        .group = std::string(call.kind.group),
                        .kind = std::string(call.kind.plural),
                        .name = call.key.name};
  switch (error.kind) {
    case Kind::kBadRequest:
      return {.reason = StatusReason::kBadRequest, .message = error.message};
    case Kind::kUnprocessable:
      answer.reason = StatusReason::kInvalid;
      answer.message = std::string(api::kUnprocessableText);
      return answer;
    case Kind::kTooLarge:
      return {.reason = StatusReason::kRequestEntityTooLarge, .message = error.message};
    case Kind::kConflict:
      answer.reason = StatusReason::kConflict;
      for (const auto& cause : error.causes) {
        answer.causes.push_back({"FieldManagerConflict", cause.message, cause.field});
      }
      return answer;
    case Kind::kInternal:
      return {.reason = StatusReason::kInternalError, .message = error.message};
  }
  return answer;
}

template <class T>
kube::ApiResult<T> ToAnswer(const ResourceCall& call, api::PatchResult<T> result) {
  if (!result) return Refuse(ErrorOf(call, result.error()));
  return std::move(*result);
}

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

std::string_view PatchTypeOf(const HttpRequest& request) {
  const std::string_view type = request.Header("Content-Type");
  return type.substr(0, type.find(';'));
}

// A patch cannot turn an object into another one.
kube::ApiResult<Json> StillTheSame(const ResourceCall& call, const Json& current, Json patched) {
  if (!patched.is_object() || !Find(patched, "metadata") || !patched.at("metadata").is_object()) {
    return Refuse(StatusReason::kBadRequest, "the patch leaves no {} behind", call.kind.kind);
  }
  for (const std::string_view name : {"apiVersion", "kind"}) {
    const Json* now = Find(patched, name);
    if (now == nullptr || *now != current.at(name)) {
      return Refuse(StatusReason::kBadRequest, "a patch may not change {}", name);
    }
  }
  return patched;
}

}  // namespace

kube::ApiResult<WriteOptions> ResourceApi::WriteOptionsOf(const ResourceCall& call) const {
  KU_TRY_API(std::string manager, FieldManagerOf(call));
  return UpdateOptions(call, std::move(manager), clock_.Now());
}

ResourceApi::Answered ResourceApi::Create(const ResourceCall& call) {
  KU_TRY_API(const Json object, ReadObject(call));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  KU_TRY_API(const auto created, store_.CreateObject(object, options));
  return Written(call, 201, *created);
}

ResourceApi::Answered ResourceApi::Update(const ResourceCall& call, kube::Subresource subresource) {
  KU_TRY_API(Json object, ReadObject(call));
  KU_TRY_API(const Json sent, call.ToStored(std::move(object)));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  const auto edit = [&](const Json&) -> kube::ApiResult<Json> { return sent; };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, options));
  return Written(call, 200, *stored);
}

kube::ApiResult<Json> ApplyPatch(const ResourceCall& call, const Json& current, const Json& patch) {
  const std::string_view type = PatchTypeOf(call.http);
  Json patched = current;
  if (type == "application/json-patch+json") {
    KU_TRY_API(const auto warnings, ToAnswer(call, api::CheckJsonPatch(patch)));
    KU_TRY_API(patched, ToAnswer(call, api::ApplyJsonPatch(current, patch)));
  } else if (type == "application/merge-patch+json" ||
             (type == "application/strategic-merge-patch+json" && call.custom() == nullptr)) {
    if (!patch.is_object()) {
      return Refuse(StatusReason::kBadRequest, "a merge patch is a map, got a {}", JsonTypeName(patch));
    }
    const api::Schema* schema = type.starts_with("application/strategic") ? FieldManagementOf(call).schema : nullptr;
    if (schema != nullptr) {
      KU_TRY_API(patched, ToAnswer(call, api::StrategicMerge(current, patch, *schema)));
    } else {
      api::MergePatch(patched, patch);
    }
  } else {
    return Refuse(StatusReason::kUnsupportedMediaType,
                  "the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml, "
                  "application/strategic-merge-patch+json");
  }
  return StillTheSame(call, current, std::move(patched));
}

ResourceApi::Answered ResourceApi::Patch(const ResourceCall& call, kube::Subresource subresource) {
  if (PatchTypeOf(call.http) == kApplyPatch) return Apply(call, subresource);
  if (call.info.query.Has("force")) {
    return Refuse(
        StatusReason::kInvalid,
        "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply patch");
  }
  KU_TRY_API(const Json patch, ReadBody(call.http));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    KU_TRY_API(Json patched, ApplyPatch(call, call.InVersion(current), patch));
    call.warnings.clear();  // of an earlier try
    KU_TRY_API(patched, Decode(call, std::move(patched)));
    return call.ToStored(std::move(patched));
  };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, options));
  return Written(call, 200, *stored);
}

ResourceApi::Answered ResourceApi::Apply(const ResourceCall& call, kube::Subresource subresource) {
  if (call.info.query.Get("fieldManager").empty()) {
    return Refuse(
        StatusReason::kInvalid,
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
  }
  KU_TRY_API(const std::string manager, FieldManagerOf(call));
  KU_TRY_API(const JsonWithDuplicates config, ReadUndecoded(call));
  const api::ApplyOptions apply{.manager = manager, .force = call.info.query.IsTrue("force"), .now = clock_.Now()};
  const api::FieldManagement management = FieldManagementOf(call);
  if (management.schema == nullptr) {
    return Refuse(StatusReason::kUnsupportedMediaType, "{} cannot be applied", call.kind.plural);
  }
  // Ownership is told by the object in the path's version, as it comes out of the apply.
  Json applied;
  const auto edit = [&](const Json* current) -> kube::ApiResult<Json> {
    std::optional<Json> shown;
    if (current != nullptr) shown = call.InVersion(*current);
    KU_TRY_API(applied, ToAnswer(call, api::Apply(shown ? &*shown : nullptr, config.value, apply, management)));
    call.warnings.clear();
    KU_TRY_API(Json decoded, Decode(call, applied, config.duplicates));
    return call.ToStored(std::move(decoded));
  };
  WriteOptions options{.dry_run = call.dry_run()};
  options.finish = [&](const Json* before, Json after) -> kube::ApiResult<Json> {
    TakeManagedFields(applied, after);
    if (before != nullptr && api::EqualButForTimes(*before, after)) return *before;
    return after;
  };
  for (;;) {
    const auto changed =
        store_.ChangeObject(call.key, subresource, [&](const Json& current) { return edit(&current); }, options);
    if (changed) return Written(call, 200, **changed);
    if (changed.error().reason != StatusReason::kNotFound || subresource != kube::Subresource::kNone) {
      return Refuse(changed.error());
    }
    KU_TRY_API(const Json fresh, edit(nullptr));
    const auto created = store_.CreateObject(fresh, options);
    if (created) return Written(call, 201, **created);
    if (created.error().reason != StatusReason::kAlreadyExists) return Refuse(created.error());
  }
}

}  // namespace kumiko::localcluster
