#include "cel/compiler.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cel/attribute.h"
#include "cel/call_folding.h"
#include "cel/callee.h"
#include "cel/code_builder.h"
#include "cel/constants.h"
#include "cel/device_reads.h"
#include "cel/pattern_table.h"
#include "cel/qualify.h"

namespace kumiko::cel {
namespace {

using Patches = std::vector<std::uint32_t>;

// What the reference charges besides the parts.
constexpr std::uint16_t kListCost = 10;
constexpr std::uint16_t kMapCost = 30;
constexpr std::uint16_t kStructCost = 40;

// A name of the expression: a variable of a loop, or what cel.bind binds.
struct Name {
  enum class Kind { kSlot, kLazy, kConstant };
  std::string_view name;
  Kind kind = Kind::kSlot;
  std::uint32_t slot = 0;
  std::uint32_t code = 0;  // kLazy: what works the value out
  int depth = 0;           // kLazy: values that this needs on the stack
  Value value = {};        // kConstant
};

class Compiler {
 public:
  Compiler(const CheckedAst& checked, const Environment& environment, std::string_view text, std::int64_t max_cost)
      : checked_(checked),
        environment_(environment),
        program_(std::make_shared<Program>()),
        out_(*program_),
        specification_(environment.dialect() == Dialect::kSpecification),
        constants_(checked, program_->arena, specification_ ? Constants::Maps::kNever : Constants::Maps::kConstant,
                   [this](ExprId id) { Discard(id); }),
        folding_(checked, *program_, out_),
        patterns_(checked, *program_) {
    program_->text = text;
    program_->max_cost = max_cost;
  }

  Result<std::shared_ptr<Program>> Run() {
    const Expr& root = At(checked_.ast.root);
    if (root.kind == ExprKind::kAnd) {
      Chain(root, Args(checked_.ast.root), true);
    } else {
      Conjunct(checked_.ast.root);
    }
    program_->read_keys = KeysRead(checked_, checked_.ast.root);
    program_->identities = constants_.identities();
    if (!error_.empty()) return Fail(Code::kInvalidArgument, "program instantiation failed: {}", error_);
    program_->code.shrink_to_fit();
    program_->constants.shrink_to_fit();
    return std::move(program_);
  }

 private:
  const Expr& At(ExprId id) const { return checked_.ast.At(id); }
  std::span<const ExprId> Args(ExprId id) const { return checked_.ast.Args(At(id)); }
  Reference::Kind KindOf(ExprId id) const { return checked_.references[id].kind; }
  void SetError(std::string error) {
    if (error_.empty()) error_ = std::move(error);
  }
  std::optional<Value> ConstantOf(ExprId id) {
    const std::optional<Value> value = constants_.Of(id);
    SetError(constants_.error());
    return value;
  }

  void Conjunct(ExprId id) {
    const Expr& expr = At(id);
    CompiledConjunct conjunct;
    conjunct.begin = out_.Here();
    Visit(id);
    conjunct.end = out_.Here();
    conjunct.reading = ReadingOf(checked_, id);
    program_->compiled_conjuncts.push_back(std::move(conjunct));
    program_->conjuncts.push_back({program_->text.substr(expr.begin, expr.end - expr.begin)});
  }

  void Chain(const Expr& expr, std::span<const ExprId> parts, bool conjuncts) {
    const bool is_and = expr.kind == ExprKind::kAnd;
    Patches exits;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) exits.push_back(out_.Emit({.op = is_and ? Op::kDecideAnd : Op::kDecideOr}, 0));
      if (conjuncts) {
        Conjunct(parts[i]);
      } else {
        Visit(parts[i]);
      }
      if (i > 0) out_.Emit({.op = is_and ? Op::kJoinAnd : Op::kJoinOr}, -1);
    }
    out_.Land(exits);
  }

  // `free`: an attribute costs only its steps, as in a branch of ?: and as a key.
  void Visit(ExprId id, bool free = false) {
    const Expr& expr = At(id);
    if (const auto constant = ConstantOf(id)) return out_.EmitConstant(*constant);
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return;  // a constant
      case ExprKind::kIdentifier:
      case ExprKind::kSelect:
        return VisitAttribute(id, free);
      case ExprKind::kCall:
        return IsStep(checked_, id) ? VisitAttribute(id, free) : Call(id);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return Chain(expr, Args(id), false);
      case ExprKind::kConditional:
        return Conditional(id);
      case ExprKind::kList:
        return List(id);
      case ExprKind::kMap:
        return Map(id);
      case ExprKind::kStruct:
        return Struct(id);
      case ExprKind::kComprehension:
        return checked_.ast.ComprehensionOf(expr).macro == Macro::kBind ? Bind(id) : Loop(id);
    }
  }

  // Compiles what never runs, for its mistakes.
  void Discard(ExprId id) {
    // Those of constants before it come first.
    SetError(constants_.error());
    const std::uint32_t begin = out_.Here();
    const int depth = out_.depth();
    Visit(id);
    out_.code().resize(begin);
    out_.set_depth(depth);
  }

  // ---- attributes

  void VisitAttribute(ExprId id, bool free) {
    const Attribute attribute = AttributeOf(checked_, id);
    const bool costs = attribute.test() ? environment_.presence_test_has_cost
                                        : !free && At(attribute.base).kind != ExprKind::kConditional;
    const Patches absent = Steps(attribute, costs ? 1 : 0);
    if (attribute.test() && !costs && At(attribute.base).kind == ExprKind::kConditional) {
      // The reference takes back what it has not charged here.
      out_.Emit({.op = Op::kRefund}, 0);
    }
    if (!attribute.optional) return;
    if (!attribute.test()) out_.Emit({.op = Op::kWrap}, 0);
    Otherwise(absent, [&] { out_.EmitConstant(attribute.test() ? Value::Bool(false) : Value::Optional(nullptr)); });
  }

  // Code for a value that is not there; `absent` jump to it without one. What is before has left a value.
  template <class Emit>
  void Otherwise(const Patches& absent, Emit emit) {
    const std::uint32_t end = out_.Emit({.op = Op::kJump}, -1);
    out_.Land(absent);
    emit();
    out_.Land(end);
  }

  // Leaves the value, not wrapped in an optional, or an error. The result are the jumps that it takes, without a value,
  // when an optional step finds nothing.
  Patches Steps(const Attribute& attribute, std::uint16_t cost) {
    Patches absent;
    std::size_t next = Device(attribute, cost, absent);
    if (next == 0) {
      if (IsName(attribute.base)) {
        EmitName(attribute.base, cost);
        cost = 0;
      } else {
        Visit(attribute.base);
      }
    } else {
      cost = 0;
    }
    if (attribute.steps.empty()) {
      const TypeKind kind = checked_.types[attribute.base]->kind;
      // Whenever the reference reads a name that holds an optional it makes a new one.
      const bool renew = (kind == TypeKind::kOptional || kind == TypeKind::kDyn) && IsName(attribute.base);
      if (renew && folding_.MayBecomeKey()) out_.Emit({.op = Op::kRenew}, 0);
      return absent;
    }
    bool optional = false;
    for (std::size_t i = 0; i < next; ++i) optional = optional || attribute.steps[i].optional;
    const TypeKind base_type = checked_.types[attribute.base]->kind;
    if (base_type == TypeKind::kOptional) {
      optional = true;
      absent.push_back(out_.Emit({.op = Op::kOpen, .cost = cost}, 0));
      cost = 0;
    }
    // The reference opens a base once: what an optional holds is left as it is, also when that is an optional.
    const bool guessed = checked_.guesses_types && base_type != TypeKind::kOptional;
    const bool dynamic = base_type == TypeKind::kDyn || base_type == TypeKind::kAny || guessed;
    std::uint8_t unknown = dynamic || specification_ ? kMayBeOptional : kNoFlags;
    Patches failed;
    for (; next < attribute.steps.size(); ++next, cost = 0) {
      const Step& step = attribute.steps[next];
      if (step.optional && unknown != kNoFlags) {
        absent.push_back(out_.Emit({.op = Op::kOpen, .flags = unknown, .cost = cost}, 0));
        cost = 0;
        unknown = kNoFlags;
      }
      optional = optional || step.optional;
      const bool last = next + 1 == attribute.steps.size();
      const auto flags =
          static_cast<std::uint8_t>((optional ? kOptional : 0) | unknown |
                                    (unknown == kNoFlags || last ? 0 : kMoreSteps) | (specification_ ? kStrict : 0));
      // In the specification every optional on the way is opened.
      if (unknown != kNoFlags && !specification_) unknown = kMayBeOpen;
      const auto key = step.key == kNoExpr ? std::optional(Value::String(step.name)) : ConstantOf(step.key);
      std::uint32_t at = 0;
      if (key) {
        if (!IsQualifier(*key) && !specification_) SetError("invalid qualifier type: " + std::string(GoTypeName(*key)));
        const Op op = step.test ? Op::kTest : Op::kSelect;
        at = out_.Emit({.op = op, .flags = flags, .cost = cost, .a = out_.AddConstant(*key)}, 0);
      } else {
        const std::uint32_t guard = out_.Emit({.op = Op::kGuard, .flags = flags, .cost = cost}, 0);
        failed.push_back(guard);
        Visit(step.key, true);
        at = out_.Emit({.op = Op::kIndex, .flags = flags}, -1);
        out_.code()[guard].b = out_.Here();
      }
      if (optional && !step.test) absent.push_back(at);
    }
    out_.Land(failed);
    return absent;
  }

  // Reads of the device by constant names; how many steps they take.
  std::size_t Device(const Attribute& attribute, std::uint16_t cost, Patches& absent) {
    const auto& steps = attribute.steps;
    if (!IsDevice(checked_, attribute.base) || steps.empty() || steps[0].optional || steps[0].test) return 0;
    const auto text = [&](std::size_t i) -> std::optional<std::string_view> {
      if (i >= steps.size()) return std::nullopt;
      if (steps[i].key == kNoExpr) return steps[i].name;
      const auto key = ConstantOf(steps[i].key);
      return key && key->kind == ValueKind::kString ? std::optional(key->view()) : std::nullopt;
    };
    const auto emit = [&](Op op, std::uint16_t taken, std::uint8_t flags = 0, std::uint32_t a = 0,
                          std::uint32_t b = 0) {
      return out_.Emit({.op = op, .flags = flags, .cost = static_cast<std::uint16_t>(taken + cost), .a = a, .b = b}, 1);
    };
    const std::string_view field = text(0).value_or("");
    if (field == "driver" || field == "allowMultipleAllocations") {
      emit(field == "driver" ? Op::kDriver : Op::kMultiple, 1);
      return 1;
    }
    if (field != "attributes" && field != "capacity") return 0;
    const auto flags = static_cast<std::uint8_t>(field == "capacity" ? kCapacity : kNoFlags);
    const auto domain = text(1);
    if (!domain || steps[1].optional || steps[1].test) {
      emit(Op::kDomains, 1, flags);
      return 1;
    }
    const std::uint32_t a = out_.AddText(*domain);
    const auto id = text(2);
    if (!id) {
      emit(Op::kDomain, 2, flags, a);
      return 2;
    }
    const std::uint32_t b = out_.AddText(*id);
    if (steps[2].test) {
      emit(Op::kHasEntry, 3, flags, a, b);
    } else if (steps[2].optional) {
      absent.push_back(emit(Op::kOptionalEntry, 2, flags, a, b));
    } else {
      emit(Op::kEntry, 3, flags, a, b);
    }
    return 3;
  }

  bool IsName(ExprId id) const {
    return At(id).kind == ExprKind::kIdentifier || KindOf(id) == Reference::Kind::kVariable;
  }

  // The reference takes the name of a variable that holds a type for the name of that type: what this stands for.
  std::optional<Value> TypeNamed(ExprId id) {
    if (checked_.types[id]->kind != TypeKind::kType) return std::nullopt;
    const std::string_view name = At(id).name;
    const TypeRef type = environment_.FindType(name);
    if (type == nullptr) SetError("reference to undefined type: " + std::string(name));
    return Value::Text(ValueKind::kType, program_->arena.Text(type != nullptr ? RuntimeTypeName(type) : name));
  }

  void EmitName(ExprId id, std::uint16_t cost) {
    const Reference& reference = checked_.references[id];
    if (const auto type = TypeNamed(id)) return out_.EmitConstant(*type);
    if (reference.kind == Reference::Kind::kVariable) {
      const bool device = IsDevice(checked_, id);
      out_.Emit({.op = device ? Op::kDevice : Op::kVariable, .cost = cost, .a = reference.index}, 1);
      return;
    }
    const std::string_view text = At(id).name;
    const auto name = std::find_if(scope_.rbegin(), scope_.rend(), [&](const Name& it) { return it.name == text; });
    if (name == scope_.rend()) {
      out_.EmitConstant(program_->arena.Error("no such attribute(s): " + std::string(text)), cost);
    } else if (name->kind == Name::Kind::kConstant) {
      out_.EmitConstant(name->value, cost);
    } else if (name->kind == Name::Kind::kSlot) {
      out_.Emit({.op = Op::kLocal, .cost = cost, .a = name->slot}, 1);
    } else {
      out_.set_peak(std::max(out_.peak(), out_.depth() + name->depth));
      out_.Emit({.op = Op::kBindRead, .cost = cost, .a = name->slot, .c = name->code}, 1);
    }
  }

  // ---- calls

  void Call(ExprId id) {
    const Expr& expr = At(id);
    if (SpecialCall(id)) return;
    std::vector<ExprId> args;
    if (expr.operand != kNoExpr && !checked_.references[id].namespaced) args.push_back(expr.operand);
    args.insert(args.end(), Args(id).begin(), Args(id).end());

    Callee callee = CalleeOf(checked_, id);
    const bool stops = StopsAtErrors(checked_, id, args.size());
    const std::uint32_t begin = out_.Here();
    Patches stopped;
    for (std::size_t i = 0; i < args.size(); ++i) {
      Visit(args[i]);
      if (stops && i + 1 < args.size() && !ConstantOf(args[i])) {
        stopped.push_back(out_.Emit({.op = Op::kBail, .a = static_cast<std::uint32_t>(i + 1)}, 0));
      }
    }
    if (callee.cost == CostRule::kInList && SearchSet(args[1])) return;
    if (callee.call == nullptr) {
      if (!args.empty()) out_.set_depth(out_.depth() - static_cast<int>(args.size()));
      out_.EmitConstant(program_->arena.Error("no such overload: " + std::string(expr.name)), 1);
    } else if (!folding_.WorkOut(callee, checked_.types[id], begin, args.size())) {
      const std::uint16_t cost = callee.cost == CostRule::kUnit ? 1 : 0;
      out_.Emit({.op = ChecksArguments(checked_, id) ? Op::kCheckedCall : Op::kCall,
                 .cost = cost,
                 .a = static_cast<std::uint32_t>(args.size()),
                 .b = out_.AddCallee(std::move(callee))},
                1 - static_cast<int>(args.size()));
    }
    out_.Land(stopped);
  }
  // `in` of a list that can be a set, and has just been emitted as a constant.
  bool SearchSet(ExprId list) {
    const auto constant = ConstantOf(list);
    if (!constant || !IsSet(*constant)) return false;
    const std::uint32_t index = out_.code().back().a;
    out_.Drop(out_.Here() - 1);
    out_.Emit({.op = Op::kInSet, .a = index}, 0);
    return true;
  }

  // Calls with instructions of their own.
  bool SpecialCall(ExprId id) {
    const Expr& expr = At(id);
    const auto args = Args(id);
    const bool member = expr.operand != kNoExpr && !checked_.references[id].namespaced;
    if (member && args.size() == 1 && (expr.name == "or" || expr.name == "orValue")) {
      OptionalOr(expr.operand, args[0], expr.name == "orValue");
      return true;
    }
    if (member && args.empty() && expr.name == "hasValue" && IsOptionalAttribute(expr.operand)) {
      const Patches absent = Steps(AttributeOf(checked_, expr.operand), 1);
      out_.Emit({.op = Op::kToTrue, .cost = 1}, 0);
      Otherwise(absent, [&] { out_.EmitConstant(Value::Bool(false), 1); });
      return true;
    }
    if (expr.name == "matches" || expr.name == "find" || expr.name == "findAll") return Pattern(id, member);
    return false;
  }

  bool IsOptionalAttribute(ExprId id) {
    if (!IsStep(checked_, id)) return false;
    const Attribute attribute = AttributeOf(checked_, id);
    return attribute.optional && !attribute.test() && At(attribute.base).kind != ExprKind::kConditional;
  }

  // The second part runs only when the first is none.
  void OptionalOr(ExprId left, ExprId right, bool value) {
    if (IsOptionalAttribute(left)) {
      const Patches absent = Steps(AttributeOf(checked_, left), 1);
      if (!value) out_.Emit({.op = Op::kWrap}, 0);
      Otherwise(absent, [&] { Visit(right); });
      return;
    }
    Visit(left);
    const std::uint32_t end = out_.Emit({.op = value ? Op::kOrValue : Op::kOr}, -1);
    Visit(right);
    out_.Land(end);
  }

  // Functions of a text and a constant pattern. The pattern is compiled once.
  bool Pattern(ExprId id, bool member) {
    const Expr& expr = At(id);
    std::vector<ExprId> args;
    if (member) args.push_back(expr.operand);
    args.insert(args.end(), Args(id).begin(), Args(id).end());
    const auto pattern = args.size() >= 2 ? ConstantOf(args[1]) : std::nullopt;
    const bool fits = args.size() == 2 || (args.size() == 3 && expr.name == "findAll");
    if (!fits || !pattern || pattern->kind != ValueKind::kString) return false;
    Visit(args[0]);
    Patches stopped;
    if (args.size() == 3) {
      stopped.push_back(out_.Emit({.op = Op::kBail, .a = 1}, 0));
      Visit(args[2]);
    }
    const PatternUse use = expr.name == "matches" ? PatternUse::kMatch : PatternUse::kFind;
    const std::uint32_t regex = patterns_.Add(pattern->view(), use);
    SetError(patterns_.error());
    const Op op = expr.name == "matches" ? Op::kMatches : expr.name == "find" ? Op::kFind : Op::kFindAll;
    const bool limited = args.size() == 3;
    out_.Emit({.op = op, .a = limited ? 1U : 0U, .b = regex}, limited ? -1 : 0);
    out_.Land(stopped);
    return true;
  }

  void Conditional(ExprId id) {
    const auto args = Args(id);
    Visit(args[0]);
    const std::uint32_t branch = out_.Emit({.op = Op::kBranch}, -1);
    Visit(args[1], true);
    const std::uint32_t jump = out_.Emit({.op = Op::kJump}, -1);
    out_.code()[branch].b = out_.Here();
    Visit(args[2], true);
    out_.Land(branch);
    out_.Land(jump);
  }

  // ---- literals

  std::uint32_t OptionalItems(const Expr& expr, std::size_t stride) {
    std::vector<bool> items;
    for (std::size_t i = stride - 1; i < expr.arg_count; i += stride) items.push_back(checked_.ast.IsOptional(expr, i));
    if (std::find(items.begin(), items.end(), true) == items.end()) return 0;
    program_->optional_items.push_back(std::move(items));
    return static_cast<std::uint32_t>(program_->optional_items.size());
  }

  // A part of a list, map or struct: an error ends it at once, at the price of the whole.
  void Item(const Expr& expr, std::size_t index, std::uint32_t before, Op check, std::uint16_t cost, Patches& failed) {
    const ExprId item = checked_.ast.Args(expr)[index];
    Visit(item);
    const bool optional = checked_.ast.IsOptional(expr, index);
    if (optional) out_.Emit({.op = check}, 0);
    if (!optional && ConstantOf(item)) return;
    failed.push_back(out_.Emit({.op = Op::kBail, .a = before + 1, .b = cost}, 0));
  }

  void List(ExprId id) {
    const Expr& expr = At(id);
    Patches failed;
    for (std::uint32_t i = 0; i < expr.arg_count; ++i) Item(expr, i, i, Op::kOptionalItem, kListCost, failed);
    out_.Emit({.op = Op::kList, .cost = kListCost, .a = expr.arg_count, .b = OptionalItems(expr, 1)},
              1 - static_cast<int>(expr.arg_count));
    out_.Land(failed);
  }

  bool MayBeUnhashable(ExprId key) {
    const TypeKind type = checked_.types[key]->kind;
    return type == TypeKind::kDyn || type == TypeKind::kAny || type == TypeKind::kBytes || type == TypeKind::kObject;
  }

  void Map(ExprId id) {
    const Expr& expr = At(id);
    Patches failed;
    for (std::uint32_t i = 0; i < expr.arg_count; ++i) {
      Item(expr, i, i, Op::kOptionalValue, kMapCost, failed);
      if (i % 2 == 1 && MayBeUnhashable(Args(id)[i - 1])) out_.Emit({.op = Op::kCheckKey}, 0);
    }
    const Flag flags = specification_ ? kStrict : kNoFlags;
    out_.Emit({.op = Op::kMap, .flags = flags, .cost = kMapCost, .a = expr.arg_count / 2, .b = OptionalItems(expr, 2)},
              1 - static_cast<int>(expr.arg_count));
    out_.Land(failed);
  }

  void Struct(ExprId id) {
    const Expr& expr = At(id);
    StructLiteral literal{
        checked_.references[id].type, std::string(expr.name), {}, environment_.object_literals, environment_.dialect()};
    Patches failed;
    for (std::uint32_t i = 0; i + 1 < expr.arg_count; i += 2) {
      literal.fields.emplace_back(std::get<std::string_view>(At(checked_.ast.Args(expr)[i]).literal));
      Item(expr, i + 1, i / 2, Op::kOptionalItem, kStructCost, failed);
    }
    program_->structs.push_back(std::move(literal));
    const std::uint32_t count = expr.arg_count / 2;
    out_.Emit({.op = Op::kStruct,
               .cost = kStructCost,
               .a = count,
               .b = static_cast<std::uint32_t>(program_->structs.size() - 1),
               .c = OptionalItems(expr, 2)},
              1 - static_cast<int>(count));
    out_.Land(failed);
  }

  // ---- comprehensions

  void Bind(ExprId id) {
    const Comprehension& fold = checked_.ast.ComprehensionOf(At(id));
    Name name{fold.accumulator};
    if (const auto constant = ConstantOf(fold.init)) {
      name.kind = Name::Kind::kConstant;
      name.value = *constant;
    } else {
      name.kind = Name::Kind::kLazy;
      name.slot = out_.NewSlots(1);
      const std::uint32_t begin = out_.Emit({.op = Op::kBindBegin, .a = name.slot}, 0);
      name.code = out_.Here();
      const int depth = out_.depth();
      const int peak = out_.peak();
      out_.set_peak(depth);
      Visit(fold.init);
      name.depth = out_.peak() - depth;
      out_.set_peak(std::max(peak, out_.peak()));
      out_.Emit({.op = Op::kBindReturn, .a = name.slot}, -1);
      out_.Land(begin);
    }
    scope_.push_back(name);
    TypeNamed(fold.step);
    Visit(fold.result);
    scope_.pop_back();
  }

  void Loop(ExprId id) {
    const Comprehension& fold = checked_.ast.ComprehensionOf(At(id));
    const bool two = !fold.variable2.empty();
    const auto flags = static_cast<std::uint8_t>(two ? kTwoVariables : kNoFlags);
    const std::uint32_t slot = out_.NewSlots(2);
    const std::uint32_t state = out_.NewFold();
    Visit(fold.range);
    const std::uint32_t begin = out_.Emit({.op = Op::kFoldBegin, .flags = flags, .a = state}, -1);
    // The condition of all and exists reads the result and calls; most steps begin with a read of the result.
    const bool filtered = At(fold.step).kind == ExprKind::kConditional;
    const std::uint16_t cost = fold.macro == Macro::kAll ? 3 : fold.macro == Macro::kExists ? 4 : filtered ? 0 : 1;
    const std::uint32_t next = out_.Emit({.op = Op::kFoldNext, .flags = flags, .cost = cost, .a = state, .b = slot}, 0);
    scope_.push_back({fold.variable, Name::Kind::kSlot, slot});
    if (two) scope_.push_back({fold.variable2, Name::Kind::kSlot, slot + 1});
    StepOf(fold, state, slot, next);
    scope_.resize(scope_.size() - (two ? 2 : 1));
    out_.Land(next);
    const auto macro = static_cast<std::uint32_t>(fold.macro);
    const std::uint16_t result = fold.macro == Macro::kExistsOne ? 2 : 1;
    out_.Emit({.op = Op::kFoldEnd, .cost = result, .a = state, .b = macro}, 1);
    out_.Land(begin);
  }

  // The step of a loop, taken apart again: the macro's own parts become one instruction.
  void StepOf(const Comprehension& fold, std::uint32_t state, std::uint32_t slot, std::uint32_t next) {
    ExprId step = fold.step;
    const auto emit = [&](Op op, std::uint16_t cost) {
      out_.Emit({.op = op, .cost = cost, .a = state, .b = slot, .c = next}, op == Op::kInsertGuard ? 0 : -1);
    };
    if (fold.macro == Macro::kAll || fold.macro == Macro::kExists) {
      // result && condition
      Chain(At(step), Args(step).subspan(1), false);
      return emit(fold.macro == Macro::kAll ? Op::kAll : Op::kExists, 0);
    }
    if (At(step).kind == ExprKind::kConditional) {
      // condition ? step : result
      Visit(Args(step)[0]);
      if (fold.macro == Macro::kFilter) {
        TypeNamed(Args(Args(Args(step)[1])[1])[0]);
        return emit(Op::kFilter, 0);
      }
      if (fold.macro == Macro::kExistsOne) return emit(Op::kCount, 0);
      emit(Op::kKeep, 0);
      step = Args(step)[1];
    }
    if (fold.macro == Macro::kMap || fold.macro == Macro::kTransformList) {
      // result + [item]
      const ExprId list = Args(step)[1];
      const ExprId item = Args(list)[0];
      Visit(item);
      return emit(Op::kAppend, ConstantOf(list) ? 1 : 1 + kListCost);
    }
    // @mapInsert(result, key, value), @mapInsert(result, map)
    if (fold.macro == Macro::kTransformMap) {
      TypeNamed(Args(step)[1]);
      emit(Op::kInsertGuard, 0);
    }
    Visit(Args(step).back());
    emit(fold.macro == Macro::kTransformMap ? Op::kInsert : Op::kInsertAll, 1);
  }

  const CheckedAst& checked_;
  const Environment& environment_;
  std::shared_ptr<Program> program_;
  CodeBuilder out_;
  const bool specification_;
  Constants constants_;
  std::vector<Name> scope_;
  CallFolding folding_;
  PatternTable patterns_;
  std::string error_;
};

}  // namespace

Program::Program() = default;
Program::~Program() = default;

Result<std::shared_ptr<Program>> CompileProgram(const CheckedAst& checked, const Environment& environment,
                                                std::string_view text, std::int64_t max_cost) {
  return Compiler(checked, environment, text, max_cost).Run();
}

}  // namespace kumiko::cel
