// Small operations on text that the standard library lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko {

// Pieces between separators; n separators give n + 1 pieces, which borrow from `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);
// Without blanks, tabs and line breaks at both ends.
std::string_view Trim(std::string_view text);
// ASCII only.
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
// The whole of `text` as a decimal number with an optional minus; nothing when it is not one or does not fit.
std::optional<std::int64_t> ParseInt64(std::string_view text);
// Bytes of the UTF-8 character that `text` begins with; 0 when it begins with none.
std::size_t Utf8Length(std::string_view text);
// The code point of exactly one valid UTF-8 character.
char32_t DecodeUtf8(std::string_view character);
// Offset of the first byte that is not valid UTF-8, or nothing.
std::optional<std::size_t> FindInvalidUtf8(std::string_view text);

}  // namespace kumiko
