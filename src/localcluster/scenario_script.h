// Reading the text of a scenario: lines into words, values into place. Nothing is run here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko::localcluster {

using ScenarioValues = std::map<std::string, std::string>;

struct ScenarioLine {
  int number = 0;  // in the file
  std::vector<std::string> words;
};

struct ScenarioVariant {
  std::string name;
  ScenarioValues values;
};

struct ScenarioScript {
  std::vector<ScenarioVariant> variants;  // "base" first
  std::vector<ScenarioLine> lines;        // without `let` and `variant`
};

inline constexpr std::size_t kMaxScenarioLine = 4096;  // bytes

// Fails with kInvalidArgument, "FILE:LINE: message".
Result<ScenarioScript> ParseScenario(std::string_view text, std::string_view file);

// Puts the values in place of ${NAME}. Fails with kInvalidArgument on a name that has no value.
Result<std::string> Substitute(std::string_view text, const ScenarioValues& values);

}  // namespace kumiko::localcluster
