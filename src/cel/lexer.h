// Splits the text of an expression into tokens. Literals are decoded here; positions are byte offsets.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cel/source.h"

namespace kumiko::cel {

enum class TokenKind {
  kEnd,
  kIdentifier,
  kQuotedIdentifier,  // `name`, allowed only as a field name
  kInt,               // `integer` holds the magnitude; a sign is an operator
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kDot,
  kComma,
  kColon,
  kQuestion,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kNot,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;  // names; decoded strings and bytes
  std::uint64_t integer = 0;
  double real = 0;
  bool too_large = false;  // a number that has no room
};

// `text` must be valid UTF-8. The last token is kEnd. Tokens borrow from `text`, and from `decoded` where a string is
// not what is written.
tl::expected<std::vector<Token>, SourceError> Tokenize(std::string_view text, std::deque<std::string>& decoded);

// A name that cannot be an identifier (but can be a field after a dot).
bool IsReservedWord(std::string_view name);

}  // namespace kumiko::cel
