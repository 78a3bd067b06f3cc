#include "cel/device_reads.h"

#include <algorithm>
#include <set>

#include "cel/functions.h"

namespace kumiko::cel {
namespace {

// The constant string by which a select or an index looks something up.
std::optional<std::string> ConstantKey(const CheckedAst& checked, const Expr& expr) {
  if (expr.kind == ExprKind::kSelect) return expr.name;
  if (expr.kind != ExprKind::kIndex) return std::nullopt;
  const Expr& key = checked.ast.At(expr.args[0]);
  const auto* text = std::get_if<std::string>(&key.literal);
  return key.kind == ExprKind::kLiteral && text != nullptr ? std::optional(*text) : std::nullopt;
}

bool IsDevice(const CheckedAst& checked, ExprId id) {
  const TypeRef type = checked.types[id];
  return type != nullptr && type->kind == TypeKind::kDevice && checked.ast.At(id).kind == ExprKind::kIdentifier;
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
  if (expr.operand != kNoExpr && !plain_field && !checked.namespaced[id]) Collect(checked, expr.operand, reads);
  if (expr.fold_filter != kNoExpr) Collect(checked, expr.fold_filter, reads);
  for (const ExprId arg : expr.args) Collect(checked, arg, reads);
}

// The text of a constant as people write it, also inside quantity() and semver().
std::optional<std::string> ConstantText(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind == ExprKind::kLiteral) {
    if (const auto* text = std::get_if<std::string>(&expr.literal)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&expr.literal)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&expr.literal)) return std::to_string(*number);
    if (const auto* number = std::get_if<double>(&expr.literal)) return FormatDouble(*number);
    if (const auto* flag = std::get_if<bool>(&expr.literal)) return *flag ? "true" : "false";
    return std::nullopt;
  }
  if (expr.kind == ExprKind::kCall && !expr.args.empty() &&
      (checked.functions[id] == Function::kQuantity || checked.functions[id] == Function::kSemver)) {
    return ConstantText(checked, expr.args[0]);
  }
  if (expr.kind != ExprKind::kList || !expr.optional_items.empty()) return std::nullopt;
  std::string list = "[";
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    const auto item = ConstantText(checked, expr.args[i]);
    if (!item) return std::nullopt;
    list += (i > 0 ? ", " : "") + *item;
  }
  return list + "]";
}

// The entry itself, or the entry behind `.?x.orValue(constant)`.
bool IsEntryValue(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (checked.functions[id] == Function::kOrValue || checked.functions[id] == Function::kToDyn) {
    const ExprId inner = expr.operand != kNoExpr ? expr.operand : expr.args[0];
    return AsEntry(checked, inner).has_value();
  }
  return AsEntry(checked, id).has_value() && !expr.optional && !expr.test_only;
}

Reading::Need NeedOf(Function function, bool swapped) {
  using Need = Reading::Need;
  if (function == Function::kEqual) return Need::kEqual;
  if (function == Function::kNotEqual) return Need::kNotEqual;
  if (function == Function::kLess) return swapped ? Need::kGreater : Need::kLess;
  if (function == Function::kLessEqual) return swapped ? Need::kGreaterEqual : Need::kLessEqual;
  if (function == Function::kGreater) return swapped ? Need::kLess : Need::kGreater;
  if (function == Function::kGreaterEqual) return swapped ? Need::kLessEqual : Need::kGreaterEqual;
  return Need::kOther;
}

bool IsZero(const Expr& expr) {
  const auto* number = std::get_if<std::int64_t>(&expr.literal);
  return expr.kind == ExprKind::kLiteral && number != nullptr && *number == 0;
}

void DescribeComparison(const CheckedAst& checked, ExprId id, Reading& reading) {
  const Expr& expr = checked.ast.At(id);
  for (const bool swapped : {false, true}) {
    const ExprId subject = expr.args[swapped ? 1 : 0];
    const ExprId other = expr.args[swapped ? 0 : 1];
    const Expr& left = checked.ast.At(subject);
    if (IsEntryValue(checked, subject)) {
      const auto constant = ConstantText(checked, other);
      if (!constant) return;
      reading.need = NeedOf(checked.functions[id], swapped);
      reading.constant = *constant;
      return;
    }
    // x.compareTo(constant) >= 0 says x >= constant.
    if (checked.functions[subject] == Function::kCompareTo && IsEntryValue(checked, left.operand) &&
        IsZero(checked.ast.At(other))) {
      const auto constant = ConstantText(checked, left.args[0]);
      if (!constant) return;
      reading.need = NeedOf(checked.functions[id], swapped);
      reading.constant = *constant;
      return;
    }
  }
}

}  // namespace

std::optional<AttributeKey::Map> AsDomains(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.kind != ExprKind::kSelect || expr.optional || expr.test_only || !IsDevice(checked, expr.operand)) {
    return std::nullopt;
  }
  if (expr.name == "attributes") return AttributeKey::Map::kAttributes;
  return expr.name == "capacity" ? std::optional(AttributeKey::Map::kCapacity) : std::nullopt;
}

std::optional<AttributeKey> AsDomain(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.optional || expr.test_only || expr.operand == kNoExpr || checked.namespaced[id]) return std::nullopt;
  const auto map = AsDomains(checked, expr.operand);
  auto domain = ConstantKey(checked, expr);
  if (!map || !domain) return std::nullopt;
  return AttributeKey{*map, *std::move(domain), ""};
}

std::optional<AttributeKey> AsEntry(const CheckedAst& checked, ExprId id) {
  const Expr& expr = checked.ast.At(id);
  if (expr.operand == kNoExpr || checked.namespaced[id]) return std::nullopt;
  auto key = AsDomain(checked, expr.operand);
  auto name = ConstantKey(checked, expr);
  if (!key || !name) return std::nullopt;
  key->id = *std::move(name);
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
  const Function function = checked.functions[root];
  if (NeedOf(function, false) != Reading::Need::kOther) {
    DescribeComparison(checked, root, reading);
  } else if (function == Function::kIn && IsEntryValue(checked, expr.args[0])) {
    if (const auto constant = ConstantText(checked, expr.args[1])) {
      reading.need = Reading::Need::kOneOf;
      reading.constant = *constant;
    }
  } else if ((function == Function::kIsGreaterThan || function == Function::kIsLessThan) &&
             IsEntryValue(checked, expr.operand)) {
    if (const auto constant = ConstantText(checked, expr.args[0])) {
      reading.need = function == Function::kIsGreaterThan ? Reading::Need::kGreater : Reading::Need::kLess;
      reading.constant = *constant;
    }
  } else if (function == Function::kNot && IsEntryValue(checked, expr.args[0])) {
    reading.need = Reading::Need::kFalse;
  } else if (IsEntryValue(checked, root)) {
    reading.need = Reading::Need::kTrue;
  } else if (expr.test_only && AsEntry(checked, root)) {
    reading.need = Reading::Need::kPresent;
  }
  return reading;
}

}  // namespace kumiko::cel
