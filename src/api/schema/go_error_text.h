// Errors about fields as k8s.io/apimachinery's validation/field words them, for values of any JSON type.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::api {

// `Invalid value: 5: why`; text is quoted, objects are JSON. An empty path is "<nil>", as the root is written.
FieldError InvalidValue(std::string_view path, const Json& value, std::string_view why);
// `Invalid value: why`: the value is too large to be repeated.
FieldError InvalidValue(std::string_view path, std::string_view why);
FieldError RequiredValue(std::string_view path, std::string_view why = "");
FieldError ForbiddenValue(std::string_view path, std::string_view why);
FieldError DuplicateValue(std::string_view path, const Json& value);
FieldError UnsupportedValue(std::string_view path, const Json& value, std::span<const std::string> supported);
FieldError TooLongValue(std::string_view path, std::int64_t limit);
FieldError TooManyItems(std::string_view path, std::int64_t count, std::int64_t limit);

}  // namespace kumiko::api
