// What the functions of declarations.h do. All are strict: an argument that is an error value is the result.
#pragma once

#include <span>

#include "cel/declarations.h"
#include "cel/device_access.h"
#include "cel/value.h"

namespace kumiko::cel {

Value NoSuchOverload();
Value NoSuchKey(RunContext& run, const Value& key);

// Looks at the kinds of the arguments; kinds that no overload takes give "no such overload".
Value CallFunction(RunContext& run, Function function, std::span<const Value> args);

// By library; each returns "no such overload" for functions that are not its own.
Value CallArithmetic(RunContext& run, Function function, std::span<const Value> args);
Value CallConversion(RunContext& run, Function function, std::span<const Value> args);
Value CallStrings(RunContext& run, Function function, std::span<const Value> args);
Value CallKubernetes(RunContext& run, Function function, std::span<const Value> args);

// Text for messages: 7, "x" without quotes, 1.5.
std::string Describe(const Value& value);
std::string FormatDouble(double value);

}  // namespace kumiko::cel
