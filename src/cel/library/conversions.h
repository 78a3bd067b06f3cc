// Conversions between types: int("7"), string(1.5), timestamp("2026-01-01T00:00:00Z"), type(x), dyn(x).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> ConversionsOverloads(Dialect dialect = Dialect::kKubernetes);

// A number in the syntax of Go: decimal or hexadecimal, `_` between digits, inf and nan in any case. nullopt for other
// text and for numbers beyond the largest one; numbers too small for a double are zero.
std::optional<double> ParseDouble(std::string_view text);

}  // namespace kumiko::cel
