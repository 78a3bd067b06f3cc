#include "fakenvml/install/tree_reader.h"

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"

namespace kumiko::fakenvml {

Status TreeNode::CheckMap(std::span<const std::string_view> fields) const {
  KU_TRY(const auto members, Members());
  for (const auto& [name, member] : members) {
    if (std::ranges::find(fields, name) != fields.end()) continue;
    if (const auto near = Suggest(name, fields)) return member.Bad("unknown field; did you mean {}?", *near);
    return member.Bad("unknown field; this map has {}",
                      Join(std::vector<std::string>(fields.begin(), fields.end()), ", "));
  }
  return {};
}

Result<std::vector<TreeNode>> TreeNode::Items() const {
  if (!value_->is_array()) return Bad("expected a list, found {}", JsonTypeName(*value_));
  std::vector<TreeNode> items;
  for (const Json& item : value_->get_array()) {
    items.emplace_back(*document_, &item, ItemPath(path_, items.size()));
  }
  return items;
}

Result<std::vector<std::pair<std::string, TreeNode>>> TreeNode::Members() const {
  if (!value_->is_object()) return Bad("expected a map, found {}", JsonTypeName(*value_));
  std::vector<std::pair<std::string, TreeNode>> members;
  for (const auto& [key, member] : value_->get_object()) {
    members.emplace_back(key, TreeNode(*document_, &member, ChildPath(path_, std::string_view(key))));
  }
  return members;
}

Result<std::string> TreeNode::Text() const {
  if (!value_->is_string()) {
    return Bad("expected a string, found {}; put the value in quotes", JsonTypeName(*value_));
  }
  return std::string(value_->get_string());
}

Result<std::int64_t> TreeNode::Number(std::int64_t min, std::int64_t max) const {
  if (!value_->is_int64()) return Bad("expected an integer from {} to {}, found {}", min, max, JsonTypeName(*value_));
  const std::int64_t number = value_->get_int64();
  if (number < min || number > max) return Bad("{} is out of range; write {} to {}", number, min, max);
  return number;
}

}  // namespace kumiko::fakenvml
