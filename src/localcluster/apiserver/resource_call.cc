#include "localcluster/apiserver/resource_call.h"

#include <fmt/format.h>

#include "api/protobuf/protobuf_object.h"
#include "api/schema/field_validation.h"
#include "base/text.h"
#include "base/yaml.h"
#include "localcluster/object_tree.h"
#include "localcluster/ownership.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

std::string_view MediaType(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';'));
}

kube::ApiResult<Json> ParseYaml(std::string_view text) {
  const auto documents = ParseYamlDocuments(text, "the request");
  if (!documents) return Refuse(StatusReason::kBadRequest, "{}", documents.error().message);
  if (documents->size() != 1) {
    return Refuse(StatusReason::kBadRequest, "the request has {} YAML documents; send one", documents->size());
  }
  return documents->front().value;
}

TableOptions::Include IncludeOf(std::string_view text) {
  if (text == "None") return TableOptions::Include::kNone;
  if (text == "Object") return TableOptions::Include::kObject;
  return TableOptions::Include::kMetadata;
}

// As much of a body as a message shows.
std::string BeginningOf(std::string_view body) {
  constexpr std::size_t kShown = 30;
  if (body.empty()) return "<empty>";
  if (body.front() == '{' && !FindInvalidUtf8(body.substr(0, kShown))) {
    return body.size() > kShown ? fmt::format("{} ...", body.substr(0, kShown)) : std::string(body);
  }
  std::string hex;
  for (const char byte : body.substr(0, kShown)) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return body.size() > kShown ? hex + " ..." : hex;
}

// `type` is what a protobuf body without one is of.
kube::ApiResult<JsonWithDuplicates> ReadTyped(const HttpRequest& request, const api::ObjectType& type_of_path) {
  const std::string_view type = MediaType(request.Header("Content-Type"));
  if (type == "application/yaml" || type == "application/apply-patch+yaml") {
    // Most clients that say YAML send JSON, which is read ten times as fast.
    if (auto json = ParseJsonWithDuplicates(request.body)) return std::move(*json);
    KU_TRY_API(Json object, ParseYaml(request.body));
    return JsonWithDuplicates{std::move(object), {}};
  }
  if (type == "application/vnd.kubernetes.protobuf") {
    Result<Json> object = api::ReadProtobufObject(request.body, type_of_path);
    if (!object) return Refuse(StatusReason::kBadRequest, "error decoding the body: {}", object.error().message);
    return JsonWithDuplicates{std::move(*object), {}};
  }
  if (!type.empty() && type != "application/json" && !type.ends_with("+json")) {
    return Refuse(StatusReason::kUnsupportedMediaType,
                  "the body of the request was in an unknown format - accepted media types include: application/json, "
                  "application/yaml");
  }
  auto json = ParseJsonWithDuplicates(request.body);
  if (json) return std::move(*json);
  if (type_of_path.kind.empty()) {
    return Refuse(StatusReason::kBadRequest, "error decoding the body: {}", json.error().message);
  }
  // The commonest mistake is said as Go says it; of others our own sentence has the line and column.
  const bool cut_off = json.error().message.ends_with("the text ends in the middle of a value");
  return Refuse(
      StatusReason::kBadRequest,
      "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: {} ({})",
      type_of_path.kind, cut_off ? "unexpected end of JSON input" : json.error().message, BeginningOf(request.body));
}

// What the API server says about an object of another kind that is built in, by the names of its packages.
std::optional<kube::ApiError> NoConversion(const ResourceCall& call, const Json& object) {
  const api::KindInfo* sent = api::FindKind(StringAt(object, {"kind"}));
  if (sent == nullptr || sent->ApiVersion() != StringAt(object, {"apiVersion"}) || call.custom() != nullptr) return {};
  const std::string_view package = call.kind.group.empty() ? "core" : Split(call.kind.group, '.').front();
  return kube::ApiError{
      .reason = StatusReason::kBadRequest,
      .message = fmt::format("{0} in version \"{1}\" cannot be handled as a {2}: converting ({1}.{0}) to ({3}.{2}): "
                             "unknown conversion",
                             sent->kind, sent->version, call.kind.kind, package)};
}

}  // namespace

kube::ApiResult<ObjectWriting> ResourceCall::Writing(Time now) const {
  KU_TRY_API(const Form form, ReadForm(http.Header("Accept")));
  return ObjectWriting{.served = served,
                       .kind = &kind,
                       .custom = custom(),
                       .version = version,
                       .form = form,
                       .table = {.include = IncludeOf(info.query.Get("includeObject")), .now = now}};
}

std::optional<Json> ResourceCall::InOtherVersion(const Json& stored) const {
  return localcluster::InOtherVersion(stored, version);
}

Json ResourceCall::InVersion(const Json& stored) const {
  std::optional<Json> object = InOtherVersion(stored);
  if (object) return std::move(*object);
  return stored;
}

kube::ApiResult<Json> ResourceCall::ToStored(Json object) const {
  Result<Json> stored = localcluster::ToStored(served, std::move(object));
  if (!stored) return Refuse(StatusReason::kBadRequest, "{}", stored.error().message);
  return std::move(*stored);
}

kube::ApiResult<Json> ReadBody(const HttpRequest& request) {
  KU_TRY_API(JsonWithDuplicates body, ReadBodyWithDuplicates(request));
  return std::move(body.value);
}

kube::ApiResult<JsonWithDuplicates> ReadBodyWithDuplicates(const HttpRequest& request) {
  return ReadTyped(request, {});
}

kube::ApiResult<Json> ReadObject(const ResourceCall& call) {
  KU_TRY_API(JsonWithDuplicates sent, ReadUndecoded(call));
  return Decode(call, std::move(sent.value), sent.duplicates);
}

kube::ApiResult<JsonWithDuplicates> ReadUndecoded(const ResourceCall& call) {
  const std::string wanted = call.version.Text();
  KU_TRY_API(JsonWithDuplicates body, ReadTyped(call.http, {wanted, call.kind.kind}));
  Json object = std::move(body.value);
  if (!object.is_object()) {
    return Refuse(StatusReason::kBadRequest, "the body of the request is not an object but a {}", JsonTypeName(object));
  }
  JsonObject& members = object.get_object();
  // Some clients leave out what the path says already.
  if (StringAt(object, {"kind"}).empty()) members["kind"] = call.kind.kind;
  if (StringAt(object, {"apiVersion"}).empty()) members["apiVersion"] = wanted;
  if (StringAt(object, {"kind"}) != call.kind.kind || StringAt(object, {"apiVersion"}) != wanted) {
    if (auto error = NoConversion(call, object)) return Refuse(std::move(*error));
    return Refuse(
        StatusReason::kBadRequest,
        "{} in version \"{}\" cannot be handled as a {}: no kind \"{}\" is registered for version \"{}\" at this path",
        StringAt(object, {"kind"}), StringAt(object, {"apiVersion"}), call.kind.kind, StringAt(object, {"kind"}),
        StringAt(object, {"apiVersion"}));
  }
  const std::string_view namespace_ = StringAt(object, {"metadata", "namespace"});
  if (call.kind.namespaced && !namespace_.empty() && namespace_ != call.key.namespace_) {
    return Refuse(StatusReason::kBadRequest,
                  "the namespace of the provided object does not match the namespace sent on the request");
  }
  const std::string_view name = StringAt(object, {"metadata", "name"});
  if (!call.key.name.empty() && !name.empty() && name != call.key.name) {
    return Refuse(StatusReason::kBadRequest, "the name of the object ({}) does not match the name on the URL ({})",
                  name, call.key.name);
  }
  Json& metadata = members["metadata"];
  if (metadata.is_null()) metadata = JsonObject();
  if (!metadata.is_object()) return Refuse(StatusReason::kBadRequest, "metadata is not a map");
  if (call.kind.namespaced) metadata.get_object()["namespace"] = call.key.namespace_;
  if (!call.key.name.empty()) metadata.get_object()["name"] = call.key.name;
  return JsonWithDuplicates{std::move(object), std::move(body.duplicates)};
}

Result<Json> DecodeObject(const ResourceCall& call, Json object, DecodingOptions options) {
  std::vector<std::string> strict;
  const CustomVersion* custom = call.custom();
  if (custom != nullptr) {
    KU_TRY(auto decoded, custom->schema->Decode(std::move(object), options.duplicates));
    object = std::move(decoded.object);
    strict = std::move(decoded.strict_errors);
  } else if (const api::Schema* schema = api::SchemaOf(call.version.group, call.version.version, call.kind.kind)) {
    KU_TRY(auto decoded, api::DecodeBySchema(std::move(object), *schema, options.duplicates, options.from));
    object = std::move(decoded.object);
    strict = std::move(decoded.strict_errors);
  } else {
    strict = api::StrictErrorsOf(options.duplicates);
  }
  strict.insert(strict.begin(), options.strict_errors.begin(), options.strict_errors.end());
  const std::string_view validation = call.info.query.Get("fieldValidation");
  if (validation == "Strict" && !strict.empty()) {
    return Fail(Code::kInvalidArgument, "{}", api::DescribeStrictErrors(strict));
  }
  if (validation != "Ignore") call.warnings.insert(call.warnings.end(), strict.begin(), strict.end());
  return object;
}

kube::ApiResult<Json> Decode(const ResourceCall& call, Json object, std::span<const DuplicateMember> duplicates) {
  Result<Json> decoded = DecodeObject(call, std::move(object), {.duplicates = duplicates});
  if (decoded) return std::move(*decoded);
  return Refuse(StatusReason::kBadRequest, "{} in version \"{}\" cannot be handled as a {}: {}", call.kind.kind,
                call.version.version, call.kind.kind, decoded.error().message);
}

}  // namespace kumiko::localcluster
