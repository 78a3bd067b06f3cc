#include "api/schema/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/schema/erase_members.h"

namespace kumiko::api::internal {
namespace {

constexpr std::string_view kMetaMembers[] = {"apiVersion", "kind", "metadata"};

bool IsMetaMember(std::string_view name) {
  return std::ranges::find(kMetaMembers, name) != std::end(kMetaMembers);
}

}  // namespace

void WriteDefaults(Json& value, const StructuralNode* node) {
  if (node == nullptr) return;
  const auto is_missing = [](const Json& it, const StructuralNode* of) {
    return it.is_null() && of != nullptr && !of->nullable;
  };
  if (JsonObject* object = value.if_object()) {
    for (const auto& [name, property] : node->properties) {
      if (!property->default_value) continue;
      const Json* present = object->if_contains(name);
      if (present == nullptr || is_missing(*present, property)) (*object)[name] = *property->default_value;
    }
    for (auto& entry : *object) {
      const StructuralNode* below = node->Member(entry.key());
      if (below != nullptr && node->Property(entry.key()) == nullptr && is_missing(entry.value(), below)) {
        entry.value() = below->default_value.value_or(Json());
      }
      WriteDefaults(entry.value(), below);
    }
  } else if (JsonArray* list = value.if_array()) {
    for (Json& item : *list) {
      if (is_missing(item, node->items)) item = node->items->default_value.value_or(Json());
      WriteDefaults(item, node->items);
    }
  }
}

void DropNulls(Json& value, const StructuralNode* node) {
  if (JsonObject* object = value.if_object()) {
    EraseMembers(*object, [&](auto& entry) {
      const StructuralNode* below = node == nullptr ? nullptr : node->Member(entry.key());
      if (entry.value().is_null()) return below != nullptr && !below->nullable && !below->default_value;
      DropNulls(entry.value(), below);
      return false;
    });
  } else if (JsonArray* list = value.if_array()) {
    for (Json& item : *list) DropNulls(item, node == nullptr ? nullptr : node->items);
  }
}

namespace {

class Pruner {
 public:
  void Prune(Json& value, const StructuralNode* node, bool embedded, const std::string& path) {
    if (JsonObject* object = value.if_object()) {
      const bool keeps = node != nullptr && node->keeps_unknown;
      EraseMembers(*object, [&](auto& entry) {
        const std::string_view name = entry.key();
        if (embedded && IsMetaMember(name)) return false;
        const bool known = node != nullptr && (node->Property(name) != nullptr || node->allows_additional);
        const std::string below = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
        if (known) {
          const StructuralNode* member = node->Member(name);
          Prune(entry.value(), member, member != nullptr && member->embedded, below);
        } else if (!keeps) {
          unknown_.push_back(below);
        }
        return !known && !keeps;
      });
    } else if (JsonArray* list = value.if_array()) {
      const StructuralNode* items = node == nullptr ? nullptr : node->items;
      if (items == nullptr && node != nullptr && node->keeps_unknown) return;
      for (std::size_t index = 0; index < list->size(); ++index) {
        Prune((*list)[index], items, items != nullptr && items->embedded, fmt::format("{}[{}]", path, index));
      }
    }
  }

  std::vector<std::string> Take() {
    std::ranges::sort(unknown_);
    return std::move(unknown_);
  }

 private:
  std::vector<std::string> unknown_;
};

}  // namespace

std::vector<std::string> PruneUnknown(Json& value, const StructuralNode& node, bool is_object_of_api) {
  Pruner pruner;
  pruner.Prune(value, &node, is_object_of_api, "");
  return pruner.Take();
}

}  // namespace kumiko::api::internal
