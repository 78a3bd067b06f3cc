// How Go prints and reads values, since messages of the API server contain the results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace kumiko::api {

// strconv.Quote: "a\"b\n\u200b".
std::string GoQuoted(std::string_view text);
// strconv.Atoi: an optional sign and digits. The error is Go's text: `strconv.Atoi: parsing "x": invalid syntax`.
tl::expected<std::int64_t, std::string> GoAtoi(std::string_view text);
// reflect.TypeOf of a decoded value: map[string]interface {}, int64, ...
std::string_view GoTypeName(const Json& value);
// A number as fmt's %v prints it: 7, 0.5, 1e+21.
std::string GoNumber(const Json& number);
// A tree of encoding/json as fmt's %v prints it: map[a:[1 x <nil>]], members by name.
std::string GoValue(const Json& value);
// A tree as %#v prints it: map[string]interface {}{"a":1}, members by name.
std::string GoSyntax(const Json& value);
// encoding/json: members by name, and <, >, & escaped.
std::string GoJson(const Json& value);

}  // namespace kumiko::api
