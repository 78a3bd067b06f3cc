// Taking many members out of an object at the cost of one pass. Only for the files of this folder.
#pragma once

#include <utility>
#include <vector>

#include "base/json.h"

namespace kumiko::api::internal {

// Calls `drop` for each member, in order, and removes those for which it says true; the others keep their order.
// Boost's own erase moves all that follow, and bodies may have a hundred thousand members that nobody knows.
template <class Drop>
void EraseMembers(JsonObject& object, Drop drop) {
  std::vector<bool> dropped;
  dropped.reserve(object.size());
  bool any = false;
  for (auto& member : object) {
    dropped.push_back(drop(member));
    any = any || dropped.back();
  }
  if (!any) return;
  JsonObject kept(object.storage());
  kept.reserve(object.size());
  std::size_t index = 0;
  for (auto& member : object) {
    if (!dropped[index++]) kept.emplace(member.key(), std::move(member.value()));
  }
  object = std::move(kept);
}

}  // namespace kumiko::api::internal
