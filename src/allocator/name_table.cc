#include "allocator/name_table.h"

namespace kumiko::allocator {

NameId NameTable::Intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

std::optional<NameId> NameTable::Find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kumiko::allocator
