// Static types: finds undeclared names, unknown fields and calls that no overload serves before anything runs.
#pragma once

#include <memory>
#include <tl/expected.hpp>
#include <vector>

#include "cel/ast.h"
#include "cel/declarations.h"
#include "cel/source.h"
#include "cel/type.h"

namespace kumiko::cel {

struct CheckedAst {
  Ast ast;
  std::vector<TypeRef> types;       // by node; type variables are replaced
  std::vector<Function> functions;  // by node; kNone for nodes that are no calls
  std::vector<bool> namespaced;     // by node: a call such as optional.of(x), whose operand is part of the name
  std::unique_ptr<TypePool> pool;   // owns the types
};

// All mistakes at once.
tl::expected<CheckedAst, std::vector<SourceError>> Check(Ast ast);

}  // namespace kumiko::cel
