// Regular expressions: matches, find and findAll. Patterns are those of Go's regexp, run by RE2. What stays different:
// RE2 refuses patterns above some 170,000 instructions (Go: three million), knows Unicode classes by their short and
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

// What the patterns of one program may take together. Expressions come from users: \pL{300} takes a sixth of a second
// to compile and some megabytes to keep.
inline constexpr std::int64_t kMaxPatternBytes = 8 << 20;

// Fails with Go's text: "error parsing regexp: missing closing ): `(`"; "... expression too large: ..." when the
// pattern takes more than `max_bytes`, but for the smallest ones. The result may be shared by threads.
tl::expected<std::shared_ptr<const re2::RE2>, std::string> CompilePattern(std::string_view pattern,
                                                                          std::int64_t max_bytes = kMaxPatternBytes);
// What a pattern takes of kMaxPatternBytes.
std::int64_t PatternBytes(const re2::RE2& pattern);
// The text of a pattern that does not parse; empty when it does, however large it is. Costs little. A pattern that is
// not large is left in `compiled`.
std::string CheckPattern(std::string_view pattern, std::shared_ptr<const re2::RE2>* compiled = nullptr);

// The functions with a pattern that is already compiled: for patterns that are literals. "No such overload" when `text`
// is neither a string nor a type, whose name is then searched.
Value MatchPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// The first match, "" when there is none.
Value FindPattern(RunContext& run, const Value& text, const re2::RE2& pattern);
// At most `limit` matches; below zero all.
Value FindAllPattern(RunContext& run, const Value& text, const re2::RE2& pattern, std::int64_t limit);

}  // namespace kumiko::cel
