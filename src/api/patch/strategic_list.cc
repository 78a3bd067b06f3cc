#include "api/patch/strategic_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/patch/go_text.h"

namespace kumiko::api {
namespace {

using Kind = PatchError::Kind;

struct Keyed {
  Json item;
  std::string key;
};

std::optional<std::size_t> PositionOf(const StringFlatMap<std::size_t>& order, const std::string& key) {
  const auto found = order.find(key);
  if (found == order.end()) return std::nullopt;
  return found->second;
}

StringFlatMap<std::size_t> Positions(const std::vector<std::string>& keys) {
  StringFlatMap<std::size_t> positions;
  for (std::size_t at = 0; at < keys.size(); ++at) positions.emplace(keys[at], at);
  return positions;
}

// kube-apiserver sorts with an order under which an unknown item goes before whatever stands left of it. That is none,
// so that the result is the one of its algorithm: insertion.
void SortByPosition(std::vector<Keyed>& items, const StringFlatMap<std::size_t>& order) {
  std::vector<std::pair<std::optional<std::size_t>, Keyed>> placed;
  placed.reserve(items.size());
  bool all_known = true;
  for (Keyed& item : items) {
    const auto position = PositionOf(order, item.key);
    all_known = all_known && position.has_value();
    placed.emplace_back(position, std::move(item));
  }
  const auto before = [](const auto& left, const auto& right) {
    return !left.first || !right.first || *left.first < *right.first;
  };
  if (all_known) {
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& left, const auto& right) { return *left.first < *right.first; });
  } else {
    for (std::size_t at = 1; at < placed.size(); ++at) {
      for (std::size_t to = at; to > 0 && before(placed[to], placed[to - 1]); --to) {
        std::swap(placed[to], placed[to - 1]);
      }
    }
  }
  items.clear();
  for (auto& [position, item] : placed) items.push_back(std::move(item));
}

bool AsksForDeletion(const Json& item) {
  return StringAt(item, {"$patch"}) == "delete";
}

void SortPart(std::vector<Keyed>& part, const StringFlatMap<std::size_t>& order) {
  std::vector<Keyed> deleted;
  std::vector<Keyed> kept;
  for (Keyed& item : part) (AsksForDeletion(item.item) ? deleted : kept).push_back(std::move(item));
  SortByPosition(kept, order);
  kept.insert(kept.end(), std::make_move_iterator(deleted.begin()), std::make_move_iterator(deleted.end()));
  part = std::move(kept);
}

}  // namespace

tl::unexpected<PatchError> FailOfType(std::string_view expected, const Json& actual) {
  return FailPatch(Kind::kInternal, "expected a {}, but received a {}", expected, GoTypeName(actual));
}

tl::unexpected<PatchError> FailWithoutKey(const Json& item, std::string_view merge_key) {
  return FailPatch(Kind::kInternal, "map: {} does not contain declared merge key: {}", GoValue(item), merge_key);
}

PatchResult<std::string> ItemKey(const Json& item, std::string_view merge_key) {
  if (merge_key.empty()) return WriteJson(item);
  if (!item.is_object()) return FailOfType("map[string]interface {}", item);
  const Json* key = Find(item, merge_key);
  if (key == nullptr) return FailWithoutKey(item, merge_key);
  return WriteJson(*key);
}

PatchResult<std::vector<std::string>> ItemKeys(const JsonArray& items, std::string_view merge_key) {
  std::vector<std::string> keys;
  keys.reserve(items.size());
  for (const Json& item : items) {
    auto key = ItemKey(item, merge_key);
    if (!key) return tl::unexpected<PatchError>(std::move(key).error());
    keys.push_back(std::move(*key));
  }
  return keys;
}

ItemIndex::ItemIndex(const JsonArray& items, std::string_view merge_key) {
  for (std::size_t at = 0; at < items.size(); ++at) {
    if (!merge_key.empty() && !items[at].is_object()) {
      not_a_map_ = at;
      return;
    }
    if (const auto key = ItemKey(items[at], merge_key)) first_.emplace(*key, at);
  }
}

PatchResult<std::optional<std::size_t>> ItemIndex::Find(const std::string& key) const {
  if (const auto position = PositionOf(first_, key)) return position;
  if (not_a_map_) return FailPatch(Kind::kInternal, "value for key {} is not a map", *not_a_map_);
  return std::optional<std::size_t>();
}

PatchResult<bool> ItemsAreMaps(const JsonArray& first, const JsonArray& second) {
  const Json* sample = nullptr;
  for (const JsonArray* list : {&first, &second}) {
    for (const Json& item : *list) {
      if (sample == nullptr) {
        sample = &item;
        if (item.is_array()) return FailPatch(Kind::kUnprocessable, "lists of lists are not supported");
      } else if (GoTypeName(*sample) != GoTypeName(item)) {
        return FailPatch(Kind::kInternal, "list element types are not identical: [{} {}]", GoValue(first),
                         GoValue(second));
      }
    }
  }
  if (sample == nullptr) return FailPatch(Kind::kInternal, "no elements in any of the given slices");
  return sample->is_object();
}

PatchResult<JsonArray> InOrder(JsonArray merged, const JsonArray& listed, const std::vector<std::string>& server_order,
                               std::string_view merge_key) {
  const ItemIndex listed_index(listed, merge_key);
  std::vector<Keyed> from_patch;
  std::vector<Keyed> from_server;
  for (Json& item : merged) {
    auto key = ItemKey(item, merge_key);
    if (!key) return tl::unexpected<PatchError>(std::move(key).error());
    const auto found = listed_index.Find(*key);
    if (!found) return tl::unexpected<PatchError>(found.error());
    (*found ? from_patch : from_server).push_back({std::move(item), std::move(*key)});
  }
  const auto listed_keys = ItemKeys(listed, merge_key);
  if (!listed_keys) return tl::unexpected<PatchError>(listed_keys.error());
  const auto order = Positions(server_order);
  SortPart(from_patch, Positions(*listed_keys));
  SortPart(from_server, order);

  // Both parts keep their order; an item of the server goes before the first of the patch that it preceded.
  JsonArray result;
  result.reserve(merged.size());
  std::size_t patch_at = 0;
  std::size_t server_at = 0;
  while (patch_at < from_patch.size() && server_at < from_server.size()) {
    const auto server = PositionOf(order, from_server[server_at].key);
    const auto patch = PositionOf(order, from_patch[patch_at].key);
    Keyed& next = server && patch && *server < *patch ? from_server[server_at++] : from_patch[patch_at++];
    result.push_back(std::move(next.item));
  }
  for (; patch_at < from_patch.size(); ++patch_at) result.push_back(std::move(from_patch[patch_at].item));
  for (; server_at < from_server.size(); ++server_at) result.push_back(std::move(from_server[server_at].item));
  return result;
}

void Deduplicate(JsonArray& scalars) {
  StringFlatMap<std::size_t> seen;
  JsonArray kept;
  for (Json& item : scalars) {
    if (seen.emplace(WriteJson(item), 0).second) kept.push_back(std::move(item));
  }
  scalars = std::move(kept);
}

}  // namespace kumiko::api
