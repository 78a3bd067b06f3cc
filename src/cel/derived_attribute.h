// What a derived attribute holds when its expression has run.
#pragma once

#include "base/result.h"
#include "cel/device_view.h"
#include "cel/value.h"

namespace kumiko::cel {

// Scalars and lists of one kind of them; an empty list is a list of strings. Other values are an error.
Result<AttributeValue> ToAttributeValue(const Value& value);

}  // namespace kumiko::cel
