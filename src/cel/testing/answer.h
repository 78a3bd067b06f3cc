// For tests: what an expression without variables, or one call of a function, comes to, as text.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/general_expression.h"
#include "cel/library/libraries.h"
#include "cel/overload.h"
#include "cel/run_context.h"

namespace kumiko::cel {

// `7`, `"a"`, `[1, 2]`, `{"k": true}`, `none`, `optional(1)`, `error: ...`.
inline std::string Spelled(const Value& value) {
  std::string text;
  if (value.kind == ValueKind::kString) return fmt::format("\"{}\"", value.view());
  if (value.kind == ValueKind::kError) return fmt::format("error: {}", value.view());
  if (value.kind == ValueKind::kUint) return fmt::format("{}u", value.natural);
  if (value.kind == ValueKind::kNull) return "null";
  if (value.kind == ValueKind::kOptional) {
    return value.items == nullptr ? "none" : fmt::format("optional({})", Spelled(*value.items));
  }
  if (value.kind == ValueKind::kList) {
    for (const Value& item : value.list()) text += (text.empty() ? "" : ", ") + Spelled(item);
    return fmt::format("[{}]", text);
  }
  if (value.kind == ValueKind::kMap) {
    for (std::size_t i = 0; i < value.size; ++i) {
      text += (text.empty() ? "" : ", ") + Spelled(value.items[2 * i]) + ": " + Spelled(value.items[2 * i + 1]);
    }
    return fmt::format("{{{}}}", text);
  }
  return Describe(value);
}

// In the environment of Kubernetes with everything that was ever released. `error: ...` when the run fails, `compile
// error: ...` with the first mistake.
inline std::string Answer(std::string_view expression, Dialect dialect = Dialect::kKubernetes) {
  const auto build = [](Dialect of) -> std::shared_ptr<const Environment> {
    auto building = std::make_shared<Environment>(of);
    AddKubernetesLibraries(*building);
    building->AddLibrary(IncludesOverloads());
    return building;
  };
  static const std::shared_ptr<const Environment> kubernetes = build(Dialect::kKubernetes);
  static const std::shared_ptr<const Environment> specification = build(Dialect::kSpecification);
  const auto& environment = dialect == Dialect::kKubernetes ? kubernetes : specification;
  const auto compiled = GeneralExpression::Compile(expression, environment, {});
  if (!compiled) {
    const std::string& message = compiled.error().message;
    const std::size_t text = message.find(": ", message.find("<input>"));
    return "compile error: " +
           (text == std::string::npos ? message : message.substr(text + 2, message.find('\n') - text - 2));
  }
  Arena arena;
  return Spelled(compiled->Evaluate({}, arena));
}

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

// As messages have it: `text`, `7`, `[a, b]`, `error: index out of range: 4`.
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
struct CallCase {
  std::string_view function;
  std::vector<Value> args;
  std::string_view shown;
};

}  // namespace kumiko::cel
