#include "cel/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

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

// On the first error the parser jumps to the end token, so every loop ends; results after that are not used.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  tl::expected<Ast, SourceError> Run() {
    ast_.root = Expression();
    if (!error_ && Peek().kind != TokenKind::kEnd) FailAtToken("");
    if (error_) return tl::unexpected(std::move(*error_));
    return std::move(ast_);
  }

 private:
  const Token& Peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token Take() {
    Token token = Peek();
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

  // Adds a node whose children are set; computes its depth and extent.
  ExprId Add(Expr expr, std::size_t begin) {
    if (error_) return kNoExpr;
    std::uint32_t deepest = 0;
    const auto look = [&](ExprId child) {
      if (child != kNoExpr) deepest = std::max(deepest, ast_.nodes[child].depth);
    };
    look(expr.operand);
    look(expr.fold_filter);
    for (const ExprId child : expr.args) look(child);
    expr.depth = deepest + 1;
    if (expr.depth > kMaxNesting) return FailAt(expr.position, "max recursion depth exceeded");
    expr.begin = static_cast<std::uint32_t>(begin);
    expr.end = static_cast<std::uint32_t>(last_end_);
    ast_.nodes.push_back(std::move(expr));
    return static_cast<ExprId>(ast_.nodes.size() - 1);
  }
  Expr Node(ExprKind kind, std::size_t position) const {
    Expr expr;
    expr.kind = kind;
    expr.position = static_cast<std::uint32_t>(position);
    return expr;
  }

  // Where the text of a parsed operand begins: parentheses around it belong to it.
  std::size_t BeginOf(ExprId id) const { return error_ ? 0 : ast_.nodes[id].begin; }

  ExprId Expression() {
    if (++nesting_ > kMaxNesting) {
      return FailAt(Peek().begin, fmt::format("expression recursion limit exceeded: {}", kMaxNesting));
    }
    const ExprId condition = Logical(TokenKind::kOr);
    ExprId result = condition;
    if (Peek().kind == TokenKind::kQuestion) {
      Expr expr = Node(ExprKind::kConditional, Take().begin);
      const ExprId then = Logical(TokenKind::kOr);
      Expect(TokenKind::kColon, "':'");
      const ExprId otherwise = Expression();
      expr.args = {condition, then, otherwise};
      result = error_ ? kNoExpr : Add(std::move(expr), BeginOf(condition));
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
    Expr expr = Node(node_kind, Peek().begin);
    Join(expr, first);
    while (TakeIf(kind)) Join(expr, operand());
    return error_ ? kNoExpr : Add(std::move(expr), BeginOf(first));
  }
  // (a && b) && c has the parts a, b and c.
  void Join(Expr& chain, ExprId part) const {
    if (error_) return;
    const Expr& expr = ast_.nodes[part];
    if (expr.kind == chain.kind) {
      chain.args.insert(chain.args.end(), expr.args.begin(), expr.args.end());
    } else {
      chain.args.push_back(part);
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
      Expr expr = Node(ExprKind::kCall, Take().begin);
      expr.name = found->function;
      const ExprId right = Binary(level + 1);
      expr.args = {left, right};
      left = error_ ? kNoExpr : Add(std::move(expr), BeginOf(left));
    }
  }

  ExprId Unary() {
    const Token first = Peek();
    if (first.kind != TokenKind::kNot && first.kind != TokenKind::kMinus) return Member();
    bool odd = false;
    while (Peek().kind == first.kind) {
      // The sign next to a number belongs to it: -9223372036854775808 is a literal.
      const TokenKind next = Peek(1).kind;
      if (first.kind == TokenKind::kMinus && (next == TokenKind::kInt || next == TokenKind::kDouble)) break;
      Take();
      odd = !odd;
    }
    const ExprId operand = Member();
    if (!odd || error_) return operand;
    Expr expr = Node(ExprKind::kCall, first.begin);
    expr.name = first.kind == TokenKind::kNot ? "!_" : "-_";
    expr.args = {operand};
    return Add(std::move(expr), first.begin);
  }

  ExprId Member() {
    const std::size_t begin = Peek().begin;
    ExprId operand = Primary();
    for (;;) {
      if (error_) return kNoExpr;
      if (Peek().kind == TokenKind::kDot) {
        operand = AfterDot(operand, begin);
      } else if (Peek().kind == TokenKind::kLeftBracket) {
        Expr expr = Node(ExprKind::kIndex, Take().begin);
        expr.optional = TakeIf(TokenKind::kQuestion);
        expr.operand = operand;
        expr.args = {Expression()};
        Expect(TokenKind::kRightBracket, "']'");
        operand = Add(std::move(expr), begin);
      } else {
        return operand;
      }
    }
  }

  ExprId AfterDot(ExprId operand, std::size_t begin) {
    const std::size_t dot = Take().begin;
    const bool optional = TakeIf(TokenKind::kQuestion);
    if (Peek().kind != TokenKind::kIdentifier && Peek().kind != TokenKind::kQuotedIdentifier) {
      return FailAtToken("a field name");
    }
    const Token name = Take();
    if (!optional && name.kind == TokenKind::kIdentifier && Peek().kind == TokenKind::kLeftParen) {
      return Call(name, operand, begin, false);
    }
    Expr expr = Node(ExprKind::kSelect, dot);
    expr.operand = operand;
    expr.name = name.text;
    expr.optional = optional;
    return Add(std::move(expr), begin);
  }

  ExprId Call(const Token& name, ExprId operand, std::size_t begin, bool absolute) {
    const std::size_t paren = Take().begin;
    std::vector<ExprId> args;
    if (Peek().kind != TokenKind::kRightParen) {
      do args.push_back(Expression());
      while (TakeIf(TokenKind::kComma));
    }
    Expect(TokenKind::kRightParen, "')'");
    if (error_) return kNoExpr;
    if (!absolute) {
      if (auto expanded = Macro(name.text, operand, args, paren, begin)) return *expanded;
    }
    Expr expr = Node(ExprKind::kCall, paren);
    expr.name = name.text;
    expr.operand = operand;
    expr.args = std::move(args);
    expr.absolute = absolute;
    return Add(std::move(expr), begin);
  }

  // The node that a macro call stands for; nullopt when the call is no macro.
  std::optional<ExprId> Macro(const std::string& name, ExprId operand, const std::vector<ExprId>& args,
                              std::size_t position, std::size_t begin) {
    if (operand == kNoExpr)
      return name == "has" && args.size() == 1 ? std::optional(Has(args[0], position, begin)) : std::nullopt;
    const Expr& target = ast_.nodes[operand];
    if (name == "bind" && args.size() == 3 && target.kind == ExprKind::kIdentifier && target.name == "cel") {
      Expr expr = Node(ExprKind::kBind, position);
      expr.operand = args[1];
      expr.args = {args[2]};
      return WithVariable(std::move(expr), args[0], begin, "cel.bind() variable names must be simple identifiers");
    }
    if ((name == "optMap" || name == "optFlatMap") && args.size() == 2) {
      Expr expr = Node(ExprKind::kOptionalMap, position);
      expr.operand = operand;
      expr.args = {args[1]};
      expr.flat = name == "optFlatMap";
      return WithVariable(std::move(expr), args[0], begin, name + "() variable name must be a simple identifier");
    }
    Expr expr = Node(ExprKind::kFold, position);
    expr.operand = operand;
    if (name == "map" && args.size() == 3) {
      expr.fold = FoldKind::kMap;
      expr.fold_filter = args[1];
      expr.args = {args[2]};
      return WithVariable(std::move(expr), args[0], begin, "argument is not an identifier");
    }
    static constexpr std::pair<std::string_view, FoldKind> kFolds[] = {{"all", FoldKind::kAll},
                                                                       {"exists", FoldKind::kExists},
                                                                       {"exists_one", FoldKind::kExistsOne},
                                                                       {"filter", FoldKind::kFilter},
                                                                       {"map", FoldKind::kMap}};
    if (args.size() != 2) return std::nullopt;
    for (const auto& [macro, fold] : kFolds) {
      if (macro != name) continue;
      expr.fold = fold;
      expr.args = {args[1]};
      return WithVariable(std::move(expr), args[0], begin, "argument is not an identifier");
    }
    return std::nullopt;
  }

  ExprId WithVariable(Expr expr, ExprId variable, std::size_t begin, std::string_view error) {
    const Expr& name = ast_.nodes[variable];
    if (name.kind != ExprKind::kIdentifier || name.absolute) return FailAt(name.position, std::string(error));
    expr.name = name.name;
    return Add(std::move(expr), begin);
  }

  ExprId Has(ExprId argument, std::size_t position, std::size_t begin) {
    Expr& select = ast_.nodes[argument];
    if (select.kind != ExprKind::kSelect || select.test_only || select.optional) {
      return FailAt(select.position, "invalid argument to has() macro");
    }
    select.test_only = true;
    select.position = static_cast<std::uint32_t>(position);
    select.begin = static_cast<std::uint32_t>(begin);
    select.end = static_cast<std::uint32_t>(last_end_);
    return argument;
  }

  ExprId Primary() {
    const Token& next = Peek();
    const std::size_t begin = next.begin;
    switch (next.kind) {
      case TokenKind::kDot:
        Take();
        if (Peek().kind != TokenKind::kIdentifier) return FailAtToken("an identifier");
        return Name(begin, true);
      case TokenKind::kIdentifier:
        return Name(begin, false);
      case TokenKind::kLeftParen: {
        Take();
        const ExprId inner = Expression();
        Expect(TokenKind::kRightParen, "')'");
        if (error_) return kNoExpr;
        ast_.nodes[inner].begin = static_cast<std::uint32_t>(begin);
        ast_.nodes[inner].end = static_cast<std::uint32_t>(last_end_);
        return inner;
      }
      case TokenKind::kLeftBracket:
        return List();
      case TokenKind::kLeftBrace:
        return Map();
      case TokenKind::kMinus:
        if (Peek(1).kind != TokenKind::kInt && Peek(1).kind != TokenKind::kDouble) return FailAtToken("an expression");
        return LiteralValue();
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kDouble:
      case TokenKind::kString:
      case TokenKind::kBytes:
      case TokenKind::kTrue:
      case TokenKind::kFalse:
      case TokenKind::kNull:
        return LiteralValue();
      case TokenKind::kEnd:
      case TokenKind::kQuotedIdentifier:
      case TokenKind::kIn:
      case TokenKind::kComma:
      case TokenKind::kColon:
      case TokenKind::kQuestion:
      case TokenKind::kRightParen:
      case TokenKind::kRightBracket:
      case TokenKind::kRightBrace:
      case TokenKind::kPlus:
      case TokenKind::kStar:
      case TokenKind::kSlash:
      case TokenKind::kPercent:
      case TokenKind::kNot:
      case TokenKind::kLess:
      case TokenKind::kLessEqual:
      case TokenKind::kGreater:
      case TokenKind::kGreaterEqual:
      case TokenKind::kEqual:
      case TokenKind::kNotEqual:
      case TokenKind::kAnd:
      case TokenKind::kOr:
        return FailAtToken("an expression");
    }
    return FailAtToken("an expression");
  }

  ExprId Name(std::size_t begin, bool absolute) {
    const Token name = Take();
    if (Peek().kind == TokenKind::kLeftParen) return Call(name, kNoExpr, begin, absolute);
    if (IsReservedWord(name.text)) return FailAt(name.begin, fmt::format("reserved identifier: {}", name.text));
    Expr expr = Node(ExprKind::kIdentifier, name.begin);
    expr.name = name.text;
    expr.absolute = absolute;
    return Add(std::move(expr), begin);
  }

  ExprId List() {
    const std::size_t begin = Take().begin;
    Expr expr = Node(ExprKind::kList, begin);
    if (Peek(1).kind == TokenKind::kRightBracket) TakeIf(TokenKind::kComma);
    std::vector<bool> optional_items;
    bool any_optional = false;
    while (Peek().kind != TokenKind::kRightBracket && !error_) {
      optional_items.push_back(TakeIf(TokenKind::kQuestion));
      any_optional = any_optional || optional_items.back();
      expr.args.push_back(Expression());
      if (!TakeIf(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBracket, "']'");
    if (any_optional) expr.optional_items = std::move(optional_items);
    return Add(std::move(expr), begin);
  }

  ExprId Map() {
    const std::size_t begin = Take().begin;
    Expr expr = Node(ExprKind::kMap, begin);
    if (Peek(1).kind == TokenKind::kRightBrace) TakeIf(TokenKind::kComma);
    std::vector<bool> optional_items;
    bool any_optional = false;
    while (Peek().kind != TokenKind::kRightBrace && !error_) {
      optional_items.push_back(TakeIf(TokenKind::kQuestion));
      any_optional = any_optional || optional_items.back();
      expr.args.push_back(Expression());
      Expect(TokenKind::kColon, "':'");
      expr.args.push_back(Expression());
      if (!TakeIf(TokenKind::kComma)) break;
    }
    Expect(TokenKind::kRightBrace, "'}'");
    if (any_optional) expr.optional_items = std::move(optional_items);
    return Add(std::move(expr), begin);
  }

  ExprId LiteralValue() {
    const std::size_t begin = Peek().begin;
    const bool negative = TakeIf(TokenKind::kMinus);
    Token token = Take();
    Expr expr = Node(ExprKind::kLiteral, begin);
    constexpr auto kMaxInt = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (token.kind == TokenKind::kInt) {
      if (token.integer > kMaxInt + (negative ? 1 : 0)) return FailAt(begin, "invalid int literal");
      // Wraps to the smallest int where the magnitude is 2^63.
      expr.literal = static_cast<std::int64_t>(negative ? ~token.integer + 1 : token.integer);
    } else if (token.kind == TokenKind::kDouble) {
      expr.literal = negative ? -token.real : token.real;
    } else if (token.kind == TokenKind::kUint) {
      expr.literal = token.integer;
    } else if (token.kind == TokenKind::kString) {
      expr.literal = std::move(token.text);
    } else if (token.kind == TokenKind::kBytes) {
      expr.literal = Bytes{std::move(token.text)};
    } else if (token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse) {
      expr.literal = token.kind == TokenKind::kTrue;
    } else {
      expr.literal = nullptr;
    }
    return Add(std::move(expr), begin);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
  std::uint32_t nesting_ = 0;
  Ast ast_;
  std::optional<SourceError> error_;
};

}  // namespace

tl::expected<Ast, SourceError> Parse(std::string_view text) {
  auto tokens = Tokenize(text);
  if (!tokens) return tl::unexpected(std::move(tokens).error());
  return Parser(text, *std::move(tokens)).Run();
}

}  // namespace kumiko::cel
