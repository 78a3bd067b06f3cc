// Regular expressions: matches, find and findAll. Patterns are those of Go's regexp, run by RE2. What stays different:
// patterns above some 30,000 instructions are refused (Go: three million); RE2 knows Unicode classes by their short and
// exact names only (\p{Lu}, not \p{Uppercase_Letter} or \p{greek}), and sets no limit to nested groups (Go: 1,000).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cel/overload.h"

namespace re2 {
class RE2;
}

namespace kumiko::cel {

std::span<const Overload> RegexOverloads();

// Steps (run_context.h) that compiling the literal patterns of one expression may take, about 15 ms. Expressions come
// from users, and \pL{300} would take a tenth of a second and some megabytes.
inline constexpr std::int64_t kPatternSteps = 6'000'000;

struct PatternError {
  std::string message;     // Go's: "error parsing regexp: missing closing ): `(`"
  bool too_large = false;  // compiling it would take more steps than there are; it may have mistakes besides
};

// Takes from `steps` what compiling took. The result may be shared by threads.
tl::expected<std::shared_ptr<const re2::RE2>, PatternError> CompilePattern(std::string_view pattern,
                                                                           std::int64_t& steps);
// To be called before FindPattern and FindAllPattern: what they need besides. False when the steps do not suffice.
bool PrepareToFind(const re2::RE2& pattern, std::int64_t& steps);

// The functions with a pattern that is already compiled: for patterns that are literals. "No such overload" when `text`
// is neither a string nor a type, whose name is then searched.
Value MatchPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// The first match, "" when there is none.
Value FindPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// At most `limit` matches; below zero all.
Value FindAllPattern(RunContext& run, const Value& text, const re2::RE2& pattern, std::int64_t limit);

}  // namespace kumiko::cel
