// The values that the API server writes where a manifest says nothing. Constants are rows of one table; what depends on
// other members is one function for each type, in the folder of its group.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"

namespace kumiko::api {

struct ConstantDefault {
  std::string_view type;  // the form's name (api/forms.h)
  std::string_view member;
  std::string_view value;  // JSON
};
std::span<const ConstantDefault> ConstantDefaults();

// Called before the members of an object of this type are completed; constants come after.
struct DependentDefaults {
  std::string_view type;
  void (*write)(JsonObject& object);
};
// Of each group, in its folder.
std::span<const DependentDefaults> CoreDefaults();
std::span<const DependentDefaults> AppsDefaults();
std::span<const DependentDefaults> BatchDefaults();
std::span<const DependentDefaults> ResourceDefaults();
std::span<const DependentDefaults> OtherDefaults();

// Reading and writing members, whatever stands there.
bool IsAbsent(const JsonObject& object, std::string_view name);  // or null
// The string at `name`, or "".
std::string_view TextAt(const JsonObject& object, std::string_view name);
// The map or list at `name`, or null.
JsonObject* MapAt(JsonObject& object, std::string_view name);
JsonArray* ListAt(JsonObject& object, std::string_view name);
// The map at `name`, made when absent; null when something else stands there.
JsonObject* MakeMapAt(JsonObject& object, std::string_view name);
void DefaultMember(JsonObject& object, std::string_view name, Json value);
// The maps in the list at `name`; what else stands in it is passed over.
void ForEachMap(JsonObject& object, std::string_view name, void (*write)(JsonObject& item));

}  // namespace kumiko::api
