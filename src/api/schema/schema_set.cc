#include "api/schema/schema_set.h"

#include <algorithm>

#include "api/schema/published_schemas.h"
#include "base/check.h"

namespace kumiko::api {
namespace {

Schema::Type TypeOf(const Json& json) {
  const Json* int_or_string = kumiko::Find(json, "x-kubernetes-int-or-string");
  if (int_or_string != nullptr && *int_or_string == Json(true)) return Schema::Type::kIntOrString;
  const std::string_view type = StringAt(json, {"type"});
  if (type == "object") return Schema::Type::kObject;
  if (type == "array") return Schema::Type::kArray;
  if (type == "string") return Schema::Type::kString;
  if (type == "integer") return Schema::Type::kInteger;
  if (type == "number") return Schema::Type::kNumber;
  if (type == "boolean") return Schema::Type::kBoolean;
  // IntOrString and Quantity say oneOf instead of a type.
  return kumiko::Find(json, "oneOf") != nullptr ? Schema::Type::kIntOrString : Schema::Type::kAny;
}

std::vector<std::string> StringsAt(const Json& json, std::string_view key) {
  std::vector<std::string> strings;
  const Json* list = kumiko::Find(json, key);
  if (list == nullptr || !list->is_array()) return strings;
  for (const Json& item : list->get_array()) {
    if (item.is_string()) strings.emplace_back(item.get_string());
  }
  return strings;
}

bool IsTrue(const Json& json, std::string_view key) {
  const Json* value = kumiko::Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// What stands beside a type or a reference: how the value merges, whether it may be null.
void FillExtensions(const Json& json, Schema& schema) {
  if (IsTrue(json, "nullable")) schema.nullable = true;
  const std::string_view list_type = StringAt(json, {"x-kubernetes-list-type"});
  if (list_type == "set") schema.list_type = ListType::kSet;
  if (list_type == "map") schema.list_type = ListType::kMap;
  if (auto keys = StringsAt(json, "x-kubernetes-list-map-keys"); !keys.empty()) schema.list_map_keys = std::move(keys);
  if (const std::string_view map_type = StringAt(json, {"x-kubernetes-map-type"}); !map_type.empty()) {
    schema.atomic_map = map_type == "atomic";
  }
  if (const std::string_view key = StringAt(json, {"x-kubernetes-patch-merge-key"}); !key.empty()) {
    schema.patch_merge_key = key;
  }
  // One or two words with a comma between.
  if (const std::string_view strategy = StringAt(json, {"x-kubernetes-patch-strategy"}); !strategy.empty()) {
    schema.patch_merges = strategy.starts_with("merge");
    schema.patch_replaces = strategy == "replace";
    schema.patch_retains_keys = strategy.ends_with("retainKeys");
  }
  const Json* value = kumiko::Find(json, "default");
  if (value != nullptr) schema.default_value = *value;
}

// Whether an object without members holds whatever is written into it. Others of the published ones are structs whose
// presence alone says something.
bool HoldsAnything(std::string_view name) {
  return name.empty() || name.ends_with(".RawExtension") || name.ends_with(".FieldsV1") || name.ends_with(".Patch");
}

// "" when the value is described in place.
std::string_view ReferenceOf(const Json& json) {
  std::string_view reference = StringAt(json, {"$ref"});
  const Json* all_of = kumiko::Find(json, "allOf");
  if (reference.empty() && all_of != nullptr && all_of->is_array() && all_of->get_array().size() == 1) {
    reference = StringAt(all_of->get_array()[0], {"$ref"});
  }
  if (reference.starts_with(internal::kSchemaReference)) reference.remove_prefix(internal::kSchemaReference.size());
  return reference;
}

// Whether a reference has words beside it that change what it means. `default: {}` of the published documents does not:
// it stands beside every struct that Go cannot leave out.
bool AmendsReference(const Json& json) {
  return std::ranges::any_of(json.get_object(), [](const auto& member) {
    if (member.key() == "default") return member.value() != Json(JsonObject());
    return member.key().starts_with("x-kubernetes-") || member.key() == "nullable";
  });
}

}  // namespace

const Schema::Member* Schema::FindMember(std::string_view member) const {
  const auto found = std::ranges::lower_bound(members, member, {}, &Member::name);
  return found == members.end() || found->name != member ? nullptr : &*found;
}

const Schema* Schema::Find(std::string_view member) const {
  const Member* found = FindMember(member);
  return found == nullptr ? nullptr : found->schema;
}

void SchemaSet::AddNamed(const std::vector<NamedJson>& schemas) {
  std::vector<std::pair<Schema*, const NamedJson*>> waiting;
  for (const NamedJson& schema : schemas) {
    if (Find(schema.name) == nullptr) waiting.emplace_back(Named(schema.name), &schema);
  }
  for (const auto& [schema, named] : waiting) Fill(named->json, *schema);
  FinishAmended();
}

const Schema* SchemaSet::Add(const Json& json) {
  const Schema* schema = Read(json);
  FinishAmended();
  return schema;
}

const Schema* SchemaSet::AddResource(const Json& json, const Schema& metadata) {
  Schema& schema = schemas_.emplace_back();
  if (json.is_object()) Fill(json, schema);
  const Schema* text = Read(JsonObject{{"type", "string"}});
  std::erase_if(schema.members, [](const Schema::Member& member) {
    return member.name == "apiVersion" || member.name == "kind" || member.name == "metadata";
  });
  schema.members.push_back({.name = "apiVersion", .schema = text});
  schema.members.push_back({.name = "kind", .schema = text});
  schema.members.push_back({.name = "metadata", .schema = &metadata});
  std::ranges::sort(schema.members, {}, &Schema::Member::name);
  schema.type = Schema::Type::kObject;
  FinishAmended();
  return &schema;
}

const Schema* SchemaSet::Find(std::string_view name) const {
  const auto found = named_.find(name);
  return found == named_.end() ? nullptr : found->second;
}

Schema* SchemaSet::Named(std::string_view name) {
  if (const auto found = named_.find(name); found != named_.end()) return found->second;
  Schema& schema = schemas_.emplace_back();
  schema.name = name;
  named_.emplace(name, &schema);
  return &schema;
}

const Schema* SchemaSet::Read(const Json& json) {
  if (!json.is_object()) return Read(JsonObject());
  const std::string_view reference = ReferenceOf(json);
  if (!reference.empty() && !AmendsReference(json)) return Named(reference);

  // Most members of objects are plain strings and numbers; with equal ones shared, all schemas together are small.
  Json told = json;
  told.get_object().erase("description");
  const std::string text = WriteJson(told);
  if (const auto found = in_place_.find(text); found != in_place_.end()) return found->second;
  Schema& schema = schemas_.emplace_back();
  in_place_.emplace(text, &schema);
  if (reference.empty()) {
    Fill(json, schema);
  } else {
    amended_.push_back({&schema, Named(reference), std::move(told)});
  }
  return &schema;
}

void SchemaSet::Fill(const Json& json, Schema& schema) {
  schema.type = TypeOf(json);
  schema.format = StringAt(json, {"format"});
  if (schema.type == Schema::Type::kIntOrString && schema.format.empty()) {
    schema.format = schema.name.ends_with("Quantity") ? "quantity" : "int-or-string";
  }
  schema.required = StringsAt(json, "required");
  FillExtensions(json, schema);

  const Json* properties = kumiko::Find(json, "properties");
  const Json* values = kumiko::Find(json, "additionalProperties");
  const Json* items = kumiko::Find(json, "items");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, member] : properties->get_object())
      schema.members.push_back({.name = name, .schema = Read(member)});
    std::ranges::sort(schema.members, {}, &Schema::Member::name);
  }
  const bool has_values = values != nullptr && values->is_object();
  if (has_values) schema.items = Read(*values);
  if (items != nullptr && items->is_object()) schema.items = Read(*items);

  const bool has_no_members = schema.type == Schema::Type::kObject && properties == nullptr && !has_values;
  schema.keeps_unknown = schema.type == Schema::Type::kAny || (has_no_members && HoldsAnything(schema.name)) ||
                         IsTrue(json, "x-kubernetes-preserve-unknown-fields");
}

void SchemaSet::FinishAmended() {
  for (const Amended& amended : amended_) {
    *amended.schema = *amended.referred;
    FillExtensions(amended.json, *amended.schema);
  }
  amended_.clear();
}

}  // namespace kumiko::api
