#include "api/schema/rule_run.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "api/patch/go_text.h"
#include "api/schema/go_error_text.h"
#include "api/schema/value_validation.h"
#include "base/text.h"
#include "cel/schema_value.h"

namespace kumiko::api::internal {
namespace {

constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";
constexpr std::string_view kTooCostly = "operation cancelled: actual cost limit exceeded";
constexpr std::size_t kMaxMessageBytes = 5 * 1024;

// A value, the one that it replaces, and what is known of the values around it before the update.
struct Place {
  const Json& value;
  const Json* old = nullptr;      // what oldSelf is; null: nothing
  const Json* matched = nullptr;  // the value at the same place before, also where oldSelf may not be used
  bool around_unchanged = false;  // the nearest value around that had a match equals it
  std::string path;

  bool IsUnchanged() const { return matched != nullptr ? *matched == value : around_unchanged; }
};

class Runner {
 public:
  explicit Runner(Unchanged unchanged) : unchanged_(unchanged) {}

  void Run(const Place& place, const StructuralNode& node) {
    if (place.value.is_null() || !node.has_rules) return;
    RunHere(place, node);
    if (const JsonArray* list = place.value.if_array(); list != nullptr && node.items != nullptr) {
      const bool unchanged = place.IsUnchanged();
      const OldItems before(node, place.matched);
      for (std::size_t index = 0; index < list->size() && !stopped_; ++index) {
        const Json* old = before.Find((*list)[index]);
        Run({(*list)[index], old, old, unchanged, fmt::format("{}[{}]", place.path, index)}, *node.items);
      }
    } else if (const JsonObject* object = place.value.if_object()) {
      RunMembers(*object, place, node);
    }
  }

  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  void RunMembers(const JsonObject& object, const Place& place, const StructuralNode& node) {
    const bool unchanged = place.IsUnchanged();
    for (const auto& [name, member] : object) {
      if (stopped_) return;
      const std::string_view key = name;
      const StructuralNode* property = node.Property(key);
      const StructuralNode* below = property != nullptr ? property : node.additional;
      if (below == nullptr) continue;
      const Json* old = place.old == nullptr ? nullptr : Find(*place.old, key);
      std::string path = fmt::format("{}[{}]", place.path, key);
      if (property != nullptr) path = place.path.empty() ? std::string(key) : fmt::format("{}.{}", place.path, key);
      Run({member, old, old, unchanged, std::move(path)}, *below);
    }
  }

  void Stop(const Place& place, const StructuralNode& node, std::string_view why) {
    errors_.push_back(InvalidValue(place.path, TypeText(node), why));
    stopped_ = true;
  }
  static Json TypeText(const StructuralNode& node) { return Json(node.types.size() == 1 ? node.types.front() : ""); }

  void RunHere(const Place& place, const StructuralNode& node) {
    const Rules& rules = node.rules;
    if (rules.all.empty()) return;
    if (!rules.error.empty()) {
      errors_.push_back(
          InvalidValue(place.path, TypeText(node), fmt::format("rule compiler initialization error: {}", rules.error)));
      return;
    }
    if (budget_ <= 0) return Stop(place, node, kOutOfBudget);

    cel::Arena arena;
    const cel::SchemaOptions options{.resource_root = rules.resource_root};
    const Result<cel::Value> self = cel::ToValue(place.value, *node.json, arena, options);
    std::optional<cel::Value> old;
    if (place.old != nullptr && !place.old->is_null()) {
      if (Result<cel::Value> value = cel::ToValue(*place.old, *node.json, arena, options)) old = *value;
    }
    for (const Rule& rule : rules.all) {
      if (stopped_) return;
      if (!rule.error.empty()) {
        errors_.push_back(InvalidValue(place.path, TypeText(node), fmt::format("rule compile error: {}", rule.error)));
        continue;
      }
      if (!rule.expression || (rule.uses_old && !old && !rule.optional_old)) continue;
      if (!self) {
        errors_.push_back(InvalidValue(place.path, TypeText(node),
                                       fmt::format("{} evaluating rule: {}", self.error().message, rule.Name())));
        continue;
      }
      RunRule(place, node, rule, {*self, OldValue(rule, old)}, arena);
    }
  }

  static cel::Value OldValue(const Rule& rule, const std::optional<cel::Value>& old) {
    if (rule.optional_old) return cel::Value::Optional(old ? &*old : nullptr);
    return old.value_or(cel::Value::Null());
  }

  void RunRule(const Place& place, const StructuralNode& node, const Rule& rule,
               const std::array<cel::Value, 2>& variables, cel::Arena& arena) {
    std::int64_t cost = 0;
    const cel::Value result = rule.expression->Evaluate(variables, arena, &cost);
    if (cost > budget_) return Stop(place, node, kOutOfBudget);
    budget_ -= cost;
    if (result.IsError()) return ReportFailedRun(place, node, rule, result.view());
    if (result.IsTrue()) return;

    std::optional<std::string> detail;
    if (rule.message_program) detail = MessageOf(place, node, rule, variables, arena);
    if (stopped_) return;
    if (!rule.uses_old && unchanged_ == Unchanged::kMayFail && place.IsUnchanged()) return;
    const std::string path = rule.field_path.empty() ? place.path
                             : place.path.empty()    ? rule.field_path
                                                     : fmt::format("{}.{}", place.path, rule.field_path);
    errors_.push_back(
        ErrorOf(rule, path, place.value,
                detail.value_or(rule.message.empty() ? fmt::format("failed rule: {}", rule.Name()) : rule.Name())));
  }

  void ReportFailedRun(const Place& place, const StructuralNode& node, const Rule& rule, std::string_view error) {
    if (error.starts_with("no such overload")) {
      errors_.push_back(InvalidValue(place.path, TypeText(node),
                                     fmt::format("'{}': call arguments did not match a supported operator, function or "
                                                 "macro signature for rule: {}",
                                                 error, rule.Name())));
    } else if (error.starts_with(kTooCostly)) {
      Stop(place, node,
           fmt::format("'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                       error, rule.Name()));
    } else {
      errors_.push_back(
          InvalidValue(place.path, TypeText(node), fmt::format("{} evaluating rule: {}", error, rule.Name())));
    }
  }

  // Nothing when the expression gives no usable text, in which case the message or the rule stands in.
  std::optional<std::string> MessageOf(const Place& place, const StructuralNode& node, const Rule& rule,
                                       const std::array<cel::Value, 2>& variables, cel::Arena& arena) {
    std::int64_t cost = 0;
    const cel::Value result = rule.message_program->Evaluate(variables, arena, &cost);
    if (cost > budget_) {
      Stop(place, node,
           "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be "
           "run");
      return std::nullopt;
    }
    if (result.IsError() && result.view().starts_with(kTooCostly)) {
      Stop(place, node,
           fmt::format(
               "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
               GoQuoted(rule.message_expression)));
      return std::nullopt;
    }
    budget_ -= cost;
    if (result.kind != cel::ValueKind::kString) return std::nullopt;
    const std::string_view text = Trim(result.view());
    if (text.empty() || text.size() > kMaxMessageBytes || text.find('\n') != std::string_view::npos)
      return std::nullopt;
    return std::string(text);
  }

  static FieldError ErrorOf(const Rule& rule, const std::string& path, const Json& value, std::string_view detail) {
    const bool large = value.is_object() || value.is_array();
    if (rule.reason == "FieldValueForbidden") return ForbiddenValue(path, detail);
    if (rule.reason == "FieldValueRequired") return RequiredValue(path, detail);
    if (rule.reason == "FieldValueDuplicate") {
      return large ? FieldError{path.empty() ? "<nil>" : path, "Duplicate value"} : DuplicateValue(path, value);
    }
    return large ? InvalidValue(path, detail) : InvalidValue(path, value, detail);
  }

  Unchanged unchanged_;
  std::vector<FieldError> errors_;
  std::int64_t budget_ = kMaxCostOfOneObject;
  bool stopped_ = false;
};

}  // namespace

std::vector<FieldError> RunRules(const Json& object, const Json* old, const StructuralNode& root, Unchanged unchanged) {
  Runner runner(unchanged);
  runner.Run({object, old, old, false, ""}, root);
  return runner.Take();
}

}  // namespace kumiko::api::internal
