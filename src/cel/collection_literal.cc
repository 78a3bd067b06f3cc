#include "cel/collection_literal.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kumiko::cel {
namespace {

// Of a key among `count` that are sorted: long ones may be alike to their end.
std::int64_t SortingSteps(const Value& key, std::size_t count) {
  return 2 + ReadingSteps(key) * static_cast<std::int64_t>(std::bit_width(count));
}

Value RefusedKey(RunContext& run, const Value* pairs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Value& key = pairs[2 * i];
    const bool integer = key.kind == ValueKind::kInt || key.kind == ValueKind::kUint;
    if (!integer && key.kind != ValueKind::kBool && key.kind != ValueKind::kString) {
      return run.arena.Error("unsupported key type: " + std::string(KindName(key)));
    }
    for (std::size_t j = 0; j < i && run.budget >= 0; ++j) {
      if (Equal(pairs[2 * j], key, run.budget).value_or(false)) {
        return run.arena.Error("repeated key: " + Describe(key));
      }
    }
  }
  return Value();
}

// An optional entry without a value takes out earlier ones of its key; how many are left.
std::size_t WithoutKey(Value* pairs, std::size_t count, const Value& key) {
  if (!IsMapKey(key)) return count;
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (IsMapKey(pairs[2 * i]) && CompareKeys(pairs[2 * i], key) == 0) continue;
    std::copy_n(pairs + 2 * i, 2, pairs + 2 * left++);
  }
  return left;
}

bool IsOptional(const std::vector<bool>* optional, std::size_t index) {
  return optional != nullptr && (*optional)[index];
}

}  // namespace

Value ListLiteral(RunContext& run, std::span<const Value> items, const std::vector<bool>* optional) {
  run.budget -= static_cast<std::int64_t>(items.size());
  Value* list = run.arena.Values(items.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!IsOptional(optional, i)) {
      list[count++] = items[i];
    } else if (items[i].items != nullptr) {
      list[count++] = *items[i].items;
    }
  }
  return Value::List(list, count);
}

Value MapLiteral(RunContext& run, std::span<const Value> entries, const std::vector<bool>* optional, KeyKinds keys) {
  const std::size_t most = entries.size() / 2;
  for (std::size_t i = 0; i < entries.size(); i += 2) run.budget -= SortingSteps(entries[i], most);
  if (run.budget < 0) return Value();  // the run ends before anybody sees it
  Value* pairs = run.arena.Values(entries.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < most; ++i) {
    Value value = entries[2 * i + 1];
    if (IsOptional(optional, i)) {
      if (value.items == nullptr) {
        run.budget -= static_cast<std::int64_t>(count);
        count = WithoutKey(pairs, count, entries[2 * i]);
        continue;
      }
      value = *value.items;
    }
    pairs[2 * count] = entries[2 * i];
    pairs[2 * count + 1] = value;
    ++count;
  }
  const Value error = keys == KeyKinds::kPlain ? RefusedKey(run, pairs, count) : Value();
  return error.IsError() ? error : MakeMap(pairs, count);
}

Value RequireOptionalItem(RunContext& run, const Value& item) {
  if (item.IsError() || item.kind == ValueKind::kOptional) return item;
  return run.arena.Error("cannot initialize optional list element from non-optional value " + Describe(item));
}

Value RequireOptionalEntry(RunContext& run, const Value& key, const Value& value) {
  if (value.IsError() || value.kind == ValueKind::kOptional) return value;
  return run.arena.Error("cannot initialize optional entry '" + Describe(key) + "' from non-optional value " +
                         Describe(value));
}

}  // namespace kumiko::cel
