// Static types: finds undeclared names, unknown fields and calls that no overload serves before anything runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/library/regex.h"
#include "cel/source.h"
#include "cel/type.h"

namespace re2 {
class RE2;
}

namespace kumiko::cel {

// What a node refers to.
struct Reference {
  enum class Kind : std::uint8_t {
    kNone,
    kLocal,     // a variable of a comprehension, found by name from the inside out
    kVariable,  // variables()[index] of the environment; also of a select that spells a qualified name
    kType,      // type: the type that the name stands for
    kFunction,  // one overload, or several that the types at run time decide between
  };
  Kind kind = Kind::kNone;
  bool namespaced = false;  // a call such as optional.of(x): the operand is part of the name
  std::uint32_t index = 0;  // of the variable, or of the first overload in CheckedAst::overloads
  std::uint32_t count = 0;  // of overloads
  TypeRef type = nullptr;
};

struct CheckedAst {
  Ast ast;
  std::vector<TypeRef> types;         // by node; type variables are replaced
  std::vector<Reference> references;  // by node
  std::vector<const Overload*> overloads;
  // Whether the result of some call has a type that its arguments do not tell, as that of dyn(x).value(): the next call
  // that takes it says what it is, and the run may find another.
  bool guesses_types = false;
  std::unique_ptr<TypePool> pool;  // owns the types
  // Literal patterns that the check compiled, by their text; null: too large. And the steps that others may take.
  std::map<std::string_view, std::shared_ptr<const re2::RE2>> patterns;
  std::int64_t pattern_steps = kPatternSteps;

  std::span<const Overload* const> Overloads(ExprId id) const {
    const Reference& reference = references[id];
    return {overloads.data() + reference.index, reference.kind == Reference::Kind::kFunction ? reference.count : 0};
  }
};

// All mistakes at once.
tl::expected<CheckedAst, std::vector<SourceError>> Check(Ast ast, const Environment& environment);

// Without types: names are looked up, every overload that fits a call by its form is a candidate, and what is wrong
// shows when it runs. A name that nothing declares keeps a reference of kind kNone.
CheckedAst ResolveNames(Ast ast, const Environment& environment);

}  // namespace kumiko::cel
