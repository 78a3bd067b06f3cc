#include "cel/constants.h"

#include <algorithm>
#include <array>

#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {"bool", "bytes",  "double",    "duration", "dyn",
                                                           "int",  "string", "timestamp", "type",     "uint"};

bool IsConversion(const Expr& expr) {
  return expr.kind == ExprKind::kCall && expr.operand == kNoExpr && expr.arg_count == 1 &&
         std::find(kConversions.begin(), kConversions.end(), expr.name) != kConversions.end();
}

}  // namespace

Value LiteralValue(const Literal& literal) {
  if (const auto* flag = std::get_if<bool>(&literal)) return Value::Bool(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&literal)) return Value::Int(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&literal)) return Value::Uint(*number);
  if (const auto* number = std::get_if<double>(&literal)) return Value::Double(*number);
  if (const auto* text = std::get_if<std::string_view>(&literal)) return Value::String(*text);
  if (const auto* bytes = std::get_if<Bytes>(&literal)) return Value::Text(ValueKind::kBytes, bytes->data);
  return Value::Null();
}

bool IsSet(const Value& list) {
  return std::all_of(list.list().begin(), list.list().end(), [](const Value& item) {
    return item.IsNumber() || item.kind == ValueKind::kString || item.kind == ValueKind::kBool;
  });
}

std::optional<Value> Constants::Of(ExprId id) {
  const Expr& expr = checked_.ast.At(id);
  if (expr.kind == ExprKind::kLiteral) return LiteralValue(expr.literal);
  if (states_[id] == State::kConstant) return found_.at(id);
  if (states_[id] == State::kNot) return std::nullopt;
  const std::optional<Value> found = Find(id);
  states_[id] = found ? State::kConstant : State::kNot;
  if (found) found_.emplace(id, *found);
  return found;
}

std::optional<Value> Constants::Find(ExprId id) {
  const Expr& expr = checked_.ast.At(id);
  if (checked_.references[id].kind == Reference::Kind::kType && expr.kind != ExprKind::kStruct) {
    return Value::Text(ValueKind::kType, arena_.Text(RuntimeTypeName(checked_.references[id].type)));
  }
  if (expr.kind == ExprKind::kList || expr.kind == ExprKind::kMap) return Items(id);
  if (IsConversion(expr)) return Conversion(id);
  return expr.kind == ExprKind::kCall && expr.name == "@in" ? EmptySearch(id) : std::nullopt;
}

std::optional<Value> Constants::Conversion(ExprId id) {
  const std::optional<Value> arg = Of(checked_.ast.Args(checked_.ast.At(id))[0]);
  const auto overloads = checked_.Overloads(id);
  if (!arg || arg->IsError() || overloads.empty()) return std::nullopt;
  RunContext run{arena_};
  run.identities = identities_;
  const Value result = overloads.front()->call(run, std::span(&*arg, 1));
  identities_ = run.identities;
  if (!result.IsError()) return Owned(result);
  if (error_.empty()) {
    error_ = std::string(result.view());
    if (IsNoSuchOverload(result)) {
      error_ += ": " + std::string(overloads.front()->name) + "(" + std::string(KindName(*arg)) + ")";
    }
  }
  return std::nullopt;
}

// Text of literals borrows from the source, which the program outlives.
Value Constants::Owned(const Value& value) {
  const bool text = value.kind == ValueKind::kString || value.kind == ValueKind::kBytes;
  return text ? Value::Text(value.kind, arena_.Text(value.view())) : value;
}

std::optional<Value> Constants::Items(ExprId id) {
  const Expr& expr = checked_.ast.At(id);
  const auto args = checked_.ast.Args(expr);
  const bool is_map = expr.kind == ExprKind::kMap;
  if (is_map && maps_ == Maps::kNever) return std::nullopt;
  std::vector<Value> values;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::optional<Value> value = Of(args[i]);
    if (!value || checked_.ast.IsOptional(expr, i)) return std::nullopt;
    values.push_back(Owned(*value));
  }
  Value* items = arena_.Values(values.size());
  std::copy(values.begin(), values.end(), items);
  return is_map ? MakeMap(items, values.size() / 2) : Value::List(items, values.size());
}

// x in [] is false.
std::optional<Value> Constants::EmptySearch(ExprId id) {
  const auto overloads = checked_.Overloads(id);
  const auto args = checked_.ast.Args(checked_.ast.At(id));
  if (overloads.size() != 1 || overloads.front()->cost != CostRule::kInList) return std::nullopt;
  const Expr& list = checked_.ast.At(args[1]);
  if (list.kind != ExprKind::kList || list.arg_count > 0) return std::nullopt;
  compile_(args[0]);
  return Value::Bool(false);
}

}  // namespace kumiko::cel
