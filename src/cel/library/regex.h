// Regular expressions: matches, find and findAll. Patterns are those of Go's regexp, run by RE2. What stays different:
// RE2 refuses patterns above some 200,000 instructions (Go: three million), knows Unicode classes by their short and
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

// Fails with Go's text: "error parsing regexp: missing closing ): `(`". The result may be shared by threads.
tl::expected<std::shared_ptr<const re2::RE2>, std::string> CompilePattern(std::string_view pattern);
// The same text; empty when the pattern is good.
std::string CheckPattern(std::string_view pattern);

// The functions with a pattern that is already compiled: for patterns that are literals. "No such overload" when `text`
// is neither a string nor a type, whose name is then searched.
Value MatchPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// The first match, "" when there is none.
Value FindPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// At most `limit` matches; below zero all.
Value FindAllPattern(RunContext& run, const Value& text, const re2::RE2& pattern, std::int64_t limit);

}  // namespace kumiko::cel
