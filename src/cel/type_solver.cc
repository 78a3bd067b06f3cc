#include "cel/type_solver.h"

#include <algorithm>
#include <iterator>

namespace kumiko::cel {
namespace {

bool TakesNull(TypeRef type) {
  static constexpr TypeKind kKinds[] = {TypeKind::kNull,   TypeKind::kWrapper,   TypeKind::kOptional, TypeKind::kOpaque,
                                        TypeKind::kObject, TypeKind::kTimestamp, TypeKind::kDuration};
  return std::find(std::begin(kKinds), std::end(kKinds), type->kind) != std::end(kKinds);
}

TypeRef Unwrapped(TypeRef type) {
  return type->kind == TypeKind::kWrapper ? type->first : type;
}

// The same type as far as the checker can tell: a wrapper is its scalar.
bool Exact(TypeRef a, TypeRef b) {
  a = Unwrapped(a);
  b = Unwrapped(b);
  if (a == b) return true;
  if (a->kind != b->kind || a->variable != b->variable || a->name != b->name) return false;
  if ((a->first == nullptr) != (b->first == nullptr) || (a->second == nullptr) != (b->second == nullptr)) return false;
  return (a->first == nullptr || Exact(a->first, b->first)) && (a->second == nullptr || Exact(a->second, b->second));
}

}  // namespace

TypeRef TypeSolver::Fresh() {
  const auto number = static_cast<std::uint32_t>(bindings_.size());
  bindings_.push_back(nullptr);
  return pool_.Variable(number);
}

void TypeSolver::Bind(TypeRef variable, TypeRef type) {
  trail_.emplace_back(variable->variable, bindings_[variable->variable]);
  bindings_[variable->variable] = type;
}

void TypeSolver::UndoTo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) bindings_[trail_.back().first] = trail_.back().second;
}

bool TypeSolver::Assign(TypeRef a, TypeRef b) {
  const std::size_t mark = trail_.size();
  if (Assignable(a, b)) return true;
  UndoTo(mark);
  return false;
}

bool TypeSolver::AssignAll(const std::vector<TypeRef>& values, const std::vector<TypeRef>& wanted) {
  const std::size_t mark = trail_.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (Assignable(values[i], wanted[i])) continue;
    UndoTo(mark);
    return false;
  }
  return true;
}

bool TypeSolver::Assignable(TypeRef a, TypeRef b) {
  if (a == b) return true;
  bool bound = false;
  if (b->kind == TypeKind::kVariable) {
    if (Substitute(a, b, bound)) return true;
    if (bound) return false;
  }
  if (a->kind == TypeKind::kVariable) return Substitute(b, a, bound);
  if (IsDynamic(a) || IsDynamic(b)) return true;
  if (a->kind == TypeKind::kNull) return TakesNull(b);
  if (b->kind == TypeKind::kNull) return TakesNull(a);
  if (a->kind == TypeKind::kType) {
    if (b->kind != TypeKind::kType) return false;
    const bool binds = dialect_ == Dialect::kSpecification && a->first != nullptr && b->first != nullptr;
    if (binds && (!a->first->closed || !b->first->closed)) Assign(a->first, b->first);
    return true;
  }
  a = Unwrapped(a);
  b = Unwrapped(b);
  if (a->kind != b->kind || a->name != b->name) return false;
  if (a->first != nullptr && b->first != nullptr && !Assignable(a->first, b->first)) return false;
  return a->second == nullptr || b->second == nullptr || Assignable(a->second, b->second);
}

bool TypeSolver::Substitute(TypeRef type, TypeRef variable, bool& bound) {
  bound = true;
  if (Exact(type, variable)) return true;
  const TypeRef known = bindings_[variable->variable];
  if (known != nullptr) {
    if (Exact(type, known)) return true;
    if (!Assignable(type, known)) return false;
    const TypeRef general = MostGeneral(type, known);
    if (!Occurs(variable, general)) Bind(variable, general);
    return true;
  }
  bound = false;
  if (Occurs(variable, type)) return false;
  Bind(variable, type);
  return true;
}

bool TypeSolver::Occurs(TypeRef variable, TypeRef within) const {
  if (within->closed) return false;
  if (within->kind == TypeKind::kVariable) {
    if (within->variable == variable->variable) return true;
    const TypeRef known = bindings_[within->variable];
    return known != nullptr && Occurs(variable, known);
  }
  return (within->first != nullptr && Occurs(variable, within->first)) ||
         (within->second != nullptr && Occurs(variable, within->second));
}

TypeRef TypeSolver::Joined(TypeRef a, TypeRef b) {
  static constexpr Type kTypeOfDyn{TypeKind::kType, &kDynType};
  if (IsDynamic(a) || IsDynamic(b)) return IsDynamic(a) ? a : b;
  if (a->kind == TypeKind::kNull) return b;
  if (b->kind == TypeKind::kNull) return a;
  if (a->kind == TypeKind::kWrapper || b->kind == TypeKind::kWrapper) return a->kind == TypeKind::kWrapper ? a : b;
  if (a->kind == TypeKind::kType && b->kind == TypeKind::kType) return SameType(a, b) ? a : &kTypeOfDyn;
  if (a->kind != b->kind || a->first == nullptr || b->first == nullptr) return EqualOrLessSpecific(a, b) ? a : b;
  if (a->kind == TypeKind::kList) return pool_.List(Joined(a->first, b->first));
  if (a->kind == TypeKind::kOptional) return pool_.Optional(Joined(a->first, b->first));
  if (a->kind == TypeKind::kMap) return pool_.Map(Joined(a->first, b->first), Joined(a->second, b->second));
  return EqualOrLessSpecific(a, b) ? a : b;
}

bool TypeSolver::EqualOrLessSpecific(TypeRef a, TypeRef b) {
  if (a == b) return true;
  const auto any = [](TypeRef type) { return type->kind == TypeKind::kDyn || type->kind == TypeKind::kAny; };
  if (any(a) || a->kind == TypeKind::kVariable) return true;
  if (any(b) || b->kind == TypeKind::kVariable) return false;
  a = Unwrapped(a);
  b = Unwrapped(b);
  if (a->kind != b->kind || a->name != b->name) return false;
  if (a->kind == TypeKind::kType) return true;
  if (a->first != nullptr && b->first != nullptr && !EqualOrLessSpecific(a->first, b->first)) return false;
  return a->second == nullptr || b->second == nullptr || EqualOrLessSpecific(a->second, b->second);
}

// The type with its parts replaced; itself when none changes.
template <class Replace>
TypeRef TypeSolver::WithParts(TypeRef type, const Replace& replace) {
  if (type->closed || type->first == nullptr || type->kind == TypeKind::kWrapper) return type;
  const TypeRef first = replace(type->first);
  const TypeRef second = type->second == nullptr ? nullptr : replace(type->second);
  if (first == type->first && second == type->second) return type;
  if (type->kind == TypeKind::kList) return pool_.List(first);
  if (type->kind == TypeKind::kMap) return pool_.Map(first, second);
  if (type->kind == TypeKind::kOptional) return pool_.Optional(first);
  if (type->kind == TypeKind::kType) return pool_.TypeOf(first);
  return pool_.Opaque(std::string(type->name), first, second);
}

TypeRef TypeSolver::Resolve(TypeRef type, bool open_to_dyn) {
  while (type->kind == TypeKind::kVariable && bindings_[type->variable] != nullptr) type = bindings_[type->variable];
  if (type->kind == TypeKind::kVariable) return open_to_dyn ? &kDynType : type;
  return WithParts(type, [&](TypeRef part) { return Resolve(part, open_to_dyn); });
}

TypeRef TypeSolver::Instantiate(TypeRef declared, std::vector<TypeRef>& parameters) {
  if (declared->kind != TypeKind::kVariable) {
    return WithParts(declared, [&](TypeRef part) { return Instantiate(part, parameters); });
  }
  if (declared->variable >= parameters.size()) parameters.resize(declared->variable + 1, nullptr);
  TypeRef& parameter = parameters[declared->variable];
  if (parameter == nullptr) parameter = Fresh();
  return parameter;
}

}  // namespace kumiko::cel
