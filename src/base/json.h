// JSON trees: the one place where Boost.JSON shows. Business code uses structs (api/codec.h); trees are for objects
// whose kind we do not know, patches and output.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

// Nesting deeper than this is refused by every reader.
inline constexpr int kMaxJsonDepth = 100;

// Strict RFC 8259 JSON; integers stay exact (int64, uint64). Errors: kInvalidArgument with line and column.
Result<Json> ParseJson(std::string_view text);

// A member whose name an earlier member of the same object has.
struct DuplicateMember {
  std::string object_path;   // "spec.containers[0]"; "" for the whole
  std::size_t position = 0;  // how many members of other names stand before it in the object
  std::string name;
};
struct JsonWithDuplicates {
  Json value;
  std::vector<DuplicateMember> duplicates;  // in the order of the text
};
// As ParseJson, but of members of one name the last is kept, in the place of the first, and the further ones are told.
Result<JsonWithDuplicates> ParseJsonWithDuplicates(std::string_view text);

// Compact, members in the order of the tree.
std::string WriteJson(const Json& value);
// The same at the end of `out`: for writers of much.
void AppendJson(const Json& value, std::string& out);
// The text as a JSON string, with its quotes.
void AppendJsonText(std::string_view text, std::string& out);
// Indented by two blanks, for people.
std::string WriteJsonPretty(const Json& value);

// The member of an object, or null when `value` is no object or lacks it.
const Json* Find(const Json& value, std::string_view key);
// Follows members by name: FindPath(pod, {"metadata", "name"}).
const Json* FindPath(const Json& value, std::initializer_list<std::string_view> path);
// The string at `path`, or "" when absent or of another type.
std::string_view StringAt(const Json& value, std::initializer_list<std::string_view> path);

// "string", "integer", "number", "bool", "null", "list", "map": the words that error messages use.
std::string_view JsonTypeName(const Json& value);

}  // namespace kumiko
