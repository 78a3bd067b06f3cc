#include "api/schema/structural_node.h"

#include <re2/re2.h>

#include <algorithm>

#include "api/schema/field_path_text.h"
#include "api/schema/text_formats.h"
#include "cel/library/regex.h"

namespace kumiko::api::internal {
namespace {

bool IsTrue(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<std::int64_t> IntegerAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

std::optional<double> NumberAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->is_double() ? value->get_double() : value->to_number<double>();
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

class Reader {
 public:
  explicit Reader(std::deque<StructuralNode>& nodes) : nodes_(nodes) {}

  const StructuralNode* Read(const Json& json, Root root) {
    StructuralNode& node = nodes_.emplace_back();
    node.json = &json;
    ReadStructure(json, node);
    ReadLimits(json, node);
    ReadChildren(json, node);
    node.rules = CompileRules(json, root == Root::kYes || node.embedded,
                              [&](std::string_view path) { return FieldPathText(path, node).value_or(""); });
    node.has_rules = !node.rules.all.empty() || HasRulesBelow(node);
    return &node;
  }

 private:
  static void ReadStructure(const Json& json, StructuralNode& node) {
    const std::string_view type = StringAt(json, {"type"});
    if (!type.empty()) node.types = {std::string(type)};
    if (IsTrue(json, "x-kubernetes-int-or-string")) node.types = {"integer", "string"};
    node.nullable = IsTrue(json, "nullable");
    node.keeps_unknown = IsTrue(json, "x-kubernetes-preserve-unknown-fields");
    node.embedded = IsTrue(json, "x-kubernetes-embedded-resource");
    node.list_type = StringAt(json, {"x-kubernetes-list-type"});
    node.list_map_keys = StringsAt(json, "x-kubernetes-list-map-keys");
    if (const Json* value = Find(json, "default"); value != nullptr && !value->is_null()) node.default_value = *value;
    node.format = EffectiveFormat(StringAt(json, {"format"}), node.types.size() == 1 ? node.types.front() : "");
  }

  static void ReadLimits(const Json& json, StructuralNode& node) {
    node.min_length = IntegerAt(json, "minLength");
    node.max_length = IntegerAt(json, "maxLength");
    node.min_items = IntegerAt(json, "minItems");
    node.max_items = IntegerAt(json, "maxItems");
    node.min_properties = IntegerAt(json, "minProperties");
    node.max_properties = IntegerAt(json, "maxProperties");
    node.minimum = NumberAt(json, "minimum");
    node.maximum = NumberAt(json, "maximum");
    node.multiple_of = NumberAt(json, "multipleOf");
    node.exclusive_minimum = IsTrue(json, "exclusiveMinimum");
    node.exclusive_maximum = IsTrue(json, "exclusiveMaximum");
    node.unique_items = IsTrue(json, "uniqueItems");
    node.required = StringsAt(json, "required");
    if (const Json* allowed = Find(json, "enum"); allowed != nullptr && allowed->is_array()) {
      node.allowed.assign(allowed->get_array().begin(), allowed->get_array().end());
    }
    node.pattern_text = StringAt(json, {"pattern"});
    std::int64_t steps = cel::kPatternSteps;
    if (node.pattern_text.empty()) return;
    if (auto pattern = cel::CompilePattern(node.pattern_text, steps)) node.pattern = std::move(*pattern);
  }

  const StructuralNode* ReadAt(const Json& json, std::string_view key) {
    const Json* child = Find(json, key);
    return child == nullptr || !child->is_object() ? nullptr : Read(*child, Root::kNo);
  }

  StructuralNode::Nodes ReadList(const Json& json, std::string_view key) {
    StructuralNode::Nodes nodes;
    const Json* list = Find(json, key);
    if (list == nullptr || !list->is_array()) return nodes;
    for (const Json& item : list->get_array()) nodes.push_back(Read(item, Root::kNo));
    return nodes;
  }

  void ReadChildren(const Json& json, StructuralNode& node) {
    if (const Json* properties = Find(json, "properties"); properties != nullptr && properties->is_object()) {
      for (const auto& [name, child] : properties->get_object()) {
        node.properties.emplace_back(name, Read(child, Root::kNo));
      }
      std::ranges::sort(node.properties, {}, [](const auto& property) -> const std::string& { return property.first; });
    }
    node.items = ReadAt(json, "items");
    node.additional = ReadAt(json, "additionalProperties");
    if (const Json* additional = Find(json, "additionalProperties"); additional != nullptr) {
      node.forbids_additional = *additional == Json(false);
      node.allows_additional = !node.forbids_additional;
    }
    node.all_of = ReadList(json, "allOf");
    node.any_of = ReadList(json, "anyOf");
    node.one_of = ReadList(json, "oneOf");
    node.not_this = ReadAt(json, "not");
  }

  static bool HasRulesBelow(const StructuralNode& node) {
    const auto has = [](const StructuralNode* child) { return child != nullptr && child->has_rules; };
    return has(node.items) || has(node.additional) ||
           std::ranges::any_of(node.properties, has, [](const auto& property) { return property.second; });
  }

  std::deque<StructuralNode>& nodes_;
};

}  // namespace

const StructuralNode* StructuralNode::Property(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {},
                                              [](const auto& property) { return std::string_view(property.first); });
  return found == properties.end() || found->first != name ? nullptr : found->second;
}

const StructuralNode* StructuralNode::Member(std::string_view name) const {
  const StructuralNode* property = Property(name);
  return property != nullptr ? property : additional;
}

const StructuralNode* ReadStructural(const Json& json, Root root, std::deque<StructuralNode>& nodes) {
  return Reader(nodes).Read(json, root);
}

}  // namespace kumiko::api::internal
