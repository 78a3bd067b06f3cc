// For tests of libraries: calls functions as an evaluation would, and shows what they give.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/overload.h"
#include "cel/run_context.h"

namespace kumiko::cel {

// Each overload of the name with that number of arguments has its turn until one takes them.
inline Value Call(RunContext& run, std::span<const Overload> overloads, std::string_view name,
                  const std::vector<Value>& args) {
  for (const Overload& overload : overloads) {
    if (overload.name != name || overload.arity != args.size()) continue;
    const Value result = overload.call(run, args);
    if (!result.IsError() || result.view() != NoSuchOverload().view()) return result;
  }
  return NoSuchOverload();
}

// "text", 7, "[a, b]", "error: index out of range: 4".
inline std::string Show(const Value& value) {
  if (value.IsError()) return "error: " + std::string(value.view());
  if (value.kind != ValueKind::kList) return Describe(value);
  std::string text = "[";
  for (std::size_t i = 0; i < value.size; ++i) text += (i > 0 ? ", " : "") + Show(value.items[i]);
  return text + ']';
}

inline Value Text(std::string_view text) {
  return Value::String(text);
}

// One call and what it gives; also for tables.
struct Case {
  std::string_view function;
  std::vector<Value> args;
  std::string_view shown;
};

}  // namespace kumiko::cel
