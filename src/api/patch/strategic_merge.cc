#include "api/patch/strategic_merge.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/patch/go_text.h"
#include "api/patch/strategic_list.h"

namespace kumiko::api {
namespace {

using Kind = PatchError::Kind;
using Done = PatchResult<void>;

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

template <class T>
tl::unexpected<PatchError> Pass(PatchResult<T>& failed) {
  return tl::unexpected<PatchError>(std::move(failed).error());
}

// The struct of Go that a schema describes is named like the last part of its name.
std::string_view GoStructName(const Schema& schema) {
  const std::string_view name = schema.name;
  return name.substr(name.rfind('.') + 1);
}

PatchResult<const Schema*> MemberSchema(const Schema& schema, std::string_view name) {
  const bool is_map = schema.type == Schema::Type::kObject && schema.members.empty() && schema.items != nullptr;
  if (is_map) {
    return FailPatch(Kind::kInternal, "merging an object in json but data type is not struct, instead is: map");
  }
  if (const Schema* member = schema.Find(name)) return member;
  return FailPatch(Kind::kInternal, "unable to find api field in struct {} for the json field {}", GoStructName(schema),
                   GoQuoted(name));
}

PatchResult<const Schema*> ListSchema(const Schema& schema, std::string_view name) {
  auto member = MemberSchema(schema, name);
  if (!member) return member;
  if ((*member)->type != Schema::Type::kArray || (*member)->items == nullptr) {
    return FailPatch(Kind::kInternal, "expected slice or array type, but got: struct");
  }
  return member;
}

// What a member that is new may bring: no nulls, and nothing that asks for its own deletion.
void DropNulls(Json& value) {
  if (JsonObject* members = value.if_object()) {
    for (auto at = members->begin(); at != members->end();) {
      if (at->value().is_null()) {
        at = members->stable_erase(at);
      } else {
        DropNulls(at->value());
        ++at;
      }
    }
  } else if (JsonArray* items = value.if_array()) {
    for (Json& item : *items) DropNulls(item);
  }
}

// False when the value itself is a directive.
bool DropDirectives(Json& value) {
  if (JsonObject* members = value.if_object()) {
    if (members->contains(kDirective)) return false;
    for (auto at = members->begin(); at != members->end();) {
      at = DropDirectives(at->value()) ? std::next(at) : members->stable_erase(at);
    }
  } else if (JsonArray* items = value.if_array()) {
    JsonArray kept;
    for (Json& item : *items) {
      if (DropDirectives(item)) kept.push_back(std::move(item));
    }
    *items = std::move(kept);
  }
  return true;
}

void SetNew(JsonObject& object, std::string_view name, Json value) {
  DropNulls(value);
  if (DropDirectives(value)) {
    object[name] = std::move(value);
  } else {
    object.erase(name);
  }
}

// "containers" of "$setElementOrder/containers".
PatchResult<std::string> ListOfDirective(std::string_view key, std::string_view prefix) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || key.substr(0, slash) != prefix) {
    return FailPatch(Kind::kBadRequest, "invalid patch format of {}",
                     prefix == kDeleteFrom ? "primitive list" : "setElementOrder list");
  }
  return std::string(key.substr(slash + 1));
}

Done RetainKeys(JsonObject& object, JsonObject& patch) {
  const auto directive = patch.find(kRetainKeys);
  if (directive == patch.end()) return {};
  const Json retained = directive->value();
  patch.stable_erase(directive);
  const auto malformed = [] { return FailPatch(Kind::kBadRequest, "invalid patch format of retainKeys"); };
  if (!retained.is_array()) return malformed();
  const auto is_retained = [&](std::string_view name) {
    return std::ranges::any_of(retained.get_array(), [&](const Json& item) {
      return item.is_string() && std::string_view(item.get_string()) == name;
    });
  };
  for (const auto& member : patch) {
    const std::string_view name = member.key();
    if (member.value().is_null() || name.starts_with(kDeleteFrom) || name.starts_with(kElementOrder)) continue;
    if (!is_retained(name)) return malformed();
  }
  for (auto at = object.begin(); at != object.end();) {
    at = is_retained(at->key()) ? std::next(at) : object.stable_erase(at);
  }
  return {};
}

Done CheckElementOrder(const JsonArray& patch, const JsonArray& order, std::string_view merge_key) {
  if (order.empty() || patch.empty()) return {};
  JsonArray kept;
  for (const Json& item : patch) {
    if (!merge_key.empty() && !item.is_object()) return FailOfType("map[string]interface {}", item);
    if (merge_key.empty() || StringAt(item, {kDirective}) != "delete") kept.push_back(item);
  }
  std::size_t at = 0;
  std::size_t order_at = 0;
  while (at < kept.size() && order_at < order.size()) {
    if (Find(kept[at], kDirective) != nullptr) {
      ++at;
      continue;
    }
    auto left = ItemKey(kept[at], merge_key);
    if (!left) return Pass(left);
    auto right = ItemKey(order[order_at], merge_key);
    if (!right) return Pass(right);
    if (*left == *right) ++at;
    ++order_at;
  }
  if (at < kept.size() && order_at >= order.size()) {
    return FailPatch(Kind::kInternal, "The order in patch list:\n{}\n doesn't match {} list:\n{}\n", GoValue(patch),
                     kElementOrder, GoValue(order));
  }
  return {};
}

// A merged list, and the order in which the server had its items, for those who order them anew.
struct MergedList {
  JsonArray items;
  std::vector<std::string> server_order;
};

enum class ListRole { kItems, kDeletions };

PatchResult<Json> MergeMap(JsonObject object, JsonObject patch, const Schema& schema);

// The items of a patch that are no directives.
struct PlainItems {
  JsonArray items;
  bool replaces = false;  // they become the list
};

// Deletions and replacement are asked for by items of their own. Deletes from `list`.
PatchResult<PlainItems> DoDirectives(JsonArray& list, JsonArray patch, std::string_view merge_key) {
  JsonArray plain;
  std::vector<std::string> deleted;
  bool replace = false;
  for (Json& item : patch) {
    const Json* directive = Find(item, kDirective);
    if (directive == nullptr) {
      plain.push_back(std::move(item));
    } else if (*directive == "delete") {
      auto key = ItemKey(item, merge_key);
      if (!key) return Pass(key);
      deleted.push_back(std::move(*key));
    } else if (*directive == "replace") {
      replace = true;
    } else if (*directive == "merge") {
      return FailPatch(Kind::kInternal, "merging lists cannot yet be specified in the patch");
    } else {
      return FailPatch(Kind::kInternal, "unknown patch type: {} in map: {}", GoValue(*directive), GoValue(item));
    }
  }
  if (deleted.empty()) return PlainItems{std::move(plain), replace};
  std::ranges::sort(deleted);
  JsonArray kept;
  for (Json& item : list) {
    const auto key = ItemKey(item, merge_key);
    if (!key || !std::ranges::binary_search(deleted, *key)) kept.push_back(std::move(item));
  }
  list = std::move(kept);
  return PlainItems{std::move(plain), replace};
}

PatchResult<MergedList> MergeListOfMaps(JsonArray list, JsonArray patch, const Schema& schema) {
  const std::string_view merge_key = schema.patch_merge_key;
  if (merge_key.empty()) {
    return FailPatch(Kind::kInternal, "cannot merge lists without merge key for {}",
                     schema.items->type == Schema::Type::kObject ? "struct" : "interface");
  }
  const std::size_t room = list.size();
  auto done = DoDirectives(list, std::move(patch), merge_key);
  if (!done) return Pass(done);
  const JsonArray& plain = done->items;
  if (done->replaces) {
    // The list of the server is still the one that gives the order to whoever orders the items anew.
    const auto plain_keys = ItemKeys(done->items, merge_key);
    if (!plain_keys) return tl::unexpected<PatchError>(plain_keys.error());
    auto ordered = InOrder(std::move(done->items), JsonArray(), *plain_keys, merge_key);
    if (!ordered) return Pass(ordered);
    auto keys = ItemKeys(list, merge_key);
    return MergedList{std::move(*ordered), keys ? std::move(*keys) : std::vector<std::string>()};
  }
  auto server_order = ItemKeys(list, merge_key);
  ItemIndex index(list, merge_key);
  std::vector<std::string> appended;
  for (const Json& item : plain) {
    auto key = ItemKey(item, merge_key);
    if (!key) return Pass(key);
    const auto found = index.Find(*key);
    if (!found) return tl::unexpected<PatchError>(found.error());
    if (*found) {
      auto merged = MergeMap(std::move(list[**found].get_object()), item.get_object(), *schema.items);
      if (!merged) return Pass(merged);
      list[**found] = std::move(*merged);
    } else {
      index.Add(*key, list.size());
      list.push_back(item);
      appended.push_back(std::move(*key));
    }
  }
  if (!server_order) return Pass(server_order);
  auto ordered = InOrder(std::move(list), plain, *server_order, merge_key);
  if (!ordered) return Pass(ordered);
  // Go's append puts new items into the room that deleted ones have left, where the caller's list still sees them.
  for (std::string& key : appended) {
    if (server_order->size() >= room) break;
    server_order->push_back(std::move(key));
  }
  return MergedList{std::move(*ordered), std::move(*server_order)};
}

PatchResult<MergedList> MergeList(JsonArray list, JsonArray patch, const Schema& schema, ListRole role) {
  if (!schema.patch_merges && role == ListRole::kItems) {
    auto server_order = ItemKeys(list, schema.patch_merge_key);
    return MergedList{std::move(patch), server_order ? std::move(*server_order) : std::vector<std::string>()};
  }
  if (list.empty() && patch.empty()) return MergedList{};
  const auto maps = ItemsAreMaps(list, patch);
  if (!maps) return tl::unexpected<PatchError>(maps.error());
  if (*maps) return MergeListOfMaps(std::move(list), std::move(patch), schema);
  auto server_order = ItemKeys(list, {});
  if (!server_order) return Pass(server_order);
  if (role == ListRole::kDeletions) {
    const ItemIndex deleted(patch, {});
    JsonArray kept;
    for (std::size_t at = 0; at < list.size(); ++at) {
      if (!*deleted.Find((*server_order)[at])) kept.push_back(std::move(list[at]));
    }
    return MergedList{std::move(kept), std::move(*server_order)};
  }
  if (!schema.patch_merge_key.empty()) return FailOfType("map[string]interface {}", list.empty() ? patch[0] : list[0]);
  list.insert(list.end(), patch.begin(), patch.end());
  Deduplicate(list);
  auto ordered = InOrder(std::move(list), patch, *server_order, {});
  if (!ordered) return Pass(ordered);
  return MergedList{std::move(*ordered), std::move(*server_order)};
}

// Merges one list that $setElementOrder names, and takes both out of the patch.
Done MergeOrderedList(JsonObject& object, JsonObject& patch, const std::string& directive, const Schema& schema) {
  const Json order = patch.at(directive);
  patch.stable_erase(patch.find(directive));
  if (!order.is_array()) return FailOfType("[]interface {}", order);
  auto name = ListOfDirective(directive, kElementOrder);
  if (!name) return Pass(name);
  Json* have = object.if_contains(*name);
  Json* sent = patch.if_contains(*name);
  if (have != nullptr && !have->is_array()) return FailOfType("[]interface {}", *have);
  if (sent != nullptr && !sent->is_array()) return FailOfType("[]interface {}", *sent);
  const auto list_schema = ListSchema(schema, *name);
  if (!list_schema) return tl::unexpected<PatchError>(list_schema.error());
  const std::string_view merge_key = (*list_schema)->patch_merge_key;
  const JsonArray none;
  const JsonArray& items = have == nullptr ? none : have->get_array();
  const JsonArray& patch_items = sent == nullptr ? none : sent->get_array();
  if (auto checked = CheckElementOrder(patch_items, order.get_array(), merge_key); !checked) return checked;
  if (have == nullptr && sent == nullptr) return {};

  MergedList merged;
  if (have != nullptr && sent != nullptr) {
    auto result = MergeList(items, patch_items, **list_schema, ListRole::kItems);
    if (!result) return Pass(result);
    merged = std::move(*result);
  } else if (have != nullptr) {
    auto keys = ItemKeys(items, merge_key);
    if (!keys) return Pass(keys);
    merged = {items, std::move(*keys)};
  } else {
    Json plain = *sent;
    DropDirectives(plain);
    merged.items = std::move(plain.get_array());
  }
  const auto maps = ItemsAreMaps(items, patch_items);
  if (!maps) return tl::unexpected<PatchError>(maps.error());
  if (auto keys = ItemKeys(items, merge_key); *maps && !keys) return Pass(keys);
  auto ordered = InOrder(std::move(merged.items), order.get_array(), merged.server_order, merge_key);
  if (!ordered) return Pass(ordered);
  object[*name] = std::move(*ordered);
  if (sent != nullptr) patch.stable_erase(patch.find(*name));
  return {};
}

// Merges `value` into the member that is there, of the same type.
Done MergeMember(JsonObject& object, const std::string& name, Json value, const Schema& schema, ListRole role) {
  Json& have = object[name];
  if (have.is_object()) {
    const auto member = MemberSchema(schema, name);
    if (!member) return tl::unexpected<PatchError>(member.error());
    if ((*member)->patch_replaces) {
      have = std::move(value);
      return {};
    }
    auto merged = MergeMap(std::move(have.get_object()), std::move(value.get_object()), **member);
    if (!merged) return Pass(merged);
    have = std::move(*merged);
    return {};
  }
  const auto list = ListSchema(schema, name);
  if (!list) return tl::unexpected<PatchError>(list.error());
  auto merged = MergeList(std::move(have.get_array()), std::move(value.get_array()), **list, role);
  if (!merged) return Pass(merged);
  have = std::move(merged->items);
  return {};
}

PatchResult<Json> MergeMap(JsonObject object, JsonObject patch, const Schema& schema) {
  if (const Json* directive = patch.if_contains(kDirective)) {
    if (*directive == "delete") return JsonObject();
    if (*directive != "replace") {
      return FailPatch(Kind::kInternal, "unknown patch type: {} in map: {}", GoValue(*directive), GoValue(patch));
    }
    patch.stable_erase(patch.find(kDirective));
    return patch;
  }
  if (auto retained = RetainKeys(object, patch); !retained) return Pass(retained);
  std::vector<std::string> orders;
  for (const auto& member : patch) {
    if (std::string_view(member.key()).starts_with(kElementOrder)) orders.emplace_back(member.key());
  }
  for (const std::string& directive : orders) {
    if (auto merged = MergeOrderedList(object, patch, directive, schema); !merged) return Pass(merged);
  }
  for (auto& member : patch) {
    std::string name = member.key();
    ListRole role = ListRole::kItems;
    if (name.starts_with(kDeleteFrom)) {
      auto list = ListOfDirective(name, kDeleteFrom);
      if (!list) return Pass(list);
      name = std::move(*list);
      role = ListRole::kDeletions;
    }
    Json& value = member.value();
    const Json* have = object.if_contains(name);
    if (value.is_null()) {
      if (have != nullptr) object.stable_erase(object.find(name));
    } else if (have != nullptr && have->is_structured() && have->kind() == value.kind()) {
      if (auto merged = MergeMember(object, name, std::move(value), schema, role); !merged) return Pass(merged);
    } else if (role == ListRole::kItems || (have != nullptr && have->kind() == value.kind())) {
      SetNew(object, name, std::move(value));
    }
  }
  return object;
}

}  // namespace

PatchResult<Json> StrategicMerge(Json object, Json patch, const Schema& schema) {
  if (!object.is_object() || !patch.is_object()) return FailPatch(Kind::kBadRequest, "invalid JSON document");
  return MergeMap(std::move(object.get_object()), std::move(patch.get_object()), schema);
}

}  // namespace kumiko::api
