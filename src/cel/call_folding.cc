#include "cel/call_folding.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "cel/actual_cost.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

// Steps that working out one call may take; a dearer one is left to the run, which has a limit.
constexpr std::int64_t kFoldingBudget = 10'000;

// Lists and maps stay to the run: a short text can make a long one.
bool IsScalar(TypeRef type) {
  return type->kind != TypeKind::kList && type->kind != TypeKind::kMap && type->kind != TypeKind::kDyn &&
         type->kind != TypeKind::kOptional;
}

bool IsPlainKey(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kInt || kind == TypeKind::kUint || kind == TypeKind::kBool;
}

}  // namespace

bool CallFolding::WorkOut(const Callee& callee, TypeRef type, std::uint32_t begin, std::size_t count) {
  if (!IsScalar(type) || count == 0 || !out_.AreConstants(begin, count) || callee.overloads.size() > 1) return false;
  std::vector<Value> args;
  for (std::size_t i = 0; i < count; ++i) args.push_back(out_.ConstantAt(begin + static_cast<std::uint32_t>(i)));
  if (std::any_of(args.begin(), args.end(), [](const Value& arg) { return arg.IsError(); })) return false;
  RunContext run{program_.arena};
  run.budget = kFoldingBudget;
  const Value result = callee.call(run, args);
  if (result.IsError() || run.budget < 0 || (HasIdentity(result) && MayBecomeKey())) return false;
  const std::int64_t cost = out_.CostSince(begin) + ActualCost(run, callee.cost, args, result);
  if (cost > std::numeric_limits<std::uint16_t>::max()) return false;
  out_.Drop(begin);
  out_.EmitConstant(result, static_cast<std::uint32_t>(cost));
  return true;
}

bool CallFolding::MayBecomeKey() {
  if (may_become_key_) return *may_become_key_;
  may_become_key_ = false;
  for (const Expr& expr : checked_.ast.nodes) {
    if (expr.kind != ExprKind::kMap) continue;
    const auto args = checked_.ast.Args(expr);
    for (std::size_t i = 0; i < args.size(); i += 2) {
      if (!IsPlainKey(checked_.types[args[i]]->kind)) may_become_key_ = true;
    }
  }
  return *may_become_key_;
}

}  // namespace kumiko::cel
