#include "cel/literal_checks.h"

#include <fmt/core.h>

#include <array>

#include "cel/library/format_string.h"
#include "cel/library/regex.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

// Wrappers count as their scalars.
bool Equivalent(TypeRef a, TypeRef b) {
  if (a == b) return true;
  if (a->kind == TypeKind::kWrapper) a = a->first;
  if (b->kind == TypeKind::kWrapper) b = b->first;
  if (a->kind != b->kind || (a->first == nullptr) != (b->first == nullptr)) return false;
  if (a->first == nullptr) return SameType(a, b);
  return Equivalent(a->first, b->first) && (a->second == nullptr || Equivalent(a->second, b->second));
}

class LiteralChecker {
 public:
  LiteralChecker(CheckedAst& checked, const Environment& environment, std::vector<SourceError>& errors)
      : checked_(checked), environment_(environment), errors_(errors) {}

  void Walk(ExprId id, bool in_format) {
    const Expr& expr = checked_.ast.At(id);
    if (expr.kind == ExprKind::kCall) {
      in_format = in_format || expr.name == "format";
      CheckCall(id);
    }
    const bool homogeneous = environment_.homogeneous_literals && !in_format;
    if (expr.kind == ExprKind::kList && homogeneous) CheckItems(id, 0, 1);
    if (expr.kind == ExprKind::kMap && homogeneous) {
      CheckItems(id, 0, 2);
      CheckItems(id, 1, 2);
    }
    if (expr.operand != kNoExpr && !checked_.references[id].namespaced) Walk(expr.operand, in_format);
    for (const ExprId arg : checked_.ast.Args(expr)) Walk(arg, in_format);
    if (expr.kind == ExprKind::kComprehension) {
      const Comprehension& fold = checked_.ast.ComprehensionOf(expr);
      for (const ExprId part : {fold.range, fold.init, fold.condition, fold.step, fold.result}) Walk(part, in_format);
    }
  }

 private:
  void CheckItems(ExprId id, std::size_t first, std::size_t stride) {
    const Expr& expr = checked_.ast.At(id);
    const auto args = checked_.ast.Args(expr);
    TypeRef wanted = nullptr;
    for (std::size_t i = first; i < args.size(); i += stride) {
      TypeRef type = checked_.types[args[i]];
      if (checked_.ast.IsOptional(expr, i) && type->kind == TypeKind::kOptional) type = type->first;
      if (wanted == nullptr) {
        wanted = type;
      } else if (!Equivalent(wanted, type)) {
        Report(args[i], fmt::format("expected type '{}' but found '{}'", TypeName(wanted), TypeName(type)));
        if (stride == 1) return;
      }
    }
  }

  void CheckCall(ExprId id) {
    const Expr& expr = checked_.ast.At(id);
    const auto args = checked_.ast.Args(expr);
    if (args.empty()) return;
    if (expr.name == "format") {
      if (auto mistake = CheckFormat(checked_, id)) Report(mistake->at, std::move(mistake->message));
      return;
    }
    const Expr& literal = checked_.ast.At(args[0]);
    if (literal.kind != ExprKind::kLiteral) return;
    if (expr.name == "matches") {
      const auto* pattern = std::get_if<std::string_view>(&literal.literal);
      if (pattern != nullptr && !PatternParses(*pattern)) Report(args[0], "invalid matches argument");
    } else if (expr.name == "duration" || expr.name == "timestamp") {
      if (!Converts(id, literal.literal)) Report(args[0], fmt::format("invalid {} argument", expr.name));
    }
  }

  bool PatternParses(std::string_view pattern) {
    if (checked_.patterns.contains(pattern)) return true;
    auto compiled = CompilePattern(pattern, checked_.pattern_steps);
    if (!compiled && !compiled.error().too_large) return false;
    checked_.patterns.emplace(pattern, compiled ? *std::move(compiled) : nullptr);
    return true;
  }

  // Whether the conversion accepts the literal.
  bool Converts(ExprId id, const Literal& literal) const {
    Value value;
    if (const auto* text = std::get_if<std::string_view>(&literal)) value = Value::String(*text);
    if (const auto* number = std::get_if<std::int64_t>(&literal)) value = Value::Int(*number);
    Arena arena;
    RunContext run{arena};
    const std::array<Value, 1> arguments = {value};
    for (const Overload* overload : checked_.Overloads(id)) {
      if (!overload->call(run, arguments).IsError()) return true;
    }
    return false;
  }

  void Report(ExprId id, std::string message) { errors_.push_back({checked_.ast.At(id).position, std::move(message)}); }

  CheckedAst& checked_;
  const Environment& environment_;
  std::vector<SourceError>& errors_;
};

}  // namespace

void CheckLiterals(CheckedAst& checked, const Environment& environment, std::vector<SourceError>& errors) {
  LiteralChecker(checked, environment, errors).Walk(checked.ast.root, false);
}

}  // namespace kumiko::cel
