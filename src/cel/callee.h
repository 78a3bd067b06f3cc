// What a call runs and costs, as far as the types tell before it runs.
#pragma once

#include <cstddef>

#include "cel/checker.h"
#include "cel/program.h"

namespace kumiko::cel {

// Its `call` is null when no overload fits.
Callee CalleeOf(const CheckedAst& checked, ExprId id);
// Whether the reference looks, before it calls the one overload there is, if that takes what it is given. Where types
// are known that holds anyway.
bool ChecksArguments(const CheckedAst& checked, ExprId id);
// Whether the first argument that is an error ends the call: the others are not evaluated, and the call costs nothing.
// Otherwise all are, and it is charged for.
bool StopsAtErrors(const CheckedAst& checked, ExprId id, std::size_t args);

}  // namespace kumiko::cel
