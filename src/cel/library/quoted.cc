#include "cel/library/quoted.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <cstdint>

#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

std::string_view ShortEscape(char c) {
  switch (c) {
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\v':
      return "\\v";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      return "";
  }
}

// Of one valid code point.
std::uint32_t CodePoint(std::string_view character) {
  const auto byte = [character](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i]));
  };
  std::uint32_t value = byte(0) & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) value = (value << 6) | (byte(i) & 0x3FU);
  return value;
}

bool IsPrintable(std::string_view character) {
  static const re2::RE2 graphic(R"([\pL\pM\pN\pP\pS])");
  return re2::RE2::FullMatch({character.data(), character.size()}, graphic);
}

std::string EscapedCharacter(std::string_view character) {
  if (!IsValidUtf8(character)) return fmt::format("\\x{:02x}", static_cast<unsigned char>(character[0]));
  if (IsPrintable(character)) return std::string(character);
  const std::uint32_t value = CodePoint(character);
  return value <= 0xFFFF ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

}  // namespace

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (const std::string_view escape = ShortEscape(c); !escape.empty()) {
      quoted += escape;
      ++i;
    } else if (c >= ' ' && c < '\x7f') {
      quoted += c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      ++i;
    } else {
      std::size_t length = CodePointLength(text, i);
      if (!IsValidUtf8(text.substr(i, length))) length = 1;
      quoted += EscapedCharacter(text.substr(i, length));
      i += length;
    }
  }
  return quoted + '"';
}

}  // namespace kumiko::cel
