#include "cel/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "cel/lexer.h"

namespace kumiko::cel {
namespace {

struct BinaryOperator {
  TokenKind token;
  int level;  // higher binds tighter
  std::string_view function;
};
constexpr int kRelationLevel = 1;
constexpr int kHighestLevel = 3;
constexpr BinaryOperator kBinaryOperators[] = {
    {TokenKind::kLess, 1, "_<_"},    {TokenKind::kLessEqual, 1, "_<=_"},
    {TokenKind::kGreater, 1, "_>_"}, {TokenKind::kGreaterEqual, 1, "_>=_"},
    {TokenKind::kEqual, 1, "_==_"},  {TokenKind::kNotEqual, 1, "_!=_"},
    {TokenKind::kIn, 1, "@in"},      {TokenKind::kPlus, 2, "_+_"},
    {TokenKind::kMinus, 2, "_-_"},   {TokenKind::kStar, 3, "_*_"},
    {TokenKind::kSlash, 3, "_/_"},   {TokenKind::kPercent, 3, "_%_"},
};

// On the first syntax error the parser jumps to the end token, so every loop ends; results after that are not used.
// After other mistakes it goes on, with null in place of what is wrong.
class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : text_(text), options_(options) {}

  tl::expected<Ast, std::vector<SourceError>> Run() {
    auto tokens = Tokenize(text_, ast().text);
    if (!tokens) return tl::unexpected(std::vector{std::move(tokens).error()});
    tokens_ = *std::move(tokens);
    ast().nodes.reserve(tokens_.size());
    ast().root = Expression();
    if (!error_ && Peek().kind != TokenKind::kEnd) FailAtToken("");
    if (error_) mistakes_.push_back(*std::move(error_));
    if (!mistakes_.empty()) return tl::unexpected(std::move(mistakes_));
    return std::move(ast());
  }

 private:
  Ast& ast() { return builder_.ast(); }
  const Token& Peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& Take() {
    const Token& token = Peek();
    last_end_ = token.end;
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool TakeIf(TokenKind kind) {
    if (Peek().kind != kind) return false;
    Take();
    return true;
  }

  ExprId FailAt(std::size_t offset, std::string message) {
    if (!error_) error_ = SourceError{offset, std::move(message)};
    at_ = tokens_.size() - 1;
    return kNoExpr;
  }
  ExprId Mistake(std::size_t offset, std::string message) {
    mistakes_.push_back({offset, std::move(message)});
    return builder_.Literal(At(offset, offset), cel::Literal());
  }
  ExprId FailAtToken(std::string_view expected) {
    const Token& token = Peek();
    std::string found = token.kind == TokenKind::kEnd
                            ? std::string("<EOF>")
                            : fmt::format("'{}'", text_.substr(token.begin, token.end - token.begin));
    return FailAt(token.begin, expected.empty()
                                   ? fmt::format("Syntax error: unexpected {}", found)
                                   : fmt::format("Syntax error: unexpected {}, expecting {}", found, expected));
  }
  void Expect(TokenKind kind, std::string_view spelling) {
    if (!TakeIf(kind)) FailAtToken(spelling);
  }

  Extent At(std::size_t position, std::size_t begin) const {
    return {static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(last_end_)};
  }
  // Sets how deep the node is, over what stands below it in the text.
  ExprId Rooted(ExprId id, std::span<const ExprId> below, ExprId operand = kNoExpr) {
    std::uint32_t deepest = operand == kNoExpr ? 0 : builder_.At(operand).depth;
    for (const ExprId child : below) deepest = std::max(deepest, builder_.At(child).depth);
    Expr& expr = builder_.At(id);
    expr.depth = std::max(expr.depth, deepest + 1);
    if (expr.depth > kMaxNesting) return FailAt(expr.position, "max recursion depth exceeded");
    return id;
  }
  ExprId Call(std::size_t position, std::size_t begin, std::string_view name, std::initializer_list<ExprId> args) {
    if (error_) return kNoExpr;
    const std::span<const ExprId> items(args.begin(), args.size());
    return Rooted(builder_.Call(At(position, begin), name, items), items);
  }
  ExprId Group(ExprKind kind, std::size_t position, std::size_t begin, std::span<const ExprId> args) {
    if (error_) return kNoExpr;
    return Rooted(builder_.Group(kind, At(position, begin), args), args);
  }

  // Where the text of a parsed operand begins: parentheses around it belong to it.
  std::size_t BeginOf(ExprId id) { return error_ ? 0 : builder_.At(id).begin; }

  ExprId Expression() {
    if (++nesting_ > kMaxNesting) {
      return FailAt(Peek().begin, fmt::format("expression recursion limit exceeded: {}", kMaxNesting));
    }
    const ExprId condition = Logical(TokenKind::kOr);
    ExprId result = condition;
    if (Peek().kind == TokenKind::kQuestion) {
      const std::size_t position = Take().begin;
      const ExprId then = Logical(TokenKind::kOr);
      Expect(TokenKind::kColon, "':'");
      const ExprId parts[] = {condition, then, Expression()};
      result = Group(ExprKind::kConditional, position, BeginOf(condition), parts);
    }
    --nesting_;
    return result;
  }

  // A chain is one node however long it is: it has no depth and no order of evaluation.
  ExprId Logical(TokenKind kind) {
    const auto operand = [&] { return kind == TokenKind::kOr ? Logical(TokenKind::kAnd) : Binary(kRelationLevel); };
    const ExprKind node_kind = kind == TokenKind::kOr ? ExprKind::kOr : ExprKind::kAnd;
    const ExprId first = operand();
    if (Peek().kind != kind) return first;
    const std::size_t position = Peek().begin;
    std::vector<ExprId> parts;
    Join(parts, node_kind, first);
    const bool first_is_chain = parts.size() > 1;
    std::size_t terms = 1;
    bool last_is_chain = false;
    for (; TakeIf(kind); ++terms) {
      const std::size_t before = parts.size();
      Join(parts, node_kind, operand());
      last_is_chain = parts.size() > before + 1;
    }
    const ExprId chain = Group(node_kind, position, BeginOf(first), parts);
    if (error_) return chain;
    builder_.At(chain).first_is_deeper = first_is_chain || terms > 2;
    builder_.At(chain).last_is_deeper = last_is_chain || terms > 3;
    return chain;
  }
  // (a && b) && c has the parts a, b and c.
  void Join(std::vector<ExprId>& parts, ExprKind kind, ExprId part) {
    if (error_) return;
    const Expr& expr = builder_.At(part);
    if (expr.kind == kind) {
      const auto inner = ast().Args(expr);
      parts.insert(parts.end(), inner.begin(), inner.end());
    } else {
      parts.push_back(part);
    }
  }

  ExprId Binary(int level) {
    if (level > kHighestLevel) return Unary();
    ExprId left = Binary(level + 1);
    for (;;) {
      const auto* const found = std::find_if(
          std::begin(kBinaryOperators), std::end(kBinaryOperators),
          [&](const BinaryOperator& candidate) { return candidate.level == level && candidate.token == Peek().kind; });
      if (found == std::end(kBinaryOperators)) return left;
      const std::size_t position = Take().begin;
      const ExprId right = Binary(level + 1);
      left = Call(position, BeginOf(left), found->function, {left, right});
    }
  }

  ExprId Unary() {
    const Token& first = Peek();
    if (first.kind != TokenKind::kNot && first.kind != TokenKind::kMinus) return Member();
    // A single sign next to a number belongs to it: -9223372036854775808 is a literal, --9223372036854775808 is not.
    const TokenKind next = Peek(1).kind;
    if (first.kind == TokenKind::kMinus && (next == TokenKind::kInt || next == TokenKind::kDouble)) return Member();
    bool odd = false;
    while (Peek().kind == first.kind) {
      Take();
      odd = !odd;
    }
    const ExprId operand = Member();
    if (!odd) return operand;
    return Call(first.begin, first.begin, first.kind == TokenKind::kNot ? "!_" : "-_", {operand});
  }

  ExprId Member() {
    const std::size_t begin = Peek().begin;
    ExprId operand = Primary();
    for (;;) {
      if (error_) return kNoExpr;
      if (Peek().kind == TokenKind::kDot) {
        operand = AfterDot(operand, begin);
      } else if (Peek().kind == TokenKind::kLeftBracket) {
        const std::size_t position = Take().begin;
        const bool optional = TakeOptionalMark();
        const ExprId key = Expression();
        Expect(TokenKind::kRightBracket, "']'");
        operand = Call(position, begin, optional ? "_[?_]" : "_[_]", {operand, key});
      } else {
        return operand;
      }
    }
  }

  bool TakeOptionalMark() {
    if (Peek().kind != TokenKind::kQuestion || !options_.optional_syntax) return false;
    Take();
    return true;
  }

  ExprId AfterDot(ExprId operand, std::size_t begin) {
    const std::size_t dot = Take().begin;
    const bool optional = TakeOptionalMark();
    if (Peek().kind != TokenKind::kIdentifier && Peek().kind != TokenKind::kQuotedIdentifier) {
      return FailAtToken("a field name");
    }
    const Token& name = Take();
    if (!optional && name.kind == TokenKind::kIdentifier && Peek().kind == TokenKind::kLeftParen) {
      return Invoke(name, operand, begin, false);
    }
    if (optional) {
      const ExprId field = builder_.Literal(At(name.begin, name.begin), name.text);
      return Call(dot, begin, "_?._", {operand, field});
    }
    return Rooted(builder_.Select(At(dot, begin), operand, name.text), {}, operand);
  }

  ExprId Invoke(const Token& name, ExprId operand, std::size_t begin, bool absolute) {
    const std::size_t paren = Take().begin;
    std::vector<ExprId> args;
    if (Peek().kind != TokenKind::kRightParen) {
      do args.push_back(Expression());
      while (TakeIf(TokenKind::kComma));
    }
    Expect(TokenKind::kRightParen, "')'");
    if (error_) return kNoExpr;
    const Extent extent = At(paren, begin);
    if (!absolute) {
      if (auto expanded = ExpandMacro(builder_, options_, name.text, operand, args, extent)) {
        if (!*expanded) return Mistake(expanded->error().offset, expanded->error().message);
        // has() is the select itself.
        if (args.size() == 1 && **expanded == args[0]) return args[0];
        return Rooted(**expanded, args, operand);
      }
    }
    return Rooted(builder_.Call(extent, name.text, args, operand, absolute), args, operand);
  }

  static bool IsLiteral(TokenKind kind) { return kind >= TokenKind::kInt && kind <= TokenKind::kNull; }

  ExprId Primary() {
    const TokenKind kind = Peek().kind;
    const std::size_t begin = Peek().begin;
    if (kind == TokenKind::kIdentifier) return Name(begin, false);
    if (IsLiteral(kind)) return LiteralValue();
    if (kind == TokenKind::kLeftParen) return Parenthesis(begin);
    if (kind == TokenKind::kLeftBracket) return List();
    if (kind == TokenKind::kLeftBrace) return Map();
    if (kind == TokenKind::kDot) {
      Take();
      return Peek().kind == TokenKind::kIdentifier ? Name(begin, true) : FailAtToken("an identifier");
    }
    const TokenKind next = Peek(1).kind;
    if (kind == TokenKind::kMinus && (next == TokenKind::kInt || next == TokenKind::kDouble)) return LiteralValue();
    return FailAtToken("an expression");
  }

  ExprId Parenthesis(std::size_t begin) {
    Take();
    const ExprId inner = Expression();
    Expect(TokenKind::kRightParen, "')'");
    if (error_) return kNoExpr;
    builder_.At(inner).begin = static_cast<std::uint32_t>(begin);
    builder_.At(inner).end = static_cast<std::uint32_t>(last_end_);
    return inner;
  }

  // How many tokens `a.b.C` takes when a brace follows it, so that it names a message; else 0.
  std::size_t MessageNameLength() const {
    std::size_t length = 1;
    while (Peek(length).kind == TokenKind::kDot && Peek(length + 1).kind == TokenKind::kIdentifier) length += 2;
    return Peek(length).kind == TokenKind::kLeftBrace ? length : 0;
  }

  ExprId Name(std::size_t begin, bool absolute) {
    if (const std::size_t length = MessageNameLength(); length > 0) return Message(begin, absolute, length);
    const Token& name = Take();
    if (IsReservedWord(name.text)) return Reserved(name, begin, absolute);
    if (Peek().kind == TokenKind::kLeftParen) return Invoke(name, kNoExpr, begin, absolute);
    return builder_.Identifier(At(name.begin, begin), name.text, absolute);
  }

  ExprId Reserved(const Token& name, std::size_t begin, bool absolute) {
    // Nothing else is said about a call of it.
    const std::size_t before = mistakes_.size();
    if (Peek().kind == TokenKind::kLeftParen) Invoke(name, kNoExpr, begin, absolute);
    mistakes_.resize(before);
    return Mistake(name.begin, fmt::format("reserved identifier: {}", name.text));
  }

  // The items of a literal with a mark for each that has a `?`.
  struct Items {
    std::vector<ExprId> exprs;
    std::vector<std::size_t> optional;  // indexes in exprs
  };
  ExprId WithItems(ExprKind kind, std::size_t position, std::size_t begin, const Items& items) {
    const ExprId id = Group(kind, position, begin, items.exprs);
    if (id == kNoExpr) return id;
    Expr& expr = builder_.At(id);
    expr.optional_items = !items.optional.empty();
    for (const std::size_t index : items.optional) ast().optional[expr.first_arg + index] = true;
    return id;
  }

  ExprId List() {
    const std::size_t begin = Take().begin;
    Items items;
    if (Peek(1).kind == TokenKind::kRightBracket) TakeIf(TokenKind::kComma);
    while (Peek().kind != TokenKind::kRightBracket && !error_) {
      if (TakeOptionalMark()) items.optional.push_back(items.exprs.size());
      items.exprs.push_back(Expression());
      if (!TakeIf(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBracket, "']'");
    return WithItems(ExprKind::kList, begin, begin, items);
  }

  ExprId Map() {
    const std::size_t begin = Take().begin;
    Items items;
    if (Peek(1).kind == TokenKind::kRightBrace) TakeIf(TokenKind::kComma);
    while (Peek().kind != TokenKind::kRightBrace && !error_) {
      if (TakeOptionalMark()) items.optional.push_back(items.exprs.size() + 1);
      items.exprs.push_back(Expression());
      Expect(TokenKind::kColon, "':'");
      items.exprs.push_back(Expression());
      if (!TakeIf(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBrace, "'}'");
    return WithItems(ExprKind::kMap, begin, begin, items);
  }

  ExprId Message(std::size_t begin, bool absolute, std::size_t name_length) {
    std::string name(absolute ? "." : "");
    for (std::size_t i = 0; i < name_length; ++i) {
      const Token& token = Take();
      name += token.kind == TokenKind::kDot ? std::string_view(".") : token.text;
    }
    const std::size_t brace = Take().begin;
    Items items;
    if (Peek(1).kind == TokenKind::kRightBrace) TakeIf(TokenKind::kComma);
    while (Peek().kind != TokenKind::kRightBrace && !error_) {
      if (TakeOptionalMark()) items.optional.push_back(items.exprs.size() + 1);
      if (Peek().kind != TokenKind::kIdentifier && Peek().kind != TokenKind::kQuotedIdentifier) {
        return FailAtToken("a field name");
      }
      const std::string_view field = Take().text;
      items.exprs.push_back(builder_.Literal(At(Peek().begin, Peek().begin), field));
      Expect(TokenKind::kColon, "':'");
      items.exprs.push_back(Expression());
      if (!TakeIf(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBrace, "'}'");
    const ExprId id = WithItems(ExprKind::kStruct, brace, begin, items);
    if (id != kNoExpr) builder_.At(id).name = builder_.Own(std::move(name));
    return id;
  }

  ExprId LiteralValue() {
    const std::size_t begin = Peek().begin;
    const bool negative = TakeIf(TokenKind::kMinus);
    const Token& token = Take();
    cel::Literal literal;
    constexpr auto kMaxInt = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (token.kind == TokenKind::kInt) {
      if (token.too_large || token.integer > kMaxInt + (negative ? 1 : 0)) return Mistake(begin, "invalid int literal");
      // Wraps to the smallest int where the magnitude is 2^63.
      literal = static_cast<std::int64_t>(negative ? ~token.integer + 1 : token.integer);
    } else if (token.kind == TokenKind::kDouble) {
      if (token.too_large) return Mistake(begin, "invalid double literal");
      literal = negative ? -token.real : token.real;
    } else if (token.kind == TokenKind::kUint) {
      if (token.too_large) return Mistake(begin, "invalid uint literal");
      literal = token.integer;
    } else if (token.kind == TokenKind::kString) {
      literal = token.text;
    } else if (token.kind == TokenKind::kBytes) {
      literal = Bytes{token.text};
    } else if (token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse) {
      literal = token.kind == TokenKind::kTrue;
    }
    return builder_.Literal(At(begin, begin), literal);
  }

  std::string_view text_;
  const ParseOptions& options_;
  AstBuilder builder_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
  std::uint32_t nesting_ = 0;
  std::optional<SourceError> error_;
  std::vector<SourceError> mistakes_;
};

}  // namespace

tl::expected<Ast, std::vector<SourceError>> Parse(std::string_view text, const ParseOptions& options) {
  return Parser(text, options).Run();
}

}  // namespace kumiko::cel
