#include "cel/evaluator.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "cel/actual_cost.h"
#include "cel/apply.h"
#include "cel/collection_literal.h"
#include "cel/device_access.h"
#include "cel/fold.h"
#include "cel/library/operators.h"
#include "cel/library/optionals.h"
#include "cel/library/regex.h"
#include "cel/qualify.h"
#include "cel/struct_literal.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kCostExceeded = "operation cancelled: actual cost limit exceeded";
// Instructions that cost less than this add up from units.
constexpr std::int64_t kLargeCost = 10;

// Room for `Size` values without allocation, for more with one. They are not initialised: every value is written before
// it is read.
template <std::size_t Size>
class Slots {
 public:
  explicit Slots(std::size_t count) {
    if (count > Size) large_ = std::make_unique<Value[]>(count);
    data_ = count > Size ? large_.get() : reinterpret_cast<Value*>(small_);
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  Value* data() { return data_; }

 private:
  static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);
  alignas(Value) std::byte small_[Size * sizeof(Value)];
  std::unique_ptr<Value[]> large_;
  Value* data_;
};

class Machine {
 public:
  Machine(const Program& program, RunContext& run)
      : program_(program), run_(run), stack_(program.stack_size), locals_(program.local_count), top_(stack_.data()) {
    run_.identities = std::max(run_.identities, program.identities);
    if (program.fold_count == 1) {
      folds_ = &first_fold_.emplace();
    } else if (program.fold_count > 1) {
      more_folds_ = std::make_unique<Fold[]>(program.fold_count);
      folds_ = more_folds_.get();
    }
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Value Execute(std::size_t begin, std::size_t end) {
    const Instruction* const code = program_.code.data();
    for (std::size_t at = begin; at != end;) {
      const Instruction& it = code[at];
      run_.cost += it.cost;
      at = Step(it, at);
      if (run_.cost > run_.cost_limit || run_.budget < 0) [[unlikely]]
        return Exceeded(it);
    }
    return *--top_;
  }

 private:
  void Push(const Value& value) { *top_++ = value; }
  Value Pop() { return *--top_; }
  Value& Top() { return top_[-1]; }
  const Value& Constant(std::uint32_t index) const { return program_.constants[index]; }
  void PushBool(bool value) { Push(Value::Bool(value)); }

  // The reference adds costs one by one, and stops at the first that is too much.
  Value Exceeded(const Instruction& it) {
    if (stop_.IsError()) return stop_;
    if (run_.cost <= run_.cost_limit || it.cost < kLargeCost) {
      if (run_.cost > run_.cost_limit && it.cost > 0) run_.cost = run_.cost_limit + 1;
    } else if (it.op == Op::kAppend) {
      run_.cost = std::max(run_.cost_limit + 1, run_.cost - 1);
    }
    return Value::Error(kCostExceeded);
  }

  // Returns the next instruction.
  std::size_t Step(const Instruction& it, std::size_t at) {
    switch (it.op) {
      case Op::kConstant:
        Push(Constant(it.a));
        break;
      case Op::kLocal:
        Push(locals_.data()[it.a]);
        break;
      case Op::kVariable:
        Push(it.a < run_.variables.size() ? run_.variables[it.a] : Value::Error("no such attribute(s)"));
        break;
      case Op::kDevice:
        Push(Device(run_));
        break;
      case Op::kDriver:
        Push(Value::String(run_.device->driver));
        break;
      case Op::kMultiple:
        PushBool(run_.device->allow_multiple_allocations);
        break;
      case Op::kDomains:
        Push(Domains((it.flags & kCapacity) != 0));
        break;
      case Op::kDomain:
        Push(Domain(run_, (it.flags & kCapacity) != 0, Constant(it.a).view()));
        break;
      case Op::kEntry: {
        const std::optional<Value> entry = Entry(it);
        Push(entry ? *entry : NoSuchKey(run_, Constant(it.b)));
        break;
      }
      case Op::kHasEntry:
        PushBool(HasEntry(run_, (it.flags & kCapacity) != 0, Constant(it.a).view(), Constant(it.b).view()));
        break;
      case Op::kOptionalEntry: {
        const std::optional<Value> entry = Entry(it);
        if (!entry) return it.c;
        ++run_.cost;
        Push(*entry);
        break;
      }
      case Op::kSelect:
        if (Top().IsError()) break;
        return Select(it, Top(), Constant(it.a)) ? at + 1 : it.c;
      case Op::kIndex: {
        const Value key = Pop();
        return Select(it, Top(), key) ? at + 1 : it.c;
      }
      case Op::kTest:
        Test(it);
        break;
      case Op::kGuard:
        if (Top().IsError()) return it.c;
        if (!IsOpen(it, Top()) || Top().items != nullptr) break;
        Top() = Open(it, nullptr);
        return it.b;
      case Op::kRefund:
        --run_.cost;
        break;
      case Op::kOpen:
        if (Top().IsError()) break;
        if (it.flags != kNoFlags && !IsOpen(it, Top())) break;
        if (Top().kind != ValueKind::kOptional) {
          Top() = NoSuchOverload();
        } else if (Top().items != nullptr) {
          Top() = *Top().items;
        } else {
          Pop();
          return it.c;
        }
        break;
      case Op::kWrap:
        if (!Top().IsError()) Top() = Value::Optional(run_.arena.Box(Top()));
        break;
      case Op::kRenew:
        if (Top().kind == ValueKind::kOptional && Top().items != nullptr) {
          Top() = Value::Optional(run_.arena.Box(*Top().items));
        }
        break;
      case Op::kToTrue:
        if (!Top().IsError()) Top() = Value::Bool(true);
        break;
      case Op::kCall:
        Call(it);
        break;
      case Op::kCheckedCall:
        CheckedCall(it);
        break;
      case Op::kBail:
        if (!Top().IsError()) break;
        Collapse(it.a);
        run_.cost += it.b;
        return it.c;
      case Op::kMatches:
      case Op::kFind:
      case Op::kFindAll:
        Pattern(it);
        break;
      case Op::kInSet:
        InSet(Constant(it.a));
        break;
      case Op::kOr:
      case Op::kOrValue: {
        const Value& left = Top();
        if (left.kind == ValueKind::kOptional) {
          if (left.items == nullptr) {
            Pop();
            break;
          }
          if (it.op == Op::kOrValue) Top() = *left.items;
        } else if (!left.IsError()) {
          Top() = NoSuchOverload();
        }
        return it.c;
      }
      case Op::kDecideAnd:
        if (Top().IsFalse()) return it.c;
        break;
      case Op::kDecideOr:
        if (Top().IsTrue()) return it.c;
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
        if (condition.IsFalse()) return it.b;
        Push(condition.IsError() ? condition : NoSuchOverload());
        return it.c;
      }
      case Op::kJump:
        return it.c;
      case Op::kOptionalItem:
      case Op::kOptionalValue:
        Top() =
            it.op == Op::kOptionalItem ? RequireOptionalItem(run_, Top()) : RequireOptionalEntry(run_, top_[-2], Top());
        break;
      case Op::kCheckKey:
        if (IsUnhashable(top_[-2])) StopAt(top_[-2]);
        break;
      case Op::kList:
        PushList(it);
        break;
      case Op::kMap:
        PushMap(it);
        break;
      case Op::kStruct:
        PushStruct(it);
        break;
      case Op::kFoldBegin: {
        const Value range = Pop();
        const Value error = FoldOf(it).Begin(run_, range, (it.flags & kTwoVariables) != 0);
        if (!error.IsError()) break;
        Push(error);
        return it.c;
      }
      case Op::kFoldNext:
        return NextItem(it, at) ? at + 1 : it.c;
      case Op::kAll:
      case Op::kExists:
        FoldOf(it).Join(Pop(), it.op == Op::kExists);
        return it.c;
      case Op::kCount:
      case Op::kFilter:
      case Op::kKeep:
        return Keep(it) ? at + 1 : it.c;
      case Op::kAppend:
        FoldOf(it).Append(run_, Pop());
        return it.c;
      case Op::kInsertGuard:
        if (FoldOf(it).result.IsError()) return it.c;
        ++run_.cost;
        break;
      case Op::kInsert:
        FoldOf(it).Insert(run_, locals_.data()[it.b], Pop());
        return it.c;
      case Op::kInsertAll:
        FoldOf(it).InsertAll(run_, Pop());
        return it.c;
      case Op::kFoldEnd:
        Push(FoldOf(it).Result(run_, static_cast<Macro>(it.b)));
        break;
      case Op::kBindBegin:
        locals_.data()[it.a] = Unread();
        return it.c;
      case Op::kBindRead: {
        Value& slot = locals_.data()[it.a];
        if (slot.kind == ValueKind::kNull && slot.offset == kUnread) {
          slot.size = at + 1;
          return it.c;
        }
        Push(slot);
        break;
      }
      case Op::kBindReturn: {
        Value& slot = locals_.data()[it.a];
        const std::size_t reader = slot.size;
        slot = Top();
        return reader;
      }
    }
    return at + 1;
  }

  // What a slot of cel.bind holds before it is first read; then, while it is worked out, the reader.
  static constexpr std::int32_t kUnread = 1;
  static Value Unread() {
    Value value;
    value.offset = kUnread;
    return value;
  }

  Fold& FoldOf(const Instruction& it) { return folds_[it.a]; }

  std::optional<Value> Entry(const Instruction& it) {
    return ReadEntry(run_, (it.flags & kCapacity) != 0, Constant(it.a).view(), Constant(it.b).view());
  }

  // What `offset` of an optional is while an attribute goes on inside of it.
  static constexpr std::int32_t kOpenMark = 1;
  static bool IsOpen(const Instruction& it, const Value& operand) {
    if (operand.kind != ValueKind::kOptional) return false;
    return (it.flags & kMayBeOptional) != 0 || ((it.flags & kMayBeOpen) != 0 && operand.offset == kOpenMark);
  }
  static Value Open(const Instruction& it, const Value* inner) {
    Value optional = Value::Optional(inner);
    if ((it.flags & kMoreSteps) != 0) optional.offset = kOpenMark;
    return optional;
  }

  // Replaces the top by what `key` leads to. False, and the operand is gone, when it is optional and there is nothing.
  bool Select(const Instruction& it, Value& operand, const Value& key) {
    const bool optional = (it.flags & kOptional) != 0;
    if (key.IsError()) {
      if (!optional && !IsOpen(it, operand)) ++run_.cost;
      operand = key;
      return true;
    }
    if (IsOpen(it, operand)) {
      const std::optional<Value> inner =
          operand.items != nullptr ? Qualify(run_, *operand.items, key, true) : std::nullopt;
      if (inner && !inner->IsError()) ++run_.cost;
      operand = inner && inner->IsError() ? *inner : Open(it, inner ? run_.arena.Box(*inner) : nullptr);
      return true;
    }
    const std::optional<Value> value = Qualify(run_, operand, key, optional);
    if (!value) {
      if ((it.flags & kStrict) != 0 && !IsMap(operand) && operand.kind != ValueKind::kList) {
        operand = NoSuchKey(run_, key);
        return true;
      }
      Pop();
      return false;
    }
    if (!optional || !value->IsError()) ++run_.cost;
    if (value->IsError()) run_.budget -= MakingSteps(*value);
    operand = *value;
    return true;
  }

  void Test(const Instruction& it) {
    Value& operand = Top();
    if (operand.IsError()) return;
    bool optional = (it.flags & kOptional) != 0;
    if (IsOpen(it, operand)) {
      optional = true;
      if (operand.items == nullptr) {
        operand = Value::Bool(false);
        return;
      }
      operand = Value(*operand.items);
    }
    operand = TestField(run_, operand, Constant(it.a));
    if (!optional || operand.IsTrue()) ++run_.cost;
  }

  void Collapse(std::uint32_t count) {
    const Value last = Top();
    top_ -= count;
    Push(last);
  }

  void Call(const Instruction& it) {
    const Callee& callee = program_.callees[it.b];
    top_ -= it.a;
    const std::span<const Value> args(top_, it.a);
    const Value result = Apply(run_, callee, args);
    if (callee.cost != CostRule::kUnit) run_.cost += ActualCost(run_, callee.cost, args, result);
    Push(result);
  }

  void CheckedCall(const Instruction& it) {
    const Callee& callee = program_.callees[it.b];
    const std::span<const Value> args(top_ - it.a, it.a);
    if (HasError(args) || Takes(*callee.overloads.front(), args)) return Call(it);
    const Value error = NoOverload(run_, callee, args);
    if (callee.cost != CostRule::kUnit) run_.cost += ActualCost(run_, callee.cost, args, error);
    top_ -= it.a;
    Push(error);
  }
  void Pattern(const Instruction& it) {
    const bool limited = it.a != 0;
    // With a constant pattern the reference takes arguments out of optionals, and the name of a type for text.
    const Value limit = Held(limited ? Pop() : Value::Int(-1));
    if (Top().IsError()) return;
    Value text = Held(Top());
    const re2::RE2& regex = *program_.regexes[it.b];
    const CostRule rule = it.op == Op::kMatches ? CostRule::kMatches : CostRule::kFind;
    run_.cost += PatternTextCost(run_, rule, Top()) * program_.regex_costs[it.b];
    if (text.kind == ValueKind::kType) text.kind = ValueKind::kString;
    if (limit.IsError()) {
      Top() = limit;
    } else if (limit.kind != ValueKind::kInt) {
      Top() = NoSuchOverload();
    } else if (it.op == Op::kMatches) {
      Top() = MatchPattern(run_, text, regex);
    } else {
      Top() = it.op == Op::kFind ? FindPattern(run_, text, regex) : FindAllPattern(run_, text, regex, limit.integer);
    }
  }

  void InSet(const Value& set) {
    Value& item = Top();
    if (item.IsError()) return;
    if (IsUnhashable(item)) return StopAt(item);
    const std::array<Value, 2> args = {item, set};
    item = In(run_, args);
  }

  // What the reference cannot look up in a table: the whole run ends there.
  static bool IsUnhashable(const Value& value) {
    return value.kind == ValueKind::kSemver || value.kind == ValueKind::kBytes || value.kind == ValueKind::kNamedFormat;
  }
  void StopAt(const Value& value) {
    stop_ =
        run_.arena.Error("internal error: runtime error: hash of unhashable type " + std::string(GoTypeName(value)));
    run_.budget = -1;
  }

  const std::vector<bool>* OptionalItems(std::uint32_t list) const {
    return list != 0 ? &program_.optional_items[list - 1] : nullptr;
  }

  void PushList(const Instruction& it) {
    top_ -= it.a;
    Push(ListLiteral(run_, {top_, it.a}, OptionalItems(it.b)));
  }

  void PushMap(const Instruction& it) {
    top_ -= 2 * std::size_t{it.a};
    const KeyKinds keys = (it.flags & kStrict) != 0 ? KeyKinds::kPlain : KeyKinds::kAny;
    Push(MapLiteral(run_, {top_, 2 * std::size_t{it.a}}, OptionalItems(it.b), keys));
  }

  void PushStruct(const Instruction& it) {
    top_ -= it.a;
    const std::vector<bool>* const optional = OptionalItems(it.c);
    for (std::size_t i = 0; i < it.a; ++i) {
      if (optional != nullptr && (*optional)[i] && top_[i].items != nullptr) top_[i] = Value(*top_[i].items);
    }
    Push(MakeStruct(run_, program_.structs[it.b], std::span<const Value>(top_, it.a)));
  }

  bool NextItem(const Instruction& it, std::size_t at) {
    Fold& fold = FoldOf(it);
    run_.cost -= it.cost;
    if (!fold.HasNext()) return false;
    // The condition is all but the last unit, which the step begins with.
    run_.cost += fold.decided ? it.cost - 1 : it.cost;
    if (fold.decided) return false;
    // Of what the body does some is free of cost; each of its instructions takes a step.
    run_.budget -= static_cast<std::int64_t>(it.c - at);
    fold.Next(run_, locals_.data() + it.b, (it.flags & kTwoVariables) != 0);
    return true;
  }

  // Whether to go on with this item; for kCount and kFilter, which end here, it never is.
  bool Keep(const Instruction& it) {
    Fold& fold = FoldOf(it);
    const Value keep = Pop();
    if (keep.IsFalse()) return false;
    if (!keep.IsTrue()) {
      fold.result = keep.IsError() ? keep : NoSuchOverload();
      return false;
    }
    if (it.op == Op::kKeep) {
      ++run_.cost;
      return true;
    }
    if (it.op == Op::kCount) {
      ++fold.count;
      Spend({1, 1});
    } else {
      fold.Append(run_, locals_.data()[it.b]);
      Spend({1, 1, kListCost, 1});
    }
    return false;
  }
  static constexpr std::int64_t kListCost = 10;
  void Spend(std::initializer_list<std::int64_t> costs) {
    for (const std::int64_t cost : costs) {
      if (run_.cost <= run_.cost_limit) run_.cost += cost;
    }
  }

  const Program& program_;
  RunContext& run_;
  Slots<16> stack_;
  Slots<4> locals_;
  std::optional<Fold> first_fold_;
  std::unique_ptr<Fold[]> more_folds_;
  Fold* folds_ = nullptr;
  Value stop_;  // an error that nothing absorbs
  Value* top_;
};

}  // namespace

Value Run(const Program& program, std::size_t begin, std::size_t end, RunContext& run) {
  return Machine(program, run).Execute(begin, end);
}

}  // namespace kumiko::cel
