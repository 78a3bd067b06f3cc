#include "localcluster/apiserver/patches.h"

#include "api/patch/go_text.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "api/schema/go_error_text.h"
#include "localcluster/apiserver/field_management.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

// What an error is about that is not about an object.
const api::KindInfo kNoKind{.version = "", .kind = "", .plural = ""};

// As encoding/json names a value that is no map.
std::string_view GoName(const Json& value) {
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  return value.is_bool() ? "bool" : "number";
}

template <class T>
kube::ApiResult<T> ToAnswer(const ResourceCall& call, api::PatchResult<T> result) {
  if (!result) return Refuse(ErrorOf(call, result.error()));
  return std::move(*result);
}

bool Serves(const ResourceCall& call, std::string_view media_type) {
  return media_type == kJsonPatch || media_type == kMergePatch ||
         (media_type == kStrategicPatch && call.custom() == nullptr);
}

// What is wrong with the object that a patch leaves behind.
tl::unexpected<kube::ApiError> RefusePatched(const PatchBody& body, const Json& patched, std::string_view why) {
  const std::string shown = body.media_type == kStrategicPatch ? api::GoValue(body.patch) : WriteJson(patched);
  const api::FieldError error = api::InvalidValue("patch", Json(shown), why);
  return Refuse(kube::Invalid(kNoKind, "", std::span(&error, 1)));
}

// A patch cannot turn an object into another one.
kube::ApiResult<Json> StillTheSame(const ResourceCall& call, const Json& current, Json patched) {
  const std::string_view namespace_ = StringAt(patched, {"metadata", "namespace"});
  if (call.kind.namespaced && !namespace_.empty() && namespace_ != StringAt(current, {"metadata", "namespace"})) {
    return Refuse(StatusReason::kBadRequest,
                  "the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string_view name = StringAt(patched, {"metadata", "name"});
  if (name.empty()) {
    return Refuse(StatusReason::kBadRequest,
                  "the name of the object ({} based on URL) was undeterminable: name must be provided", call.key.name);
  }
  if (name != call.key.name) {
    return Refuse(StatusReason::kBadRequest, "the name of the object ({}) does not match the name on the URL ({})",
                  name, call.key.name);
  }
  return patched;
}

}  // namespace

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
      return {.reason = StatusReason::kInvalid, .message = std::string(api::kUnprocessableText)};
    case Kind::kTooLarge:
      return {.reason = StatusReason::kRequestEntityTooLarge, .message = error.message};
    case Kind::kConflict:
      answer.reason = StatusReason::kConflict;
      for (const auto& cause : error.causes) {
        answer.causes.push_back({"FieldManagerConflict", cause.message, cause.field});
      }
      return answer;
    case Kind::kInternal:
      return {.reason = StatusReason::kUnknown, .message = error.message};
  }
  return answer;
}

std::string_view PatchTypeOf(const HttpRequest& request) {
  const std::string_view type = request.Header("Content-Type");
  return type.substr(0, type.find(';'));
}

kube::ApiResult<PatchBody> ReadPatch(const ResourceCall& call) {
  PatchBody body{.media_type = PatchTypeOf(call.http), .patch = {}, .strict_errors = {}};
  if (!Serves(call, body.media_type)) {
    return Refuse(StatusReason::kUnsupportedMediaType,
                  "the body of the request was in an unknown format - accepted media types include: {}, {}, "
                  "application/apply-patch+yaml{}",
                  kJsonPatch, kMergePatch, call.custom() == nullptr ? ", application/strategic-merge-patch+json" : "");
  }
  Result<JsonWithDuplicates> read = ParseJsonWithDuplicates(call.http.body);
  if (!read) return Refuse(StatusReason::kBadRequest, "invalid JSON patch");
  body.strict_errors = api::StrictErrorsOf(read->duplicates);
  body.patch = std::move(read->value);
  if (body.media_type == kJsonPatch) {
    for (std::string& error : body.strict_errors) error.insert(0, "json patch ");
    KU_TRY_API(const auto unknown, ToAnswer(call, api::CheckJsonPatch(body.patch)));
    body.strict_errors.insert(body.strict_errors.end(), unknown.begin(), unknown.end());
  } else if (!body.patch.is_object()) {
    return Refuse(StatusReason::kBadRequest,
                  "{}json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                  body.media_type == kMergePatch ? "error decoding patch: " : "", GoName(body.patch));
  }
  return body;
}

kube::ApiResult<Json> ApplyPatch(const ResourceCall& call, const Json& current, const PatchBody& body) {
  if (body.media_type == kJsonPatch) return ToAnswer(call, api::ApplyJsonPatch(current, body.patch));
  if (body.media_type == kStrategicPatch) {
    if (const api::Schema* schema = FieldManagementOf(call).schema) {
      return ToAnswer(call, api::StrategicMerge(current, body.patch, *schema));
    }
  }
  Json patched = current;
  api::MergePatch(patched, body.patch);
  return patched;
}

kube::ApiResult<Json> PatchObject(const ResourceCall& call, const Json& current, const PatchBody& body) {
  KU_TRY_API(Json patched, ApplyPatch(call, current, body));
  const bool strategic = body.media_type == kStrategicPatch;
  if (!patched.is_object()) {
    return RefusePatched(body, patched,
                         fmt::format("json: cannot unmarshal {} into Go value of type {}.{}", GoName(patched),
                                     call.version.version, call.kind.kind));
  }
  for (const std::string_view member : {"apiVersion", "kind"}) {
    const std::string_view now = StringAt(patched, {member});
    if (!strategic && !now.empty() && now != StringAt(current, {member})) {
      return RefusePatched(body, patched,
                           fmt::format("no kind \"{}\" is registered for version \"{}\" in scheme "
                                       "\"pkg/runtime/scheme.go:111\"",
                                       StringAt(patched, {"kind"}), StringAt(patched, {"apiVersion"})));
    }
    patched.get_object()[member] = current.at(member);
  }
  call.warnings.clear();  // of an earlier try
  // A strategic merge patch that fails is told of by the patch itself.
  Json to_decode = strategic ? std::move(patched) : patched;
  Result<Json> decoded = DecodeObject(call, std::move(to_decode),
                                      {.duplicates = {},
                                       .strict_errors = body.strict_errors,
                                       .from = strategic ? api::ReadFrom::kTree : api::ReadFrom::kText});
  if (!decoded) return RefusePatched(body, patched, decoded.error().message);
  if (Find(*decoded, "metadata") == nullptr) decoded->get_object()["metadata"] = JsonObject();
  return StillTheSame(call, current, std::move(*decoded));
}

}  // namespace kumiko::localcluster
