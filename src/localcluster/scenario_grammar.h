// Which statements a scenario may have: every word of one is known before any of them runs, so that a mistyped
// expectation is an error and never one that holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace kumiko::localcluster {

// The words of a statement from one on: KEY=VALUE, the others, and the text behind the word `reason`.
struct ScenarioArguments {
  std::map<std::string, std::string> named;
  std::vector<std::string> plain;
  std::string reason;
};

// Fails with kInvalidArgument on a key that stands twice and on `reason` without a text.
Result<ScenarioArguments> ReadArguments(const std::vector<std::string>& words, std::size_t from);

// Fails with kInvalidArgument when the words are no statement as scenario.h lists them; the message names the nearest
// word that is known. `words` is not empty, values stand in place.
Status CheckStatement(const std::vector<std::string>& words);

// Whether the statement is an expectation, be it behind an `at`.
bool IsExpectation(const std::vector<std::string>& words);

// The number of a seed, 0 or more. Fails with kInvalidArgument.
Result<std::uint64_t> ParseSeed(const std::string& text);

}  // namespace kumiko::localcluster
