// What list and map literals come to when they run.
#pragma once

#include <span>
#include <vector>

#include "cel/run_context.h"
#include "cel/value.h"

namespace kumiko::cel {

// `optional`: which items are optionals, whose values go in if they have one; null when none is.
Value ListLiteral(RunContext& run, std::span<const Value> items, const std::vector<bool>* optional);

// kPlain: only bools, integers and strings may be keys, each once; else an error.
enum class KeyKinds { kAny, kPlain };
// `entries` are keys and values in turn; `optional` as of a list, one for each pair.
Value MapLiteral(RunContext& run, std::span<const Value> entries, const std::vector<bool>* optional, KeyKinds keys);

// The item, or the value of the key, when it is an optional or an error; else an error.
Value RequireOptionalItem(RunContext& run, const Value& item);
Value RequireOptionalEntry(RunContext& run, const Value& key, const Value& value);

}  // namespace kumiko::cel
