// The syntax tree of one expression: nodes in one vector, children by index, macros already turned into folds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kumiko::cel {

using ExprId = std::uint32_t;
inline constexpr ExprId kNoExpr = 0xFFFFFFFFU;

struct Bytes {
  std::string data;
};
using Literal = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Bytes>;

enum class ExprKind {
  kLiteral,
  kIdentifier,   // name; absolute when written with a leading dot
  kSelect,       // operand.name; has(operand.name) when test_only; operand.?name when optional
  kIndex,        // operand[args[0]]; operand[?args[0]] when optional
  kCall,         // name(args), operand.name(args); operators have their CEL names: _+_, !_, ...
  kAnd,          // args, two or more
  kOr,           // args, two or more
  kConditional,  // args: condition, then, else
  kList,         // args
  kMap,          // args: key, value, key, value ...
  kFold,         // a macro over operand (the range) with one variable
  kBind,         // cel.bind(name, operand, args[0])
  kOptionalMap,  // operand.optMap(name, args[0]); optFlatMap when `flat`
};

enum class FoldKind { kAll, kExists, kExistsOne, kFilter, kMap };

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  std::uint32_t position = 0;  // byte offset that errors point at
  std::uint32_t begin = 0;     // byte extent in the source
  std::uint32_t end = 0;
  std::uint32_t depth = 1;  // levels of nodes from here down
  Literal literal;
  std::string name;
  ExprId operand = kNoExpr;
  std::vector<ExprId> args;
  std::vector<bool> optional_items;  // of lists (per item) and maps (per entry); empty: none is
  FoldKind fold = FoldKind::kAll;
  ExprId fold_filter = kNoExpr;  // map(x, filter, transform)
  bool test_only = false;
  bool optional = false;
  bool absolute = false;
  bool flat = false;
};

struct Ast {
  std::vector<Expr> nodes;
  ExprId root = kNoExpr;

  const Expr& At(ExprId id) const { return nodes[id]; }
};

}  // namespace kumiko::cel
