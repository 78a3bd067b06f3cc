#include "cel/device_reads.h"

#include <algorithm>
#include <set>

#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

bool IsCall(const Expr& expr, std::string_view name, std::size_t args) {
  return expr.kind == ExprKind::kCall && expr.name == name && expr.arg_count == args;
}
bool IsGlobalCall(const Expr& expr, std::string_view name, std::size_t args) {
  return IsCall(expr, name, args) && expr.operand == kNoExpr;
}

// One step by a constant string: operand.name, operand["name"], and their optional forms.
struct ConstantStep {
  ExprId operand = kNoExpr;
  std::string key;
  bool optional = false;
};

std::optional<ConstantStep> AsStep(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind == ExprKind::kSelect) return ConstantStep{expr.operand, std::string(expr.name)};
  const bool plain = IsGlobalCall(expr, "_[_]", 2);
  if (!plain && !IsGlobalCall(expr, "_[?_]", 2) && !IsGlobalCall(expr, "_?._", 2)) return std::nullopt;
  const auto args = checked.ast.Args(expr);
  const Expr& key = checked.ast.At(args[1]);
  const auto* text = std::get_if<std::string_view>(&key.literal);
  if (key.kind != ExprKind::kLiteral || text == nullptr) return std::nullopt;
  return ConstantStep{args[0], std::string(*text), !plain};
}

bool IsTest(const CheckedAst& checked, ExprId id) {
  return checked.ast.At(id).test_only;
}

struct Reads {
  std::set<AttributeKey> keys;
  bool unknown = false;
};

void Collect(const CheckedAst& checked, ExprId id, Reads& reads) {
  if (auto entry = AsEntry(checked, id)) {
    reads.keys.insert(*std::move(entry));
    return;
  }
  if (auto domain = AsDomain(checked, id)) {
    reads.keys.insert(*std::move(domain));
    return;
  }
  const Expr& expr = checked.ast.At(id);
  if (expr.kind == ExprKind::kIdentifier) {
    reads.unknown = reads.unknown || IsDevice(checked, id);
    return;
  }
  const bool plain_field = expr.kind == ExprKind::kSelect && IsDevice(checked, expr.operand) &&
                           (expr.name == "driver" || expr.name == "allowMultipleAllocations");
  if (expr.operand != kNoExpr && !plain_field && !checked.references[id].namespaced) {
    Collect(checked, expr.operand, reads);
  }
  for (const ExprId arg : checked.ast.Args(expr)) Collect(checked, arg, reads);
  if (expr.kind == ExprKind::kComprehension) {
    const Comprehension& fold = checked.ast.ComprehensionOf(expr);
    for (const ExprId part : {fold.range, fold.init, fold.condition, fold.step, fold.result}) {
      Collect(checked, part, reads);
    }
  }
}

// The text of a constant as people write it, also inside quantity() and semver().
std::optional<std::string> ConstantText(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind == ExprKind::kLiteral) {
    if (const auto* text = std::get_if<std::string_view>(&expr.literal)) return std::string(*text);
    if (const auto* number = std::get_if<std::int64_t>(&expr.literal)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&expr.literal)) return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&expr.literal)) return FormatDouble(*number);
    if (const auto* flag = std::get_if<bool>(&expr.literal)) return *flag ? "true" : "false";
    return std::nullopt;
  }
  const auto args = checked.ast.Args(expr);
  if (expr.kind == ExprKind::kCall && expr.operand == kNoExpr && !args.empty() &&
      (expr.name == "quantity" || expr.name == "semver")) {
    return ConstantText(checked, args[0]);
  }
  if (expr.kind != ExprKind::kList) return std::nullopt;
  std::string list = "[";
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto item = checked.ast.IsOptional(expr, i) ? std::nullopt : ConstantText(checked, args[i]);
    if (!item) return std::nullopt;
    list += (i > 0 ? ", " : "") + *item;
  }
  return list + "]";
}

// The entry itself, or the entry behind `.?x.orValue(constant)`.
bool IsEntryValue(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (IsCall(expr, "orValue", 1) && expr.operand != kNoExpr) return AsEntry(checked, expr.operand).has_value();
  if (IsGlobalCall(expr, "dyn", 1)) return AsEntry(checked, checked.ast.Args(expr)[0]).has_value();
  const auto step = AsStep(checked, id);
  return AsEntry(checked, id).has_value() && !step->optional && !IsTest(checked, id);
}

Reading::Need NeedOf(const Expr& expr, bool swapped) {
  using Need = Reading::Need;
  if (expr.kind != ExprKind::kCall || expr.operand != kNoExpr) return Need::kOther;
  if (expr.name == "_==_") return Need::kEqual;
  if (expr.name == "_!=_") return Need::kNotEqual;
  if (expr.name == "_<_") return swapped ? Need::kGreater : Need::kLess;
  if (expr.name == "_<=_") return swapped ? Need::kGreaterEqual : Need::kLessEqual;
  if (expr.name == "_>_") return swapped ? Need::kLess : Need::kGreater;
  if (expr.name == "_>=_") return swapped ? Need::kLessEqual : Need::kGreaterEqual;
  return Need::kOther;
}

bool IsZero(const Expr& expr) {
  const auto* number = std::get_if<std::int64_t>(&expr.literal);
  return expr.kind == ExprKind::kLiteral && number != nullptr && *number == 0;
}

void DescribeComparison(const CheckedAst& checked, ExprId id, Reading& reading) {
  const Expr& expr = checked.ast.At(id);
  const auto args = checked.ast.Args(expr);
  for (const bool swapped : {false, true}) {
    const ExprId subject = args[swapped ? 1 : 0];
    const ExprId other = args[swapped ? 0 : 1];
    const Expr& left = checked.ast.At(subject);
    if (IsEntryValue(checked, subject)) {
      const auto constant = ConstantText(checked, other);
      if (!constant) return;
      reading.need = NeedOf(expr, swapped);
      reading.constant = *constant;
      return;
    }
    // x.compareTo(constant) >= 0 says x >= constant.
    if (IsCall(left, "compareTo", 1) && left.operand != kNoExpr && IsEntryValue(checked, left.operand) &&
        IsZero(checked.ast.At(other))) {
      const auto constant = ConstantText(checked, checked.ast.Args(left)[0]);
      if (!constant) return;
      reading.need = NeedOf(expr, swapped);
      reading.constant = *constant;
      return;
    }
  }
}

}  // namespace

bool IsDevice(const CheckedAst& checked, ExprId id) {
  const Reference& reference = checked.references[id];
  const TypeRef type = checked.types[id];
  return reference.kind == Reference::Kind::kVariable && reference.index == 0 && type != nullptr &&
         type->kind == TypeKind::kObject && type->name == "kubernetes.DRADevice";
}

std::optional<AttributeKey::Map> AsDomains(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind != ExprKind::kSelect || expr.test_only || !IsDevice(checked, expr.operand)) return std::nullopt;
  if (expr.name == "attributes") return AttributeKey::Map::kAttributes;
  return expr.name == "capacity" ? std::optional(AttributeKey::Map::kCapacity) : std::nullopt;
}

std::optional<AttributeKey> AsDomain(const CheckedAst& checked, ExprId id) {
  auto step = AsStep(checked, id);
  if (!step || step->optional || IsTest(checked, id)) return std::nullopt;
  const auto map = AsDomains(checked, step->operand);
  if (!map) return std::nullopt;
  return AttributeKey{*map, std::move(step->key), ""};
}

std::optional<AttributeKey> AsEntry(const CheckedAst& checked, ExprId id) {
  auto step = AsStep(checked, id);
  if (!step) return std::nullopt;
  auto key = AsDomain(checked, step->operand);
  if (key) key->id = std::move(step->key);
  return key;
}

std::optional<std::vector<AttributeKey>> KeysRead(const CheckedAst& checked, ExprId root) {
  Reads reads;
  Collect(checked, root, reads);
  if (reads.unknown) return std::nullopt;
  return std::vector<AttributeKey>(reads.keys.begin(), reads.keys.end());
}

std::optional<Reading> ReadingOf(const CheckedAst& checked, ExprId root) {
  const auto keys = KeysRead(checked, root);
  if (!keys || keys->size() != 1 || keys->front().id.empty()) return std::nullopt;
  Reading reading;
  reading.key = keys->front();
  const Expr& expr = checked.ast.At(root);
  const auto args = checked.ast.Args(expr);
  const auto needs = [&](Reading::Need need, ExprId constant) {
    if (auto text = ConstantText(checked, constant)) {
      reading.need = need;
      reading.constant = *std::move(text);
    }
  };
  if (NeedOf(expr, false) != Reading::Need::kOther) {
    DescribeComparison(checked, root, reading);
  } else if (IsGlobalCall(expr, "@in", 2) && IsEntryValue(checked, args[0])) {
    needs(Reading::Need::kOneOf, args[1]);
  } else if ((IsCall(expr, "isGreaterThan", 1) || IsCall(expr, "isLessThan", 1)) && expr.operand != kNoExpr &&
             IsEntryValue(checked, expr.operand)) {
    needs(expr.name == "isGreaterThan" ? Reading::Need::kGreater : Reading::Need::kLess, args[0]);
  } else if (IsGlobalCall(expr, "!_", 1) && IsEntryValue(checked, args[0])) {
    reading.need = Reading::Need::kFalse;
  } else if (IsEntryValue(checked, root)) {
    reading.need = Reading::Need::kTrue;
  } else if (IsTest(checked, root) && AsEntry(checked, root)) {
    reading.need = Reading::Need::kPresent;
  }
  return reading;
}

}  // namespace kumiko::cel
