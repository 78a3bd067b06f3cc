// "%s has %d".format([name, count]): clauses %s %d %f %e %b %x %X %o and %%, with a precision as in %.2f.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/checker.h"
#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> FormatStringOverloads();

// A mistake that is found before anything runs, and the node that it is reported at.
struct FormatMistake {
  ExprId at = kNoExpr;
  std::string message;
};

// Of a call "...".format([...]) whose pattern is a literal and whose argument is written as a list: clauses that do not
// parse, arguments of types that their clauses do not take (looking into lists and maps that are written out), too few
// or too many of them. nullopt when all is well and for any other call. The types of `checked` must be final.
std::optional<FormatMistake> CheckFormat(const CheckedAst& checked, ExprId call);

}  // namespace kumiko::cel
