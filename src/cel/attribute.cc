#include "cel/attribute.h"

#include <algorithm>

namespace kumiko::cel {

bool IsStep(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind == ExprKind::kSelect) return checked.references[id].kind == Reference::Kind::kNone;
  return expr.kind == ExprKind::kCall && expr.operand == kNoExpr && expr.arg_count == 2 &&
         (expr.name == "_[_]" || expr.name == "_[?_]" || expr.name == "_?._");
}

Attribute AttributeOf(const CheckedAst& checked, ExprId id) {
  Attribute attribute;
  bool outermost = true;
  while (IsStep(checked, id) && (outermost || !checked.ast.At(id).test_only)) {
    const Expr& expr = checked.ast.At(id);
    const auto args = checked.ast.Args(expr);
    if (expr.kind == ExprKind::kSelect) {
      attribute.steps.push_back({expr.name, kNoExpr, false, expr.test_only});
      id = expr.operand;
    } else if (expr.name == "_?._") {
      attribute.steps.push_back({std::get<std::string_view>(checked.ast.At(args[1]).literal), kNoExpr, true});
      id = args[0];
    } else {
      attribute.steps.push_back({{}, args[1], expr.name != "_[_]"});
      id = args[0];
    }
    outermost = false;
  }
  std::reverse(attribute.steps.begin(), attribute.steps.end());
  attribute.base = id;
  attribute.optional = checked.types[id]->kind == TypeKind::kOptional && !attribute.steps.empty();
  for (const Step& step : attribute.steps) attribute.optional = attribute.optional || step.optional;
  return attribute;
}

}  // namespace kumiko::cel
