// Code points in UTF-8 text: CEL counts, slices and compares strings by code point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kumiko::cel {

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsValidUtf8(std::string_view text);
// In text that is not valid every stray byte counts as one.
std::size_t CodePointCount(std::string_view text);
// Bytes of the code point that starts at `offset`; at least 1, and never past the end. Needs offset < text.size().
std::size_t CodePointLength(std::string_view text, std::size_t offset);
// The same two for text that is known to be valid, faster.
std::size_t ValidCodePointCount(std::string_view text);
std::size_t ValidCodePointOffset(std::string_view text, std::size_t index);
bool IsAscii(std::string_view text);
// Byte offset of code point `index`; text.size() when there are exactly `index`; npos beyond.
std::size_t CodePointOffset(std::string_view text, std::size_t index);
// `text` with the UTF-8 form of `code_point` behind it.
std::string WithCodePoint(std::string text, std::uint32_t code_point);

}  // namespace kumiko::cel
