#include "cel/compiler.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "cel/device_reads.h"
#include "cel/functions.h"

namespace kumiko::cel {
namespace {

// Steps that working out one constant may take; a dearer one is left to the run, which has a limit.
constexpr std::int64_t kFoldingBudget = 10'000;

class Compiler {
 public:
  Compiler(const CheckedAst& checked, std::string_view text, const CompileOptions& options)
      : checked_(checked), program_(std::make_shared<Program>()) {
    program_->text = text;
    program_->max_cost = options.max_evaluation_cost;
  }

  Result<std::shared_ptr<const Program>> Run() {
    const Expr& root = At(checked_.ast.root);
    if (root.kind == ExprKind::kAnd) {
      Chain(root, true);
    } else {
      Conjunct(checked_.ast.root);
    }
    program_->read_keys = KeysRead(checked_, checked_.ast.root);
    if (bad_pattern_) {
      return Fail(Code::kInvalidArgument, "compilation failed: {}", FormatSourceError(program_->text, *bad_pattern_));
    }
    if (!error_.empty()) return Fail(Code::kInvalidArgument, "program instantiation failed: {}", error_);
    return std::shared_ptr<const Program>(std::move(program_));
  }

 private:
  const Expr& At(ExprId id) const { return checked_.ast.At(id); }
  std::vector<Instruction>& code() { return program_->code; }
  std::uint32_t Here() const { return static_cast<std::uint32_t>(program_->code.size()); }

  // `effect` is how many values the instruction adds to the stack.
  std::uint32_t Emit(Instruction instruction, int effect) {
    code().push_back(instruction);
    depth_ += effect;
    program_->stack_size = std::max(program_->stack_size, static_cast<std::uint32_t>(std::max(depth_, 0)) + 1);
    return Here() - 1;
  }
  std::uint32_t AddConstant(Value value) {
    program_->constants.push_back(value);
    return static_cast<std::uint32_t>(program_->constants.size() - 1);
  }
  std::uint32_t AddText(std::string_view text) {
    return AddConstant(Value::String(program_->arena.Text(std::string(text))));
  }
  void EmitConstant(Value value) { Emit({.op = Op::kConstant, .a = AddConstant(value)}, 1); }
  std::uint32_t NewLocal() { return program_->local_count++; }

  void Conjunct(ExprId id) {
    const Expr& expr = At(id);
    CompiledConjunct conjunct;
    conjunct.begin = Here();
    Visit(id);
    conjunct.end = Here();
    conjunct.reading = ReadingOf(checked_, id);
    program_->compiled_conjuncts.push_back(std::move(conjunct));
    program_->conjuncts.push_back({program_->text.substr(expr.begin, expr.end - expr.begin)});
  }

  void Chain(const Expr& expr, bool conjuncts) {
    const bool is_and = expr.kind == ExprKind::kAnd;
    std::vector<std::uint32_t> exits;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      if (i > 0) exits.push_back(Emit({.op = is_and ? Op::kDecideAnd : Op::kDecideOr}, 0));
      if (conjuncts) {
        Conjunct(expr.args[i]);
      } else {
        Visit(expr.args[i]);
      }
      if (i > 0) Emit({.op = is_and ? Op::kJoinAnd : Op::kJoinOr}, -1);
    }
    for (const std::uint32_t exit : exits) code()[exit].a = Here();
  }

  void Visit(ExprId id) {
    const Expr& expr = At(id);
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return EmitConstant(LiteralValue(expr.literal));
      case ExprKind::kIdentifier:
        return Identifier(expr);
      case ExprKind::kSelect:
      case ExprKind::kIndex:
        return Access(id);
      case ExprKind::kCall:
        return Call(id);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return Chain(expr, false);
      case ExprKind::kConditional:
        return Conditional(expr);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kFold:
        return Fold(expr);
      case ExprKind::kBind: {
        Visit(expr.operand);
        const std::uint32_t slot = NewLocal();
        Emit({.op = Op::kStore, .a = slot}, -1);
        scope_.emplace_back(expr.name, slot);
        Visit(expr.args[0]);
        scope_.pop_back();
        return;
      }
      case ExprKind::kOptionalMap:
        return OptionalMap(expr);
    }
  }

  Value LiteralValue(const Literal& literal) {
    if (const auto* flag = std::get_if<bool>(&literal)) return Value::Bool(*flag);
    if (const auto* number = std::get_if<std::int64_t>(&literal)) return Value::Int(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&literal)) return Value::Uint(*number);
    if (const auto* number = std::get_if<double>(&literal)) return Value::Double(*number);
    if (const auto* text = std::get_if<std::string>(&literal)) return Value::String(program_->arena.Text(*text));
    if (const auto* bytes = std::get_if<Bytes>(&literal)) {
      return Value::Text(ValueKind::kBytes, program_->arena.Text(bytes->data));
    }
    return Value::Null();
  }

  void Identifier(const Expr& expr) {
    if (!expr.absolute) {
      for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
        if (it->first == expr.name) {
          Emit({.op = Op::kLocal, .a = it->second}, 1);
          return;
        }
      }
    }
    if (expr.name == "device") {
      Emit({.op = Op::kDevice}, 1);
      return;
    }
    EmitConstant(Value::Text(ValueKind::kType, program_->arena.Text(expr.name)));
  }

  void Access(ExprId id) {
    const Expr& expr = At(id);
    if (const auto key = AsEntry(checked_, id)) {
      const Op op = expr.test_only ? Op::kHasEntry : expr.optional ? Op::kOptionalEntry : Op::kEntry;
      const std::uint32_t domain = AddText(key->domain);
      Emit({.op = op, .capacity = IsCapacity(key->map), .a = domain, .b = AddText(key->id)}, 1);
      return;
    }
    if (const auto key = AsDomain(checked_, id)) {
      Emit({.op = Op::kDomain, .capacity = IsCapacity(key->map), .a = AddText(key->domain)}, 1);
      return;
    }
    if (const auto map = AsDomains(checked_, id)) {
      Emit({.op = Op::kDomains, .capacity = IsCapacity(*map)}, 1);
      return;
    }
    const TypeRef operand = checked_.types[expr.operand];
    if (expr.kind == ExprKind::kSelect && !expr.test_only && !expr.optional && operand->kind == TypeKind::kDevice) {
      Emit({.op = expr.name == "driver" ? Op::kDriver : Op::kMultiple}, 1);
      return;
    }
    Visit(expr.operand);
    if (expr.kind == ExprKind::kIndex) {
      Visit(expr.args[0]);
      Emit({.op = expr.optional ? Op::kOptionalIndex : Op::kIndex}, -1);
      return;
    }
    const Op op = expr.test_only ? Op::kHas : expr.optional ? Op::kOptionalSelect : Op::kSelect;
    Emit({.op = op, .a = AddText(expr.name)}, 0);
  }
  static bool IsCapacity(AttributeKey::Map map) { return map == AttributeKey::Map::kCapacity; }

  static bool IsConversion(Function function) {
    return function == Function::kToInt || function == Function::kToUint || function == Function::kToDouble ||
           function == Function::kToString || function == Function::kToBool || function == Function::kToBytes;
  }

  void Call(ExprId id) {
    const Expr& expr = At(id);
    const Function function = checked_.functions[id];
    const std::uint32_t begin = Here();
    const bool member = expr.operand != kNoExpr && !checked_.namespaced[id];
    if (member) Visit(expr.operand);
    for (const ExprId arg : expr.args) Visit(arg);
    const std::size_t count = expr.args.size() + (member ? 1 : 0);

    const ExprId last = expr.args.empty() ? kNoExpr : expr.args.back();
    const bool last_is_literal = last != kNoExpr && At(last).kind == ExprKind::kLiteral;
    if (function == Function::kMatches && last_is_literal) return Matches(last);
    if (count > 0 && WorkOut(function, begin, count, IsConversion(function) && last_is_literal)) return;
    Emit({.op = Op::kCall, .function = function, .a = static_cast<std::uint32_t>(count)}, 1 - static_cast<int>(count));
  }

  // Replaces a call whose arguments are constants by its result. A call that fails stays, to fail when it is reached,
  // unless Kubernetes says so at once (`eager`).
  bool WorkOut(Function function, std::uint32_t begin, std::size_t count, bool eager) {
    if (Here() - begin != count) return false;
    std::vector<Value> args;
    for (std::size_t i = begin; i < code().size(); ++i) {
      if (code()[i].op != Op::kConstant) return false;
      args.push_back(program_->constants[code()[i].a]);
    }
    const DeviceView nothing;
    RunContext run{nothing, program_->arena, kFoldingBudget};
    const Value result = CallFunction(run, function, args);
    if (result.IsError() && eager && error_.empty()) error_ = std::string(result.view());
    if (result.IsError() || run.budget < 0) return false;
    code().resize(begin);
    depth_ -= static_cast<int>(count);
    EmitConstant(result);
    return true;
  }

  void Matches(ExprId pattern) {
    const auto& text = std::get<std::string>(At(pattern).literal);
    code().pop_back();
    --depth_;
    RE2::Options options;
    options.set_log_errors(false);
    program_->regexes.push_back(std::make_unique<RE2>(text, options));
    const RE2& regex = *program_->regexes.back();
    if (!regex.ok() && !bad_pattern_) bad_pattern_ = SourceError{At(pattern).position, "invalid matches argument"};
    Emit({.op = Op::kMatches, .a = static_cast<std::uint32_t>(program_->regexes.size() - 1)}, 0);
  }

  void Conditional(const Expr& expr) {
    Visit(expr.args[0]);
    const std::uint32_t branch = Emit({.op = Op::kBranch}, -1);
    Visit(expr.args[1]);
    const std::uint32_t jump = Emit({.op = Op::kJump}, -1);
    code()[branch].a = Here();
    Visit(expr.args[2]);
    code()[branch].b = Here();
    code()[jump].a = Here();
  }

  std::uint32_t OptionalItems(const Expr& expr) {
    if (expr.optional_items.empty()) return 0;
    program_->optional_items.push_back(expr.optional_items);
    return static_cast<std::uint32_t>(program_->optional_items.size());
  }

  void List(const Expr& expr) {
    const std::uint32_t begin = Here();
    for (const ExprId item : expr.args) Visit(item);
    const std::size_t count = expr.args.size();
    const bool constant =
        expr.optional_items.empty() && Here() - begin == count &&
        std::all_of(code().begin() + begin, code().end(), [](const Instruction& it) { return it.op == Op::kConstant; });
    if (!constant) {
      Emit({.op = Op::kList, .a = static_cast<std::uint32_t>(count), .b = OptionalItems(expr)},
           1 - static_cast<int>(count));
      return;
    }
    Value* items = program_->arena.Values(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = program_->constants[code()[begin + i].a];
    code().resize(begin);
    depth_ -= static_cast<int>(count);
    EmitConstant(Value::List(items, count));
  }

  void Map(const Expr& expr) {
    for (const ExprId item : expr.args) Visit(item);
    Emit({.op = Op::kMap, .a = static_cast<std::uint32_t>(expr.args.size() / 2), .b = OptionalItems(expr)},
         1 - static_cast<int>(expr.args.size()));
  }

  void Fold(const Expr& expr) {
    Visit(expr.operand);
    const std::uint32_t fold = program_->fold_count++;
    const std::uint32_t variable = NewLocal();
    const std::uint32_t begin = Emit({.op = Op::kFoldBegin, .fold = expr.fold, .a = fold, .b = variable}, -1);
    const std::uint32_t next = Emit({.op = Op::kFoldNext, .a = fold, .b = variable}, 0);
    scope_.emplace_back(expr.name, variable);
    std::uint32_t keep = 0;
    if (expr.fold_filter != kNoExpr) {
      Visit(expr.fold_filter);
      keep = Emit({.op = Op::kFoldKeep, .a = fold, .b = next}, -1);
    }
    Visit(expr.args[0]);
    const std::uint32_t step = Emit({.op = Op::kFoldStep, .fold = expr.fold, .a = fold}, -1);
    Emit({.op = Op::kJump, .a = next}, 0);
    scope_.pop_back();
    code()[next].c = Here();
    code()[step].c = Here();
    if (keep != 0) code()[keep].c = Here();
    Emit({.op = Op::kFoldEnd, .fold = expr.fold, .a = fold}, 1);
    code()[begin].c = Here();
  }

  void OptionalMap(const Expr& expr) {
    Visit(expr.operand);
    const std::uint32_t slot = NewLocal();
    const std::uint32_t open = Emit({.op = Op::kOptionalOpen, .a = slot}, -1);
    scope_.emplace_back(expr.name, slot);
    Visit(expr.args[0]);
    scope_.pop_back();
    Emit({.op = expr.flat ? Op::kRequireOptional : Op::kOptionalClose}, 0);
    code()[open].b = Here();
  }

  const CheckedAst& checked_;
  std::shared_ptr<Program> program_;
  std::vector<std::pair<std::string, std::uint32_t>> scope_;
  int depth_ = 0;
  std::string error_;
  std::optional<SourceError> bad_pattern_;
};

}  // namespace

Program::Program() = default;
Program::~Program() = default;

Result<std::shared_ptr<const Program>> CompileProgram(const CheckedAst& checked, std::string_view text,
                                                      const CompileOptions& options) {
  return Compiler(checked, text, options).Run();
}

}  // namespace kumiko::cel
