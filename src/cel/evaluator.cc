#include "cel/evaluator.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "cel/functions.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kCostExceeded = "operation cancelled: actual cost limit exceeded";

struct Fold {
  Value range;  // a list
  std::size_t next = 0;
  Value current;
  // all, exists: the result so far, maybe an error. exists_one: unused. filter, map: the list being filled.
  Value result;
  Value* items = nullptr;
  std::size_t count = 0;
};

// Room for `Size` items without allocation, for more with one.
template <class T, std::size_t Size>
class Slots {
 public:
  explicit Slots(std::size_t count) {
    if (count > Size) large_.resize(count);
    data_ = count > Size ? large_.data() : small_.data();
  }
  T* data() { return data_; }

 private:
  std::array<T, Size> small_;
  std::vector<T> large_;
  T* data_;
};

// Combines two parts of a && (absorbing = false) or || (absorbing = true) chain.
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

// What the reference implementation calls the kind in this one message.
std::string GoName(const Value& value) {
  if (value.kind == ValueKind::kBool) return "types.Bool";
  if (value.kind == ValueKind::kInt) return "types.Int";
  if (value.kind == ValueKind::kUint) return "types.Uint";
  if (value.kind == ValueKind::kDouble) return "types.Double";
  if (value.kind == ValueKind::kString) return "types.String";
  return std::string(KindName(value));
}

class Machine {
 public:
  Machine(const Program& program, RunContext& run)
      : program_(program),
        run_(run),
        stack_(program.stack_size),
        locals_(program.local_count),
        folds_(program.fold_count),
        top_(stack_.data()) {}

  Value Execute(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      if (--run_.budget < 0) return Value::Error(kCostExceeded);
      at = Step(program_.code[at], at);
    }
    return run_.budget < 0 ? Value::Error(kCostExceeded) : Pop();
  }

 private:
  void Push(const Value& value) { *top_++ = value; }
  Value Pop() { return *--top_; }
  Value& Top() { return top_[-1]; }
  const Value& Constant(std::uint32_t index) const { return program_.constants[index]; }

  // Returns the next instruction.
  std::size_t Step(const Instruction& it, std::size_t at) {
    switch (it.op) {
      case Op::kConstant:
        Push(Constant(it.a));
        break;
      case Op::kLocal:
        Push(locals_.data()[it.a]);
        break;
      case Op::kStore:
        locals_.data()[it.a] = Pop();
        break;
      case Op::kDevice: {
        Value device;
        device.kind = ValueKind::kDevice;
        Push(device);
        break;
      }
      case Op::kDriver:
        Push(Value::String(run_.device.driver));
        break;
      case Op::kMultiple:
        Push(Value::Bool(run_.device.allow_multiple_allocations));
        break;
      case Op::kDomains:
      case Op::kDomain: {
        Value map = it.op == Op::kDomain ? Constant(it.a) : Value();
        map.kind = it.op == Op::kDomain ? ValueKind::kDomain : ValueKind::kDomains;
        map.capacity = it.capacity;
        Push(map);
        break;
      }
      case Op::kEntry:
      case Op::kOptionalEntry:
        PushEntry(it);
        break;
      case Op::kHasEntry:
        Push(Value::Bool(HasEntry(run_, it.capacity, Constant(it.a).view(), Constant(it.b).view())));
        break;
      case Op::kSelect:
      case Op::kOptionalSelect:
        Top() = Get(Top(), Constant(it.a), it.op == Op::kOptionalSelect);
        break;
      case Op::kHas:
        Top() = Has(Top(), Constant(it.a));
        break;
      case Op::kIndex:
      case Op::kOptionalIndex: {
        const Value key = Pop();
        Top() = Get(Top(), key, it.op == Op::kOptionalIndex);
        break;
      }
      case Op::kCall: {
        top_ -= it.a;
        const Value result = CallFunction(run_, it.function, std::span<const Value>(top_, it.a));
        Push(result);
        break;
      }
      case Op::kMatches:
        Top() = Matches(Top(), *program_.regexes[it.a]);
        break;
      case Op::kDecideAnd:
        if (Top().IsFalse()) return it.a;
        break;
      case Op::kDecideOr:
        if (Top().IsTrue()) return it.a;
        break;
      case Op::kJoinAnd:
      case Op::kJoinOr: {
        const Value right = Pop();
        Top() = Join(Top(), right, it.op == Op::kJoinOr);
        break;
      }
      case Op::kBranch: {
        const Value condition = Pop();
        if (condition.IsTrue()) break;
        if (condition.IsFalse()) return it.a;
        Push(condition.IsError() ? condition : NoSuchOverload());
        return it.b;
      }
      case Op::kJump:
        return it.a;
      case Op::kList:
        PushList(it);
        break;
      case Op::kMap:
        PushMap(it);
        break;
      case Op::kFoldBegin:
        return FoldBegin(it) ? at + 1 : it.c;
      case Op::kFoldNext:
        return FoldNext(it) ? at + 1 : it.c;
      case Op::kFoldStep:
        return FoldStep(it) ? at + 1 : it.c;
      case Op::kFoldKeep: {
        const Value keep = Pop();
        if (keep.IsTrue()) break;
        if (keep.IsFalse()) return it.b;
        folds_.data()[it.a].result = keep.IsError() ? keep : NoSuchOverload();
        return it.c;
      }
      case Op::kFoldEnd:
        FoldEnd(it);
        break;
      case Op::kOptionalOpen: {
        const Value optional = Pop();
        if (optional.kind == ValueKind::kOptional && optional.items != nullptr) {
          locals_.data()[it.a] = *optional.items;
          break;
        }
        Push(optional.IsError() || optional.kind == ValueKind::kOptional ? optional : NoSuchOverload());
        return it.b;
      }
      case Op::kOptionalClose:
        if (!Top().IsError()) Top() = Value::Optional(run_.arena.Box(Top()));
        break;
      case Op::kRequireOptional:
        if (!Top().IsError() && Top().kind != ValueKind::kOptional) Top() = NoSuchOverload();
        break;
    }
    return at + 1;
  }

  void PushEntry(const Instruction& it) {
    const std::optional<Value> entry = ReadEntry(run_, it.capacity, Constant(it.a).view(), Constant(it.b).view());
    if (it.op == Op::kEntry) {
      Push(entry ? *entry : NoSuchKey(run_, Constant(it.b)));
    } else if (entry && entry->IsError()) {
      Push(*entry);
    } else {
      Push(Value::Optional(entry ? run_.arena.Box(*entry) : nullptr));
    }
  }

  Value ListItem(const Value& list, const Value& key) {
    std::int64_t index = 0;
    if (key.kind == ValueKind::kInt) {
      index = key.integer;
    } else if (key.kind == ValueKind::kUint && key.natural <= list.size) {
      index = static_cast<std::int64_t>(key.natural);
    } else if (key.kind == ValueKind::kDouble && key.real >= 0 && key.real <= static_cast<double>(list.size) &&
               key.real == static_cast<double>(static_cast<std::int64_t>(key.real))) {
      index = static_cast<std::int64_t>(key.real);
    } else if (key.IsNumber()) {
      return run_.arena.Error("unsupported index value " + Describe(key) + " in list");
    } else {
      return run_.arena.Error("unsupported index type '" + std::string(KindName(key)) + "' in list");
    }
    if (index < 0 || static_cast<std::size_t>(index) >= list.size) {
      return run_.arena.Error("index out of bounds: " + std::to_string(index));
    }
    return list.items[index];
  }

  Value DeviceField(const Value& key) {
    const std::string_view name = key.kind == ValueKind::kString ? key.view() : std::string_view();
    if (name == "driver") return Value::String(run_.device.driver);
    if (name == "allowMultipleAllocations") return Value::Bool(run_.device.allow_multiple_allocations);
    if (name == "attributes" || name == "capacity") {
      Value map;
      map.kind = ValueKind::kDomains;
      map.capacity = name == "capacity";
      return map;
    }
    return NoSuchKey(run_, key);
  }

  // operand[key] and operand.key; through an optional operand the answer is optional too.
  Value Get(const Value& operand, const Value& key, bool optional) {
    if (operand.IsError()) return operand;
    if (key.IsError()) return key;
    if (operand.kind == ValueKind::kOptional) {
      return operand.items == nullptr ? operand : Get(*operand.items, key, true);
    }
    Value found;
    bool present = true;
    if (IsMap(operand)) {
      const std::optional<Value> entry = Lookup(run_, operand, key);
      present = entry.has_value();
      found = entry ? *entry : Value();
      if (!present && !optional) return NoSuchKey(run_, key);
    } else if (operand.kind == ValueKind::kList) {
      found = ListItem(operand, key);
      if (optional && found.IsError() && key.IsNumber()) present = false;
    } else if (operand.kind == ValueKind::kDevice) {
      found = DeviceField(key);
    } else {
      // A scalar has no fields: the message is that of a missing one.
      return optional ? Value::Optional(nullptr) : NoSuchKey(run_, key);
    }
    if (found.IsError() && present) return found;
    if (!optional) return found;
    return Value::Optional(present ? run_.arena.Box(found) : nullptr);
  }

  Value Has(const Value& operand, const Value& name) {
    if (operand.IsError()) return operand;
    if (operand.kind == ValueKind::kOptional) {
      return operand.items == nullptr ? Value::Bool(false) : Has(*operand.items, name);
    }
    if (operand.kind == ValueKind::kDomain) {
      return Value::Bool(HasEntry(run_, operand.capacity, operand.view(), name.view()));
    }
    if (IsMap(operand)) return Value::Bool(Lookup(run_, operand, name).has_value());
    if (operand.kind == ValueKind::kDevice) {
      const Value field = DeviceField(name);
      return field.IsError() ? field : Value::Bool(true);
    }
    if (operand.kind == ValueKind::kList) return ListItem(operand, name);
    return Value::Bool(false);
  }

  Value Matches(const Value& value, const RE2& regex) {
    if (value.IsError()) return value;
    if (value.kind != ValueKind::kString) return NoSuchOverload();
    run_.budget -= static_cast<std::int64_t>(value.size / 10);
    return Value::Bool(RE2::PartialMatch(re2::StringPiece(value.text, value.size), regex));
  }

  // Items behind `?` that are none are left out. Returns an error value when an item has the wrong kind.
  static bool Skips(Value& item, bool optional, Value& error) {
    if (item.IsError()) {
      error = item;
    } else if (optional) {
      if (item.kind != ValueKind::kOptional) {
        error = NoSuchOverload();
      } else if (item.items == nullptr) {
        return true;
      } else {
        item = *item.items;
      }
    }
    return false;
  }

  void PushList(const Instruction& it) {
    top_ -= it.a;
    Value* items = run_.arena.Values(it.a);
    std::size_t count = 0;
    Value error;
    for (std::size_t i = 0; i < it.a; ++i) {
      Value item = top_[i];
      const bool optional = it.b != 0 && program_.optional_items[it.b - 1][i];
      if (Skips(item, optional, error)) continue;
      if (error.IsError()) return Push(error);
      items[count++] = item;
    }
    Push(Value::List(items, count));
  }

  void PushMap(const Instruction& it) {
    top_ -= 2 * std::size_t{it.a};
    std::vector<std::pair<Value, Value>> entries;
    Value error;
    for (std::size_t i = 0; i < it.a; ++i) {
      const Value key = top_[2 * i];
      Value value = top_[2 * i + 1];
      if (key.IsError()) return Push(key);
      const bool optional = it.b != 0 && program_.optional_items[it.b - 1][i];
      if (Skips(value, optional, error)) continue;
      if (error.IsError()) return Push(error);
      if (!IsMapKey(key)) return Push(run_.arena.Error("unsupported key type: " + std::string(KindName(key))));
      entries.emplace_back(key, value);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return CompareKeys(a.first, b.first) < 0; });
    Value* items = run_.arena.Values(2 * entries.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // Of equal keys the last one written wins.
      if (i > 0 && CompareKeys(entries[i - 1].first, entries[i].first) == 0) --count;
      items[2 * count] = entries[i].first;
      items[2 * count + 1] = entries[i].second;
      ++count;
    }
    Value map = Value::List(items, count);
    map.kind = ValueKind::kMap;
    Push(map);
  }

  bool FoldBegin(const Instruction& it) {
    Fold& fold = folds_.data()[it.a];
    fold = Fold();
    const Value range = Pop();
    if (range.kind == ValueKind::kList) {
      fold.range = range;
    } else if (IsMap(range)) {
      fold.range = Keys(run_, range);
    } else {
      Push(range.IsError() ? range : run_.arena.Error("got '" + GoName(range) + "', expected iterable type"));
      return false;
    }
    run_.budget -= static_cast<std::int64_t>(fold.range.size);
    if (it.fold == FoldKind::kAll) fold.result = Value::Bool(true);
    if (it.fold == FoldKind::kExists) fold.result = Value::Bool(false);
    if (it.fold == FoldKind::kFilter || it.fold == FoldKind::kMap) fold.items = run_.arena.Values(fold.range.size);
    return true;
  }

  bool FoldNext(const Instruction& it) {
    Fold& fold = folds_.data()[it.a];
    if (fold.next >= fold.range.size) return false;
    fold.current = fold.range.items[fold.next++];
    locals_.data()[it.b] = fold.current;
    return true;
  }

  bool FoldStep(const Instruction& it) {
    Fold& fold = folds_.data()[it.a];
    const Value value = Pop();
    switch (it.fold) {
      case FoldKind::kAll:
        fold.result = Join(fold.result, value, false);
        return !fold.result.IsFalse();
      case FoldKind::kExists:
        fold.result = Join(fold.result, value, true);
        return !fold.result.IsTrue();
      case FoldKind::kMap:
        if (!value.IsError()) fold.items[fold.count++] = value;
        break;
      case FoldKind::kFilter:
      case FoldKind::kExistsOne:
        if (value.kind != ValueKind::kBool) break;
        if (!value.boolean) return true;
        if (it.fold == FoldKind::kFilter) fold.items[fold.count] = fold.current;
        ++fold.count;
        return true;
    }
    if (it.fold == FoldKind::kMap && !value.IsError()) return true;
    fold.result = value.IsError() ? value : NoSuchOverload();
    return false;
  }

  void FoldEnd(const Instruction& it) {
    const Fold& fold = folds_.data()[it.a];
    if (fold.result.IsError() || it.fold == FoldKind::kAll || it.fold == FoldKind::kExists) {
      Push(fold.result);
    } else if (it.fold == FoldKind::kExistsOne) {
      Push(Value::Bool(fold.count == 1));
    } else {
      Push(Value::List(fold.items, fold.count));
    }
  }

  const Program& program_;
  RunContext& run_;
  Slots<Value, 16> stack_;
  Slots<Value, 4> locals_;
  Slots<Fold, 1> folds_;
  Value* top_;
};

}  // namespace

Value Run(const Program& program, std::size_t begin, std::size_t end, RunContext& run) {
  return Machine(program, run).Execute(begin, end);
}

}  // namespace kumiko::cel
