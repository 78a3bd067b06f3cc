#include "cel/apply.h"

#include <algorithm>
#include <array>
#include <string>

namespace kumiko::cel {
namespace {

bool TakesOne(TypeRef type, const Value& value) {
  switch (type->kind) {
    case TypeKind::kVariable:
    case TypeKind::kDyn:
    case TypeKind::kAny:
      return true;
    case TypeKind::kList:
      return value.kind == ValueKind::kList && (value.size == 0 || TakesOne(type->first, value.items[0]));
    case TypeKind::kError:
    case TypeKind::kNull:
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
    case TypeKind::kWrapper:
    case TypeKind::kType:
    case TypeKind::kMap:
    case TypeKind::kOptional:
    case TypeKind::kOpaque:
    case TypeKind::kObject:
      break;
  }
  return RuntimeTypeName(type) == KindName(value);
}

// Text that is taken apart character by character.
std::int64_t ParsingSteps(CostRule rule, const Value& text) {
  if ((rule != CostRule::kParseText && rule != CostRule::kParseUrl) || text.kind != ValueKind::kString) return 0;
  const auto size = static_cast<std::int64_t>(text.size);
  return rule == CostRule::kParseUrl ? 400 + 8 * size : 200 + 8 * size;
}

}  // namespace

std::int64_t MakingSteps(const Value& made) {
  static_assert(ValueKind::kQuantity < ValueKind::kError);
  if (made.kind < ValueKind::kQuantity) return 0;
  constexpr std::int64_t kObjectSteps = 24;
  constexpr std::int64_t kErrorSteps = 40;
  return made.IsError() ? kErrorSteps + StepsForBytes(2 * made.size) : kObjectSteps;
}

bool HasError(std::span<const Value> args) {
  return std::any_of(args.begin(), args.end(), [](const Value& arg) { return arg.IsError(); });
}

bool Takes(const Overload& overload, std::span<const Value> args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!TakesOne(overload.args[i], args[i])) return false;
  }
  return true;
}

Value Apply(RunContext& run, const Callee& callee, std::span<const Value> args) {
  // What a call costs depends on all arguments, and counting the characters of one is reading it.
  for (const Value& arg : args) run.budget -= ReadingSteps(arg);
  for (const Value& arg : args) {
    if (arg.IsError()) return arg;
  }
  run.budget -= ParsingSteps(callee.cost, args[0]);
  if (run.budget < 0) return Value();  // the run ends before anybody sees it
  Value result = callee.call(run, args);
  run.budget -= MakingSteps(result);
  if (!IsNoSuchOverload(result)) [[likely]]
    return result;
  for (const Overload* other : callee.overloads) {
    if (other->call == callee.call) continue;
    result = other->call(run, args);
    if (!IsNoSuchOverload(result)) return result;
  }
  return NoOverload(run, callee, args);
}

Value NoOverload(RunContext& run, const Callee& callee, std::span<const Value> args) {
  const std::string_view name = callee.overloads.front()->name;
  static constexpr std::array<std::string_view, 5> kTerse = {"contains", "startsWith", "endsWith", "matches", "size"};
  const bool letter = (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z');
  if (!letter || std::find(kTerse.begin(), kTerse.end(), name) != kTerse.end()) return NoSuchOverload();
  std::string message = "no such overload: " + std::string(name) + "(";
  for (std::size_t i = 0; i < args.size(); ++i) message += (i > 0 ? ", " : "") + std::string(KindName(args[i]));
  return run.arena.Error(message + ")");
}

}  // namespace kumiko::cel
