// Values that are a number or a percentage of one, such as maxSurge: 1 or "25%".
#pragma once

#include <cstdint>

#include "base/json.h"

namespace kumiko::api {

enum class Rounding { kDown, kUp };

// What `value` means when `total` is all; 0 for what is neither a number nor a percentage, and for null.
std::int64_t ScaledValue(const Json& value, std::int64_t total, Rounding rounding);

}  // namespace kumiko::api
