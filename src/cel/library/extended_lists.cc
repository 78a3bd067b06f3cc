// CEL's list extension (version 3).
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "cel/library/lists.h"
#include "cel/library/sorting.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr std::int64_t kMostRangeItems = 1'000'000;
// Steps that an item counts for where a small list can make a large one: a bound on memory.
constexpr std::int64_t kStepsPerNewItem = 10;
// Of distinct: beside the comparison.
constexpr std::int64_t kStepsPerKept = 5;

Value Copy(RunContext& run, std::span<const Value> items) {
  Value* copy = run.arena.Values(items.size());
  std::copy(items.begin(), items.end(), copy);
  return Value::List(copy, items.size());
}

Value Slice(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList || args[1].kind != ValueKind::kInt || args[2].kind != ValueKind::kInt) {
    return NoSuchOverload();
  }
  const std::int64_t begin = args[1].integer;
  const std::int64_t end = args[2].integer;
  const auto fail = [&](std::string_view reason) {
    return run.arena.Error(fmt::format("cannot slice({}, {}), {}", begin, end, reason));
  };
  if (begin < 0 || end < 0) return fail("negative indexes not supported");
  if (begin > end) return fail("start index must be less than or equal to end index");
  if (static_cast<std::uint64_t>(end) > args[0].size) return fail(fmt::format("list is length {}", args[0].size));
  // Copied: a part of a list is another key of a map than the same part taken again.
  const auto size = static_cast<std::size_t>(end - begin);
  if (!Take(run, kStepsPerNewValue * (end - begin))) return NoSuchOverload();
  return Copy(run, args[0].list().subspan(static_cast<std::size_t>(begin), size));
}

// Without recursion: nested lists may share items, so there can be far more of them than were ever written.
Value FlattenTo(RunContext& run, std::span<const Value> list, std::int64_t depth) {
  struct Level {
    std::span<const Value> rest;
    std::int64_t depth;
  };
  std::vector<Value> flat;
  std::vector<Level> levels = {{list, depth}};
  while (!levels.empty() && --run.budget >= 0) {
    Level& level = levels.back();
    if (level.rest.empty()) {
      levels.pop_back();
      continue;
    }
    const Value& item = level.rest.front();
    level.rest = level.rest.subspan(1);
    if (item.kind == ValueKind::kList && level.depth > 0) {
      levels.push_back({item.list(), level.depth - 1});
    } else {
      run.budget -= kStepsPerNewItem;
      flat.push_back(item);
    }
  }
  return Copy(run, flat);
}

Value Flatten(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) {
    const std::string_view depth = args.size() == 2 ? KindName(args[1]) : "";
    return run.arena.Error(fmt::format("no such overload: {}.flatten({})", KindName(args[0]), depth));
  }
  if (args.size() == 1) return FlattenTo(run, args[0].list(), 1);
  if (args[1].kind != ValueKind::kInt) return NoSuchOverload();
  if (args[1].integer < 0) return Value::Error("level must be non-negative");
  return FlattenTo(run, args[0].list(), args[1].integer);
}

Value Distinct(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  std::vector<Value> kept;
  for (const Value& item : args[0].list()) {
    if (run.budget < 0) break;
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const Value& other) {
      return Take(run, kStepsPerKept) && Equal(item, other, run.budget) == true;
    });
    if (!seen) kept.push_back(item);
  }
  return Copy(run, kept);
}

Value Range(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kInt) return NoSuchOverload();
  const std::int64_t size = args[0].integer;
  if (size < 0) return run.arena.Error(fmt::format("lists.range: size must be non-negative, got {}", size));
  if (size > kMostRangeItems) {
    return run.arena.Error(fmt::format("lists.range: size {} exceeds maximum allowed ({})", size, kMostRangeItems));
  }
  if (!Take(run, 2 * kStepsPerNewValue * size)) return NoSuchOverload();
  Value* items = run.arena.Values(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) items[i] = Value::Int(i);
  return Value::List(items, static_cast<std::size_t>(size));
}

Value Reverse(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoSuchOverload();
  if (!Take(run, 2 * kStepsPerNewValue * static_cast<std::int64_t>(args[0].size))) return NoSuchOverload();
  Value* items = run.arena.Values(args[0].size);
  std::reverse_copy(args[0].items, args[0].items + args[0].size, items);
  return Value::List(items, args[0].size);
}

// What the reference says when `name` is called on what is no list: these functions are dispatched in a way of their
// own.
Value NoList(RunContext& run, std::string_view name, const Value& value) {
  const bool terse =
      value.kind == ValueKind::kString || value.kind == ValueKind::kTimestamp || value.kind == ValueKind::kDuration;
  return terse ? WrongInside() : run.arena.Error(fmt::format("no such overload: {}", name));
}

Value SortByKeys(RunContext& run, const Value& list, const Value& keys) {
  if (list.size != keys.size) {
    return run.arena.Error(
        fmt::format("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} "
                    "and {} elements respectively",
                    list.size, keys.size));
  }
  if (list.size == 0) return list;
  const ValueKind kind = keys.items[0].kind;
  if (!HasOrder(kind)) return Value::Error("list elements must be comparable");
  const auto all_keys = keys.list();
  if (!std::all_of(all_keys.begin(), all_keys.end(), [kind](const Value& key) { return key.kind == kind; })) {
    return Value::Error("list elements must have the same type");
  }
  if (!Take(run, 2 * kStepsPerNewValue * static_cast<std::int64_t>(list.size))) return NoSuchOverload();
  const std::vector<std::size_t> positions = SortedPositions(run, all_keys);
  Value* sorted = run.arena.Values(list.size);
  for (std::size_t i = 0; i < list.size; ++i) sorted[i] = list.items[positions[i]];
  return Value::List(sorted, list.size);
}

Value Sort(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoList(run, "sort", args[0]);
  return SortByKeys(run, args[0], args[0]);
}

Value SortByAssociatedKeys(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kList) return NoList(run, "@sortByAssociatedKeys", args[0]);
  if (args[1].kind != ValueKind::kList) return NoSuchOverload();
  return SortByKeys(run, args[0], args[1]);
}

constexpr Overload SortOf(TypeRef list) {
  return Member("sort", Sort, CostRule::kListSort, list, 1, list);
}

constexpr Overload SortByKeysOf(TypeRef keys) {
  return Member("@sortByAssociatedKeys", SortByAssociatedKeys, CostRule::kListSortByKey, &kListOfA, 2, &kListOfA, keys);
}

constexpr Overload kOverloads[] = {
    Member("slice", Slice, CostRule::kListSlice, &kListOfA, 3, &kListOfA, &kIntType, &kIntType),
    Member("flatten", Flatten, CostRule::kListFlatten, &kListOfA, 1, &kListOfListOfA),
    Member("flatten", Flatten, CostRule::kListFlatten, &kListOfDyn, 2, &kListOfDyn, &kIntType),
    Member("distinct", Distinct, CostRule::kListDistinct, &kListOfA, 1, &kListOfA),
    Member("reverse", Reverse, CostRule::kListReverse, &kListOfA, 1, &kListOfA),
    Global("lists.range", Range, CostRule::kListRange, &kListOfInt, 1, &kIntType),
    SortOf(&kListOfInt),
    SortOf(&kListOfUint),
    SortOf(&kListOfDouble),
    SortOf(&kListOfBool),
    SortOf(&kListOfDuration),
    SortOf(&kListOfTimestamp),
    SortOf(&kListOfString),
    SortOf(&kListOfBytes),
    SortByKeysOf(&kListOfInt),
    SortByKeysOf(&kListOfUint),
    SortByKeysOf(&kListOfDouble),
    SortByKeysOf(&kListOfBool),
    SortByKeysOf(&kListOfDuration),
    SortByKeysOf(&kListOfTimestamp),
    SortByKeysOf(&kListOfString),
    SortByKeysOf(&kListOfBytes),
};

}  // namespace

std::span<const Overload> ExtendedListsOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
