// Values that may be missing: optional.of(x), x.hasValue(), [a, b].first(). The compiler has its own code for
// `or` and `orValue`, whose second part runs only when it is needed.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

// With the optional forms of indexing.
std::span<const Overload> OptionalsOverloads();

// What stands inside of a value that is an optional, or several around each other; else, and when there is nothing, the
// value itself.
const Value& Held(const Value& value);

}  // namespace kumiko::cel
