#include "api/core/types.h"

#include <algorithm>
#include <charconv>

#include "api/validation.h"

namespace kumiko::api {

namespace {

std::optional<std::int64_t> ParseInt(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr const char* kOperators = "In, NotIn, Exists, DoesNotExist, Gt or Lt";

// Kubernetes refuses a selector with any part that cannot be read, also where another part decides.
Status CheckExpression(const NodeSelectorRequirement& requirement) {
  const auto& [key, op, values] = requirement;
  const auto wrong = [&](std::string_view what) {
    return Fail(Code::kInvalidArgument, "node selector: {} {}: {}", key.empty() ? "requirement without key" : key, op,
                what);
  };
  const bool sets = op == "In" || op == "NotIn";
  const bool presence = op == "Exists" || op == "DoesNotExist";
  const bool order = op == "Gt" || op == "Lt";
  if (!sets && !presence && !order) return wrong(std::string("the operator is not known; write ") + kOperators);
  if (const auto error = CheckQualifiedName(key); !error.empty()) return wrong("the key is no label name");
  if (sets && values.empty()) return wrong("write the values to look for");
  if (presence && !values.empty()) return wrong("takes no values");
  if (order && (values.size() != 1 || !ParseInt(values[0]))) return wrong("takes one integer");
  for (const auto& value : values) {
    if (!CheckLabelValue(value).empty()) return wrong("\"" + value + "\" is no label value");
  }
  return {};
}

Status CheckField(const NodeSelectorRequirement& requirement) {
  if (requirement.operator_ != "In" && requirement.operator_ != "NotIn") {
    return Fail(Code::kInvalidArgument, "node selector: field {}: operator {} is not known; write In or NotIn",
                requirement.key, requirement.operator_);
  }
  if (requirement.values.size() != 1) {
    return Fail(Code::kInvalidArgument, "node selector: field {}: takes one value", requirement.key);
  }
  return {};
}

// `value` is null where the label is absent. The requirement has been checked.
bool Satisfies(const NodeSelectorRequirement& requirement, const std::string* value) {
  const auto& [key, op, values] = requirement;
  const bool listed = value != nullptr && std::find(values.begin(), values.end(), *value) != values.end();
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (value == nullptr) return false;
  const auto left = ParseInt(*value);
  const auto right = ParseInt(values[0]);
  return left && right && (op == "Gt" ? *left > *right : *left < *right);
}

bool Satisfies(const NodeSelectorTerm& term, const std::string& node_name, const StringMap& labels) {
  // An empty term selects nothing, as in Kubernetes.
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  static const std::string kNoField;
  for (const auto& requirement : term.match_fields) {
    // Fields other than the name have no value.
    if (!Satisfies(requirement, requirement.key == "metadata.name" ? &node_name : &kNoField)) return false;
  }
  for (const auto& requirement : term.match_expressions) {
    const auto found = labels.find(requirement.key);
    if (!Satisfies(requirement, found == labels.end() ? nullptr : &found->second)) return false;
  }
  return true;
}

}  // namespace

Result<bool> Matches(const NodeSelector& selector, const std::string& node_name, const StringMap& labels) {
  for (const NodeSelectorTerm& term : selector.node_selector_terms) {
    for (const auto& requirement : term.match_expressions) KU_TRY_OK(CheckExpression(requirement));
    for (const auto& requirement : term.match_fields) KU_TRY_OK(CheckField(requirement));
  }
  return std::any_of(selector.node_selector_terms.begin(), selector.node_selector_terms.end(),
                     [&](const auto& term) { return Satisfies(term, node_name, labels); });
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  return (toleration.operator_.empty() || toleration.operator_ == "Equal") && toleration.value == taint.value;
}

bool IsFinished(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace kumiko::api
