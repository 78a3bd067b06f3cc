#include "api/core/types.h"

#include <algorithm>
#include <charconv>

namespace kumiko::api {

namespace {

std::optional<std::int64_t> ParseInt(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// `value` is null where the label is absent.
Result<bool> Satisfies(const NodeSelectorRequirement& requirement, const std::string* value) {
  const auto listed = [&] {
    return value != nullptr &&
           std::find(requirement.values.begin(), requirement.values.end(), *value) != requirement.values.end();
  };
  if (requirement.operator_ == "In") return listed();
  if (requirement.operator_ == "NotIn") return !listed();
  if (requirement.operator_ == "Exists") return value != nullptr;
  if (requirement.operator_ == "DoesNotExist") return value == nullptr;
  if (requirement.operator_ == "Gt" || requirement.operator_ == "Lt") {
    if (value == nullptr || requirement.values.size() != 1) return false;
    const auto left = ParseInt(*value);
    const auto right = ParseInt(requirement.values[0]);
    if (!left || !right) return false;
    return requirement.operator_ == "Gt" ? *left > *right : *left < *right;
  }
  return Fail(Code::kInvalidArgument,
              "node selector: operator {} is not known; write In, NotIn, Exists, DoesNotExist, Gt or Lt",
              requirement.operator_);
}

Result<bool> Satisfies(const NodeSelectorTerm& term, const std::string& node_name, const StringMap& labels) {
  // An empty term selects nothing, as in Kubernetes.
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  for (const NodeSelectorRequirement& requirement : term.match_fields) {
    if (requirement.key != "metadata.name") {
      return Fail(Code::kInvalidArgument, "node selector: field {} cannot be matched; write metadata.name",
                  requirement.key);
    }
    KU_TRY(const bool satisfied, Satisfies(requirement, &node_name));
    if (!satisfied) return false;
  }
  for (const NodeSelectorRequirement& requirement : term.match_expressions) {
    const auto found = labels.find(requirement.key);
    KU_TRY(const bool satisfied, Satisfies(requirement, found == labels.end() ? nullptr : &found->second));
    if (!satisfied) return false;
  }
  return true;
}

}  // namespace

Result<bool> Matches(const NodeSelector& selector, const std::string& node_name, const StringMap& labels) {
  for (const NodeSelectorTerm& term : selector.node_selector_terms) {
    KU_TRY(const bool satisfied, Satisfies(term, node_name, labels));
    if (satisfied) return true;
  }
  return false;
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
