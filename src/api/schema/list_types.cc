#include "api/schema/list_types.h"

#include <fmt/format.h>

#include <map>

#include "api/patch/go_text.h"
#include "api/schema/go_error_text.h"

namespace kumiko::api::internal {
namespace {

// Indices of the second appearance of each value that appears more than once.
std::vector<std::size_t> Repeated(const std::vector<Json>& values) {
  std::map<std::string, int> times;
  std::vector<std::size_t> repeated;
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (++times[GoJson(values[index])] == 2) repeated.push_back(index);
  }
  return repeated;
}

class Checker {
 public:
  void Check(const Json& value, const StructuralNode& node, const std::string& path) {
    if (const JsonArray* list = value.if_array()) {
      if (node.list_type == "set") CheckSet(*list, path);
      if (node.list_type == "map") CheckMap(*list, node, path);
      for (std::size_t index = 0; node.items != nullptr && index < list->size(); ++index) {
        Check((*list)[index], *node.items, ItemOf(path, index));
      }
    } else if (const JsonObject* object = value.if_object()) {
      for (const auto& [name, member] : *object) {
        const std::string_view key = name;
        if (const StructuralNode* property = node.Property(key)) {
          Check(member, *property, path.empty() ? std::string(key) : fmt::format("{}.{}", path, key));
        } else if (node.additional != nullptr) {
          Check(member, *node.additional, fmt::format("{}[{}]", path, key));
        }
      }
    }
  }

  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  static std::string ItemOf(const std::string& path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

  void CheckSet(const JsonArray& list, const std::string& path) {
    for (const std::size_t index : Repeated({list.begin(), list.end()})) {
      errors_.push_back(DuplicateValue(ItemOf(path, index), list[index]));
    }
  }

  void CheckMap(const JsonArray& list, const StructuralNode& node, const std::string& path) {
    std::vector<Json> keys;
    for (std::size_t index = 0; index < list.size(); ++index) {
      const Json& item = list[index];
      if (!item.is_object() && !item.is_null()) {
        errors_.push_back(InvalidValue(ItemOf(path, index), item, "must be an object for an array of list-type map"));
        return;
      }
      JsonObject key;
      for (const std::string& name : node.list_map_keys) {
        if (const Json* value = Find(item, name)) key[name] = *value;
      }
      keys.emplace_back(std::move(key));
    }
    for (const std::size_t index : Repeated(keys)) {
      errors_.push_back(DuplicateValue(ItemOf(path, index), keys[index]));
    }
  }

  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> CheckListTypes(const Json& value, const StructuralNode& node) {
  Checker checker;
  checker.Check(value, node, "");
  return checker.Take();
}

}  // namespace kumiko::api::internal
