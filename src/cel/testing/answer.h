// For tests: what an expression without variables comes to, as text. `7`, `"a"`, `[1, 2]`, `{"k": true}`, `none`,
// `optional(1)`, `error: ...` when the run fails, `compile error: ...` with the first mistake.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

#include "cel/general_expression.h"
#include "cel/library/libraries.h"
#include "cel/run_context.h"

namespace kumiko::cel {

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

// In the environment of Kubernetes with everything that was ever released.
inline std::string Answer(std::string_view expression) {
  static const std::shared_ptr<const Environment> environment = [] {
    auto building = std::make_shared<Environment>();
    AddKubernetesLibraries(*building);
    building->AddLibrary(IncludesOverloads());
    return building;
  }();
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

}  // namespace kumiko::cel
