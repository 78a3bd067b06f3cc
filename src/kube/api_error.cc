#include "kube/api_error.h"

#include <array>

#include "base/check.h"

namespace kumiko::kube {
namespace {

struct ReasonEntry {
  StatusReason reason;
  std::string_view name;
  int http_status;
  Code code;
};

// For an HTTP status the first entry stands.
constexpr std::array<ReasonEntry, 19> kReasons = {{
    {StatusReason::kBadRequest, "BadRequest", 400, Code::kInvalidArgument},
    {StatusReason::kUnauthorized, "Unauthorized", 401, Code::kPermission},
    {StatusReason::kForbidden, "Forbidden", 403, Code::kPermission},
    {StatusReason::kNotFound, "NotFound", 404, Code::kNotFound},
    {StatusReason::kMethodNotAllowed, "MethodNotAllowed", 405, Code::kInvalidArgument},
    {StatusReason::kNotAcceptable, "NotAcceptable", 406, Code::kInvalidArgument},
    {StatusReason::kConflict, "Conflict", 409, Code::kConflict},
    {StatusReason::kAlreadyExists, "AlreadyExists", 409, Code::kAlreadyExists},
    {StatusReason::kExpired, "Expired", 410, Code::kConflict},
    {StatusReason::kGone, "Gone", 410, Code::kConflict},
    {StatusReason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413, Code::kInvalidArgument},
    {StatusReason::kUnsupportedMediaType, "UnsupportedMediaType", 415, Code::kInvalidArgument},
    {StatusReason::kInvalid, "Invalid", 422, Code::kInvalidArgument},
    {StatusReason::kTooManyRequests, "TooManyRequests", 429, Code::kUnavailable},
    {StatusReason::kInternalError, "InternalError", 500, Code::kUnavailable},
    {StatusReason::kNotImplemented, "NotImplemented", 501, Code::kInvalidArgument},
    {StatusReason::kServiceUnavailable, "ServiceUnavailable", 503, Code::kUnavailable},
    {StatusReason::kTimeout, "Timeout", 504, Code::kUnavailable},
    {StatusReason::kUnknown, "", 500, Code::kUnavailable},
}};

const ReasonEntry& EntryOf(StatusReason reason) {
  for (const ReasonEntry& entry : kReasons) {
    if (entry.reason == reason) return entry;
  }
  KU_CHECK(false) << "a reason without an entry";
  return kReasons.front();
}

// apimachinery's ErrorType of a field error, which is how its message begins.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kCauses = {{
    {"Required value", "FieldValueRequired"},
    {"Invalid value", "FieldValueInvalid"},
    {"Unsupported value", "FieldValueNotSupported"},
    {"Duplicate value", "FieldValueDuplicate"},
    {"Forbidden", "FieldValueForbidden"},
    {"Too long", "FieldValueTooLong"},
    {"Too many", "FieldValueTooMany"},
    {"Not found", "FieldValueNotFound"},
    {"Internal error", "InternalError"},
}};

std::string_view CauseOf(std::string_view message) {
  for (const auto& [begin, reason] : kCauses) {
    if (message.starts_with(begin)) return reason;
  }
  return "FieldValueInvalid";
}

ApiError About(const api::KindInfo& kind, std::string_view name, StatusReason reason, std::string message) {
  return {.reason = reason,
          .message = std::move(message),
          .group = std::string(kind.group),
          .kind = std::string(kind.plural),
          .name = std::string(name)};
}

// "pods", or "deployments.apps".
std::string ResourceOf(const api::KindInfo& kind) {
  return kind.group.empty() ? std::string(kind.plural) : fmt::format("{}.{}", kind.plural, kind.group);
}

std::string Text(const Json& object, std::initializer_list<std::string_view> path) {
  return std::string(StringAt(object, path));
}

}  // namespace

std::string_view ReasonName(StatusReason reason) {
  return EntryOf(reason).name;
}

int HttpStatusOf(StatusReason reason) {
  return EntryOf(reason).http_status;
}

Json StatusOf(const ApiError& error) {
  JsonObject details;
  if (!error.name.empty()) details["name"] = error.name;
  if (!error.group.empty()) details["group"] = error.group;
  if (!error.kind.empty()) details["kind"] = error.kind;
  if (!error.uid.empty()) details["uid"] = error.uid;
  if (!error.causes.empty()) {
    JsonArray causes;
    for (const StatusCause& cause : error.causes) {
      JsonObject entry{{"reason", cause.reason}, {"message", cause.message}};
      if (!cause.field.empty()) entry["field"] = cause.field;
      causes.push_back(std::move(entry));
    }
    details["causes"] = std::move(causes);
  }
  if (error.retry_after_seconds) details["retryAfterSeconds"] = *error.retry_after_seconds;
  JsonObject status{{"kind", "Status"},
                    {"apiVersion", "v1"},
                    {"metadata", JsonObject()},
                    {"status", "Failure"},
                    {"message", error.message}};
  if (const std::string_view reason = ReasonName(error.reason); !reason.empty()) status["reason"] = reason;
  if (!details.empty()) status["details"] = std::move(details);
  status["code"] = HttpStatusOf(error.reason);
  return status;
}

ApiError ApiErrorFrom(int http_status, std::string_view body) {
  ApiError error;
  for (const ReasonEntry& entry : kReasons) {
    if (entry.http_status != http_status) continue;
    error.reason = entry.reason;
    break;
  }
  const Result<Json> parsed = ParseJson(body);
  if (!parsed || StringAt(*parsed, {"kind"}) != "Status") {
    error.message = fmt::format("the server answered {}: {}", http_status, body.substr(0, 200));
    return error;
  }
  const std::string_view reason = StringAt(*parsed, {"reason"});
  for (const ReasonEntry& entry : kReasons) {
    if (!reason.empty() && entry.name == reason) error.reason = entry.reason;
  }
  error.message = Text(*parsed, {"message"});
  error.name = Text(*parsed, {"details", "name"});
  error.group = Text(*parsed, {"details", "group"});
  error.kind = Text(*parsed, {"details", "kind"});
  error.uid = Text(*parsed, {"details", "uid"});
  if (const Json* causes = FindPath(*parsed, {"details", "causes"}); causes != nullptr && causes->is_array()) {
    for (const Json& cause : causes->get_array()) {
      error.causes.push_back({Text(cause, {"reason"}), Text(cause, {"message"}), Text(cause, {"field"})});
    }
  }
  if (const Json* after = FindPath(*parsed, {"details", "retryAfterSeconds"}); after != nullptr && after->is_int64()) {
    error.retry_after_seconds = static_cast<int>(after->get_int64());
  }
  return error;
}

Error ToError(const ApiError& error) {
  return {EntryOf(error.reason).code, error.message};
}

ApiError NotFound(const api::KindInfo& kind, std::string_view name) {
  return About(kind, name, StatusReason::kNotFound, fmt::format("{} \"{}\" not found", ResourceOf(kind), name));
}

ApiError AlreadyExists(const api::KindInfo& kind, std::string_view name) {
  return About(kind, name, StatusReason::kAlreadyExists,
               fmt::format("{} \"{}\" already exists", ResourceOf(kind), name));
}

ApiError Conflict(const api::KindInfo& kind, std::string_view name, std::string_view why) {
  return About(kind, name, StatusReason::kConflict,
               fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", ResourceOf(kind), name, why));
}

ApiError Forbidden(const api::KindInfo& kind, std::string_view name, std::string_view why) {
  return About(kind, name, StatusReason::kForbidden,
               fmt::format("{} \"{}\" is forbidden: {}", ResourceOf(kind), name, why));
}

ApiError Invalid(const api::KindInfo& kind, std::string_view name, std::span<const api::FieldError> errors) {
  std::string list;
  std::vector<StatusCause> causes;
  for (const api::FieldError& error : errors) {
    const std::string text = error.path.empty() ? error.message : error.path + ": " + error.message;
    list += (list.empty() ? "" : ", ") + text;
    causes.push_back({std::string(CauseOf(error.message)), error.message, error.path});
  }
  if (errors.size() > 1) list = "[" + list + "]";
  const std::string qualified =
      kind.group.empty() ? std::string(kind.kind) : fmt::format("{}.{}", kind.kind, kind.group);
  ApiError invalid =
      About(kind, name, StatusReason::kInvalid, fmt::format("{} \"{}\" is invalid: {}", qualified, name, list));
  invalid.kind = std::string(kind.kind);
  invalid.causes = std::move(causes);
  return invalid;
}

}  // namespace kumiko::kube
