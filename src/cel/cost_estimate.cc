#include "cel/cost_estimate.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cel/call_cost.h"
#include "cel/cost_range.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

using Range = CostRange;

constexpr std::uint64_t kListCost = 10;
constexpr std::uint64_t kMapCost = 30;
constexpr std::uint64_t kStructCost = 40;

// The sizes of what a list or map holds.
struct EntrySize {
  bool list = false;
  Range key;  // of lists the index
  Range value;
};

std::optional<EntrySize> Union(const std::optional<EntrySize>& a, const std::optional<EntrySize>& b) {
  if (!a || !b) return std::nullopt;
  return EntrySize{a->list, Union(a->key, b->key), Union(a->value, b->value)};
}

// How a value is reached from a variable: device, attributes, any item, model. The reference keeps paths of one origin
// in shared memory that grows to the next power of two, and a step that still fits is written in place, so that it also
// becomes the last step of the sibling written before. A key of `device.attributes["d"].all(k, v, ...)` is estimated as
// its value for that reason. What API validation accepts depends on it, so paths here are kept in the same way.
struct Step {
  enum class Kind : std::uint8_t { kField, kItem, kKey };
  Kind kind = Kind::kField;
  std::string_view name;
};
constexpr Step kItemStep{Step::Kind::kItem, {}};
constexpr Step kKeyStep{Step::Kind::kKey, {}};
constexpr Step kIndexStep{Step::Kind::kField, "@indices"};
constexpr Step kShadowedStep{Step::Kind::kField, "."};  // leads nowhere

struct Path {
  std::size_t begin = 0;
  std::size_t size = 0;  // 0: no path
  std::size_t capacity = 0;
};

class Paths {
 public:
  Path Append(Path path, Step step) {
    if (path.size == path.capacity) {
      const Path grown{steps_.size(), path.size, path.capacity == 0 ? 1 : 2 * path.capacity};
      steps_.resize(grown.begin + grown.capacity);
      std::copy_n(steps_.begin() + static_cast<std::ptrdiff_t>(path.begin), path.size,
                  steps_.begin() + static_cast<std::ptrdiff_t>(grown.begin));
      path = grown;
    }
    steps_[path.begin + path.size] = step;
    ++path.size;
    return path;
  }
  std::span<const Step> Steps(Path path) const { return {steps_.data() + path.begin, path.size}; }

 private:
  std::vector<Step> steps_;
};

const Shape* Walk(const Shape* shape, const Step& step) {
  if (step.kind == Step::Kind::kItem) return shape->element;
  if (step.kind == Step::Kind::kKey) return shape->key;
  for (const auto& [name, field] : shape->fields) {
    if (name == step.name) return field;
  }
  return shape->any_field ? shape->element : nullptr;
}

// A variable of a comprehension.
struct Local {
  std::string_view name;
  Path path;
  std::optional<Range> size;
  std::optional<EntrySize> entries;
};

bool IsScalar(TypeRef type) {
  switch (type->kind) {
    case TypeKind::kBool:
    case TypeKind::kInt:
    case TypeKind::kUint:
    case TypeKind::kDouble:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
      return true;
    case TypeKind::kOptional:
    case TypeKind::kWrapper:
      return IsScalar(type->first);
    case TypeKind::kError:
    case TypeKind::kDyn:
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kAny:
    case TypeKind::kType:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kOpaque:
    case TypeKind::kObject:
    case TypeKind::kVariable:
      return false;
  }
  return false;
}

// The size that the text itself says.
std::optional<Range> WrittenSize(const Expr& expr) {
  if (expr.kind == ExprKind::kList) return FixedRange(expr.arg_count);
  if (expr.kind == ExprKind::kMap) return FixedRange(expr.arg_count / 2);
  if (expr.kind != ExprKind::kLiteral) return std::nullopt;
  if (const auto* text = std::get_if<std::string_view>(&expr.literal)) return FixedRange(CodePointCount(*text));
  if (const auto* bytes = std::get_if<Bytes>(&expr.literal)) return FixedRange(bytes->data.size());
  return kOneUnit;
}

class Estimator {
 public:
  Estimator(const CheckedAst& checked, const Environment& environment)
      : checked_(checked),
        ast_(checked.ast),
        environment_(environment),
        paths_of_(ast_.nodes.size()),
        sizes_(ast_.nodes.size()),
        entries_(ast_.nodes.size()) {}

  Range Cost(ExprId id);

 private:
  Range CostIdentifier(ExprId id);
  Range CostSelect(ExprId id);
  Range CostCall(ExprId id);
  Range CostDyn(ExprId id, ExprId arg);
  Range CostLogic(ExprId id);
  Range CostConditional(ExprId id);
  Range CostList(ExprId id);
  Range CostMap(ExprId id);
  Range CostComprehension(ExprId id);
  Range CostBind(ExprId id, const Comprehension& comprehension);
  // Which variable of a loop: the only one (keys of maps, items of lists), or one of two.
  enum class Iteration { kOnly, kKey, kValue };
  void PushIteration(std::string_view name, ExprId range, Iteration iteration);
  void PushLocal(std::string_view name, ExprId value);

  ArgumentEstimate Argument(ExprId id);
  // The size of the items of a list that has them in its type; nullopt when it has not.
  std::optional<Range> ItemSize(ExprId list) const;
  std::optional<std::int64_t> LiteralInt(ExprId id) const;

  const Local* FindLocal(std::string_view name) const;
  const Local* LocalOf(ExprId id) const;
  Path PathOf(ExprId id) const;
  std::optional<Range> SizeAt(Path path, const Step* further = nullptr) const;
  std::optional<Range> SizeOf(ExprId id);
  Range SizeOrUnknown(ExprId id) { return SizeOf(id).value_or(kUnknownSize); }
  std::optional<EntrySize> EntriesOf(ExprId id) const;
  TypeRef TypeOf(ExprId id) const { return checked_.types[id]; }

  const CheckedAst& checked_;
  const Ast& ast_;
  const Environment& environment_;
  Paths paths_;
  std::vector<Path> paths_of_;  // by node, as the next two
  std::vector<std::optional<Range>> sizes_;
  std::vector<std::optional<EntrySize>> entries_;
  std::vector<Local> locals_;
};

// ---- what is known of a node

const Local* Estimator::FindLocal(std::string_view name) const {
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(), [&](const Local& it) { return it.name == name; });
  return found == locals_.rend() ? nullptr : &*found;
}

const Local* Estimator::LocalOf(ExprId id) const {
  const Expr& expr = ast_.At(id);
  if (expr.kind != ExprKind::kIdentifier || expr.absolute) return nullptr;
  return FindLocal(expr.name);
}

Path Estimator::PathOf(ExprId id) const {
  if (const Local* local = LocalOf(id)) return local->path;
  return paths_of_[id];
}

std::optional<Range> Estimator::SizeAt(Path path, const Step* further) const {
  const std::span<const Step> steps = paths_.Steps(path);
  if (steps.empty() || steps.front().kind != Step::Kind::kField) return std::nullopt;
  const auto variable = environment_.FindVariable(steps.front().name);
  if (!variable) return std::nullopt;
  const Shape* shape = environment_.variables()[*variable].shape;
  for (const Step& step : steps.subspan(1)) {
    if (shape == nullptr) return std::nullopt;
    shape = Walk(shape, step);
  }
  if (shape != nullptr && further != nullptr) shape = Walk(shape, *further);
  if (shape == nullptr) return std::nullopt;
  return Range{0, shape->max_elements};
}

std::optional<Range> Estimator::SizeOf(ExprId id) {
  if (sizes_[id]) return sizes_[id];
  if (const auto written = WrittenSize(ast_.At(id))) return written;
  if (const auto at_path = SizeAt(PathOf(id))) return sizes_[id] = at_path;
  if (IsScalar(TypeOf(id))) return kOneUnit;
  if (const Local* local = LocalOf(id)) return local->size;
  return std::nullopt;
}

std::optional<EntrySize> Estimator::EntriesOf(ExprId id) const {
  if (entries_[id]) return entries_[id];
  if (const Local* local = LocalOf(id)) return local->entries;
  return std::nullopt;
}

std::optional<Range> Estimator::ItemSize(ExprId list) const {
  const TypeRef type = TypeOf(list);
  if (type->first == nullptr || type->kind == TypeKind::kWrapper) return std::nullopt;
  return SizeAt(PathOf(list), &kItemStep).value_or(kUnknownSize);
}

std::optional<std::int64_t> Estimator::LiteralInt(ExprId id) const {
  const Expr& expr = ast_.At(id);
  if (expr.kind != ExprKind::kLiteral) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&expr.literal);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

ArgumentEstimate Estimator::Argument(ExprId id) {
  return {.type = TypeOf(id), .size = SizeOf(id), .item_size = ItemSize(id), .literal = LiteralInt(id)};
}

// ---- nodes

Range Estimator::Cost(ExprId id) {
  const Expr& expr = ast_.At(id);
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return {};
    case ExprKind::kIdentifier:
      return CostIdentifier(id);
    case ExprKind::kSelect:
      return CostSelect(id);
    case ExprKind::kCall:
      return CostCall(id);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return CostLogic(id);
    case ExprKind::kConditional:
      return CostConditional(id);
    case ExprKind::kList:
      return CostList(id);
    case ExprKind::kMap:
      return CostMap(id);
    case ExprKind::kStruct: {
      Range sum = FixedRange(kStructCost);
      for (const ExprId arg : ast_.Args(expr)) sum = sum + Cost(arg);
      return sum;
    }
    case ExprKind::kComprehension:
      return CostComprehension(id);
  }
  return {};
}

Range Estimator::CostIdentifier(ExprId id) {
  const Reference& reference = checked_.references[id];
  if (reference.kind == Reference::Kind::kVariable) {
    const std::string_view name = environment_.variables()[reference.index].name;
    // `.x` inside a comprehension over x keeps its dot, which no estimate knows.
    paths_of_[id] = paths_.Append({}, FindLocal(name) != nullptr ? kShadowedStep : Step{Step::Kind::kField, name});
  } else if (const Local* local = LocalOf(id)) {
    paths_of_[id] = local->path;
  } else {
    paths_of_[id] = paths_.Append({}, kShadowedStep);
  }
  return kOneUnit;
}

Range Estimator::CostSelect(ExprId id) {
  const Reference::Kind kind = checked_.references[id].kind;
  if (kind == Reference::Kind::kVariable || kind == Reference::Kind::kType) return CostIdentifier(id);
  const Expr& expr = ast_.At(id);
  Range sum = Cost(expr.operand);
  if (expr.test_only) return environment_.presence_test_has_cost ? sum + kOneUnit : sum;
  const TypeKind operand = TypeOf(expr.operand)->kind;
  if (operand == TypeKind::kMap || operand == TypeKind::kObject || operand == TypeKind::kVariable) sum = sum + kOneUnit;
  paths_of_[id] = paths_.Append(PathOf(expr.operand), Step{Step::Kind::kField, expr.name});
  return sum;
}

Range Estimator::CostList(ExprId id) {
  const Expr& expr = ast_.At(id);
  Range sum = FixedRange(kListCost);
  Range item = expr.arg_count == 0 ? Range{} : kEmptyUnion;
  for (const ExprId arg : ast_.Args(expr)) {
    sum = sum + Cost(arg);
    item = Union(item, SizeOrUnknown(arg));
  }
  entries_[id] = EntrySize{true, kOneUnit, item};
  return sum;
}

Range Estimator::CostMap(ExprId id) {
  const Expr& expr = ast_.At(id);
  const std::span<const ExprId> args = ast_.Args(expr);
  Range sum = FixedRange(kMapCost);
  Range key = args.empty() ? Range{} : kEmptyUnion;
  Range value = key;
  for (std::size_t i = 0; i + 1 < args.size(); i += 2) {
    sum = sum + Cost(args[i]) + Cost(args[i + 1]);
    key = Union(key, SizeOrUnknown(args[i]));
    value = Union(value, SizeOrUnknown(args[i + 1]));
  }
  entries_[id] = EntrySize{false, key, value};
  return sum;
}

// The first part runs always, all parts at most.
Range Estimator::CostLogic(ExprId id) {
  Range sum;
  bool first = true;
  for (const ExprId arg : ast_.Args(ast_.At(id))) {
    const Range cost = Cost(arg);
    if (first) sum.min = cost.min;
    first = false;
    sum.max = SaturatingAdd(sum.max, cost.max);
  }
  return sum;
}

Range Estimator::CostConditional(ExprId id) {
  const std::span<const ExprId> args = ast_.Args(ast_.At(id));
  const Range condition = Cost(args[0]);
  const Range yes = Cost(args[1]);
  const Range yes_size = SizeOrUnknown(args[1]);
  const Range no = Cost(args[2]);
  const Range no_size = SizeOrUnknown(args[2]);
  if (const auto entries = Union(EntriesOf(args[1]), EntriesOf(args[2]))) entries_[id] = entries;
  sizes_[id] = Union(yes_size, no_size);
  return condition + Union(yes, no);
}

void Estimator::PushLocal(std::string_view name, ExprId value) {
  locals_.push_back({name, PathOf(value), SizeOf(value), EntriesOf(value)});
}

void Estimator::PushIteration(std::string_view name, ExprId range, Iteration iteration) {
  const std::optional<EntrySize> entries = EntriesOf(range);
  const bool list = entries ? entries->list : TypeOf(range)->kind == TypeKind::kList;
  const bool key = iteration == Iteration::kKey || (iteration == Iteration::kOnly && !list);
  const Step step = key ? (list ? kIndexStep : kKeyStep) : kItemStep;
  std::optional<Range> size;
  if (entries) size = key ? entries->key : entries->value;
  locals_.push_back({name, paths_.Append(PathOf(range), step), size, std::nullopt});
}

Range Estimator::CostComprehension(ExprId id) {
  const Comprehension& comprehension = ast_.ComprehensionOf(ast_.At(id));
  // A bind to the accumulator's old name is taken for a loop over nothing.
  if (comprehension.macro == Macro::kBind && comprehension.accumulator != "__result__") {
    return CostBind(id, comprehension);
  }
  Range sum = Cost(comprehension.range) + Cost(comprehension.init);
  const std::size_t outer = locals_.size();
  PushLocal(comprehension.accumulator, comprehension.init);
  const std::size_t inner = locals_.size();
  if (comprehension.variable2.empty()) {
    PushIteration(comprehension.variable, comprehension.range, Iteration::kOnly);
  } else {
    // The second sees the first: where the range bears its name, it is an item of the first.
    PushIteration(comprehension.variable, comprehension.range, Iteration::kKey);
    PushIteration(comprehension.variable2, comprehension.range, Iteration::kValue);
  }
  const Range condition = Cost(comprehension.condition);
  const Range step = Cost(comprehension.step);
  locals_.resize(inner);
  sum = sum + Cost(comprehension.result);
  locals_.resize(outer);

  const Range rounds = SizeOrUnknown(comprehension.range);
  sum = sum + rounds * (step + condition);
  const ExprKind init = ast_.At(comprehension.init).kind;
  if (init == ExprKind::kLiteral) {
    sizes_[id] = SizeOf(comprehension.init);
  } else if (init == ExprKind::kList || init == ExprKind::kMap) {
    sizes_[id] = rounds;
    if (const auto entries = EntriesOf(comprehension.step)) entries_[id] = entries;
  }
  return sum;
}

Range Estimator::CostBind(ExprId id, const Comprehension& comprehension) {
  Range sum = FixedRange(kListCost) + Cost(comprehension.init);  // the empty range is a list too
  PushLocal(comprehension.accumulator, comprehension.init);
  sum = sum + Cost(comprehension.result);
  locals_.pop_back();
  if (const auto size = SizeOf(comprehension.result)) sizes_[id] = size;
  if (const auto entries = EntriesOf(comprehension.result)) entries_[id] = entries;
  return sum;
}

// ---- calls

// dyn() only switches checks off: what is known of the argument stays known.
Range Estimator::CostDyn(ExprId id, ExprId arg) {
  const Range cost = Cost(arg);
  if (const auto size = SizeOf(arg)) sizes_[id] = size;
  if (const auto entries = EntriesOf(arg)) entries_[id] = entries;
  return cost + kOneUnit;
}

Range Estimator::CostCall(ExprId id) {
  const Expr& expr = ast_.At(id);
  const std::span<const ExprId> written = ast_.Args(expr);
  if (expr.name == "_?._") {
    const Range operand = Cost(written.front());
    sizes_[id] = SizeOf(id);
    return operand + kOneUnit;
  }
  const std::span<const Overload* const> overloads = checked_.Overloads(id);
  if (overloads.empty()) return {};
  if (overloads.front()->cost == CostRule::kDyn && !written.empty()) return CostDyn(id, written.front());

  const bool member = expr.operand != kNoExpr && !checked_.references[id].namespaced;
  std::vector<ExprId> args;
  if (member) args.push_back(expr.operand);
  args.insert(args.end(), written.begin(), written.end());
  std::vector<ArgumentEstimate> estimates(args.size());
  Range sum;
  for (std::size_t i = 0; i < args.size(); ++i) {
    // The receiver comes last: of paths that share a step, its step stays.
    const std::size_t at = member ? (i + 1) % args.size() : i;
    sum = sum + Cost(args[at]);
    estimates[at] = Argument(args[at]);
  }

  // Where the types at run time decide, everything from the cheapest to the dearest overload is possible.
  Range call_cost = kEmptyUnion;
  std::optional<Range> result;
  for (const Overload* overload : overloads) {
    const CallEstimate estimate = EstimateCall(*overload, estimates);
    call_cost = Union(call_cost, estimate.cost);
    if (overload->cost == CostRule::kConcatLists || overload->cost == CostRule::kConcatText) {
      if (const auto entries = Union(EntriesOf(args[0]), EntriesOf(args[1]))) entries_[id] = entries;
    }
    if (estimate.result) result = result ? Union(*result, *estimate.result) : *estimate.result;
    if (overload->cost == CostRule::kIndexList || overload->cost == CostRule::kIndexMap) {
      const auto entries = EntriesOf(args[0]);
      result = entries ? std::optional(entries->value) : std::nullopt;
      paths_of_[id] = paths_.Append(PathOf(args[0]), kItemStep);
    }
    if (!result) result = SizeOf(id);
  }
  if (result) sizes_[id] = result;
  return sum + call_cost;
}

}  // namespace

CostRange EstimateCost(const CheckedAst& checked, const Environment& environment) {
  return Estimator(checked, environment).Cost(checked.ast.root);
}

}  // namespace kumiko::cel
