// The paths of printer columns: the part of kubectl's JSONPath that definitions of custom resources use. Members
// (.a, ['a'], a\.b), items ([0], [-1], [*]), and filters ([?(@.type=="Ready")]).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kumiko::localcluster {

class SimpleJsonPath {
 public:
  // Fails with kInvalidArgument, saying where the text is no path.
  static Result<SimpleJsonPath> Parse(std::string_view text);

  // The first value at the path, or null when there is none.
  const Json* First(const Json& value) const { return First(value, 0); }

 private:
  struct Member {
    std::string name;
  };
  struct Item {
    std::int64_t index = 0;  // below 0 counts from the end
  };
  struct All {};
  struct Filter {
    std::vector<std::string> path;  // of the item's member; empty: the item itself
    std::string comparison;         // ==, !=, <, <=, >, >=; empty: that it is there
    Json literal;
  };
  using Step = std::variant<Member, Item, All, Filter>;

  class Reader;

  const Json* First(const Json& value, std::size_t step) const;
  static bool Holds(const Filter& filter, const Json& item);

  std::vector<Step> steps_;
};

}  // namespace kumiko::localcluster
