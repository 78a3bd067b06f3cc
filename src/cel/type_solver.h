// Finds what type variables stand for while a tree is checked.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cel/overload.h"
#include "cel/type.h"

namespace kumiko::cel {

class TypeSolver {
 public:
  TypeSolver(TypePool& pool, Dialect dialect) : pool_(pool), dialect_(dialect) {}

  TypeRef Fresh();
  // Whether a value of type `a` may stand where `b` is wanted; binds variables when it may, else changes nothing.
  bool Assign(TypeRef a, TypeRef b);
  bool AssignAll(const std::vector<TypeRef>& values, const std::vector<TypeRef>& wanted);
  // The type that serves for both of two types of which one could be assigned to the other.
  TypeRef MostGeneral(TypeRef a, TypeRef b) {
    if (dialect_ == Dialect::kSpecification) return Joined(Resolve(a), Resolve(b));
    return EqualOrLessSpecific(a, b) ? a : b;
  }
  // With every bound variable replaced; open ones stay, or become dyn.
  TypeRef Resolve(TypeRef type, bool open_to_dyn = false);
  // Parameters of a declaration become fresh variables, the same for the same parameter.
  TypeRef Instantiate(TypeRef declared, std::vector<TypeRef>& parameters);

 private:
  bool Assignable(TypeRef a, TypeRef b);
  // Whether `type` can be what `variable` stands for; `bound` tells whether it already stood for something.
  bool Substitute(TypeRef type, TypeRef variable, bool& bound);
  bool Occurs(TypeRef variable, TypeRef within) const;
  static bool EqualOrLessSpecific(TypeRef a, TypeRef b);
  // In the specification null gives way, a wrapper is more than its scalar, and types of several types are type(dyn).
  TypeRef Joined(TypeRef a, TypeRef b);
  template <class Replace>
  TypeRef WithParts(TypeRef type, const Replace& replace);
  void Bind(TypeRef variable, TypeRef type);
  void UndoTo(std::size_t mark);

  TypePool& pool_;
  Dialect dialect_;
  std::vector<TypeRef> bindings_;  // by variable; null: open
  std::vector<std::pair<std::uint32_t, TypeRef>> trail_;
};

// dyn, Any and the type of a node with an error: what fits everything.
inline bool IsDynamic(TypeRef type) {
  return type->kind == TypeKind::kDyn || type->kind == TypeKind::kAny || type->kind == TypeKind::kError;
}

}  // namespace kumiko::cel
