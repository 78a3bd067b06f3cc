// Semantic versions in expressions: semver("1.2.3").major(). The type is cel/semver.h.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> SemverOverloads();

}  // namespace kumiko::cel
