#include "api/schema/definition_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/schema/go_error_text.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kDns1035Rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

bool IsDns1035Label(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_alphanumeric = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 63 && is_lower(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool IsDomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  return std::ranges::all_of(Split(text, '.'), [](std::string_view label) {
    return !label.empty() && label.front() != '-' && label.back() != '-' &&
           label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
  });
}

bool IsTrue(const Json& json, std::string_view key) {
  const Json* value = Find(json, key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const JsonArray& ListAt(const Json& json, std::string_view key) {
  static const JsonArray none;
  const Json* value = Find(json, key);
  return value == nullptr || !value->is_array() ? none : value->get_array();
}

class Checker {
 public:
  explicit Checker(const Json& definition) : spec_(ObjectAt(definition, "spec")) {}

  void Check(const Json& definition, const Json* old) {
    const std::string wanted = fmt::format("{}.{}", StringAt(spec_, {"names", "plural"}), StringAt(spec_, {"group"}));
    const std::string_view name = StringAt(definition, {"metadata", "name"});
    if (!name.empty() && name != wanted) {
      errors_.push_back(InvalidValue("metadata.name", Json(name), R"(must be spec.names.plural+"."+spec.group)"));
    }
    CheckGroupAndScope();
    CheckVersions();
    CheckNames(ObjectAt(spec_, "names"), "spec.names");
    CheckConversion();
    if (old != nullptr) CheckUnchanged(ObjectAt(*old, "spec"));
  }

  const JsonArray& versions() const { return ListAt(spec_, "versions"); }
  std::vector<FieldError> Take() { return std::move(errors_); }

 private:
  static const Json& ObjectAt(const Json& json, std::string_view key) {
    static const Json none = JsonObject();
    const Json* value = Find(json, key);
    return value == nullptr || !value->is_object() ? none : *value;
  }

  void Required(const std::string& path, std::string_view why = "") { errors_.push_back(RequiredValue(path, why)); }

  void CheckGroupAndScope() {
    const std::string_view group = StringAt(spec_, {"group"});
    if (group.empty()) {
      Required("spec.group");
    } else if (!IsDomain(group)) {
      errors_.push_back(
          InvalidValue("spec.group", Json(group),
                       "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
                       "and must start "
                       "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
                       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
    } else if (group.find('.') == std::string_view::npos) {
      errors_.push_back(InvalidValue("spec.group", Json(group), "should be a domain with at least one dot"));
    }
    static const std::vector<std::string> scopes = {"Cluster", "Namespaced"};
    const std::string_view scope = StringAt(spec_, {"scope"});
    if (scope.empty()) {
      Required("spec.scope");
    } else if (std::ranges::find(scopes, scope) == scopes.end()) {
      errors_.push_back(UnsupportedValue("spec.scope", Json(scope), scopes));
    }
  }

  // What all versions say alike is one thing to the API server, whose errors name it so.
  bool IsSameInAllVersions(std::string_view member) const {
    const JsonArray& versions = ListAt(spec_, "versions");
    const Json* first = versions.empty() ? nullptr : Find(versions[0], member);
    return first != nullptr && std::ranges::all_of(versions, [&](const Json& version) {
             const Json* mine = Find(version, member);
             return mine != nullptr && *mine == *first;
           });
  }

  void CheckVersions() {
    const JsonArray& versions = ListAt(spec_, "versions");
    for (std::size_t index = 0; index < versions.size(); ++index) {
      if (FindPath(versions[index], {"schema", "openAPIV3Schema"}) == nullptr) {
        Required(fmt::format("spec.versions[{}].schema.openAPIV3Schema", index));
      }
    }
    int stored = 0;
    std::set<std::string_view> names;
    bool unique = true;
    for (std::size_t index = 0; index < versions.size(); ++index) {
      const Json& version = versions[index];
      if (IsTrue(version, "storage")) ++stored;
      const std::string_view name = StringAt(version, {"name"});
      unique = names.insert(name).second && unique;
      const std::string at = fmt::format("spec.versions[{}]", index);
      if (!IsDns1035Label(name)) errors_.push_back(InvalidValue(at + ".name", Json(name), kDns1035Rule));
      if (!IsSameInAllVersions("schema")) CheckSchema(version, at + ".schema");
      if (!IsSameInAllVersions("subresources")) CheckSubresources(version, at + ".subresources");
      if (!IsSameInAllVersions("additionalPrinterColumns")) CheckColumns(version, at + ".additionalPrinterColumns");
    }
    if (!unique) {
      errors_.push_back(InvalidValue("spec.versions", *Find(spec_, "versions"), "must contain unique version names"));
    }
    if (stored != 1) {
      errors_.push_back(
          {"spec.versions", fmt::format("Invalid value: {}: must have exactly one version marked as storage "
                                        "version",
                                        WriteJson(VersionsInGo()))});
    }
    if (versions.empty()) return;
    if (IsSameInAllVersions("schema")) CheckSchema(versions[0], "spec.validation");
    if (IsSameInAllVersions("subresources")) CheckSubresources(versions[0], "spec.subresources");
    if (IsSameInAllVersions("additionalPrinterColumns")) CheckColumns(versions[0], "spec.additionalPrinterColumns");
  }

  // As the API server's own form has them: what is the same in all versions stands beside the list.
  Json VersionsInGo() const {
    JsonArray shown;
    for (const Json& version : ListAt(spec_, "versions")) {
      const auto member = [&](std::string_view name) {
        const Json* value = Find(version, name);
        return value == nullptr || IsSameInAllVersions(name) ? Json() : *value;
      };
      const Json* warning = Find(version, "deprecationWarning");
      shown.push_back(JsonObject{{"Name", StringAt(version, {"name"})},
                                 {"Served", IsTrue(version, "served")},
                                 {"Storage", IsTrue(version, "storage")},
                                 {"Deprecated", IsTrue(version, "deprecated")},
                                 {"DeprecationWarning", warning == nullptr ? Json() : *warning},
                                 {"Schema", member("schema")},
                                 {"Subresources", member("subresources")},
                                 {"AdditionalPrinterColumns", member("additionalPrinterColumns")},
                                 {"SelectableFields", member("selectableFields")}});
    }
    return shown;
  }

  void CheckSchema(const Json& version, const std::string& path) {
    const Json* schema = FindPath(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) return;
    for (FieldError& error : CheckDefinitionSchema(*schema, path + ".openAPIV3Schema"))
      errors_.push_back(std::move(error));
  }

  void CheckPath(const std::string& at, std::string_view text) {
    // As the API server limits paths to plain fields.
    const bool simple =
        text.starts_with('.') && std::ranges::all_of(Split(text.substr(1), '.'), [](std::string_view part) {
          return !part.empty() && part.find_first_of("{}'\"$@*") == std::string_view::npos;
        });
    if (!simple) errors_.push_back(InvalidValue(at, Json(text), "must be a simple json path starting with ."));
  }

  void CheckSubresources(const Json& version, const std::string& path) {
    const Json* scale = FindPath(version, {"subresources", "scale"});
    if (scale == nullptr || !scale->is_object()) return;
    const auto check = [&](std::string_view member, std::string_view prefix) {
      const std::string at = fmt::format("{}.scale.{}", path, member);
      const std::string_view text = StringAt(*scale, {member});
      if (text.empty()) return Required(at);
      CheckPath(at, text);
      if (!text.starts_with(prefix)) {
        errors_.push_back(InvalidValue(
            at, Json(text), fmt::format("should be a json path under {}", prefix.substr(0, prefix.size() - 1))));
      }
    };
    check("specReplicasPath", ".spec.");
    check("statusReplicasPath", ".status.");
  }

  void CheckColumns(const Json& version, const std::string& path) {
    static const std::vector<std::string_view> types = {"boolean", "date", "integer", "number", "string"};
    const JsonArray& columns = ListAt(version, "additionalPrinterColumns");
    for (std::size_t index = 0; index < columns.size(); ++index) {
      const std::string at = fmt::format("{}[{}]", path, index);
      const std::string_view type = StringAt(columns[index], {"type"});
      const std::string must = fmt::format("must be one of {}", fmt::join(types, ","));
      if (StringAt(columns[index], {"name"}).empty()) Required(at + ".name");
      if (type.empty()) {
        Required(at + ".type", must);
      } else if (std::ranges::find(types, type) == types.end()) {
        errors_.push_back(InvalidValue(at + ".type", Json(type), must));
      }
      const std::string_view json_path = StringAt(columns[index], {"jsonPath"});
      if (json_path.empty()) {
        Required(at + ".JSONPath");
      } else if (!json_path.starts_with('.')) {
        errors_.push_back(
            InvalidValue(at + ".JSONPath", Json(json_path), "must be a simple json path starting with ."));
      }
    }
  }

  void CheckNames(const Json& names, const std::string& path) {
    for (const std::string_view member : {"plural", "singular", "kind", "listKind"}) {
      const std::string_view text = StringAt(names, {member});
      const bool mixed = member == "kind" || member == "listKind";
      if (text.empty()) {
        Required(fmt::format("{}.{}", path, member));
      } else if (!IsDns1035Label(mixed ? ToLower(text) : std::string(text))) {
        errors_.push_back(
            InvalidValue(fmt::format("{}.{}", path, member), Json(text),
                         mixed ? fmt::format("may have mixed case, but should otherwise match: {}", kDns1035Rule)
                               : std::string(kDns1035Rule)));
      }
    }
    for (const std::string_view member : {"shortNames", "categories"}) {
      const JsonArray& list = ListAt(names, member);
      for (std::size_t index = 0; index < list.size(); ++index) {
        if (!list[index].is_string() || IsDns1035Label(list[index].get_string())) continue;
        errors_.push_back(InvalidValue(fmt::format("{}.{}[{}]", path, member, index), list[index], kDns1035Rule));
      }
    }
    const std::string_view kind = StringAt(names, {"kind"});
    if (!kind.empty() && kind == StringAt(names, {"listKind"})) {
      errors_.push_back(InvalidValue(path + ".listKind", Json(kind), "kind and listKind may not be the same"));
    }
  }

  void CheckConversion() {
    static const std::vector<std::string> strategies = {"None", "Webhook"};
    const std::string_view strategy = StringAt(spec_, {"conversion", "strategy"});
    if (Find(spec_, "conversion") != nullptr && std::ranges::find(strategies, strategy) == strategies.end()) {
      if (strategy.empty()) return Required("spec.conversion.strategy");
      errors_.push_back(UnsupportedValue("spec.conversion.strategy", Json(strategy), strategies));
    }
  }

  void CheckUnchanged(const Json& old_spec) {
    const auto check = [&](std::initializer_list<std::string_view> path, std::string_view at) {
      const std::string_view now = StringAt(spec_, path);
      if (now != StringAt(old_spec, path)) errors_.push_back(InvalidValue(at, Json(now), "field is immutable"));
    };
    check({"scope"}, "spec.scope");
    check({"names", "kind"}, "spec.names.kind");
    check({"group"}, "spec.group");
    check({"names", "plural"}, "spec.names.plural");
  }

  const Json& spec_;
  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> CheckDefinition(const Json& definition, const Json* old) {
  Checker checker(definition);
  checker.Check(definition, old);
  const bool stored =
      std::ranges::any_of(checker.versions(), [](const Json& version) { return IsTrue(version, "storage"); });
  std::vector<FieldError> errors = checker.Take();
  if (old == nullptr && !stored) {
    errors.push_back({"status.storedVersions", "Invalid value: null: must have at least one stored version"});
  }
  return errors;
}

}  // namespace kumiko::api
