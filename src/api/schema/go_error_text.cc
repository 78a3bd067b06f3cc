#include "api/schema/go_error_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/patch/go_text.h"

namespace kumiko::api {
namespace {

FieldError At(std::string_view path, std::string message, std::string_view detail) {
  if (!detail.empty()) message += fmt::format(": {}", detail);
  return {std::string(path.empty() ? "<nil>" : path), std::move(message)};
}

std::string ValueText(const Json& value) {
  if (const auto* text = value.if_string()) return GoQuoted(*text);
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  return value.is_number() ? GoNumber(value) : GoJson(value);
}

}  // namespace

FieldError InvalidValue(std::string_view path, const Json& value, std::string_view why) {
  return At(path, fmt::format("Invalid value: {}", ValueText(value)), why);
}

FieldError InvalidValue(std::string_view path, std::string_view why) {
  return At(path, "Invalid value", why);
}

FieldError RequiredValue(std::string_view path, std::string_view why) {
  return At(path, "Required value", why);
}

FieldError ForbiddenValue(std::string_view path, std::string_view why) {
  return At(path, "Forbidden", why);
}

FieldError DuplicateValue(std::string_view path, const Json& value) {
  return At(path, fmt::format("Duplicate value: {}", ValueText(value)), "");
}

FieldError UnsupportedValue(std::string_view path, const Json& value, std::span<const std::string> supported) {
  std::vector<std::string> quoted;
  for (const std::string& text : supported) quoted.push_back(GoQuoted(text));
  return At(path, fmt::format("Unsupported value: {}", ValueText(value)),
            quoted.empty() ? "" : fmt::format("supported values: {}", fmt::join(quoted, ", ")));
}

FieldError TooLongValue(std::string_view path, std::int64_t limit) {
  return At(path, "Too long", fmt::format("may not be more than {} {}", limit, limit == 1 ? "byte" : "bytes"));
}

FieldError TooManyItems(std::string_view path, std::int64_t count, std::int64_t limit) {
  return At(path, fmt::format("Too many: {}", count),
            fmt::format("must have at most {} {}", limit, limit == 1 ? "item" : "items"));
}

}  // namespace kumiko::api
