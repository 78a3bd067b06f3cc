#include "api/patch/json_patch.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "api/patch/go_text.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

using Kind = PatchError::Kind;
using Failure = std::optional<std::string>;  // a message, or nothing when all went well

constexpr std::string_view kMissing = "missing value";

// The words of encoding/json for what it met.
std::string_view GoJsonType(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return value.is_null() ? "null" : "number";
}

int Depth(const Json& value) {
  int deepest = 0;
  if (const JsonObject* members = value.if_object()) {
    for (const auto& member : *members) deepest = std::max(deepest, Depth(member.value()));
    return deepest + 1;
  }
  if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) deepest = std::max(deepest, Depth(item));
    return deepest + 1;
  }
  return 0;
}

std::string Unescaped(std::string_view token) {
  std::string key;
  for (std::size_t at = 0; at < token.size(); ++at) {
    if (token[at] == '~' && at + 1 < token.size() && (token[at + 1] == '0' || token[at + 1] == '1')) {
      key += token[++at] == '0' ? '~' : '/';
    } else {
      key += token[at];
    }
  }
  return key;
}

// The map or list that holds what a path names, and the name of it there.
struct Place {
  Json* container = nullptr;  // null when the path leads nowhere
  std::string key;
  int depth = 0;  // of the container
};

// Position `key` in a list of `size`, which may be the end only where `past_end` allows. Errors are texts.
tl::expected<std::size_t, std::string> IndexIn(std::size_t size, const std::string& key) {
  const auto number = GoAtoi(key);
  if (!number) return tl::unexpected<std::string>(number.error());
  const auto bound = static_cast<std::int64_t>(size);
  if (*number >= bound || *number < -bound) {
    return tl::unexpected<std::string>(
        fmt::format("Unable to access invalid index: {}: invalid index referenced", *number));
  }
  return static_cast<std::size_t>(*number < 0 ? *number + bound : *number);
}

Place Locate(Json& document, std::string_view path) {
  const std::vector<std::string_view> tokens = Split(path, '/');
  if (tokens.size() < 2) return {};
  Place place{&document, Unescaped(tokens.back()), 1};
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    const std::string key = Unescaped(tokens[at]);
    Json* next = nullptr;
    if (JsonObject* members = place.container->if_object()) {
      next = members->if_contains(key);
    } else {
      JsonArray& items = place.container->get_array();
      if (const auto index = IndexIn(items.size(), key)) next = &items[*index];
    }
    if (next == nullptr || !next->is_structured()) return {};
    place.container = next;
    ++place.depth;
  }
  return place;
}

// What stands at the place; null pointer for a member that is missing. Errors are texts.
tl::expected<Json*, std::string> Get(const Place& place) {
  if (JsonObject* members = place.container->if_object()) return members->if_contains(place.key);
  JsonArray& items = place.container->get_array();
  const auto index = IndexIn(items.size(), place.key);
  if (!index) return tl::unexpected<std::string>(index.error());
  return &items[*index];
}

Failure Insert(const Place& place, Json value) {
  if (place.depth + Depth(value) > kMaxJsonDepth) return fmt::format("nested deeper than {} levels", kMaxJsonDepth);
  if (JsonObject* members = place.container->if_object()) {
    (*members)[place.key] = std::move(value);
    return std::nullopt;
  }
  JsonArray& items = place.container->get_array();
  if (place.key == "-") {
    items.push_back(std::move(value));
    return std::nullopt;
  }
  if (const auto number = GoAtoi(place.key); !number) {
    return fmt::format("value was not a proper array index: '{}': {}", place.key, number.error());
  }
  const auto index = IndexIn(items.size() + 1, place.key);
  if (!index) return index.error();
  items.insert(items.begin() + *index, std::move(value));
  return std::nullopt;
}

Failure Erase(const Place& place) {
  if (JsonObject* members = place.container->if_object()) {
    const auto found = members->find(place.key);
    if (found == members->end()) return fmt::format("Unable to remove nonexistent key: {}: {}", place.key, kMissing);
    members->stable_erase(found);
    return std::nullopt;
  }
  JsonArray& items = place.container->get_array();
  const auto index = IndexIn(items.size(), place.key);
  if (!index) return index.error();
  items.erase(items.begin() + *index);
  return std::nullopt;
}

// One patch on its way through a document.
class Patcher {
 public:
  explicit Patcher(Json& document) : document_(document) {}

  Failure Do(const JsonObject& operation) {
    const std::string kind = Text(operation, "op").value_or("unknown");
    if (kind == "add") return Add(operation);
    if (kind == "remove") return Remove(operation);
    if (kind == "replace") return Replace(operation);
    if (kind == "move") return Move(operation);
    if (kind == "test") return Test(operation);
    if (kind == "copy") return Copy(operation);
    return fmt::format("Unexpected kind: {}", kind);
  }

 private:
  static tl::expected<std::string, std::string> Text(const JsonObject& operation, std::string_view member) {
    const Json* value = operation.if_contains(member);
    if (value == nullptr || value->is_null()) {
      return tl::unexpected<std::string>(
          fmt::format("operation{} missing {} field: {}", member == "from" ? "," : "", member, kMissing));
    }
    if (!value->is_string()) {
      return tl::unexpected<std::string>(
          fmt::format("json: cannot unmarshal {} into Go value of type string", GoJsonType(*value)));
    }
    return std::string(value->get_string());
  }

  static Json ValueOf(const JsonObject& operation) {
    const Json* value = operation.if_contains("value");
    return value == nullptr ? Json() : *value;
  }

  Failure Add(const JsonObject& operation) {
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("add operation failed to decode path: {}", kMissing);
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("add operation does not apply: doc is missing path: \"{}\": {}", *path, kMissing);
    }
    const Failure failure = Insert(place, ValueOf(operation));
    return failure ? fmt::format("error in add for path: '{}': {}", *path, *failure) : failure;
  }

  Failure Remove(const JsonObject& operation) {
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("remove operation failed to decode path: {}", kMissing);
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("remove operation does not apply: doc is missing path: \"{}\": {}", *path, kMissing);
    }
    const Failure failure = Erase(place);
    return failure ? fmt::format("error in remove for path: '{}': {}", *path, *failure) : failure;
  }

  Failure Replace(const JsonObject& operation) {
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("replace operation failed to decode path: {}", path.error());
    if (path->empty()) {
      Json value = ValueOf(operation);
      if (!value.is_structured()) return "replace operation value must be object or array: %!w(<nil>)";
      document_ = std::move(value);
      return std::nullopt;
    }
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("replace operation does not apply: doc is missing path: {}: {}", *path, kMissing);
    }
    const auto found = Get(place);
    if (!found) return fmt::format("replace operation does not apply: doc is missing key: {}: {}", *path, kMissing);
    if (*found == nullptr) return Insert(place, ValueOf(operation));
    Json value = ValueOf(operation);
    if (place.depth + Depth(value) > kMaxJsonDepth) return fmt::format("nested deeper than {} levels", kMaxJsonDepth);
    **found = std::move(value);
    return std::nullopt;
  }

  Failure Move(const JsonObject& operation) {
    const auto from = Text(operation, "from");
    if (!from) return fmt::format("move operation failed to decode from: {}", from.error());
    const Place source = Locate(document_, *from);
    if (source.container == nullptr) {
      return fmt::format("move operation does not apply: doc is missing from path: {}: {}", *from, kMissing);
    }
    const auto found = Get(source);
    if (!found) return fmt::format("error in move for path: '{}': {}", source.key, found.error());
    Json value = *found == nullptr ? Json() : **found;
    if (const Failure failure = Erase(source)) {
      return fmt::format("error in move for path: '{}': {}", source.key, *failure);
    }
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("move operation failed to decode path: {}", path.error());
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("move operation does not apply: doc is missing destination path: {}: {}", *path, kMissing);
    }
    const Failure failure = Insert(place, std::move(value));
    return failure ? fmt::format("error in move for path: '{}': {}", *path, *failure) : failure;
  }

  Failure Copy(const JsonObject& operation) {
    const auto from = Text(operation, "from");
    if (!from) return fmt::format("copy operation failed to decode from: {}", from.error());
    const Place source = Locate(document_, *from);
    if (source.container == nullptr) {
      return fmt::format("copy operation does not apply: doc is missing from path: {}: {}", *from, kMissing);
    }
    const auto found = Get(source);
    if (!found) return fmt::format("error in copy for from: '{}': {}", *from, found.error());
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("copy operation failed to decode path: {}", kMissing);
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("copy operation does not apply: doc is missing destination path: {}: {}", *path, kMissing);
    }
    Json value = *found == nullptr ? Json() : **found;
    if (!value.is_null()) copied_bytes_ += WriteJson(value).size();
    if (copied_bytes_ > kMaxJsonPatchCopyBytes) {
      return fmt::format(
          "Unable to complete the copy, the accumulated size increase of copy is {}, exceeding the limit {}",
          copied_bytes_, kMaxJsonPatchCopyBytes);
    }
    const Failure failure = Insert(place, std::move(value));
    return failure ? fmt::format("error while adding value during copy: {}", *failure) : failure;
  }

  Failure Test(const JsonObject& operation) {
    const auto path = Text(operation, "path");
    if (!path) return fmt::format("test operation failed to decode path: {}", path.error());
    const Json* expected = operation.if_contains("value");
    const std::string failed = fmt::format("testing value {} failed: test failed", *path);
    if (path->empty()) return expected != nullptr && *expected == document_ ? Failure() : failed;
    const Place place = Locate(document_, *path);
    if (place.container == nullptr) {
      return fmt::format("test operation does not apply: is missing path: {}: {}", *path, kMissing);
    }
    const auto found = Get(place);
    if (!found) return fmt::format("error in test for path: '{}': {}", *path, found.error());
    const bool wants_null = expected == nullptr || expected->is_null();
    const bool is_null = *found == nullptr || (*found)->is_null();
    if (wants_null || is_null) return wants_null && is_null ? Failure() : failed;
    return **found == *expected ? Failure() : failed;
  }

  Json& document_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace

PatchResult<std::vector<std::string>> CheckJsonPatch(const Json& patch) {
  constexpr std::string_view kType = "handlers.jsonPatchOp";
  std::vector<std::string> unknown;
  if (patch.is_null()) return unknown;
  const JsonArray* operations = patch.if_array();
  if (operations == nullptr) {
    return FailPatch(Kind::kBadRequest, "error decoding patch: json: cannot unmarshal {} into Go value of type []{}",
                     GoJsonType(patch), kType);
  }
  for (std::size_t at = 0; at < operations->size(); ++at) {
    const Json& operation = (*operations)[at];
    if (operation.is_null()) continue;
    const JsonObject* members = operation.if_object();
    if (members == nullptr) {
      return FailPatch(Kind::kBadRequest, "error decoding patch: json: cannot unmarshal {} into Go value of type {}",
                       GoJsonType(operation), kType);
    }
    for (const auto& member : *members) {
      const std::string_view name = member.key();
      if (name == "value") continue;
      if (name != "op" && name != "path" && name != "from") {
        unknown.push_back(fmt::format("json patch unknown field \"[{}].{}\"", at, name));
      } else if (!member.value().is_string() && !member.value().is_null()) {
        return FailPatch(Kind::kBadRequest,
                         "error decoding patch: json: cannot unmarshal {} into Go struct field jsonPatchOp.{} of type "
                         "string",
                         GoJsonType(member.value()), name);
      }
    }
  }
  return unknown;
}

PatchResult<Json> ApplyJsonPatch(Json document, const Json& patch) {
  if (patch.is_null()) return document;
  const JsonArray* operations = patch.if_array();
  if (operations == nullptr) {
    return FailPatch(Kind::kBadRequest, "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
                     GoJsonType(patch));
  }
  for (const Json& operation : *operations) {
    if (operation.is_object() || operation.is_null()) continue;
    return FailPatch(Kind::kBadRequest, "json: cannot unmarshal {} into Go value of type jsonpatch.Operation",
                     GoJsonType(operation));
  }
  if (operations->size() > kMaxJsonPatchOperations) {
    return FailPatch(Kind::kTooLarge, "The allowed maximum operations in a JSON patch is {}, got {}",
                     kMaxJsonPatchOperations, operations->size());
  }
  const JsonObject none;
  Patcher patcher(document);
  for (const Json& operation : *operations) {
    const JsonObject* members = operation.if_object();
    if (const Failure failure = patcher.Do(members == nullptr ? none : *members)) {
      return FailPatch(Kind::kUnprocessable, "{}", *failure);
    }
  }
  return document;
}

}  // namespace kumiko::api
