#include "cel/checker.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <utility>

#include "cel/literal_checks.h"
#include "cel/type_solver.h"

namespace kumiko::cel {
namespace {

class Checker {
 public:
  Checker(Ast ast, const Environment& environment, bool lenient)
      : environment_(environment),
        lenient_(lenient),
        pool_(std::make_unique<TypePool>()),
        solver_(*pool_, environment.dialect()) {
    checked_.ast = std::move(ast);
    checked_.types.assign(checked_.ast.nodes.size(), nullptr);
    checked_.references.assign(checked_.ast.nodes.size(), {});
  }

  tl::expected<CheckedAst, std::vector<SourceError>> Run() {
    Visit(checked_.ast.root);
    if (errors_.empty()) {
      for (TypeRef& type : checked_.types) {
        if (type != nullptr) type = solver_.Resolve(type, true);
      }
      if (!lenient_) CheckLiterals(checked_, environment_, errors_);
    }
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    checked_.pool = std::move(pool_);
    return std::move(checked_);
  }

 private:
  using Kind = Reference::Kind;

  const Expr& At(ExprId id) const { return checked_.ast.nodes[id]; }
  std::span<const ExprId> Args(ExprId id) const { return checked_.ast.Args(At(id)); }
  Reference& ReferenceOf(ExprId id) { return checked_.references[id]; }
  TypeRef Report(ExprId id, std::string message) {
    if (!lenient_) errors_.push_back({At(id).position, std::move(message)});
    return lenient_ ? &kDynType : &kErrorType;
  }
  TypeRef Mismatch(ExprId id, TypeRef wanted, TypeRef found) {
    return Report(id, fmt::format("expected type '{}' but found '{}'", Spelled(wanted), Spelled(found)));
  }
  static std::string Spelled(TypeRef type) { return TypeName(type); }
  TypeRef Undeclared(ExprId id, std::string_view name) {
    return Report(id, fmt::format("undeclared reference to '{}{}' (in container '{}')", At(id).absolute ? "." : "",
                                  name, environment_.container()));
  }

  TypeRef Visit(ExprId id) {
    const TypeRef type = lenient_ ? VisitLenient(id) : VisitNode(id);
    checked_.types[id] = type;
    return type;
  }
  // Types of an unchecked tree: dyn, but for literals. Names are still looked up.
  TypeRef VisitLenient(ExprId id) {
    const TypeRef type = VisitNode(id);
    return At(id).kind == ExprKind::kLiteral ? type : &kDynType;
  }

  TypeRef VisitNode(ExprId id) {
    switch (At(id).kind) {
      case ExprKind::kLiteral:
        return LiteralType(At(id).literal);
      case ExprKind::kIdentifier:
        return Identifier(id);
      case ExprKind::kSelect:
        return Select(id);
      case ExprKind::kCall:
        return At(id).name == "_?._" ? OptionalSelect(id) : Call(id);
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return Chain(id);
      case ExprKind::kConditional:
        return Conditional(id);
      case ExprKind::kList:
        return List(id);
      case ExprKind::kMap:
        return Map(id);
      case ExprKind::kStruct:
        return Struct(id);
      case ExprKind::kComprehension:
        return Fold(id);
    }
    return &kErrorType;
  }

  static TypeRef LiteralType(const Literal& literal) {
    static constexpr std::array<TypeRef, 7> kTypes = {&kNullType,   &kBoolType,   &kIntType,  &kUintType,
                                                      &kDoubleType, &kStringType, &kBytesType};
    return kTypes[literal.index()];
  }

  // ---- names

  const std::pair<std::string_view, TypeRef>* Local(std::string_view name) const {
    for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
      if (it->first == name) return &*it;
    }
    return nullptr;
  }

  // Looks for a variable or a type, in the container and around it.
  TypeRef Global(ExprId id, std::string_view name) {
    Reference& reference = ReferenceOf(id);
    const auto find = [&](std::string_view candidate) -> TypeRef {
      if (const auto index = environment_.FindVariable(candidate)) {
        reference = {Kind::kVariable, false, static_cast<std::uint32_t>(*index)};
        return environment_.variables()[*index].type;
      }
      if (const TypeRef type = environment_.FindType(candidate)) {
        reference = {Kind::kType, false, 0, 0, type};
        return pool_->TypeOf(type);
      }
      return nullptr;
    };
    if (environment_.container().empty()) return find(name.starts_with('.') ? name.substr(1) : name);
    for (const std::string& candidate : environment_.CandidateNames(name)) {
      if (const TypeRef type = find(candidate)) return type;
    }
    return nullptr;
  }

  TypeRef Identifier(ExprId id) {
    const Expr& expr = At(id);
    if (!expr.absolute) {
      if (const auto* local = Local(expr.name)) {
        ReferenceOf(id).kind = Kind::kLocal;
        return local->second;
      }
    }
    const TypeRef type = expr.absolute ? Global(id, "." + std::string(expr.name)) : Global(id, expr.name);
    return type != nullptr ? type : Undeclared(id, expr.name);
  }

  // The dotted name that a chain of selects spells; empty when it is none, or no declared name can begin like it.
  std::string QualifiedName(ExprId id) const {
    ExprId first = id;
    while (At(first).kind == ExprKind::kSelect && !At(first).test_only) first = At(first).operand;
    const Expr& root = At(first);
    if (root.kind != ExprKind::kIdentifier || !environment_.MayBeginName(root.name)) return "";
    std::string name;
    for (ExprId at = id; at != first; at = At(at).operand) name.insert(0, "." + std::string(At(at).name));
    return (root.absolute ? "." : "") + std::string(root.name) + name;
  }
  bool BeginsWithLocal(ExprId id) const {
    while (At(id).kind == ExprKind::kSelect) id = At(id).operand;
    return !At(id).absolute && Local(At(id).name) != nullptr;
  }

  // ---- fields

  TypeRef Select(ExprId id) {
    const Expr& expr = At(id);
    if (!expr.test_only) {
      if (const std::string name = QualifiedName(id); !name.empty() && !BeginsWithLocal(id)) {
        if (const TypeRef type = Global(id, name)) return type;
      }
    }
    const TypeRef field = Field(id, expr.operand, expr.name, false);
    return expr.test_only ? &kBoolType : solver_.Resolve(field);
  }

  TypeRef OptionalSelect(ExprId id) {
    const auto args = Args(id);
    // The parser makes the field a literal.
    return solver_.Resolve(Field(id, args[0], std::get<std::string_view>(At(args[1]).literal), true));
  }

  TypeRef Field(ExprId id, ExprId operand_id, std::string_view name, bool optional) {
    TypeRef operand = solver_.Resolve(Visit(operand_id));
    if (operand->kind == TypeKind::kOptional) {
      optional = true;
      operand = operand->first;
    }
    TypeRef field = &kErrorType;
    if (operand->kind == TypeKind::kMap) {
      field = operand->second;
    } else if (operand->kind == TypeKind::kObject) {
      field = ObjectField(id, operand->name, name);
    } else if (operand->kind == TypeKind::kVariable) {
      solver_.Assign(&kDynType, operand);
      field = &kDynType;
    } else {
      if (!IsDynamic(operand)) {
        Report(id, fmt::format("type '{}' does not support field selection", Spelled(operand)));
      }
      field = &kDynType;
    }
    return optional ? pool_->Optional(field) : field;
  }

  TypeRef ObjectField(ExprId id, std::string_view type_name, std::string_view name) {
    if (!environment_.HasObject(type_name)) {
      return Report(id, fmt::format("unexpected failed resolution of '{}'", type_name));
    }
    const TypeRef type = environment_.FindField(type_name, name);
    return type != nullptr ? type : Report(id, fmt::format("undefined field '{}'", name));
  }

  // ---- calls

  const std::vector<const Overload*>* FindFunction(std::string_view name) const {
    if (environment_.container().empty() && !name.starts_with('.')) return environment_.FindFunction(name);
    for (const std::string& candidate : environment_.CandidateNames(name)) {
      if (const auto* overloads = environment_.FindFunction(candidate)) return overloads;
    }
    return nullptr;
  }

  TypeRef Call(ExprId id) {
    const Expr& expr = At(id);
    std::vector<TypeRef> types;
    types.reserve(expr.arg_count + 1);
    for (const ExprId arg : Args(id)) types.push_back(Visit(arg));
    if (expr.operand == kNoExpr) {
      const auto* overloads = expr.absolute ? FindFunction("." + std::string(expr.name)) : FindFunction(expr.name);
      if (overloads == nullptr) return Undeclared(id, expr.name);
      return Resolve(id, expr.name, *overloads, types, false);
    }
    if (const std::string prefix = QualifiedName(expr.operand); !prefix.empty()) {
      const std::string name = prefix + "." + std::string(expr.name);
      if (const auto* overloads = FindFunction(name)) {
        ReferenceOf(id).namespaced = true;
        return Resolve(id, name, *overloads, types, false);
      }
    }
    types.insert(types.begin(), Visit(expr.operand));
    const auto* overloads = FindFunction(expr.name);
    if (overloads == nullptr) return Undeclared(id, expr.name);
    return Resolve(id, expr.name, *overloads, types, true);
  }

  TypeRef Resolve(ExprId id, std::string_view name, const std::vector<const Overload*>& overloads,
                  std::vector<TypeRef>& types, bool member) {
    TypeRef result = nullptr;
    bool guess = false;
    Reference& reference = ReferenceOf(id);
    const auto first = static_cast<std::uint32_t>(checked_.overloads.size());
    std::vector<TypeRef> parameters;
    std::vector<TypeRef> wanted;
    for (const Overload* overload : overloads) {
      if (overload->member != member || overload->arity != types.size()) continue;
      if (overload->cross_type && !environment_.cross_type_comparison) continue;
      parameters.clear();
      wanted.clear();
      for (std::size_t i = 0; i < overload->arity; ++i) {
        wanted.push_back(solver_.Instantiate(overload->args[i], parameters));
      }
      if (!lenient_ && !solver_.AssignAll(types, wanted)) continue;
      checked_.overloads.push_back(overload);
      const TypeRef type = solver_.Resolve(solver_.Instantiate(overload->result, parameters));
      guess = guess || IsGuess(*overload, types);
      if (result == nullptr) {
        result = type;
      } else if (!IsDynamic(result) && !SameType(result, type)) {
        result = &kDynType;
      }
    }
    reference.kind = Kind::kFunction;
    reference.index = first;
    reference.count = static_cast<std::uint32_t>(checked_.overloads.size()) - first;
    if (result == nullptr) return NoOverload(id, name, types, member);
    checked_.guesses_types = checked_.guesses_types || (guess && !IsDynamic(result));
    return result;
  }

  static bool HasParameter(TypeRef type) {
    return type != nullptr &&
           (type->kind == TypeKind::kVariable || HasParameter(type->first) || HasParameter(type->second));
  }
  static bool HasDynamic(TypeRef type) {
    return type != nullptr && (IsDynamic(type) || HasDynamic(type->first) || HasDynamic(type->second));
  }
  // Whether the result of a call has a type that its arguments do not tell: what dyn(x).first() holds.
  bool IsGuess(const Overload& overload, const std::vector<TypeRef>& types) {
    if (!HasParameter(overload.result)) return false;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const TypeRef wanted = overload.args[i];
      if (wanted->kind == TypeKind::kVariable || !HasParameter(wanted)) continue;
      if (HasDynamic(solver_.Resolve(types[i]))) return true;
    }
    return false;
  }

  TypeRef NoOverload(ExprId id, std::string_view name, const std::vector<TypeRef>& types, bool member) {
    std::string applied;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i == (member ? 1U : 0U)) applied += member ? ".(" : "(";
      if (i > (member ? 1U : 0U)) applied += ", ";
      applied += Spelled(solver_.Resolve(types[i], true));
    }
    if (types.size() == (member ? 1U : 0U)) applied += member ? ".(" : "(";
    return Report(id, fmt::format("found no matching overload for '{}' applied to '{})'", name, applied));
  }

  // A call takes an argument that is an error already for a bool, and the reference has a tree of calls here: only a
  // mistake right below its root makes the whole an error.
  TypeRef Chain(ExprId id) {
    const auto parts = Args(id);
    const bool first_is_deeper = At(id).first_is_deeper;
    const bool last_is_deeper = At(id).last_is_deeper;
    TypeRef result = &kBoolType;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TypeRef type = Visit(parts[i]);
      if (solver_.Assign(type, &kBoolType)) continue;
      const TypeRef mistake = Mismatch(parts[i], &kBoolType, type);
      if ((i == 0 && !first_is_deeper) || (i + 1 == parts.size() && !last_is_deeper)) result = mistake;
    }
    return result;
  }

  TypeRef Conditional(ExprId id) {
    const auto args = Args(id);
    std::vector<TypeRef> types = {Visit(args[0]), Visit(args[1]), Visit(args[2])};
    const TypeRef result = solver_.Fresh();
    if (!solver_.AssignAll(types, {&kBoolType, result, result})) return NoOverload(id, "_?_:_", types, false);
    return solver_.Resolve(result);
  }

  // ---- literals

  // The type of an item behind `?` is what its optional holds.
  TypeRef ItemType(ExprId owner, std::size_t index, ExprId item) {
    const TypeRef type = Visit(item);
    if (!checked_.ast.IsOptional(At(owner), index)) return type;
    if (type->kind == TypeKind::kOptional) return type->first;
    const bool dyn = type->kind == TypeKind::kDyn || type->kind == TypeKind::kAny;
    if (!dyn) Mismatch(item, pool_->Optional(type), type);
    return type;
  }
  // Items of several types are dyn; literal_checks.h refuses them where they may not be mixed.
  TypeRef Join(TypeRef known, TypeRef next) {
    if (known == nullptr) return next;
    return solver_.Assign(known, next) ? solver_.MostGeneral(known, next) : &kDynType;
  }

  TypeRef List(ExprId id) {
    TypeRef item = nullptr;
    for (std::size_t i = 0; i < At(id).arg_count; ++i) {
      const ExprId arg = Args(id)[i];
      item = Join(item, ItemType(id, i, arg));
    }
    return pool_->List(item != nullptr ? item : solver_.Fresh());
  }

  TypeRef Map(ExprId id) {
    TypeRef key = nullptr;
    TypeRef value = nullptr;
    for (std::size_t i = 0; i + 1 < At(id).arg_count; i += 2) {
      const ExprId key_id = Args(id)[i];
      const ExprId value_id = Args(id)[i + 1];
      key = Join(key, Visit(key_id));
      value = Join(value, ItemType(id, i + 1, value_id));
    }
    if (key == nullptr) {
      key = solver_.Fresh();
      value = solver_.Fresh();
    }
    return pool_->Map(key, value);
  }

  TypeRef Struct(ExprId id) {
    TypeRef type = nullptr;
    for (const std::string& candidate : environment_.CandidateNames(At(id).name)) {
      if ((type = environment_.FindType(candidate)) != nullptr) break;
    }
    if (type == nullptr) {
      return Report(
          id, fmt::format("undeclared reference to '{}' (in container '{}')", At(id).name, environment_.container()));
    }
    ReferenceOf(id) = {Kind::kType, false, 0, 0, type};
    const std::string name = TypeName(type);
    if (!environment_.HasObject(name)) return Report(id, fmt::format("'{}' is not a message type", name));
    for (std::size_t i = 0; i + 1 < At(id).arg_count; i += 2) {
      const ExprId field_id = Args(id)[i];
      const std::string_view field = std::get<std::string_view>(At(field_id).literal);
      checked_.types[field_id] = &kStringType;
      const TypeRef value = ItemType(id, i + 1, Args(id)[i + 1]);
      const TypeRef wanted = ObjectField(field_id, name, field);
      if (wanted->kind != TypeKind::kError && !solver_.Assign(wanted, value)) {
        Report(field_id, fmt::format("expected type of field '{}' is '{}' but provided type is '{}'", field,
                                     Spelled(wanted), Spelled(value)));
      }
    }
    return type;
  }

  // ---- comprehensions

  TypeRef Fold(ExprId id) {
    const Comprehension fold = checked_.ast.ComprehensionOf(At(id));
    const TypeRef range = solver_.Resolve(Visit(fold.range));
    const TypeRef accumulator = Visit(fold.init);
    const std::size_t outside = scope_.size();
    scope_.emplace_back(fold.accumulator, accumulator);

    const bool two = !fold.variable2.empty();
    TypeRef first = &kDynType;
    TypeRef second = &kDynType;
    if (range->kind == TypeKind::kList) {
      first = two ? &kIntType : range->first;
      second = range->first;
    } else if (range->kind == TypeKind::kMap) {
      first = range->first;
      second = range->second;
    } else if (range->kind == TypeKind::kDyn || range->kind == TypeKind::kError || range->kind == TypeKind::kVariable) {
      solver_.Assign(&kDynType, range);
    } else {
      first = second =
          Report(fold.range, fmt::format("expression of type '{}' cannot be range of a comprehension (must be list, "
                                         "map, or dynamic)",
                                         Spelled(range)));
    }
    scope_.emplace_back(fold.variable, first);
    if (two) scope_.emplace_back(fold.variable2, second);
    Expect(fold.condition, Visit(fold.condition), &kBoolType);
    Expect(fold.step, Visit(fold.step), accumulator);
    scope_.resize(outside + 1);
    const TypeRef result = Visit(fold.result);
    scope_.resize(outside);
    return solver_.Resolve(result);
  }
  void Expect(ExprId id, TypeRef found, TypeRef wanted) {
    if (!solver_.Assign(wanted, found)) Mismatch(id, wanted, found);
  }

  const Environment& environment_;
  const bool lenient_;
  CheckedAst checked_;
  std::unique_ptr<TypePool> pool_;
  TypeSolver solver_;
  std::vector<std::pair<std::string_view, TypeRef>> scope_;
  std::vector<SourceError> errors_;
};

}  // namespace

tl::expected<CheckedAst, std::vector<SourceError>> Check(Ast ast, const Environment& environment) {
  return Checker(std::move(ast), environment, false).Run();
}

CheckedAst ResolveNames(Ast ast, const Environment& environment) {
  return *Checker(std::move(ast), environment, true).Run();
}

}  // namespace kumiko::cel
