#include "cel/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// Whether a literal that fits no double is too small rather than too large.
bool IsTiny(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) return digits.substr(exponent + 1, 1) == "-";
  return digits.find_first_of("123456789") > digits.find('.');
}
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsNamePart(char c) {
  return IsNameStart(c) || IsDigit(c);
}
bool IsQuotedNamePart(char c) {
  return IsNamePart(c) || c == '.' || c == '-' || c == '/' || c == ' ';
}

constexpr std::array<std::pair<std::string_view, TokenKind>, 24> kPunctuation = {{
    {"<=", TokenKind::kLessEqual},  {">=", TokenKind::kGreaterEqual}, {"==", TokenKind::kEqual},
    {"!=", TokenKind::kNotEqual},   {"&&", TokenKind::kAnd},          {"||", TokenKind::kOr},
    {".", TokenKind::kDot},         {",", TokenKind::kComma},         {":", TokenKind::kColon},
    {"?", TokenKind::kQuestion},    {"(", TokenKind::kLeftParen},     {")", TokenKind::kRightParen},
    {"[", TokenKind::kLeftBracket}, {"]", TokenKind::kRightBracket},  {"{", TokenKind::kLeftBrace},
    {"}", TokenKind::kRightBrace},  {"+", TokenKind::kPlus},          {"-", TokenKind::kMinus},
    {"*", TokenKind::kStar},        {"/", TokenKind::kSlash},         {"%", TokenKind::kPercent},
    {"!", TokenKind::kNot},         {"<", TokenKind::kLess},          {">", TokenKind::kGreater},
}};

class Lexer {
 public:
  Lexer(std::string_view text, std::deque<std::string>& decoded) : text_(text), decoded_(decoded) {}

  tl::expected<std::vector<Token>, SourceError> Run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 2);
    for (;;) {
      SkipBlanks();
      Token token;
      token.begin = at_;
      if (at_ >= text_.size()) {
        token.end = at_;
        tokens.push_back(std::move(token));
        return tokens;
      }
      if (auto error = Next(token)) return tl::unexpected(std::move(*error));
      token.end = at_;
      tokens.push_back(std::move(token));
    }
  }

 private:
  using MaybeError = std::optional<SourceError>;

  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && Peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  MaybeError Next(Token& token) {
    const char c = Peek();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      Number(token);
      return std::nullopt;
    }
    if (c == '`') return QuotedName(token);
    if (const std::size_t prefix = StringPrefix(); prefix != std::string_view::npos) return String(token, prefix);
    if (IsNameStart(c)) return Name(token);
    for (const auto& [spelling, kind] : kPunctuation) {
      if (text_.substr(at_, spelling.size()) == spelling) {
        token.kind = kind;
        at_ += spelling.size();
        return std::nullopt;
      }
    }
    return SourceError{at_, fmt::format("Syntax error: token recognition error at: '{}'",
                                        text_.substr(at_, CodePointLength(text_, at_)))};
  }

  MaybeError Name(Token& token) {
    const std::size_t begin = at_;
    while (IsNamePart(Peek())) ++at_;
    token.text = text_.substr(begin, at_ - begin);
    token.kind = token.text == "true"    ? TokenKind::kTrue
                 : token.text == "false" ? TokenKind::kFalse
                 : token.text == "null"  ? TokenKind::kNull
                 : token.text == "in"    ? TokenKind::kIn
                                         : TokenKind::kIdentifier;
    return std::nullopt;
  }

  MaybeError QuotedName(Token& token) {
    const std::size_t begin = at_++;
    while (IsQuotedNamePart(Peek())) ++at_;
    if (Peek() != '`' || at_ == begin + 1) return SourceError{begin, "Syntax error: token recognition error at: '`'"};
    token.kind = TokenKind::kQuotedIdentifier;
    token.text = text_.substr(begin + 1, at_ - begin - 1);
    ++at_;
    return std::nullopt;
  }

  void Number(Token& token) {
    const std::size_t begin = at_;
    const bool hex = Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && IsHexDigit(Peek(2));
    bool real = false;
    if (hex) {
      at_ += 2;
      while (IsHexDigit(Peek())) ++at_;
    } else {
      while (IsDigit(Peek())) ++at_;
      if (Peek() == '.' && IsDigit(Peek(1))) {
        real = true;
        ++at_;
        while (IsDigit(Peek())) ++at_;
      }
      const std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if ((Peek() == 'e' || Peek() == 'E') && IsDigit(Peek(1 + sign))) {
        real = true;
        at_ += 2 + sign;
        while (IsDigit(Peek())) ++at_;
      }
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const char* const last = digits.data() + digits.size();
    if (real) {
      token.kind = TokenKind::kDouble;
      // Too small is 0; too large is no number.
      const auto parsed = std::from_chars(digits.data(), last, token.real);
      token.too_large = parsed.ec != std::errc() && !IsTiny(digits);
      return;
    }
    const bool is_unsigned = Peek() == 'u' || Peek() == 'U';
    token.kind = is_unsigned ? TokenKind::kUint : TokenKind::kInt;
    const auto parsed = std::from_chars(digits.data() + (hex ? 2 : 0), last, token.integer, hex ? 16 : 10);
    token.too_large = parsed.ec != std::errc();
    if (is_unsigned) ++at_;
  }

  // Letters (r, b, br) before the quote of a string that starts here; npos when none does.
  std::size_t StringPrefix() const {
    std::size_t letters = 0;
    if (Peek(letters) == 'b' || Peek(letters) == 'B') ++letters;
    if (Peek(letters) == 'r' || Peek(letters) == 'R') ++letters;
    const char quote = Peek(letters);
    return quote == '"' || quote == '\'' ? letters : std::string_view::npos;
  }

  MaybeError String(Token& token, std::size_t prefix) {
    const std::size_t begin = at_;
    bool raw = false;
    bool bytes = false;
    for (std::size_t i = 0; i < prefix; ++i) {
      const char c = Peek(i);
      (c == 'r' || c == 'R' ? raw : bytes) = true;
    }
    at_ += prefix;
    const char quote = Peek();
    const bool triple = Peek(1) == quote && Peek(2) == quote;
    const std::string closing(triple ? 3 : 1, quote);
    at_ += closing.size();
    token.kind = bytes ? TokenKind::kBytes : TokenKind::kString;
    const std::size_t content = at_;
    std::string* decoded = nullptr;  // set from the first escape on
    for (;;) {
      if (at_ >= text_.size() || (!triple && (Peek() == '\n' || Peek() == '\r'))) {
        return SourceError{begin, fmt::format("Syntax error: token recognition error at: '{}'",
                                              text_.substr(begin, std::min<std::size_t>(at_ - begin, 40)))};
      }
      if (Peek() == quote && text_.substr(at_, closing.size()) == closing) {
        token.text = decoded != nullptr ? std::string_view(*decoded) : text_.substr(content, at_ - content);
        at_ += closing.size();
        return std::nullopt;
      }
      if (Peek() == '\\' && !raw) {
        if (decoded == nullptr) decoded = &decoded_.emplace_back(text_.substr(content, at_ - content));
        if (auto error = Escape(*decoded, bytes)) return error;
        continue;
      }
      if (Peek() == '\r') {
        // A line ends the same way however the text was saved.
        if (decoded == nullptr) decoded = &decoded_.emplace_back(text_.substr(content, at_ - content));
        decoded->push_back('\n');
        at_ += Peek(1) == '\n' ? 2 : 1;
        continue;
      }
      if (decoded != nullptr) decoded->push_back(Peek());
      ++at_;
    }
  }

  MaybeError Escape(std::string& decoded, bool bytes) {
    const std::size_t begin = at_;
    const char c = Peek(1);
    static constexpr std::string_view kNames = "abfnrtv\\?'\"`";
    static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\?'\"`";
    if (const std::size_t index = kNames.find(c); c != '\0' && index != std::string_view::npos) {
      decoded += kBytes[index];
      at_ += 2;
      return std::nullopt;
    }
    std::size_t digits = 0;
    std::size_t skipped = 2;
    int base = 16;
    if (c == 'x' || c == 'X') {
      digits = 2;
    } else if (c == 'u' && !bytes) {
      digits = 4;
    } else if (c == 'U' && !bytes) {
      digits = 8;
    } else if (c >= '0' && c <= '3') {
      digits = 3;
      skipped = 1;
      base = 8;
    } else {
      return SourceError{begin, "Syntax error: unknown escape in string"};
    }
    const std::string_view number = text_.substr(std::min(at_ + skipped, text_.size()), digits);
    std::uint32_t value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value, base);
    if (number.size() != digits || parsed.ec != std::errc() || parsed.ptr != number.data() + digits) {
      return SourceError{begin, "Syntax error: incomplete escape in string"};
    }
    if (bytes) {
      decoded.push_back(static_cast<char>(static_cast<unsigned char>(value)));
    } else {
      if (value > 0x10FFFFU || (value >= 0xD800U && value <= 0xDFFFU)) {
        return SourceError{begin, "Syntax error: escape is no Unicode code point"};
      }
      decoded = WithCodePoint(std::move(decoded), value);
    }
    at_ += skipped + digits;
    return std::nullopt;
  }

  std::string_view text_;
  std::deque<std::string>& decoded_;
  std::size_t at_ = 0;
};

}  // namespace

tl::expected<std::vector<Token>, SourceError> Tokenize(std::string_view text, std::deque<std::string>& decoded) {
  return Lexer(text, decoded).Run();
}

bool IsReservedWord(std::string_view name) {
  static constexpr std::array<std::string_view, 17> kReserved = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

}  // namespace kumiko::cel
