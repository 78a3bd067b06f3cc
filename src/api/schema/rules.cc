#include "api/schema/rules.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "cel/schema_environment.h"

namespace kumiko::api::internal {
namespace {

using Environment = std::shared_ptr<const cel::Environment>;

// The environments of one schema, each built when a rule first needs it.
class Environments {
 public:
  Environments(const Json& schema, bool resource_root) : schema_(schema) { options_.resource_root = resource_root; }

  Result<Environment> WithoutOld() { return Get(without_old_, {"self"}, {}); }
  Result<Environment> WithOld() { return Get(with_old_, {"self", "oldSelf"}, {}); }
  Result<Environment> WithOptionalOld() { return Get(with_optional_old_, {"self"}, {"oldSelf"}); }

 private:
  Result<Environment> Get(Environment& kept, std::vector<std::string> variables, std::vector<std::string> optional) {
    if (kept == nullptr) {
      cel::SchemaOptions options = options_;
      options.variables = std::move(variables);
      options.optional_variables = std::move(optional);
      KU_TRY(kept, cel::EnvironmentForSchema(schema_, options));
    }
    return kept;
  }

  const Json& schema_;
  cel::SchemaOptions options_;
  Environment without_old_, with_old_, with_optional_old_;
};

Result<cel::GeneralExpression> CompileAs(std::string_view text, const Environment& environment, std::string_view type) {
  KU_TRY(cel::GeneralExpression compiled,
         cel::GeneralExpression::Compile(text, environment, {.max_evaluation_cost = kMaxCostOfOneRun}));
  if (compiled.output_type() != type) return Fail(Code::kInvalidArgument, "must evaluate to a {}", type);
  return compiled;
}

bool IsTrueAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Status CompileRule(Environments& environments, Rule& rule) {
  if (Trim(rule.text).empty()) return {};
  KU_TRY(const Environment environment, rule.optional_old ? environments.WithOptionalOld() : environments.WithOld());
  Result<cel::GeneralExpression> expression = CompileAs(rule.text, environment, "bool");
  if (!expression) {
    rule.error = expression.error().message;
    if (rule.error == "must evaluate to a bool") rule.error = "cel expression must evaluate to a bool";
    return {};
  }
  rule.expression = std::move(*expression);
  if (rule.text.find("oldSelf") != std::string::npos) {
    KU_TRY(const Environment without, environments.WithoutOld());
    rule.uses_old = !CompileAs(rule.text, without, "bool").has_value();
  }
  if (Trim(rule.message_expression).empty()) return {};
  Result<cel::GeneralExpression> message = CompileAs(rule.message_expression, environment, "string");
  if (message) {
    rule.message_program = std::move(*message);
  } else {
    rule.message_error = "messageExpression " + message.error().message;
  }
  return {};
}

}  // namespace

std::string Rule::Name() const {
  return std::string(Trim(message.empty() ? text : message));
}

Rules CompileRules(const Json& schema, bool resource_root,
                   const std::function<std::string(std::string_view path)>& field_path) {
  Rules rules;
  rules.resource_root = resource_root;
  const Json* list = Find(schema, "x-kubernetes-validations");
  if (list == nullptr || !list->is_array() || list->get_array().empty()) return rules;

  Environments environments(schema, resource_root);
  if (const auto bytes = cel::MinimumBytes(schema, {.resource_root = resource_root})) rules.min_bytes = *bytes;
  for (const Json& json : list->get_array()) {
    Rule& rule = rules.all.emplace_back();
    rule.text = StringAt(json, {"rule"});
    rule.message = StringAt(json, {"message"});
    rule.message_expression = StringAt(json, {"messageExpression"});
    rule.reason = StringAt(json, {"reason"});
    rule.optional_old = IsTrueAt(json, "optionalOldSelf");
    rule.field_path = field_path(StringAt(json, {"fieldPath"}));
    if (const Status compiled = CompileRule(environments, rule); !compiled) rules.error = compiled.error().message;
  }
  return rules;
}

}  // namespace kumiko::api::internal
