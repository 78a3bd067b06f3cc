// Literals of messages that every environment knows: google.protobuf.Int64Value{value: 1}, Duration{seconds: 5}.
#pragma once

#include <span>

#include "cel/program.h"
#include "cel/run_context.h"

namespace kumiko::cel {

// `values` are parallel to the fields of the literal; a value is kOptional and none where the field is left out. The
// message as the value that CEL takes it for: wrappers are scalars, Struct is a map, ListValue a list.
Value MakeStruct(RunContext& run, const StructLiteral& literal, std::span<const Value> values);

}  // namespace kumiko::cel
