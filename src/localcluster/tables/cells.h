// The cells of one row, written as JSON as they come, and reading what they show from an object's tree.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace kumiko::localcluster {

using JsonPath = std::initializer_list<std::string_view>;

inline constexpr std::string_view kNoneText = "<none>";
inline constexpr std::string_view kUnsetText = "<unset>";
inline constexpr std::string_view kUnknownText = "<unknown>";

class Cells {
 public:
  // Writes to the end of `out`, behind the bracket that opens the row. Ages count to `now`.
  Cells(std::string& out, Time now) : out_(out), now_(now) {}

  void Text(std::string_view text);
  // The text, or `otherwise` when it is empty.
  void Text(std::string_view text, std::string_view otherwise) { Text(text.empty() ? otherwise : text); }
  void Number(std::int64_t number);
  void Flag(bool flag);
  void Value(const Json& value);  // as it is
  // How long ago the time at `path` was, or <unknown>.
  void Age(const Json& object, JsonPath path);

  Time now() const { return now_; }

 private:
  void Separate();

  std::string& out_;
  Time now_;
  bool first_ = true;
};

// How long before `now` the RFC 3339 time was, as kubectl prints it; <unknown> for no time.
std::string AgeText(const Json* time, Time now);

// The number at `path`, or 0.
std::int64_t NumberAt(const Json& object, JsonPath path);
bool FlagAt(const Json& object, JsonPath path);
// The list or map at `path`; an empty one when there is none.
const JsonArray& ListAt(const Json& object, JsonPath path);
const JsonObject& MapAt(const Json& object, JsonPath path);
// Text or number, as a person writes it.
std::string PlainText(const Json& value);

// The names and images of containers, each with commas between.
std::string NamesOf(const JsonArray& containers);
std::string ImagesOf(const JsonArray& containers);

// "a=b,c=d", ordered by key; <none> for no labels.
std::string LabelsText(const JsonObject& labels);
// A LabelSelector as kubectl writes one: "a=b,c in (d,e),!f"; "" when it is absent or selects everything.
std::string SelectorText(const Json* selector);

// The first three of `items`, with " + N more..." for the rest.
std::string FirstThree(const std::vector<std::string>& items);

}  // namespace kumiko::localcluster
