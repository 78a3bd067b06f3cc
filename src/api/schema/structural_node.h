// One part of a custom resource's schema, read for use: structure, limits of values, and rules. Only for the files of
// this folder. Source: k8s.io/apiextensions-apiserver, structural schemas (KEP-1002).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/schema/rules.h"
#include "base/json.h"

namespace re2 {
class RE2;
}

namespace kumiko::api::internal {

struct StructuralNode {
  using Nodes = std::vector<const StructuralNode*>;

  const Json* json = nullptr;      // what was read; owned by the CustomSchema
  std::vector<std::string> types;  // one, none, or integer and string for x-kubernetes-int-or-string
  bool nullable = false;
  bool keeps_unknown = false;  // x-kubernetes-preserve-unknown-fields
  bool embedded = false;       // x-kubernetes-embedded-resource
  std::optional<Json> default_value;

  std::vector<std::pair<std::string, const StructuralNode*>> properties;  // ordered by name
  const StructuralNode* items = nullptr;
  const StructuralNode* additional = nullptr;  // of additionalProperties: {...}
  bool allows_additional = false;              // additionalProperties: {...} or true
  bool forbids_additional = false;             // additionalProperties: false

  std::string list_type;  // "", "atomic", "set" or "map"
  std::vector<std::string> list_map_keys;

  std::string format;  // "" when unknown formats are left to readers
  std::shared_ptr<const re2::RE2> pattern;
  std::string pattern_text;
  std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool unique_items = false;
  std::vector<Json> allowed;  // enum
  std::vector<std::string> required;
  Nodes all_of, any_of, one_of;
  const StructuralNode* not_this = nullptr;

  Rules rules;
  bool has_rules = false;  // here or below

  const StructuralNode* Property(std::string_view name) const;
  // Of a member of an object: the property's node, else that of additionalProperties; null when neither is there.
  const StructuralNode* Member(std::string_view name) const;
};

// What `root` marks: apiVersion, kind and metadata are there even when the schema does not say so.
enum class Root { kNo, kYes };

// Reads `json` and all below it into `nodes`, whose first addition it is; the tree must live as long.
const StructuralNode* ReadStructural(const Json& json, Root root, std::deque<StructuralNode>& nodes);

}  // namespace kumiko::api::internal
