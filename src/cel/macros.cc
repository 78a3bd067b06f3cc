#include "cel/macros.h"

#include <fmt/core.h>

#include <array>

namespace kumiko::cel {
namespace {

using Expansion = tl::expected<ExprId, SourceError>;

// An iteration variable that no text can name: of binds, which loop over nothing.
constexpr std::string_view kUnused = "#unused";

class Expander {
 public:
  Expander(AstBuilder& builder, std::string_view name, ExprId operand, std::span<const ExprId> args, const Extent& at)
      : builder_(builder), name_(name), operand_(operand), args_(args), at_(at) {}

  Expansion Has() {
    Expr& select = builder_.At(args_[0]);
    if (select.kind != ExprKind::kSelect) return Error(args_[0], "invalid argument to has() macro");
    select.test_only = true;
    select.position = at_.position;
    select.begin = at_.begin;
    select.end = at_.end;
    return args_[0];
  }

  Expansion Bind() {
    if (const auto name = Name(args_[0])) return BindTo(*name, args_[1], args_[2]);
    return Error(args_[0], "cel.bind() variable names must be simple identifiers");
  }

  // target.hasValue() ? optional.of(cel.bind(variable, target.value(), body)) : optional.none()
  Expansion OptionalMap(bool flat) {
    const auto name = Name(args_[0]);
    if (!name) return Error(args_[0], fmt::format("{}() variable name must be a simple identifier", name_));
    const ExprId has_value = builder_.Call(at_, "hasValue", {}, operand_);
    const ExprId copy = builder_.Copy(operand_, at_);
    if (builder_.exhausted()) return Error(operand_, "expression is too large once its macros are expanded");
    const ExprId value = builder_.Call(at_, "value", {}, copy);
    ExprId then = BindTo(*name, value, args_[1]);
    if (!flat) then = builder_.Call(at_, "optional.of", {then});
    return builder_.Group(ExprKind::kConditional, at_, {has_value, then, builder_.Call(at_, "optional.none", {})});
  }

  // cel.bind(@__sortBy_input__, target, @__sortBy_input__.@sortByAssociatedKeys(@__sortBy_input__.map(x, key)))
  Expansion SortBy() {
    static constexpr std::string_view kInput = "@__sortBy_input__";
    const auto name = Name(args_[0]);
    if (!name) return Error(args_[0], "argument is not an identifier");
    const ExprId mapped = *Fold(Macro::kMap, *name, {}, builder_.Identifier(at_, kInput), kNoExpr, args_[1]);
    const ExprId sorted = builder_.Call(at_, "@sortByAssociatedKeys", {mapped}, builder_.Identifier(at_, kInput));
    return BindTo(kInput, operand_, sorted);
  }
  bool CanBeSorted() const {
    const ExprKind kind = builder_.At(operand_).kind;
    return kind != ExprKind::kLiteral && kind != ExprKind::kMap && kind != ExprKind::kStruct;
  }

  // The macros that loop, with `variables` names in front: [filter,] body.
  Expansion Loop(Macro macro, std::size_t variables) {
    std::array<std::string_view, 2> names;
    const bool list_macro = macro == Macro::kMap || macro == Macro::kFilter;
    for (std::size_t i = 0; i < variables; ++i) {
      const auto name = Name(args_[i]);
      if (!name) {
        return Error(args_[i],
                     list_macro && variables == 1 ? "argument is not an identifier" : "argument must be a simple name");
      }
      names[i] = *name;
    }
    if (variables == 2 && names[0] == names[1]) {
      return Error(args_[1], fmt::format("duplicate variable name: {}", names[0]));
    }
    for (std::size_t i = 0; i < variables; ++i) {
      if (names[i] == "__result__") return Error(args_[i], "iteration variable overwrites accumulator variable");
    }
    const bool filtered = args_.size() == variables + 2;
    return Fold(macro, names[0], names[1], operand_, filtered ? args_[variables] : kNoExpr, args_.back());
  }

 private:
  Expansion Error(ExprId where, std::string message) const {
    return tl::unexpected(SourceError{builder_.At(where).position, std::move(message)});
  }
  std::optional<std::string_view> Name(ExprId id) const {
    const Expr& expr = builder_.At(id);
    if (expr.kind != ExprKind::kIdentifier) return std::nullopt;
    return expr.absolute ? builder_.Own("." + std::string(expr.name)) : expr.name;
  }
  ExprId Accumulator() { return builder_.Identifier(at_, kAccumulator); }
  ExprId True() { return builder_.Literal(at_, true); }
  ExprId Number(std::int64_t number) { return builder_.Literal(at_, number); }
  ExprId KeepIf(ExprId filter, ExprId step) {
    return builder_.Group(ExprKind::kConditional, at_, {filter, step, Accumulator()});
  }

  ExprId BindTo(std::string_view name, ExprId value, ExprId body) {
    Comprehension fold{Macro::kBind, kUnused, {}, name};
    fold.range = builder_.Group(ExprKind::kList, at_);
    fold.init = value;
    fold.condition = builder_.Literal(at_, false);
    fold.step = builder_.Identifier(at_, name);
    fold.result = body;
    return builder_.Fold(at_, fold);
  }

  Expansion Fold(Macro macro, std::string_view variable, std::string_view variable2, ExprId range, ExprId filter,
                 ExprId body) {
    Comprehension fold{macro, variable, variable2, kAccumulator};
    fold.range = range;
    switch (macro) {
      case Macro::kAll:
        fold.init = True();
        fold.condition = builder_.Call(at_, "@not_strictly_false", {Accumulator()});
        fold.step = builder_.Group(ExprKind::kAnd, at_, {Accumulator(), body});
        break;
      case Macro::kExists:
        fold.init = builder_.Literal(at_, false);
        fold.condition = builder_.Call(at_, "@not_strictly_false", {builder_.Call(at_, "!_", {Accumulator()})});
        fold.step = builder_.Group(ExprKind::kOr, at_, {Accumulator(), body});
        break;
      case Macro::kExistsOne:
        fold.init = Number(0);
        fold.step = KeepIf(body, builder_.Call(at_, "_+_", {Accumulator(), Number(1)}));
        fold.result = builder_.Call(at_, "_==_", {Accumulator(), Number(1)});
        break;
      case Macro::kFilter:
        fold.init = builder_.Group(ExprKind::kList, at_);
        fold.step = KeepIf(body, Append(args_[0]));
        break;
      case Macro::kMap:
      case Macro::kTransformList:
        fold.init = builder_.Group(ExprKind::kList, at_);
        fold.step = Append(body);
        break;
      case Macro::kTransformMap:
        fold.init = builder_.Group(ExprKind::kMap, at_);
        fold.step = builder_.Call(at_, "cel.@mapInsert", {Accumulator(), builder_.Identifier(at_, variable), body});
        break;
      case Macro::kTransformMapEntry:
        fold.init = builder_.Group(ExprKind::kMap, at_);
        fold.step = builder_.Call(at_, "cel.@mapInsert", {Accumulator(), body});
        break;
      case Macro::kBind:
        break;
    }
    if (fold.condition == kNoExpr) fold.condition = True();
    if (filter != kNoExpr) fold.step = KeepIf(filter, fold.step);
    if (fold.result == kNoExpr) fold.result = Accumulator();
    return builder_.Fold(at_, fold);
  }
  ExprId Append(ExprId item) {
    return builder_.Call(at_, "_+_", {Accumulator(), builder_.Group(ExprKind::kList, at_, {item})});
  }

  AstBuilder& builder_;
  std::string_view name_;
  ExprId operand_;
  std::span<const ExprId> args_;
  const Extent& at_;
};

struct LoopMacro {
  std::string_view name;
  Macro macro;
  std::size_t variables;
  std::size_t min_args;
  std::size_t max_args;
};
constexpr LoopMacro kLoops[] = {
    {"all", Macro::kAll, 1, 2, 2},
    {"exists", Macro::kExists, 1, 2, 2},
    {"exists_one", Macro::kExistsOne, 1, 2, 2},
    {"filter", Macro::kFilter, 1, 2, 2},
    {"map", Macro::kMap, 1, 2, 3},
    {"all", Macro::kAll, 2, 3, 3},
    {"exists", Macro::kExists, 2, 3, 3},
    {"exists_one", Macro::kExistsOne, 2, 3, 3},
    {"existsOne", Macro::kExistsOne, 2, 3, 3},
    {"transformList", Macro::kTransformList, 2, 3, 4},
    {"transformMap", Macro::kTransformMap, 2, 3, 4},
    {"transformMapEntry", Macro::kTransformMapEntry, 2, 3, 4},
};

}  // namespace

std::optional<Expansion> ExpandMacro(AstBuilder& builder, const ParseOptions& options, std::string_view name,
                                     ExprId operand, std::span<const ExprId> args, const Extent& at) {
  if (!options.macros) return std::nullopt;
  Expander expander(builder, name, operand, args, at);
  if (operand == kNoExpr) {
    return name == "has" && args.size() == 1 ? std::optional(expander.Has()) : std::nullopt;
  }
  for (const LoopMacro& loop : kLoops) {
    if (loop.name != name || args.size() < loop.min_args || args.size() > loop.max_args) continue;
    if (loop.variables == 2 && !options.two_variable_macros) continue;
    return expander.Loop(loop.macro, loop.variables);
  }
  const Expr& target = builder.At(operand);
  if (name == "bind" && args.size() == 3 && target.kind == ExprKind::kIdentifier && target.name == "cel") {
    return expander.Bind();
  }
  if (options.optional_syntax && args.size() == 2 && (name == "optMap" || name == "optFlatMap")) {
    return expander.OptionalMap(name == "optFlatMap");
  }
  if (options.list_macros && args.size() == 2 && name == "sortBy") {
    if (!expander.CanBeSorted()) {
      return tl::unexpected(SourceError{builder.At(operand).position,
                                        "sortBy can only be applied to a list, identifier, comprehension, call or "
                                        "select expression"});
    }
    return expander.SortBy();
  }
  return std::nullopt;
}

ExprId AstBuilder::Copy(ExprId id, const Extent& at) {
  if (++copied_ > kMaxCopied) return kNoExpr;
  const Expr original = ast_.nodes[id];
  Expr copy = original;
  if (copy.operand != kNoExpr) copy.operand = Copy(copy.operand, at);
  if (exhausted()) return kNoExpr;
  if (copy.kind == ExprKind::kComprehension) {
    Comprehension fold = ast_.comprehensions[copy.comprehension];
    for (ExprId* part : {&fold.range, &fold.init, &fold.condition, &fold.step, &fold.result}) {
      *part = Copy(*part, at);
      if (exhausted()) return kNoExpr;
    }
    copy.comprehension = static_cast<std::uint32_t>(ast_.comprehensions.size());
    ast_.comprehensions.push_back(fold);
  }
  std::vector<ExprId> args;
  for (std::uint32_t i = 0; i < original.arg_count; ++i) {
    args.push_back(Copy(ast_.children[original.first_arg + i], at));
    if (exhausted()) return kNoExpr;
    if (original.kind == ExprKind::kStruct && i % 2 == 0) ast_.nodes[args.back()].position = at.position;
  }
  const ExprId result = Add(std::move(copy), args);
  for (std::uint32_t i = 0; i < original.arg_count; ++i) {
    ast_.optional[ast_.nodes[result].first_arg + i] = ast_.optional[original.first_arg + i];
  }
  return result;
}

}  // namespace kumiko::cel
