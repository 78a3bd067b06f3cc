#include "cel/fold.h"

#include <string>

#include "cel/device_access.h"
#include "cel/qualify.h"

namespace kumiko::cel {

Value Join(const Value& left, const Value& right, bool absorbing) {
  const auto decides = [absorbing](const Value& value) {
    return value.kind == ValueKind::kBool && value.boolean == absorbing;
  };
  if (decides(left)) return left;
  if (decides(right)) return right;
  if (left.IsError()) return left;
  if (left.kind != ValueKind::kBool) return NoSuchOverload();
  if (right.IsError() || right.kind == ValueKind::kBool) return right;
  return NoSuchOverload();
}

Value Fold::Begin(RunContext& run, const Value& over, bool two_variables) {
  *this = Fold();
  if (over.IsError()) return over;
  if (over.kind == ValueKind::kList || over.kind == ValueKind::kMap) {
    range = over;
  } else if (IsMap(over)) {
    map = over;
    range = Keys(run, over);
  } else {
    const std::string type(GoTypeName(over));
    return run.arena.Error(two_variables ? "unsupported comprehension range type: " + type
                                         : "got '" + type + "', expected iterable type");
  }
  return Value::Null();
}

void Fold::Next(RunContext& run, Value* variables, bool two_variables) {
  const std::size_t index = next++;
  if (range.kind == ValueKind::kMap) {
    variables[0] = range.items[2 * index];
    if (two_variables) variables[1] = range.items[2 * index + 1];
  } else if (!two_variables) {
    variables[0] = range.items[index];
  } else if (map.kind == ValueKind::kNull) {
    variables[0] = Value::Int(static_cast<std::int64_t>(index));
    variables[1] = range.items[index];
  } else {
    variables[0] = range.items[index];
    variables[1] = Lookup(run, map, range.items[index]).value_or(Value::Null());
  }
}

void Fold::Join(const Value& value, bool exists) {
  // Before the first item the result is the neutral one.
  result = next == 1 ? cel::Join(Value::Bool(!exists), value, exists) : cel::Join(result, value, exists);
  decided = exists ? result.IsTrue() : result.IsFalse();
}

void Fold::Append(RunContext& run, const Value& item) {
  // The first error stays.
  if (result.IsError()) return;
  if (item.IsError()) {
    result = item;
    return;
  }
  if (items == nullptr) {
    run.budget -= kStepsPerNewValue * static_cast<std::int64_t>(range.size);
    items = run.arena.Values(range.size);
  }
  items[count++] = item;
}

void Fold::Insert(RunContext& run, const Value& key, const Value& value) {
  if (value.IsError()) {
    result = value;
    return;
  }
  if (items == nullptr) {
    run.budget -= 2 * kStepsPerNewValue * static_cast<std::int64_t>(range.size);
    items = run.arena.Values(2 * range.size);
  }
  run.budget -= ReadingSteps(key);  // to compare it with the next
  items[2 * count] = key;
  items[2 * count + 1] = value;
  ++count;
}

void Fold::InsertAll(RunContext& run, const Value& more) {
  // The first error stays.
  if (result.IsError()) return;
  if (!IsMap(more)) {
    result = more.IsError()
                 ? more
                 : run.arena.Error("no such overload: cel.@mapInsert(map, " + std::string(KindName(more)) + ")");
    return;
  }
  if (entries_ == nullptr) entries_ = std::make_unique<Entries>();
  const Value entries = Materialize(run, more);
  constexpr std::int64_t kStepsPerEntry = 20;
  for (std::size_t i = 0; i < entries.size; ++i) {
    const Value& key = entries.items[2 * i];
    // It is compared with other keys, or copied into a message.
    if (!Take(run, kStepsPerEntry + 4 * ReadingSteps(key))) return;
    if (entries_->Has(key)) {
      result = run.arena.Error("insert failed: key " + Describe(key) + " already exists");
      return;
    }
    entries_->Add(key, entries.items[2 * i + 1]);
  }
}

bool Fold::Entries::Has(const Value& key) const {
  if (!IsMapKey(key)) return false;
  if (found.contains(key)) return true;
  const OtherKeys others = OtherKeysOf(key);
  for (std::size_t i = 0; i < others.count; ++i) {
    if (found.contains(others.keys[i])) return true;
  }
  return false;
}

void Fold::Entries::Add(const Value& key, const Value& value) {
  if (IsMapKey(key)) {
    found.emplace(key, value);
  } else {
    lost.emplace_back(key, value);
  }
}

Value Fold::Result(RunContext& run, Macro macro) {
  if (macro == Macro::kAll || macro == Macro::kExists) return next == 0 ? Value::Bool(macro == Macro::kAll) : result;
  if (result.IsError()) return result;
  if (macro == Macro::kExistsOne) return Value::Bool(count == 1);
  if (items == nullptr) items = run.arena.Values(0);
  if (macro == Macro::kTransformMap) return MakeMap(items, count);
  if (macro != Macro::kTransformMapEntry) return Value::List(items, count);
  if (entries_ == nullptr) return Value::Map(items, 0);
  const std::size_t size = entries_->found.size() + entries_->lost.size();
  Value* pairs = run.arena.Values(2 * size);
  std::size_t at = 0;
  const auto put = [&](const Value& key, const Value& value) {
    pairs[at++] = key;
    pairs[at++] = value;
  };
  for (const auto& [key, value] : entries_->found) put(key, value);
  for (const auto& [key, value] : entries_->lost) put(key, value);
  return Value::Map(pairs, size);
}

}  // namespace kumiko::cel
