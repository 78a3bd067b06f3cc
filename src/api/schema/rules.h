// Validation rules of custom resources (x-kubernetes-validations, KEP-2876): compiled with the types of their schema.
// Only for the files of this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cel/general_expression.h"

namespace kumiko::api::internal {

// As the API server has them, in units of the cost of expressions.
inline constexpr std::int64_t kMaxCostOfOneRun = 1'000'000;
inline constexpr std::int64_t kMaxCostOfOneObject = 10'000'000;
inline constexpr std::uint64_t kMaxEstimateOfOneRule = 10'000'000;
inline constexpr std::uint64_t kMaxEstimateOfADefinition = 100'000'000;

struct Rule {
  std::string text;
  std::string message;
  std::string message_expression;
  std::string reason;      // FieldValueInvalid when empty
  std::string field_path;  // below the value, as errors have it; empty when none is said or it leads nowhere
  bool optional_old = false;
  bool uses_old = false;
  std::optional<cel::GeneralExpression> expression;  // nothing when `error` says why
  std::optional<cel::GeneralExpression> message_program;
  std::string error;
  std::string message_error;

  // What failing rules are called: the message, else the rule itself.
  std::string Name() const;
};

struct Rules {
  std::vector<Rule> all;
  std::string error;           // why none could be compiled
  bool resource_root = false;  // apiVersion, kind and metadata are there even when the schema does not say so
  std::int64_t min_bytes = 0;  // of a value of the schema, in JSON
};

// `schema` is of the values that the rules see as self. `field_path` gives a rule's path the form of errors.
Rules CompileRules(const Json& schema, bool resource_root,
                   const std::function<std::string(std::string_view path)>& field_path);

}  // namespace kumiko::api::internal
