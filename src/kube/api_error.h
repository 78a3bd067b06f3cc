// Why the API server refuses: the reasons, causes and sentences of metav1.Status (apimachinery, api/errors). The local
// cluster answers with them, the HTTP client reads them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "api/codec.h"
#include "api/kinds.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::kube {

enum class StatusReason {
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kNotImplemented,
  kServiceUnavailable,
  kTimeout,
  kUnknown,  // an error that the server has no reason for: 500, and the message alone
};

struct StatusCause {
  std::string reason;  // "FieldValueInvalid"
  std::string message;
  std::string field;
  bool operator==(const StatusCause&) const = default;
};

struct ApiError {
  StatusReason reason = StatusReason::kInternalError;
  std::string message;
  // details: which object, as far as the error is about one.
  std::string group = {};
  std::string kind = {};  // the resource ("pods"), or for kInvalid the kind ("Pod")
  std::string name = {};
  std::string uid = {};
  std::vector<StatusCause> causes = {};
  std::optional<int> retry_after_seconds = {};

  bool operator==(const ApiError&) const = default;
};

template <class T>
using ApiResult = tl::expected<T, ApiError>;

// "NotFound", and 404.
std::string_view ReasonName(StatusReason reason);
int HttpStatusOf(StatusReason reason);

// The object of kind Status.
Json StatusOf(const ApiError& error);
// Of what a server answered with this HTTP status; `body` may be anything.
ApiError ApiErrorFrom(int http_status, std::string_view body);

Error ToError(const ApiError& error);

// `pods "x" not found`.
ApiError NotFound(const api::KindInfo& kind, std::string_view name);
ApiError AlreadyExists(const api::KindInfo& kind, std::string_view name);
// `Operation cannot be fulfilled on pods "x": WHY`.
ApiError Conflict(const api::KindInfo& kind, std::string_view name, std::string_view why);
// `pods "x" is forbidden: WHY`.
ApiError Forbidden(const api::KindInfo& kind, std::string_view name, std::string_view why);
// `Pod "x" is invalid: ...`, with one cause for each error.
ApiError Invalid(const api::KindInfo& kind, std::string_view name, std::span<const api::FieldError> errors);

template <class... Args>
tl::unexpected<ApiError> Refuse(StatusReason reason, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<ApiError>(
      ApiError{.reason = reason, .message = fmt::format(format, std::forward<Args>(args)...)});
}
inline tl::unexpected<ApiError> Refuse(ApiError error) {
  return tl::unexpected<ApiError>(std::move(error));
}

// What somebody else changed meanwhile.
inline constexpr std::string_view kModifiedMeanwhile =
    "the object has been modified; please apply your changes to the latest version and try again";

}  // namespace kumiko::kube

// KU_TRY for functions that return an ApiResult.
#define KU_TRY_API(declaration, expression) \
  KU_INTERNAL_TRY_API(KU_INTERNAL_CONCAT(ku_result_, __COUNTER__), declaration, expression)
#define KU_INTERNAL_TRY_API(result, declaration, expression)                                 \
  auto result = (expression);                                                                \
  if (!result) return ::tl::unexpected<::kumiko::kube::ApiError>(std::move(result).error()); \
  declaration = std::move(*result)
