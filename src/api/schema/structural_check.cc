#include "api/schema/structural_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/go_error_text.h"
#include "cel/library/regex.h"

namespace kumiko::api::internal {
namespace {

enum class Level { kRoot, kItem, kField };

bool IsTrue(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

bool IsSet(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  if (value == nullptr || value->is_null()) return false;
  if (const auto* text = value->if_string()) return !text->empty();
  if (const auto* list = value->if_array()) return !list->empty();
  return true;
}

// A member of an object that is itself an object, or null.
const Json* ObjectAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

const JsonArray* ListAt(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value == nullptr ? nullptr : value->if_array();
}

std::string PropertyPath(const std::string& path, std::string_view name) {
  return fmt::format("{}.properties[{}]", path, name);
}

// anyOf: [{type: integer}, {type: string}], which may stand beside x-kubernetes-int-or-string.
bool IsIntOrString(const Json& json) {
  static const Json pattern = JsonArray{JsonObject{{"type", "integer"}}, JsonObject{{"type", "string"}}};
  const Json* any_of = Find(json, "anyOf");
  return any_of != nullptr && *any_of == pattern;
}

class Checker {
 public:
  void Check(const Json& schema, Level level, const std::string& path) {
    const std::string_view type = StringAt(schema, {"type"});
    const bool embedded = IsTrue(schema, "x-kubernetes-embedded-resource");
    if (type == "array" && ObjectAt(schema, "items") == nullptr) Required(path + ".items", "must be specified");
    CheckBelow(schema, level, path);
    CheckMarks(schema, path);
    const JsonArray* all_of = ListAt(schema, "allOf");
    CheckValues(schema, IsIntOrString(schema), all_of != nullptr && !all_of->empty() && IsIntOrString((*all_of)[0]),
                level, path);
    CheckType(schema, type, embedded, level, path);
    if (embedded && Find(schema, "additionalProperties") != nullptr) {
      Forbidden(path + ".additionalProperties", "must not be used if x-kubernetes-embedded-resource is set");
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      errors_.push_back(InvalidValue(path + ".type", Json(type), "must be object at the root"));
    }
    CheckMetaMembers(schema, level == Level::kRoot || embedded, level, path);
    if (embedded && !IsTrue(schema, "x-kubernetes-preserve-unknown-fields") && !IsSet(schema, "properties")) {
      Required(
          path + ".properties",
          "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
    }
  }

  // Every part that stands in a junctor must stand in the structure too.
  void CheckComplete(const Json& values, const Json* structure, const std::string& at, const std::string& from) {
    if (structure == nullptr) return Required(at, fmt::format("because it is defined in {}", from));
    ForJunctors(values, from, [&](const Json& part, const std::string& path, std::string_view, std::size_t) {
      CheckCompleteBelow(part, *structure, at, path);
    });
  }

  std::vector<FieldError> Take() {
    std::ranges::sort(errors_, {}, [](const FieldError& error) { return error.path + ": " + error.message; });
    return std::move(errors_);
  }

 private:
  void Required(const std::string& path, std::string_view why) { errors_.push_back(RequiredValue(path, why)); }
  void Forbidden(const std::string& path, std::string_view why) { errors_.push_back(ForbiddenValue(path, why)); }

  template <class Visit>
  static void ForJunctors(const Json& schema, const std::string& path, Visit visit) {
    for (const std::string_view junctor : {"anyOf", "allOf", "oneOf"}) {
      const JsonArray* parts = ListAt(schema, junctor);
      for (std::size_t index = 0; parts != nullptr && index < parts->size(); ++index) {
        visit((*parts)[index], fmt::format("{}.{}[{}]", path, junctor, index), junctor, index);
      }
    }
    if (const Json* negated = ObjectAt(schema, "not")) visit(*negated, path + ".not", "not", 0);
  }

  void CheckBelow(const Json& schema, Level level, const std::string& path) {
    if (const Json* items = ObjectAt(schema, "items")) Check(*items, Level::kItem, path + ".items");
    if (const Json* properties = ObjectAt(schema, "properties")) {
      for (const auto& [name, property] : properties->get_object()) {
        Check(property, Level::kField, PropertyPath(path, name));
      }
    }
    if (Find(schema, "additionalProperties") != nullptr && level == Level::kRoot) {
      Forbidden(path + ".additionalProperties", "must not be used at the root");
    }
    if (const Json* additional = ObjectAt(schema, "additionalProperties")) {
      Check(*additional, Level::kField, path + ".additionalProperties");
    }
  }

  void CheckMarks(const Json& schema, const std::string& path) {
    if (!IsTrue(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view mark : {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!IsTrue(schema, mark)) continue;
      errors_.push_back(InvalidValue(fmt::format("{}.{}", path, mark), Json(true),
                                     "must be false if x-kubernetes-int-or-string is true"));
    }
  }

  void CheckType(const Json& schema, std::string_view type, bool embedded, Level level, const std::string& path) {
    const std::string at = path + ".type";
    if (embedded && type != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-embedded-resource is true";
      errors_.push_back(type.empty() ? RequiredValue(at, kWhy) : InvalidValue(at, Json(type), kWhy));
    } else if (type.empty() && !IsTrue(schema, "x-kubernetes-int-or-string") &&
               !IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) {
      switch (level) {
        case Level::kRoot:
          return Required(at, "must not be empty at the root");
        case Level::kItem:
          return Required(at, "must not be empty for specified array items");
        case Level::kField:
          return Required(at, "must not be empty for specified object fields");
      }
    }
  }

  void CheckMetaMembers(const Json& schema, bool is_object_of_api, Level level, const std::string& path) {
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const Json* member = FindPath(schema, {"properties", name});
      if (member == nullptr || !is_object_of_api || StringAt(*member, {"type"}) == "string") continue;
      errors_.push_back(
          InvalidValue(PropertyPath(path, name) + ".type", Json(StringAt(*member, {"type"})), "must be string"));
    }
    const Json* metadata = FindPath(schema, {"properties", "metadata"});
    if (metadata == nullptr) return;
    const std::string at = PropertyPath(path, "metadata");
    if (is_object_of_api && StringAt(*metadata, {"type"}) != "object") {
      errors_.push_back(InvalidValue(at + ".type", Json(StringAt(*metadata, {"type"})), "must be object"));
    }
    if (level == Level::kRoot && !OnlyNames(*metadata)) {
      Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  static bool OnlyNames(const Json& metadata) {
    const JsonObject* object = metadata.if_object();
    if (object == nullptr) return true;
    return std::ranges::all_of(*object, [](const auto& member) {
      if (member.key() == "properties" && member.value().is_object()) {
        return std::ranges::all_of(member.value().get_object(), [](const auto& property) {
          return property.key() == "name" || property.key() == "generateName";
        });
      }
      return member.key() == "type" || member.key() == "default";
    });
  }

  void CheckValues(const Json& schema, bool any_of_is_allowed, bool first_all_of_is_allowed, Level level,
                   const std::string& path) {
    ForJunctors(schema, path,
                [&](const Json& part, const std::string& at, std::string_view junctor, std::size_t index) {
                  if (junctor == "anyOf" && any_of_is_allowed) return;
                  CheckNested(part, junctor == "allOf" && index == 0 && first_all_of_is_allowed, level, at);
                });
    const std::string_view pattern = StringAt(schema, {"pattern"});
    std::int64_t steps = cel::kPatternSteps;
    if (pattern.empty()) return;
    if (const auto compiled = cel::CompilePattern(pattern, steps); !compiled) {
      errors_.push_back(
          InvalidValue(path + ".pattern", Json(pattern),
                       fmt::format("must be a valid regular expression, but isn't: {}", compiled.error().message)));
    }
  }

  // What stands in a junctor.
  void CheckNested(const Json& part, bool any_of_is_allowed, Level level, const std::string& path) {
    CheckValues(part, any_of_is_allowed, false, level, path);
    if (const Json* items = ObjectAt(part, "items")) CheckNested(*items, false, level, path + ".items");
    if (const Json* properties = ObjectAt(part, "properties")) {
      for (const auto& [name, property] : properties->get_object()) {
        CheckNested(property, false, Level::kField, PropertyPath(path, name));
      }
    }
    struct Row {
      std::string_view member;
      std::string_view why;
    };
    constexpr Row kForbidden[] = {
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
        {"x-kubernetes-embedded-resource", "must be false to be structural"},
        {"x-kubernetes-int-or-string", "must be false to be structural"},
        {"x-kubernetes-list-map-keys", "must be empty to be structural"},
        {"x-kubernetes-list-type", "must be undefined to be structural"},
        {"x-kubernetes-map-type", "must be undefined to be structural"},
        {"x-kubernetes-validations", "must be empty to be structural"},
    };
    for (const auto& [member, why] : kForbidden) {
      const Json* value = Find(part, member);
      if (IsSet(part, member) && *value != Json(false)) Forbidden(fmt::format("{}.{}", path, member), why);
    }
    if (FindPath(part, {"properties", "metadata"}) != nullptr) {
      Forbidden(PropertyPath(path, "metadata"), "must not be specified in a nested context");
    }
  }

  void CheckCompleteBelow(const Json& part, const Json& structure, const std::string& at, const std::string& from) {
    CheckComplete(part, &structure, at, from);
    if (const Json* items = ObjectAt(part, "items")) {
      const Json* have = ObjectAt(structure, "items");
      if (have == nullptr) {
        Required(at + ".items", fmt::format("because it is defined in {}.items", from));
      } else {
        CheckCompleteBelow(*items, *have, at + ".items", from + ".items");
      }
    }
    const Json* properties = ObjectAt(part, "properties");
    if (properties == nullptr) return;
    for (const auto& [name, property] : properties->get_object()) {
      const Json* have = FindPath(structure, {"properties", name});
      if (have == nullptr) {
        Required(PropertyPath(at, name), fmt::format("because it is defined in {}", PropertyPath(from, name)));
      } else {
        CheckCompleteBelow(property, *have, PropertyPath(at, name), PropertyPath(from, name));
      }
    }
  }

  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> CheckStructural(const Json& schema, const std::string& path) {
  Checker checker;
  checker.Check(schema, Level::kRoot, path);
  checker.CheckComplete(schema, &schema, path, path);
  return checker.Take();
}

}  // namespace kumiko::api::internal
