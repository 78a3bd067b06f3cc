#include "api/schema/rule_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/patch/go_text.h"
#include "api/schema/field_path_text.h"
#include "api/schema/go_error_text.h"
#include "base/text.h"

namespace kumiko::api::internal {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxRequestBytes = 3 << 20;

std::string CostError(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  const std::string times = factor > 100.0 ? "more than 100x"
                            : factor < 1.5 ? fmt::format("{:f}x", factor)
                                           : fmt::format("{:.1f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength "
      "where arrays, maps, and strings are declared)",
      what, times);
}

void Observe(const std::string& path, std::uint64_t cost, RuleChecks& checks) {
  checks.total = checks.total > kMost - cost ? kMost : checks.total + cost;
  if (cost < kMaxEstimateOfADefinition / 100) return;
  checks.expensive.push_back({path, cost});
  std::ranges::stable_sort(checks.expensive, std::greater(), &RuleChecks::Cost::cost);
  if (checks.expensive.size() > 4) checks.expensive.resize(4);
}

// The rule as the API server's messages show it: Go's struct.
std::string RuleText(const Rule& rule, const Json& json) {
  const Json* optional_old = Find(json, "optionalOldSelf");
  const std::pair<std::string_view, Json> members[] = {
      {"Rule", Json(rule.text)},
      {"Message", Json(rule.message)},
      {"MessageExpression", Json(rule.message_expression)},
      {"Reason", rule.reason.empty() ? Json() : Json(rule.reason)},
      {"FieldPath", Json(StringAt(json, {"fieldPath"}))},
      {"OptionalOldSelf", optional_old == nullptr ? Json() : *optional_old}};
  std::string text = "{";
  for (const auto& [name, value] : members) {
    text += fmt::format("{}\"{}\":{}", text.size() > 1 ? "," : "", name, GoJson(value));
  }
  return text + "}";
}

FieldError InvalidRule(const std::string& path, const Rule& rule, const Json& json, std::string_view why) {
  return {path, fmt::format("Invalid value: {}: {}", RuleText(rule, json), why)};
}

}  // namespace

std::uint64_t MultiplyCosts(std::uint64_t a, std::uint64_t b) {
  if (a == 0) return 0;
  return kMost / a < b ? kMost : a * b;
}

void CheckRuleText(const Json& rule, const StructuralNode* node, const std::string& path,
                   std::vector<FieldError>& errors) {
  const auto has_breaks = [](std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; };
  const std::string_view text = StringAt(rule, {"rule"});
  const std::string_view message = StringAt(rule, {"message"});
  const std::string_view expression = StringAt(rule, {"messageExpression"});
  const std::string_view field_path = StringAt(rule, {"fieldPath"});
  if (Trim(text).empty()) {
    errors.push_back(RequiredValue(path + ".rule", "rule is not specified"));
  } else if (!message.empty() && Trim(message).empty()) {
    errors.push_back(InvalidValue(path + ".message", Json(message), "must be non-empty if specified"));
  } else if (has_breaks(Trim(message))) {
    errors.push_back(InvalidValue(path + ".message", Json(message), "must not contain line breaks"));
  } else if (has_breaks(Trim(text)) && Trim(message).empty()) {
    errors.push_back(RequiredValue(path + ".message", "message must be specified if rule contains line breaks"));
  }
  if (!expression.empty() && Trim(expression).empty()) {
    errors.push_back(RequiredValue(path + ".messageExpression", "messageExpression must be non-empty if specified"));
  }
  static const std::vector<std::string> reasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                   "FieldValueRequired"};
  if (const Json* reason = Find(rule, "reason"); reason != nullptr && reason->is_string()) {
    if (std::ranges::find(reasons, std::string_view(reason->get_string())) == reasons.end()) {
      errors.push_back(UnsupportedValue(path + ".reason", *reason, reasons));
    }
  }
  if (field_path.empty()) return;
  if (Trim(field_path).empty()) {
    errors.push_back(InvalidValue(path + ".fieldPath", Json(field_path), "must be non-empty if specified"));
  }
  if (has_breaks(field_path)) {
    errors.push_back(InvalidValue(path + ".fieldPath", Json(field_path), "must not contain line breaks"));
  }
  if (node != nullptr && !FieldPathText(field_path, *node)) {
    errors.push_back(InvalidValue(path + ".fieldPath", Json(field_path), "must be a valid path"));
  }
}

void CheckRules(const Json& schema, const StructuralNode& node, const RulePlace& place, RuleChecks& checks) {
  const Rules& rules = node.rules;
  if (rules.all.empty()) return;
  if (!rules.error.empty()) {
    checks.errors.push_back({place.path + ".x-kubernetes-validations", fmt::format("Internal error: {}", rules.error)});
    return;
  }
  // Where nothing bounds how often a part is there, the size of a request does.
  const std::uint64_t repeats =
      place.repeats.value_or(kMaxRequestBytes / (static_cast<std::uint64_t>(rules.min_bytes) + 1));
  for (std::size_t index = 0; index < rules.all.size(); ++index) {
    const Rule& rule = rules.all[index];
    const Json& json = Find(schema, "x-kubernetes-validations")->get_array()[index];
    const std::string base = fmt::format("{}.x-kubernetes-validations[{}]", place.path, index);
    const std::string at = base + ".rule";
    const std::uint64_t cost = MultiplyCosts(rule.expression ? rule.expression->max_cost() : 0, repeats);
    if (cost > kMaxEstimateOfOneRule) {
      checks.errors.push_back(ForbiddenValue(at, CostError("estimated rule cost", cost, kMaxEstimateOfOneRule)));
    }
    Observe(at, cost, checks);
    if (!rule.error.empty()) checks.errors.push_back(InvalidRule(at, rule, json, rule.error));
    if (!rule.message_error.empty()) {
      checks.errors.push_back(InvalidRule(base + ".messageExpression", rule, json, rule.message_error));
    } else if (rule.message_program) {
      const std::uint64_t message_cost = rule.message_program->max_cost();
      if (message_cost > kMaxEstimateOfOneRule) {
        checks.errors.push_back(
            ForbiddenValue(base + ".messageExpression",
                           CostError("estimated messageExpression cost", message_cost, kMaxEstimateOfOneRule)));
      }
      Observe(base + ".messageExpression", message_cost, checks);
    }
    if (rule.uses_old && !place.no_old.empty()) {
      checks.errors.push_back(InvalidValue(
          at, Json(rule.text),
          fmt::format("oldSelf cannot be used on the uncorrelatable portion of the schema within {}", place.no_old)));
    } else if (const Json* optional_old = Find(json, "optionalOldSelf"); !rule.uses_old && optional_old != nullptr) {
      checks.errors.push_back(
          InvalidValue(base + ".optionalOldSelf", *optional_old, "may not be set if oldSelf is not used in rule"));
    }
  }
}

void CheckTotalCost(const RuleChecks& checks, const std::string& path, std::vector<FieldError>& errors) {
  if (checks.total <= kMaxEstimateOfADefinition) return;
  for (const RuleChecks::Cost& expensive : checks.expensive) {
    errors.push_back(ForbiddenValue(
        expensive.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"));
  }
  errors.push_back(
      ForbiddenValue(path, CostError("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                                     checks.total, kMaxEstimateOfADefinition)));
}

}  // namespace kumiko::api::internal
