#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>

#include "api/schema/default_check.h"
#include "api/schema/definition_check.h"
#include "api/schema/field_path_text.h"
#include "api/schema/go_error_text.h"
#include "api/schema/rule_check.h"
#include "api/schema/structural_check.h"
#include "api/schema/structural_node.h"

namespace kumiko::api {
namespace {

using internal::StructuralNode;

bool IsTrue(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

bool Has(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && !value->is_null();
}

const Json* ObjectAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

std::vector<std::string> StringsAt(const Json& json, std::string_view key) {
  std::vector<std::string> strings;
  const Json* list = Find(json, key);
  if (list == nullptr || !list->is_array()) return strings;
  for (const Json& item : list->get_array()) {
    if (item.is_string()) strings.emplace_back(item.get_string());
  }
  return strings;
}

// What holds for a part because of the parts around it.
struct Around {
  bool is_root = false;
  bool inside_meta = false;
  std::string no_defaults = {};             // why defaults are forbidden; empty: they are allowed
  std::string no_old = {};                  // the path below which oldSelf is not the old value of self; empty: it is
  std::optional<std::uint64_t> repeats{1};  // how often the part may be in an object; nothing: any number of times
  bool in_junctor = false;
};

class Checker {
 public:
  explicit Checker(bool check_rules) : check_rules_(check_rules) {}

  void Check(const Json& schema, const StructuralNode* node, const std::string& path, const Around& around) {
    const std::size_t before = errors_.size();
    CheckKeywords(schema, path, around);
    if (IsTrue(schema, "uniqueItems")) {
      Forbidden(path + ".uniqueItems",
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    CheckBelow(schema, node, path, around);
    CheckMapType(schema, path);
    CheckListType(schema, path);
    CheckMapKeys(schema, path);
    CheckRuleTexts(schema, node, path);
    if (errors_.size() == before && check_rules_ && !around.in_junctor && node != nullptr) {
      internal::CheckRules(schema, *node, {path, around.no_old, around.repeats}, rule_checks_);
    }
  }

  std::vector<FieldError> Take() {
    for (FieldError& error : rule_checks_.errors) errors_.push_back(std::move(error));
    return std::move(errors_);
  }
  const internal::RuleChecks& rule_checks() const { return rule_checks_; }

 private:
  void Required(const std::string& path, std::string_view why) { errors_.push_back(RequiredValue(path, why)); }
  void Forbidden(const std::string& path, std::string_view why) { errors_.push_back(ForbiddenValue(path, why)); }
  void Invalid(const std::string& path, const Json& value, std::string_view why) {
    errors_.push_back(InvalidValue(path, value, why));
  }

  void CheckKeywords(const Json& schema, const std::string& path, const Around& around) {
    static const std::vector<std::string> types = {"array", "boolean", "integer", "number", "object", "string"};
    const std::string_view type = StringAt(schema, {"type"});
    if (!type.empty() && std::ranges::find(types, type) == types.end()) {
      errors_.push_back(UnsupportedValue(path + ".type", Json(type), types));
    }
    if (Has(schema, "default") && !around.no_defaults.empty()) {
      Forbidden(path + ".default", fmt::format("must not be set {}", around.no_defaults));
    }
    for (const std::string_view keyword :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (Has(schema, keyword))
        Forbidden(fmt::format("{}.{}", path, keyword), fmt::format("{} is not supported", keyword));
    }
    if (type == "null") Forbidden(path + ".type", "type cannot be set to null, use nullable as an alternative");
    if (const Json* items = Find(schema, "items"); items != nullptr && items->is_array()) {
      Forbidden(path + ".items", "items must be a schema object and not an array");
    }
    if (around.inside_meta && IsTrue(schema, "x-kubernetes-embedded-resource")) {
      Forbidden(path + ".x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
  }

  // How often the children of a part may be in an object.
  static std::optional<std::uint64_t> RepeatsOfChildren(const Json& schema, std::optional<std::uint64_t> repeats) {
    const std::string_view type = StringAt(schema, {"type"});
    const bool list = type == "array";
    if (!list && !(type == "object" && Has(schema, "additionalProperties"))) return repeats;
    const Json* limit = Find(schema, list ? "maxItems" : "maxProperties");
    if (!repeats || limit == nullptr || !limit->is_int64()) return std::nullopt;
    return internal::MultiplyCosts(*repeats, static_cast<std::uint64_t>(std::max<std::int64_t>(limit->get_int64(), 0)));
  }

  void CheckBelow(const Json& schema, const StructuralNode* node, const std::string& path, const Around& around) {
    Around below = around;
    below.is_root = false;
    below.repeats = RepeatsOfChildren(schema, around.repeats);
    CheckAdditional(schema, node, path, below);
    CheckProperties(schema, node, path, around, below);

    Around nested = below;
    nested.in_junctor = true;
    if (const Json* negated = ObjectAt(schema, "not")) Check(*negated, nullptr, path + ".not", nested);
    for (const std::string_view junctor : {"allOf", "oneOf", "anyOf"}) {
      const Json* parts = Find(schema, junctor);
      if (parts == nullptr || !parts->is_array()) continue;
      for (std::size_t index = 0; index < parts->get_array().size(); ++index) {
        Check(parts->get_array()[index], nullptr, fmt::format("{}.{}[{}]", path, junctor, index), nested);
      }
    }
    if (const Json* items = ObjectAt(schema, "items")) {
      if (StringAt(schema, {"x-kubernetes-list-type"}) != "map" && below.no_old.empty()) below.no_old = path;
      Check(*items, node == nullptr ? nullptr : node->items, path + ".items", below);
    }
  }

  void CheckAdditional(const Json& schema, const StructuralNode* node, const std::string& path, Around below) {
    const Json* additional = Find(schema, "additionalProperties");
    if (additional == nullptr) return;
    const Json* properties = ObjectAt(schema, "properties");
    if (properties != nullptr && !properties->get_object().empty() && *additional != Json(true)) {
      Forbidden(path + ".additionalProperties", "additionalProperties and properties are mutual exclusive");
    }
    if (below.inside_meta) below.no_defaults = "inside additionalProperties applying to object metadata";
    if (additional->is_object()) {
      Check(*additional, node == nullptr ? nullptr : node->additional, path + ".additionalProperties", below);
    }
  }

  void CheckProperties(const Json& schema, const StructuralNode* node, const std::string& path, const Around& around,
                       const Around& below) {
    const Json* properties = ObjectAt(schema, "properties");
    if (properties == nullptr) return;
    for (const auto& [name, property] : properties->get_object()) {
      Around inner = below;
      const bool is_meta = name == "metadata" || name == "kind" || name == "apiVersion";
      if (is_meta && (around.is_root || IsTrue(schema, "x-kubernetes-embedded-resource"))) {
        inner.inside_meta = true;
        if (around.is_root) inner.no_defaults = fmt::format("in top-level {}", std::string_view(name));
      }
      Check(property, node == nullptr ? nullptr : node->Property(name),
            fmt::format("{}.properties[{}]", path, std::string_view(name)), inner);
    }
  }

  void CheckMapType(const Json& schema, const std::string& path) {
    if (Find(schema, "x-kubernetes-preserve-unknown-fields") != nullptr &&
        *Find(schema, "x-kubernetes-preserve-unknown-fields") == Json(false)) {
      Invalid(path + ".x-kubernetes-preserve-unknown-fields", Json(false), "must be true or undefined");
    }
    if (!Has(schema, "x-kubernetes-map-type")) return;
    CheckTypeFor(schema, "object", "must be object if x-kubernetes-map-type is specified", path);
    static const std::vector<std::string> supported = {"atomic", "granular"};
    CheckOneOf(schema, "x-kubernetes-map-type", supported, path);
  }

  void CheckTypeFor(const Json& schema, std::string_view wanted, std::string_view why, const std::string& path) {
    const std::string_view type = StringAt(schema, {"type"});
    if (type.empty()) {
      Required(path + ".type", why);
    } else if (type != wanted) {
      Invalid(path + ".type", Json(type), why);
    }
  }

  void CheckOneOf(const Json& schema, std::string_view key, const std::vector<std::string>& supported,
                  const std::string& path) {
    const std::string_view value = StringAt(schema, {key});
    if (std::ranges::find(supported, value) == supported.end()) {
      errors_.push_back(UnsupportedValue(fmt::format("{}.{}", path, key), Json(value), supported));
    }
  }

  void CheckListType(const Json& schema, const std::string& path) {
    const std::string_view list_type = StringAt(schema, {"x-kubernetes-list-type"});
    const Json* items = ObjectAt(schema, "items");
    if (Has(schema, "x-kubernetes-list-type")) {
      CheckTypeFor(schema, "array", "must be array if x-kubernetes-list-type is specified", path);
      constexpr std::string_view kWhy = "must be atomic as item of a list with x-kubernetes-list-type=set";
      if (list_type == "set" && items != nullptr) {
        const std::string_view item_type = StringAt(*items, {"type"});
        const std::string_view inner = StringAt(*items, {"x-kubernetes-list-type"});
        if (item_type == "array" && !inner.empty() && inner != "atomic") {
          Invalid(path + ".items.x-kubernetes-list-type", Json(inner), kWhy);
        } else if (item_type == "object" && StringAt(*items, {"x-kubernetes-map-type"}) != "atomic") {
          Invalid(path + ".items.x-kubernetes-map-type", inner.empty() ? Json() : Json(inner), kWhy);
        }
      }
      static const std::vector<std::string> supported = {"atomic", "set", "map"};
      CheckOneOf(schema, "x-kubernetes-list-type", supported, path);
    }
    if (!StringsAt(schema, "x-kubernetes-list-map-keys").empty() && list_type != "map") {
      constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
      const std::string at = path + ".x-kubernetes-list-type";
      errors_.push_back(list_type.empty() ? RequiredValue(at, kWhy) : InvalidValue(at, Json(list_type), kWhy));
    }
    if (items != nullptr && IsTrue(*items, "nullable") && (list_type == "map" || list_type == "set")) {
      Forbidden(path + ".items.nullable",
                fmt::format("cannot be nullable when x-kubernetes-list-type is {}", list_type));
    }
  }

  void CheckMapKeys(const Json& schema, const std::string& path) {
    if (StringAt(schema, {"x-kubernetes-list-type"}) != "map") return;
    const std::vector<std::string> keys = StringsAt(schema, "x-kubernetes-list-map-keys");
    const std::string at = path + ".x-kubernetes-list-map-keys";
    if (keys.empty()) Required(at, "must not be empty if x-kubernetes-list-type is map");
    const Json* items = ObjectAt(schema, "items");
    if (items == nullptr) return Required(path + ".items", "must have a schema if x-kubernetes-list-type is map");
    if (StringAt(*items, {"type"}) != "object") {
      return Invalid(path + ".items.type", Json(StringAt(*items, {"type"})),
                     "must be object if parent array's x-kubernetes-list-type is map");
    }
    const std::vector<std::string> required = StringsAt(*items, "required");
    std::set<std::string> seen;
    for (const std::string& key : keys) {
      const Json* property = FindPath(*items, {"properties", key});
      const std::string property_path = fmt::format("{}.items.properties[{}]", path, key);
      if (property == nullptr) {
        Invalid(at, *Find(schema, "x-kubernetes-list-map-keys"), "entries must all be names of item properties");
      } else {
        const std::string_view type = StringAt(*property, {"type"});
        if (type == "array" || type == "object") {
          Invalid(property_path + ".type", Json("object"),
                  "must be a scalar type if parent array's x-kubernetes-list-type is map");
        }
        if (std::ranges::find(required, key) == required.end() && !Has(*property, "default")) {
          Required(
              property_path + ".default",
              "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
        }
        if (IsTrue(*property, "nullable")) {
          Forbidden(property_path + ".nullable",
                    "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
        }
      }
      if (!seen.insert(key).second) {
        Invalid(at, *Find(schema, "x-kubernetes-list-map-keys"), "must not contain duplicate entries");
      }
    }
  }

  void CheckRuleTexts(const Json& schema, const StructuralNode* node, const std::string& path) {
    const Json* rules = Find(schema, "x-kubernetes-validations");
    if (rules == nullptr || !rules->is_array()) return;
    for (std::size_t index = 0; index < rules->get_array().size(); ++index) {
      internal::CheckRuleText(rules->get_array()[index], node,
                              fmt::format("{}.x-kubernetes-validations[{}]", path, index), errors_);
    }
  }

  bool check_rules_;
  std::vector<FieldError> errors_;
  internal::RuleChecks rule_checks_;
};

}  // namespace

std::vector<FieldError> CheckDefinitionSchema(const Json& schema, const std::string& path) {
  std::vector<FieldError> errors;
  if (IsTrue(schema, "nullable"))
    errors.push_back(ForbiddenValue(path + ".nullable", "nullable cannot be true at the root"));
  std::vector<FieldError> structural = internal::CheckStructural(schema, path);
  std::deque<StructuralNode> nodes;
  const StructuralNode* node = nullptr;
  if (structural.empty()) {
    node = internal::ReadStructural(schema, internal::Root::kYes, nodes);
    structural = internal::CheckDefaults(*node, path);
  }
  const bool check_rules = structural.empty();
  for (FieldError& error : structural) errors.push_back(std::move(error));

  Checker checker(check_rules);
  checker.Check(schema, node, path, {.is_root = true});
  for (FieldError& error : checker.Take()) errors.push_back(std::move(error));
  internal::CheckTotalCost(checker.rule_checks(), path, errors);
  return errors;
}

}  // namespace kumiko::api
