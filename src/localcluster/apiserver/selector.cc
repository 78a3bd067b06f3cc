#include "localcluster/apiserver/selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

struct KindField {
  std::string_view kind;  // "" for every kind
  std::string_view path;
};

constexpr std::array<KindField, 30> kSelectableFields = {{
    {"", "metadata.name"},
    {"", "metadata.namespace"},
    {"Pod", "spec.nodeName"},
    {"Pod", "spec.restartPolicy"},
    {"Pod", "spec.schedulerName"},
    {"Pod", "spec.serviceAccountName"},
    {"Pod", "spec.hostNetwork"},
    {"Pod", "status.phase"},
    {"Pod", "status.podIP"},
    {"Pod", "status.nominatedNodeName"},
    {"Node", "spec.unschedulable"},
    {"Namespace", "status.phase"},
    {"Secret", "type"},
    {"Service", "spec.clusterIP"},
    {"Service", "spec.type"},
    {"ReplicaSet", "status.replicas"},
    {"Job", "status.successful"},
    {"Event", "involvedObject.kind"},
    {"Event", "involvedObject.namespace"},
    {"Event", "involvedObject.name"},
    {"Event", "involvedObject.uid"},
    {"Event", "involvedObject.apiVersion"},
    {"Event", "involvedObject.resourceVersion"},
    {"Event", "involvedObject.fieldPath"},
    {"Event", "reason"},
    {"Event", "reportingComponent"},
    {"Event", "source"},
    {"Event", "type"},
    {"ResourceSlice", "spec.nodeName"},
    {"ResourceSlice", "spec.driver"},
}};

bool IsSelectable(std::string_view kind, std::string_view path) {
  return std::any_of(kSelectableFields.begin(), kSelectableFields.end(), [&](const KindField& field) {
    return field.path == path && (field.kind.empty() || field.kind == kind);
  });
}

// Where the stored object has what a selector of events.k8s.io names.
std::string StoredPathOfEvent(std::string_view path) {
  constexpr std::string_view kRegarding = "regarding.";
  if (path.starts_with(kRegarding)) return fmt::format("involvedObject.{}", path.substr(kRegarding.size()));
  if (path == "reportingController") return "reportingComponent";
  const bool is_core_name = path.starts_with("involvedObject.") || path == "reportingComponent" || path == "source";
  return is_core_name ? "" : std::string(path);
}

// As the API server words it: kinds without fields of their own have a message of their own.
std::string NotSelectable(std::string_view kind, std::string_view path, bool definition_has_some) {
  const bool has_own = definition_has_some || std::any_of(kSelectableFields.begin(), kSelectableFields.end(),
                                                          [&](const KindField& field) { return field.kind == kind; });
  if (has_own) return fmt::format("field label not supported: {}", path);
  return fmt::format("\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", path);
}

// The text of a field; absent fields have their type's zero.
std::string FieldText(const Json& object, std::string_view path) {
  if (path == "source") return std::string(StringAt(object, {"source", "component"}));
  const Json* value = &object;
  for (const std::string_view step : Split(path, '.')) {
    value = Find(*value, step);
    if (value == nullptr) break;
  }
  if (value != nullptr && value->is_string()) return std::string(value->get_string());
  if (value != nullptr && (value->is_bool() || value->is_number())) return WriteJson(*value);
  if (path == "spec.unschedulable" || path == "spec.hostNetwork") return "false";
  if (path == "status.replicas" || path == "status.successful") return "0";
  return {};
}

bool IsKeyCharacter(char c) {
  return c != ',' && c != '!' && c != '=' && c != '<' && c != '>' && c != '(' && c != ')' && c != ' ' && c != '\t';
}

}  // namespace

// A cursor over the text. Each Take... leaves the position behind what it took.
class LabelSelectorParser {
 public:
  explicit LabelSelectorParser(std::string_view text) : text_(text) {}

  kube::ApiResult<LabelSelector> Parse() {
    LabelSelector selector;
    SkipBlanks();
    while (at_ < text_.size()) {
      KU_TRY_API(auto requirement, TakeRequirement());
      selector.requirements_.push_back(std::move(requirement));
      SkipBlanks();
      if (at_ == text_.size()) break;
      if (!TakeText(",")) return Bad("',' or 'end of string'");
      SkipBlanks();
      if (at_ == text_.size()) return Bad("identifier after ','");
    }
    return selector;
  }

 private:
  using Operator = LabelSelector::Operator;
  using Requirement = LabelSelector::Requirement;

  tl::unexpected<kube::ApiError> Bad(std::string_view wanted) const {
    return Refuse(StatusReason::kBadRequest, "unable to parse requirement: found '{}', expected: {}", Rest(), wanted);
  }

  std::string_view Rest() const { return text_.substr(at_, 20); }

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool TakeText(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  std::string TakeWord() {
    SkipBlanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsKeyCharacter(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  kube::ApiResult<Requirement> TakeRequirement() {
    Requirement requirement;
    if (TakeText("!")) {
      requirement.op = Operator::kDoesNotExist;
      requirement.key = TakeWord();
      if (requirement.key.empty()) return Bad("identifier");
      return requirement;
    }
    requirement.key = TakeWord();
    if (requirement.key.empty()) return Bad("!, identifier, or 'end of string'");
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] == ',') return requirement;
    if (TakeText("==") || TakeText("=")) return WithOneValue(std::move(requirement), Operator::kIn);
    if (TakeText("!=")) return WithOneValue(std::move(requirement), Operator::kNotIn);
    if (TakeText(">")) return WithOneValue(std::move(requirement), Operator::kGreater);
    if (TakeText("<")) return WithOneValue(std::move(requirement), Operator::kLess);
    const std::size_t begin = at_;
    const std::string word = TakeWord();
    if (word == "in") return WithValues(std::move(requirement), Operator::kIn);
    if (word == "notin") return WithValues(std::move(requirement), Operator::kNotIn);
    at_ = begin;
    return Bad("in, notin, =, ==, !=, gt, lt");
  }

  kube::ApiResult<Requirement> WithOneValue(Requirement requirement, Operator op) {
    requirement.op = op;
    requirement.values.push_back(TakeWord());
    const bool compares = op == Operator::kGreater || op == Operator::kLess;
    if (compares && !ParseInt64(requirement.values[0])) return Bad("an integer to compare with");
    return requirement;
  }

  kube::ApiResult<Requirement> WithValues(Requirement requirement, Operator op) {
    requirement.op = op;
    SkipBlanks();
    if (!TakeText("(")) {
      return Refuse(StatusReason::kBadRequest, "unable to parse requirement: found '{}' expected: '('", Rest());
    }
    do {
      requirement.values.push_back(TakeWord());
      SkipBlanks();
    } while (TakeText(","));
    if (!TakeText(")")) return Bad("',', or ')'");
    return requirement;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

kube::ApiResult<LabelSelector> LabelSelector::Parse(std::string_view text) {
  return LabelSelectorParser(text).Parse();
}

bool LabelSelector::Matches(const Json& object) const {
  if (requirements_.empty()) return true;
  const Json* labels = FindPath(object, {"metadata", "labels"});
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    const Json* found = labels == nullptr ? nullptr : Find(*labels, requirement.key);
    const auto value =
        found != nullptr && found->is_string() ? std::string_view(found->get_string()) : std::string_view();
    const auto listed = [&] {
      return std::find(requirement.values.begin(), requirement.values.end(), value) != requirement.values.end();
    };
    switch (requirement.op) {
      case Operator::kExists:
        return found != nullptr;
      case Operator::kDoesNotExist:
        return found == nullptr;
      case Operator::kIn:
        return found != nullptr && listed();
      case Operator::kNotIn:
        return found == nullptr || !listed();
      case Operator::kGreater:
      case Operator::kLess: {
        const auto number = ParseInt64(value);
        const auto bound = ParseInt64(requirement.values[0]);
        if (found == nullptr || !number || !bound) return false;
        return requirement.op == Operator::kGreater ? *number > *bound : *number < *bound;
      }
    }
    return false;
  });
}

kube::ApiResult<FieldSelector> FieldSelector::Parse(std::string_view text, std::string_view kind,
                                                    std::string_view group,
                                                    std::span<const std::string> of_definition) {
  FieldSelector selector;
  if (text.empty()) return selector;
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    Requirement requirement;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Refuse(StatusReason::kBadRequest, "invalid selector: '{}'; can't understand '{}'", text, part);
    }
    requirement.equal = part[equals - 1] != '!';
    const std::string_view path = part.substr(0, requirement.equal ? equals : equals - 1);
    requirement.path = group == "events.k8s.io" ? StoredPathOfEvent(path) : std::string(path);
    std::string_view value = part.substr(equals + 1);
    if (value.starts_with('=')) value.remove_prefix(1);
    requirement.value = std::string(value);
    if (!IsSelectable(kind, requirement.path) && std::ranges::find(of_definition, path) == of_definition.end()) {
      return Refuse(StatusReason::kBadRequest, "{}", NotSelectable(kind, path, !of_definition.empty()));
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::Matches(const Json& object) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    return (FieldText(object, requirement.path) == requirement.value) == requirement.equal;
  });
}

std::string_view FieldSelector::Name() const {
  for (const Requirement& requirement : requirements_) {
    if (requirement.path == "metadata.name" && requirement.equal) return requirement.value;
  }
  return {};
}

}  // namespace kumiko::localcluster
