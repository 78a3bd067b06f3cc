#include "cel/library/sets.h"

#include <algorithm>

#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

bool AreLists(std::span<const Value> args) {
  return args[0].kind == ValueKind::kList && args[1].kind == ValueKind::kList;
}

bool IsIn(RunContext& run, const Value& item, std::span<const Value> list) {
  for (const Value& candidate : list) {
    if (run.budget < 0) return false;
    // Opaque values that are of no comparable kind are different here, no mistake.
    if (Equal(item, candidate, run.budget) == true) return true;
  }
  return false;
}

bool ContainsAll(RunContext& run, std::span<const Value> list, std::span<const Value> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Value& item) { return IsIn(run, item, list); });
}

Value Contains(RunContext& run, std::span<const Value> args) {
  return AreLists(args) ? Value::Bool(ContainsAll(run, args[0].list(), args[1].list())) : NoSuchOverload();
}

Value Equivalent(RunContext& run, std::span<const Value> args) {
  if (!AreLists(args)) return NoSuchOverload();
  return Value::Bool(ContainsAll(run, args[0].list(), args[1].list()) &&
                     ContainsAll(run, args[1].list(), args[0].list()));
}

Value Intersects(RunContext& run, std::span<const Value> args) {
  if (!AreLists(args)) return NoSuchOverload();
  const auto list = args[0].list();
  return Value::Bool(
      std::any_of(list.begin(), list.end(), [&](const Value& item) { return IsIn(run, item, args[1].list()); }));
}

constexpr Overload kOverloads[] = {
    Global("sets.contains", Contains, CostRule::kSetsOnce, &kBoolType, 2, &kListOfA, &kListOfA),
    Global("sets.equivalent", Equivalent, CostRule::kSetsTwice, &kBoolType, 2, &kListOfA, &kListOfA),
    Global("sets.intersects", Intersects, CostRule::kSetsOnce, &kBoolType, 2, &kListOfA, &kListOfA),
};

}  // namespace

std::span<const Overload> SetsOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
