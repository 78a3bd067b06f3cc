// The types of values as schemas describe them: which members an object has, how lists and maps merge, defaults. Made
// from Kubernetes' published OpenAPI v3 documents for the kinds that are built in, and from CustomResourceDefinitions.
// Source: OpenAPI v3 with the extensions of KEP-555 (server-side apply) and of strategic merge patches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kumiko::api {

// How the items of a list are identified when two writers' lists meet.
enum class ListType { kAtomic, kSet, kMap };

// The type of one value. Immutable; owned by the SchemaSet that read it. A schema may contain itself.
struct Schema {
  enum class Type { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean, kIntOrString };
  struct Member {
    std::string name;
    const Schema* schema = nullptr;  // never null
  };

  Type type = Type::kAny;
  std::string name;             // "io.k8s.api.core.v1.PodSpec"; empty when written in place
  std::string format;           // "int32", "date-time", "byte", ...; "quantity" for amounts, which are of kIntOrString
  std::vector<Member> members;  // of an object with known members, ordered by name
  std::vector<std::string> required;
  const Schema* items = nullptr;           // elements of a list, or values of a map (an object without members)
  bool keeps_unknown = false;              // members that the schema does not name are kept, whatever they are
  bool nullable = false;                   // null is a value of its own, not the absence of one
  ListType list_type = ListType::kAtomic;  // as server-side apply has it: kAtomic when nothing is said
  std::vector<std::string> list_map_keys;  // of ListType::kMap
  bool atomic_map = false;                 // server-side apply sets the object as a whole
  std::string patch_merge_key;             // of strategic merge patches
  bool patch_merges = false;               // a strategic merge patch merges the list instead of replacing it
  bool patch_replaces = false;             // a strategic merge patch replaces the map instead of merging it
  bool patch_retains_keys = false;         // a strategic merge patch may say which members to retain
  std::optional<Json> default_value;       // as written; see defaults.h for what is written into objects

  // The member's schema, or null when it is unknown.
  const Schema* Find(std::string_view member) const;
  const Member* FindMember(std::string_view member) const;
};

// The schema of a built-in kind, group "" for the core one, or null when no document describes it. Thread safe. The
// first call for a kind reads its schema, 2 ms; later calls are a lookup. The result lives as long as the program.
const Schema* SchemaOf(std::string_view group, std::string_view version, std::string_view kind);

}  // namespace kumiko::api
