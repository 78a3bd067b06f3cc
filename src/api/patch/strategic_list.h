// Lists of strategic merge patches: what identifies their items and how they are ordered.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/patch/patch_error.h"
#include "base/flat_map.h"
#include "base/json.h"

namespace kumiko::api {

// What identifies an item: the text of its merge key, or its own text when `merge_key` is empty. kInternal when the
// item is no map or lacks the key.
PatchResult<std::string> ItemKey(const Json& item, std::string_view merge_key);
PatchResult<std::vector<std::string>> ItemKeys(const JsonArray& items, std::string_view merge_key);

// The first position of each key. Items without the key are not found; one that is no map ends the search with an
// error.
class ItemIndex {
 public:
  ItemIndex(const JsonArray& items, std::string_view merge_key);
  PatchResult<std::optional<std::size_t>> Find(const std::string& key) const;
  void Add(const std::string& key, std::size_t position) { first_.emplace(key, position); }

 private:
  StringFlatMap<std::size_t> first_;
  std::optional<std::size_t> not_a_map_;
};

// Whether all items are maps or none is. Errors: kUnprocessable for lists, kInternal for items of several types or when
// there are none.
PatchResult<bool> ItemsAreMaps(const JsonArray& first, const JsonArray& second);

// Items that `listed` names come in its order, the others in the order of `server_order`, which places them among the
// listed ones as well as it can. Items that ask for their deletion come last of their part.
PatchResult<JsonArray> InOrder(JsonArray merged, const JsonArray& listed, const std::vector<std::string>& server_order,
                               std::string_view merge_key);

// Keeps the first of equal items.
void Deduplicate(JsonArray& scalars);

tl::unexpected<PatchError> FailOfType(std::string_view expected, const Json& actual);
tl::unexpected<PatchError> FailWithoutKey(const Json& item, std::string_view merge_key);

}  // namespace kumiko::api
