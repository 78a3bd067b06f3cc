// The syntax tree of one expression, flat: nodes in one vector, children by index, text borrowed from the tree's own
// storage. Macros are already expanded into comprehensions, calls and conditionals, as the language defines them; a
// comprehension remembers which macro made it, so that the compiler can do better than the general loop.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kumiko::cel {

using ExprId = std::uint32_t;
inline constexpr ExprId kNoExpr = 0xFFFFFFFFU;

struct Bytes {
  std::string_view data;
};
using Literal = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string_view, Bytes>;

enum class ExprKind : std::uint8_t {
  kLiteral,
  kIdentifier,     // name; absolute when written with a leading dot
  kSelect,         // operand.name; has(operand.name) when test_only
  kCall,           // name(args), or operand.name(args) when operand is set. Operators have their CEL names: _+_, !_,
                   // _[_], _[?_], _?._ (args: operand, literal field name)
  kAnd,            // args, two or more: a chain is one node however long
  kOr,             // args, two or more
  kConditional,    // args: condition, then, else; the call _?_:_ to users
  kList,           // args
  kMap,            // args: key, value, key, value ...
  kStruct,         // name{...}; args: field name (a literal), value, ...
  kComprehension,  // comprehensions[comprehension]
};

// The macros that become comprehensions.
enum class Macro : std::uint8_t {
  kAll,
  kExists,
  kExistsOne,
  kFilter,
  kMap,   // also with a filter: map(x, keep, transform)
  kBind,  // cel.bind(x, init, result), and what optMap, optFlatMap and sortBy bind
  kTransformList,
  kTransformMap,
  kTransformMapEntry,
};

// accumulator = init; for variable[, variable2] in range { if !condition break; accumulator = step }; result
struct Comprehension {
  Macro macro = Macro::kAll;
  std::string_view variable;
  std::string_view variable2;  // empty: one variable
  std::string_view accumulator;
  ExprId range = kNoExpr;
  ExprId init = kNoExpr;
  ExprId condition = kNoExpr;
  ExprId step = kNoExpr;
  ExprId result = kNoExpr;
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  bool test_only = false;
  bool absolute = false;
  bool optional_items = false;  // of lists, maps and structs: some item is written with `?` (see Ast::optional)
  // Of kAnd and kOr, which are balanced trees of calls in the reference: whether the first and the last part stand
  // deeper than right below its root. All others do.
  bool first_is_deeper = false;
  bool last_is_deeper = false;
  std::uint32_t position = 0;  // byte offset that errors point at
  std::uint32_t begin = 0;     // byte extent in the source
  std::uint32_t end = 0;
  std::uint32_t depth = 1;  // levels of nodes from here down
  ExprId operand = kNoExpr;
  std::uint32_t first_arg = 0;  // in Ast::children
  std::uint32_t arg_count = 0;
  std::uint32_t comprehension = 0;
  std::string_view name;
  Literal literal;
};

// One tree may hold a node in two places (the target of optMap is one); it stands for the same text.
struct Ast {
  std::vector<Expr> nodes;
  std::vector<ExprId> children;
  std::vector<bool> optional;  // parallel to children: the item (list), or the value (map, struct) has a `?`
  std::vector<Comprehension> comprehensions;
  std::deque<std::string> text;  // owns names and literals
  ExprId root = kNoExpr;

  const Expr& At(ExprId id) const { return nodes[id]; }
  std::span<const ExprId> Args(const Expr& expr) const { return {children.data() + expr.first_arg, expr.arg_count}; }
  const Comprehension& ComprehensionOf(const Expr& expr) const { return comprehensions[expr.comprehension]; }
  // Whether item `i` of args has a `?`.
  bool IsOptional(const Expr& expr, std::size_t i) const { return optional[expr.first_arg + i]; }
};

// The accumulator of all macros but cel.bind; no text can name it.
inline constexpr std::string_view kAccumulator = "@result";

}  // namespace kumiko::cel
