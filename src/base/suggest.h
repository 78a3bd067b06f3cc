// "Did you mean": the known word closest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kumiko {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, over bytes.
int EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, ignoring case, when at most a third of the word (at least one edit) differs. The
// first one wins among equals.
std::optional<std::string> Suggest(std::string_view word, std::span<const std::string_view> candidates);
std::optional<std::string> Suggest(std::string_view word, std::span<const std::string> candidates);

}  // namespace kumiko
