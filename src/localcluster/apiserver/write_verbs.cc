// create, update and patch.
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "kube/typed.h"
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

WriteOptions ResourceApi::WriteOptionsOf(const ResourceCall& call, std::string_view) const {
  return {.dry_run = call.dry_run()};
}

ResourceApi::Answered ResourceApi::Create(const ResourceCall& call) {
  KU_TRY_API(const Json object, ReadObject(call));
  KU_TRY_API(const auto created, store_.CreateObject(object, WriteOptionsOf(call, "Update")));
  return Written(call, 201, *created);
}

ResourceApi::Answered ResourceApi::Update(const ResourceCall& call, kube::Subresource subresource) {
  KU_TRY_API(Json object, ReadObject(call));
  KU_TRY_API(const Json sent, call.ToStored(std::move(object)));
  const auto edit = [&](const Json&) -> kube::ApiResult<Json> { return sent; };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, WriteOptionsOf(call, "Update")));
  return Written(call, 200, *stored);
}

kube::ApiResult<Json> ApplyPatch(const ResourceCall& call, const Json& current, const Json& patch) {
  const std::string_view type = PatchTypeOf(call.http);
  Json patched = current;
  if (type == "application/json-patch+json") {
    KU_TRY_API(const auto warnings, ToAnswer(call, api::CheckJsonPatch(patch)));
    KU_TRY_API(patched, ToAnswer(call, api::ApplyJsonPatch(current, patch)));
  } else if (type == "application/merge-patch+json" || type == "application/strategic-merge-patch+json") {
    if (!patch.is_object()) {
      return Refuse(StatusReason::kBadRequest, "a merge patch is a map, got a {}", JsonTypeName(patch));
    }
    api::MergePatch(patched, patch);
  } else {
    return Refuse(StatusReason::kUnsupportedMediaType,
                  "the body of the request was in an unknown format - accepted media types include: "
                  "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml, "
                  "application/strategic-merge-patch+json");
  }
  return StillTheSame(call, current, std::move(patched));
}

ResourceApi::Answered ResourceApi::Patch(const ResourceCall& call, kube::Subresource subresource) {
  KU_TRY_API(const Json patch, ReadBody(call.http));
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    KU_TRY_API(Json patched, ApplyPatch(call, call.InVersion(current), patch));
    call.warnings.clear();  // of an earlier try
    KU_TRY_API(patched, Decode(call, std::move(patched)));
    return call.ToStored(std::move(patched));
  };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, WriteOptionsOf(call, "Update")));
  return Written(call, 200, *stored);
}

}  // namespace kumiko::localcluster
