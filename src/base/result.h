// Results and errors: what every function that depends on the outside world returns. Nothing of ours throws.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace kumiko {

enum class Code {
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kUnavailable,
  kDeadline,
  kPermission,
  kInternal
};

// The word for `code` in messages and logs, e.g. "not found".
std::string_view CodeName(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;  // lower case, no full stop, names the object: "claim ml/train-0: no device matches request gpu"

  bool Retryable() const { return code == Code::kConflict || code == Code::kUnavailable || code == Code::kDeadline; }
  bool operator==(const Error&) const = default;
};

// [[nodiscard]] comes from tl::expected.
template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// `return Fail(Code::kNotFound, "claim {} does not exist", name);`
template <class... Args>
tl::unexpected<Error> Fail(Code code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

namespace internal {
inline Error WithContext(Error error) {
  return error;
}
template <class... Args>
Error WithContext(Error error, fmt::format_string<Args...> format, Args&&... args) {
  error.message = fmt::format(format, std::forward<Args>(args)...) + ": " + error.message;
  return error;
}
}  // namespace internal

}  // namespace kumiko

#define KU_INTERNAL_CONCAT_(a, b) a##b
#define KU_INTERNAL_CONCAT(a, b) KU_INTERNAL_CONCAT_(a, b)
#define KU_INTERNAL_TRY(result, declaration, expression, ...)                                   \
  auto result = (expression);                                                                   \
  if (!result) {                                                                                \
    return ::tl::unexpected<::kumiko::Error>(                                                   \
        ::kumiko::internal::WithContext(std::move(result).error() __VA_OPT__(, ) __VA_ARGS__)); \
  }                                                                                             \
  declaration = std::move(*result)

// KU_TRY(auto x, Expression()) declares x from a Result or returns its error; further arguments are a format string
// and its values that say, on the way up, which object was being worked on.
#define KU_TRY(declaration, expression, ...) \
  KU_INTERNAL_TRY(KU_INTERNAL_CONCAT(ku_result_, __COUNTER__), declaration, expression __VA_OPT__(, ) __VA_ARGS__)

#define KU_INTERNAL_CHECK_OK(result, expression, ...)                                           \
  if (auto result = (expression); !result) {                                                    \
    return ::tl::unexpected<::kumiko::Error>(                                                   \
        ::kumiko::internal::WithContext(std::move(result).error() __VA_OPT__(, ) __VA_ARGS__)); \
  }
// The same for a Status or a Result whose value is not needed.
#define KU_TRY_OK(expression, ...) \
  KU_INTERNAL_CHECK_OK(KU_INTERNAL_CONCAT(ku_result_, __COUNTER__), expression __VA_OPT__(, ) __VA_ARGS__)
