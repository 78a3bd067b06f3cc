#include "localcluster/definitions.h"

#include "api/meta/object_meta.h"
#include "base/text.h"
#include "localcluster/object_tree.h"
#include "localcluster/status_tree.h"

namespace kumiko::localcluster {
namespace {

void SetCondition(Json& definition, std::string_view type, std::string_view reason, std::string_view message,
                  Time now) {
  api::Condition condition;
  condition.type = type;
  condition.status = "True";
  condition.reason = reason;
  condition.message = message;
  localcluster::SetCondition(definition, condition, now);
}

}  // namespace

std::string KindDefinedBy(const Json& definition) {
  return fmt::format("{}.{}", StringAt(definition, {"spec", "names", "kind"}), StringAt(definition, {"spec", "group"}));
}

void PrepareDefinition(Json& definition) {
  Json* spec = definition.as_object().if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return;
  if (Json* names = spec->get_object().if_contains("names"); names != nullptr && names->is_object()) {
    JsonObject& members = names->get_object();
    const std::string kind(StringAt(*names, {"kind"}));
    if (StringAt(*names, {"singular"}).empty()) members["singular"] = ToLower(kind);
    if (StringAt(*names, {"listKind"}).empty() && !kind.empty()) members["listKind"] = kind + "List";
  }
  Json& conversion = spec->get_object()["conversion"];
  if (!conversion.is_object()) conversion = JsonObject{{"strategy", "None"}};
}

void AcceptDefinition(Json& definition, Time now) {
  SetCondition(definition, "NamesAccepted", "NoConflicts", "no conflicts found", now);
  SetCondition(definition, "Established", "InitialNamesAccepted", "the initial names have been accepted", now);
  const Json* names = FindPath(definition, {"spec", "names"});
  SetStatus(definition, "acceptedNames", names == nullptr ? Json(JsonObject()) : *names);
  JsonArray stored;
  if (const Json* versions = FindPath(definition, {"spec", "versions"}); versions != nullptr && versions->is_array()) {
    for (const Json& version : versions->get_array()) {
      const Json* storage = Find(version, "storage");
      if (storage != nullptr && *storage == Json(true)) stored.emplace_back(StringAt(version, {"name"}));
    }
  }
  SetStatus(definition, "storedVersions", std::move(stored));
}

}  // namespace kumiko::localcluster
