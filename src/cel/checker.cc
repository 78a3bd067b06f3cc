#include "cel/checker.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>

namespace kumiko::cel {
namespace {

class Checker {
 public:
  explicit Checker(Ast ast) {
    checked_.ast = std::move(ast);
    checked_.pool = std::make_unique<TypePool>();
    checked_.types.assign(checked_.ast.nodes.size(), nullptr);
    checked_.functions.assign(checked_.ast.nodes.size(), Function::kNone);
    checked_.namespaced.assign(checked_.ast.nodes.size(), false);
  }

  tl::expected<CheckedAst, std::vector<SourceError>> Run() {
    Visit(checked_.ast.root);
    if (errors_.empty()) {
      for (TypeRef& type : checked_.types) {
        if (type != nullptr) type = Final(type);
      }
      for (ExprId id = 0; id < checked_.ast.nodes.size(); ++id) RequireOneItemType(id);
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    return std::move(checked_);
  }

 private:
  TypePool& pool() { return *checked_.pool; }
  const Expr& At(ExprId id) const { return checked_.ast.nodes[id]; }
  TypeRef Report(ExprId id, std::string message) {
    errors_.push_back({At(id).position, std::move(message)});
    return &kErrorType;
  }

  // ---- type variables

  TypeRef Fresh() {
    const auto number = static_cast<std::uint32_t>(bindings_.size());
    bindings_.push_back(nullptr);
    return pool().Variable(number);
  }
  TypeRef Resolve(TypeRef type) const {
    while (type->kind == TypeKind::kVariable && bindings_[type->variable] != nullptr) type = bindings_[type->variable];
    return type;
  }
  void Bind(std::uint32_t variable, TypeRef type) {
    trail_.emplace_back(variable, bindings_[variable]);
    bindings_[variable] = type;
  }
  void UndoTo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) bindings_[trail_.back().first] = trail_.back().second;
  }
  bool Occurs(std::uint32_t variable, TypeRef type) const {
    type = Resolve(type);
    if (type->kind == TypeKind::kVariable) return type->variable == variable;
    return (type->first != nullptr && Occurs(variable, type->first)) ||
           (type->second != nullptr && Occurs(variable, type->second));
  }
  // With every variable replaced; one that stayed open is dyn.
  TypeRef Final(TypeRef type) {
    type = Resolve(type);
    switch (type->kind) {
      case TypeKind::kVariable:
        return &kDynType;
      case TypeKind::kList:
        return pool().List(Final(type->first));
      case TypeKind::kMap:
        return pool().Map(Final(type->first), Final(type->second));
      case TypeKind::kOptional:
        return pool().Optional(Final(type->first));
      case TypeKind::kError:
      case TypeKind::kDyn:
      case TypeKind::kNull:
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kType:
      case TypeKind::kQuantity:
      case TypeKind::kSemver:
      case TypeKind::kDevice:
        return type;
    }
    return type;
  }

  static bool Dynamic(TypeRef type) { return type->kind == TypeKind::kDyn || type->kind == TypeKind::kError; }
  static bool Scalar(TypeRef type) {
    return type->kind == TypeKind::kInt || type->kind == TypeKind::kUint || type->kind == TypeKind::kBool ||
           type->kind == TypeKind::kString;
  }
  static bool TakesNull(TypeRef type) {
    return type->kind == TypeKind::kOptional || type->kind == TypeKind::kQuantity || type->kind == TypeKind::kSemver ||
           type->kind == TypeKind::kDevice;
  }

  // Whether a value of type `value` may stand where `target` is wanted; binds variables on the way.
  bool Assign(TypeRef target, TypeRef value) {
    const TypeRef open_target = target;
    target = Resolve(target);
    value = Resolve(value);
    if (target == value) return true;
    if (target->kind == TypeKind::kVariable || value->kind == TypeKind::kVariable) {
      const TypeRef variable = target->kind == TypeKind::kVariable ? target : value;
      const TypeRef other = variable == target ? value : target;
      if (other->kind == TypeKind::kVariable && other->variable == variable->variable) return true;
      if (Occurs(variable->variable, other)) return false;
      Bind(variable->variable, other);
      return true;
    }
    if (Dynamic(target)) return true;
    if (Dynamic(value)) {
      // A parameter that met an int and a dyn is dyn.
      if (open_target->kind == TypeKind::kVariable) Bind(open_target->variable, value);
      return true;
    }
    if (value->kind == TypeKind::kNull && TakesNull(target)) return true;
    if (target->kind == TypeKind::kNull && TakesNull(value)) {
      if (open_target->kind == TypeKind::kVariable) Bind(open_target->variable, value);
      return true;
    }
    if (target->kind != value->kind) return false;
    if (target->first != nullptr && value->first != nullptr && !Assign(target->first, value->first)) return false;
    return target->second == nullptr || value->second == nullptr || Assign(target->second, value->second);
  }
  bool TryAssign(TypeRef target, TypeRef value) {
    const std::size_t mark = trail_.size();
    if (Assign(target, value)) return true;
    UndoTo(mark);
    return false;
  }

  // The type of a list whose items have the types `known` and `next`.
  TypeRef Join(TypeRef known, TypeRef next) {
    if (known == nullptr) return next;
    if (Dynamic(Resolve(known)) || Dynamic(Resolve(next))) return &kDynType;
    return TryAssign(known, next) ? known : &kDynType;
  }

  // Parameters of a declaration become variables of this call.
  TypeRef Instantiate(TypeRef declared, std::array<TypeRef, 2>& parameters) {
    switch (declared->kind) {
      case TypeKind::kVariable: {
        TypeRef& parameter = parameters[declared->variable];
        if (parameter == nullptr) parameter = Fresh();
        return parameter;
      }
      case TypeKind::kList:
        return pool().List(Instantiate(declared->first, parameters));
      case TypeKind::kMap: {
        const TypeRef key = Instantiate(declared->first, parameters);
        return pool().Map(key, Instantiate(declared->second, parameters));
      }
      case TypeKind::kOptional:
        return pool().Optional(Instantiate(declared->first, parameters));
      case TypeKind::kError:
      case TypeKind::kDyn:
      case TypeKind::kNull:
      case TypeKind::kBool:
      case TypeKind::kInt:
      case TypeKind::kUint:
      case TypeKind::kDouble:
      case TypeKind::kString:
      case TypeKind::kBytes:
      case TypeKind::kType:
      case TypeKind::kQuantity:
      case TypeKind::kSemver:
      case TypeKind::kDevice:
        return declared;
    }
    return declared;
  }

  // ---- nodes

  TypeRef Visit(ExprId id) {
    const TypeRef type = VisitNode(id);
    checked_.types[id] = type;
    return type;
  }

  TypeRef VisitNode(ExprId id) {
    const Expr& expr = At(id);
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return LiteralType(expr.literal);
      case ExprKind::kIdentifier:
        return Identifier(id);
      case ExprKind::kSelect:
        return Select(id);
      case ExprKind::kIndex:
        return Index(id);
      case ExprKind::kCall:
        return Call(id);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return Chain(id);
      case ExprKind::kConditional:
        return Conditional(id);
      case ExprKind::kList:
        return List(id);
      case ExprKind::kMap:
        return Map(id);
      case ExprKind::kFold:
        return Fold(id);
      case ExprKind::kBind: {
        const TypeRef value = Visit(expr.operand);
        scope_.emplace_back(expr.name, value);
        const TypeRef body = Visit(expr.args[0]);
        scope_.pop_back();
        return body;
      }
      case ExprKind::kOptionalMap:
        return OptionalMap(id);
    }
    return &kErrorType;
  }

  static TypeRef LiteralType(const Literal& literal) {
    static constexpr std::array<TypeRef, 7> kTypes = {&kNullType,   &kBoolType,   &kIntType,  &kUintType,
                                                      &kDoubleType, &kStringType, &kBytesType};
    return kTypes[literal.index()];
  }

  const std::pair<std::string, TypeRef>* Local(const Expr& expr) const {
    if (expr.absolute) return nullptr;
    for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
      if (it->first == expr.name) return &*it;
    }
    return nullptr;
  }

  TypeRef Identifier(ExprId id) {
    const Expr& expr = At(id);
    if (const auto* local = Local(expr)) return local->second;
    if (expr.name == "device") return &kDeviceType;
    if (TypeByName(expr.name) != nullptr) return &kTypeType;
    return Report(id,
                  fmt::format("undeclared reference to '{}{}' (in container '')", expr.absolute ? "." : "", expr.name));
  }

  TypeRef DeviceField(ExprId id, std::string_view name) {
    if (name == "driver") return &kStringType;
    if (name == "allowMultipleAllocations") return &kBoolType;
    if (name == "attributes") return pool().Map(&kStringType, pool().Map(&kStringType, &kDynType));
    if (name == "capacity") return pool().Map(&kStringType, pool().Map(&kStringType, &kQuantityType));
    return Report(id, fmt::format("undefined field '{}'", name));
  }

  TypeRef Select(ExprId id) {
    const Expr& expr = At(id);
    TypeRef operand = Resolve(Visit(expr.operand));
    bool optional = expr.optional;
    if (operand->kind == TypeKind::kOptional) {
      optional = true;
      operand = Resolve(operand->first);
    }
    TypeRef field = &kErrorType;
    if (operand->kind == TypeKind::kDevice) {
      field = DeviceField(id, expr.name);
    } else if (operand->kind == TypeKind::kMap) {
      // A field name is a string key; another key type is found by its absence at run time.
      field = operand->second;
    } else if (Dynamic(operand) || operand->kind == TypeKind::kVariable) {
      field = &kDynType;
    } else {
      field = Report(id, fmt::format("type '{}' does not support field selection", TypeName(Final(operand))));
    }
    if (expr.test_only) return &kBoolType;
    if (field->kind == TypeKind::kError) return field;
    return optional ? pool().Optional(field) : field;
  }

  TypeRef Index(ExprId id) {
    const Expr& expr = At(id);
    const TypeRef whole = Resolve(Visit(expr.operand));
    const TypeRef key = Visit(expr.args[0]);
    const TypeRef operand = whole->kind == TypeKind::kOptional ? Resolve(whole->first) : whole;
    TypeRef item = nullptr;
    if (operand->kind == TypeKind::kList && TryAssign(&kIntType, key)) {
      item = operand->first;
    } else if (operand->kind == TypeKind::kMap && TryAssign(operand->first, key)) {
      item = operand->second;
    } else if (Dynamic(operand) || operand->kind == TypeKind::kVariable) {
      item = &kDynType;
    } else {
      return NoOverload(id, expr.optional ? "_[?_]" : "_[_]", {whole, key});
    }
    return expr.optional || whole->kind == TypeKind::kOptional ? pool().Optional(item) : item;
  }

  TypeRef NoOverload(ExprId id, std::string_view name, const std::vector<TypeRef>& args, bool member = false) {
    std::string applied;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (Resolve(args[i])->kind == TypeKind::kError) return &kErrorType;
      if (i > 0) applied += i == 1 && member ? ".(" : ", ";
      applied += TypeName(Final(args[i]));
    }
    if (member) {
      applied += args.size() == 1 ? ".()" : ")";
    } else {
      applied = "(" + applied + ")";
    }
    return Report(id, fmt::format("found no matching overload for '{}' applied to '{}'", name, applied));
  }

  TypeRef Call(ExprId id) {
    const Expr& expr = At(id);
    std::string name = expr.name;
    bool member = expr.operand != kNoExpr;
    if (member) {
      const Expr& target = At(expr.operand);
      if (target.kind == ExprKind::kIdentifier && Local(target) == nullptr &&
          IsFunctionName(target.name + "." + name)) {
        name = target.name + "." + name;
        member = false;
        checked_.namespaced[id] = true;
      }
    }
    std::vector<TypeRef> args;
    if (member) args.push_back(Visit(expr.operand));
    for (const ExprId arg : expr.args) args.push_back(Visit(arg));
    if (!IsFunctionName(name)) {
      return Report(id, fmt::format("undeclared reference to '{}' (in container '')", name));
    }

    TypeRef result = nullptr;
    for (const Overload& overload : Overloads()) {
      if (overload.name != name || overload.member != member || overload.arity != args.size()) continue;
      const std::size_t mark = trail_.size();
      std::array<TypeRef, 2> parameters = {};
      bool fits = true;
      for (std::size_t i = 0; fits && i < args.size(); ++i) {
        fits = Assign(Instantiate(overload.args[i], parameters), args[i]);
      }
      if (!fits) {
        UndoTo(mark);
        continue;
      }
      checked_.functions[id] = overload.function;
      const TypeRef this_result = Instantiate(overload.result, parameters);
      if (result == nullptr) {
        result = this_result;
      } else {
        // Several overloads fit dynamic arguments: the choice is made at run time.
        const bool same = SameType(Final(result), Final(this_result));
        UndoTo(mark);
        if (!same) result = &kDynType;
      }
    }
    return result != nullptr ? result : NoOverload(id, name, args, member);
  }

  TypeRef Chain(ExprId id) {
    const Expr& expr = At(id);

    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      const TypeRef type = Visit(expr.args[i]);
      ExpectBool(expr.args[i], type);
    }
    return &kBoolType;
  }

  TypeRef Conditional(ExprId id) {
    const Expr& expr = At(id);
    const TypeRef condition = Visit(expr.args[0]);
    const TypeRef then = Visit(expr.args[1]);
    const TypeRef otherwise = Visit(expr.args[2]);
    const TypeRef result = Fresh();
    if (!TryAssign(&kBoolType, condition) || !TryAssign(result, then) || !TryAssign(result, otherwise)) {
      return NoOverload(id, "_?_:_", {condition, then, otherwise});
    }
    return result;
  }

  // Type of an item behind `?`: the value inside the optional.
  TypeRef OptionalItem(ExprId item, TypeRef type) {
    const TypeRef value = Fresh();
    if (TryAssign(pool().Optional(value), type)) return value;
    return Report(item, fmt::format("expected type 'optional_type({0})' but found '{0}'", TypeName(Final(type))));
  }

  TypeRef List(ExprId id) {
    const Expr& expr = At(id);
    TypeRef item = nullptr;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      TypeRef type = Visit(expr.args[i]);
      if (!expr.optional_items.empty() && expr.optional_items[i]) type = OptionalItem(expr.args[i], type);
      item = Join(item, type);
    }
    return pool().List(item != nullptr ? item : Fresh());
  }

  TypeRef Map(ExprId id) {
    const Expr& expr = At(id);
    TypeRef key = nullptr;
    TypeRef value = nullptr;
    for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      key = Join(key, Visit(expr.args[i]));
      TypeRef type = Visit(expr.args[i + 1]);
      if (!expr.optional_items.empty() && expr.optional_items[i / 2]) type = OptionalItem(expr.args[i + 1], type);
      value = Join(value, type);
    }
    // Keys are scalars at run time; any other key type would only let types grow without bound.
    key = key == nullptr ? Fresh() : Scalar(Resolve(key)) ? key : &kDynType;
    return pool().Map(key, value != nullptr ? value : Fresh());
  }

  TypeRef Fold(ExprId id) {
    const Expr& expr = At(id);
    const TypeRef range = Resolve(Visit(expr.operand));
    TypeRef variable = &kDynType;
    if (range->kind == TypeKind::kList || range->kind == TypeKind::kMap) {
      variable = range->first;
    } else if (!Dynamic(range) && range->kind != TypeKind::kVariable) {
      Report(expr.operand, fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, map, "
                                       "or dynamic)",
                                       TypeName(Final(range))));
      variable = &kErrorType;
    }
    scope_.emplace_back(expr.name, variable);
    const TypeRef keep = expr.fold_filter != kNoExpr ? Visit(expr.fold_filter) : &kBoolType;
    const TypeRef body = Visit(expr.args[0]);
    scope_.pop_back();
    switch (expr.fold) {
      case FoldKind::kAll:
      case FoldKind::kExists:
        ExpectBool(expr.args[0], body);
        return &kBoolType;
      case FoldKind::kExistsOne:
        RequireCondition(id, body, &kIntType);
        return &kBoolType;
      case FoldKind::kFilter: {
        const TypeRef list = pool().List(variable);
        RequireCondition(id, body, list);
        return list;
      }
      case FoldKind::kMap: {
        const TypeRef list = pool().List(body);
        RequireCondition(id, keep, list);
        return list;
      }
    }
    return &kErrorType;
  }
  void ExpectBool(ExprId id, TypeRef type) {
    if (!TryAssign(&kBoolType, type)) {
      Report(id, fmt::format("expected type 'bool' but found '{}'", TypeName(Final(type))));
    }
  }
  // Macros that pick items are conditionals over their result.
  void RequireCondition(ExprId id, TypeRef condition, TypeRef result) {
    if (!TryAssign(&kBoolType, condition)) NoOverload(id, "_?_:_", {condition, result, result});
  }

  TypeRef OptionalMap(ExprId id) {
    const Expr& expr = At(id);
    const TypeRef operand = Visit(expr.operand);
    const TypeRef value = Fresh();
    if (!TryAssign(pool().Optional(value), operand)) {
      NoOverload(id, "hasValue", {operand}, true);
    }
    scope_.emplace_back(expr.name, value);
    const TypeRef body = Visit(expr.args[0]);
    scope_.pop_back();
    if (!expr.flat) return pool().Optional(body);
    const TypeRef inner = Fresh();
    if (!TryAssign(pool().Optional(inner), body)) return NoOverload(id, "_?_:_", {&kBoolType, body, operand});
    return pool().Optional(inner);
  }

  // Kubernetes refuses literals of mixed types; items wrapped in dyn() are of one type.
  void RequireOneItemType(ExprId id) {
    const Expr& expr = At(id);
    if (checked_.types[id] == nullptr || (expr.kind != ExprKind::kList && expr.kind != ExprKind::kMap)) return;
    const std::size_t stride = expr.kind == ExprKind::kMap ? 2 : 1;
    for (std::size_t first = 0; first < stride; ++first) {
      TypeRef wanted = nullptr;
      for (std::size_t i = first; i < expr.args.size(); i += stride) {
        TypeRef type = checked_.types[expr.args[i]];
        const bool value_side = first + 1 == stride;
        if (value_side && !expr.optional_items.empty() && expr.optional_items[i / stride] &&
            type->kind == TypeKind::kOptional) {
          type = type->first;
        }
        if (wanted == nullptr) {
          wanted = type;
        } else if (!SameType(wanted, type)) {
          Report(expr.args[i], fmt::format("expected type '{}' but found '{}'", TypeName(wanted), TypeName(type)));
          break;
        }
      }
    }
  }

  CheckedAst checked_;
  std::vector<TypeRef> bindings_;  // by variable; null: open
  std::vector<std::pair<std::uint32_t, TypeRef>> trail_;
  std::vector<std::pair<std::string, TypeRef>> scope_;
  std::vector<SourceError> errors_;
};

}  // namespace

tl::expected<CheckedAst, std::vector<SourceError>> Check(Ast ast) {
  return Checker(std::move(ast)).Run();
}

}  // namespace kumiko::cel
