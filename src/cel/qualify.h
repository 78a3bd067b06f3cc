// One step of an attribute: what operand.key and operand[key] are.
#pragma once

#include <optional>
#include <string_view>

#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// The value, or an error value ("no such key: x", "index out of bounds: 5"). With `optional` nullopt when there is
// none. The operand is no error.
std::optional<Value> Qualify(RunContext& run, const Value& operand, const Value& key, bool optional);
// has(operand.name): a bool, or an error value.
Value TestField(RunContext& run, const Value& operand, const Value& name);

// Whether a value of this kind can be a key or an index at all.
bool IsQualifier(const Value& key);
// The error for one that cannot: "invalid qualifier type: types.Bytes".
Value InvalidQualifier(RunContext& run, const Value& key);

// What the reference calls the kind in some messages: types.Int, cel.Semver.
std::string_view GoTypeName(const Value& value);

}  // namespace kumiko::cel
