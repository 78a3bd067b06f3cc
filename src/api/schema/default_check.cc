#include "api/schema/default_check.h"

#include <fmt/format.h>

#include "api/schema/embedded_resources.h"
#include "api/schema/go_error_text.h"
#include "api/schema/pruning.h"
#include "api/schema/rule_run.h"
#include "api/schema/value_validation.h"

namespace kumiko::api::internal {
namespace {

bool IsMeta(std::string_view name) {
  return name == "metadata" || name == "apiVersion" || name == "kind";
}

class Checker {
 public:
  // Defaults inside metadata have to make sense of ObjectMeta, not of what the schema says of it; they are left alone.
  void Check(const StructuralNode& node, bool is_object_of_api, const std::string& path) {
    if (node.default_value) CheckDefault(*node.default_value, node, path + ".default");
    if (node.items != nullptr) Check(*node.items, node.items->embedded, path + ".items");
    for (const auto& [name, property] : node.properties) {
      if (is_object_of_api && IsMeta(name)) continue;
      Check(*property, property->embedded, fmt::format("{}.properties[{}]", path, name));
    }
  }

  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  void CheckDefault(const Json& value, const StructuralNode& node, const std::string& at) {
    Json pruned = value;
    PruneUnknown(pruned, node, node.embedded);
    if (pruned != value) errors_.push_back(InvalidValue(at, value, "must not have unknown fields"));
    std::vector<FieldError> found;
    CheckEmbedded(value, &node, "", found);
    if (found.empty()) {
      for (ValueProblem& problem : ValidateValue(value, nullptr, node)) found.push_back(std::move(problem.error));
    }
    // A default has to hold as a new value and as one that stays.
    if (found.empty()) found = RunRules(value, &value, node, Unchanged::kMustHold);
    if (found.empty()) found = RunRules(value, nullptr, node);
    for (FieldError& error : found) {
      const bool whole = error.path == "<nil>" || error.path.empty();
      errors_.push_back({whole ? at : fmt::format("{}.{}", at, error.path), std::move(error.message)});
    }
  }

  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> CheckDefaults(const StructuralNode& node, const std::string& path) {
  Checker checker;
  checker.Check(node, true, path);
  return checker.Take();
}

}  // namespace kumiko::api::internal
