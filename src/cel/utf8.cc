#include "cel/utf8.h"

#include <cstring>

namespace kumiko::cel {
namespace {

std::uint32_t ByteAt(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

bool IsContinuation(std::string_view text, std::size_t offset) {
  return offset < text.size() && (ByteAt(text, offset) & 0xC0U) == 0x80U;
}

// Length of the valid sequence at `offset`, 0 when there is none.
std::size_t ValidLength(std::string_view text, std::size_t offset) {
  const std::uint32_t first = ByteAt(text, offset);
  if (first < 0x80U) return 1;
  std::size_t length = 0;
  std::uint32_t code_point = 0;
  std::uint32_t smallest = 0;
  if ((first & 0xE0U) == 0xC0U) {
    length = 2;
    code_point = first & 0x1FU;
    smallest = 0x80U;
  } else if ((first & 0xF0U) == 0xE0U) {
    length = 3;
    code_point = first & 0x0FU;
    smallest = 0x800U;
  } else if ((first & 0xF8U) == 0xF0U) {
    length = 4;
    code_point = first & 0x07U;
    smallest = 0x10000U;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text, offset + i)) return 0;
    code_point = (code_point << 6U) | (ByteAt(text, offset + i) & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800U && code_point <= 0xDFFFU;
  return code_point < smallest || code_point > 0x10FFFFU || surrogate ? 0 : length;
}

// Bytes at the beginning that are ASCII; what follows may be ASCII too.
std::size_t AsciiPrefix(std::string_view text) {
  std::size_t offset = 0;
  for (std::uint64_t word = 0; offset + sizeof(word) <= text.size(); offset += sizeof(word)) {
    std::memcpy(&word, text.data() + offset, sizeof(word));
    if ((word & 0x8080808080808080U) != 0) return offset;
  }
  while (offset < text.size() && ByteAt(text, offset) < 0x80U) ++offset;
  return offset;
}

// Continuation bytes in eight bytes.
std::size_t ContinuationCount(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  return static_cast<std::size_t>((((word >> 7U) & ~(word >> 6U) & kOnes) * kOnes) >> 56U);
}

}  // namespace

bool IsAscii(std::string_view text) {
  return AsciiPrefix(text) == text.size();
}

std::size_t ValidCodePointCount(std::string_view text) {
  std::size_t count = text.size();
  std::size_t offset = 0;
  for (std::uint64_t word = 0; offset + sizeof(word) <= text.size(); offset += sizeof(word)) {
    std::memcpy(&word, text.data() + offset, sizeof(word));
    count -= ContinuationCount(word);
  }
  for (; offset < text.size(); ++offset) count -= IsContinuation(text, offset) ? 1 : 0;
  return count;
}

std::size_t ValidCodePointOffset(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  for (std::uint64_t word = 0; offset + sizeof(word) <= text.size(); offset += sizeof(word)) {
    std::memcpy(&word, text.data() + offset, sizeof(word));
    const std::size_t starts = sizeof(word) - ContinuationCount(word);
    if (starts > index) break;
    index -= starts;
  }
  for (; offset < text.size(); ++offset) {
    if (IsContinuation(text, offset)) continue;
    if (index == 0) return offset;
    --index;
  }
  return index == 0 ? offset : std::string_view::npos;
}

bool IsValidUtf8(std::string_view text) {
  for (std::size_t offset = AsciiPrefix(text); offset < text.size();) {
    const std::size_t length = ValidLength(text, offset);
    if (length == 0) return false;
    offset += length;
  }
  return true;
}

std::size_t CodePointLength(std::string_view text, std::size_t offset) {
  const std::size_t length = ValidLength(text, offset);
  return length == 0 ? 1 : length;
}

std::size_t CodePointCount(std::string_view text) {
  std::size_t count = AsciiPrefix(text);
  for (std::size_t offset = count; offset < text.size(); offset += CodePointLength(text, offset)) ++count;
  return count;
}

std::size_t CodePointOffset(std::string_view text, std::size_t index) {
  const std::size_t ascii = AsciiPrefix(text.substr(0, index));
  std::size_t offset = ascii;
  for (index -= ascii; index > 0; --index) {
    if (offset >= text.size()) return std::string_view::npos;
    offset += CodePointLength(text, offset);
  }
  return offset;
}

std::string WithCodePoint(std::string text, std::uint32_t code_point) {
  const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code_point < 0x80U) {
    put(code_point);
  } else if (code_point < 0x800U) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000U) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
  return text;
}

}  // namespace kumiko::cel
