#include "localcluster/ownership.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/conversion.h"
#include "api/schema/schema.h"

namespace kumiko::localcluster {
namespace {

api::FieldSet WithMember(std::string_view name) {
  const api::PathElement element = api::PathElement::Field(name);
  api::FieldSet set;
  set.Insert(std::span(&element, 1));
  return set;
}

const api::Schema* SchemaIn(const ServedKind& kind, const api::GroupVersion& version) {
  if (kind.custom == nullptr) return api::SchemaOf(version.group, version.version, kind.info->kind);
  const CustomVersion* custom = kind.custom->FindServed(version.version);
  return custom == nullptr ? nullptr : &custom->schema->type();
}

std::optional<api::FieldManagement::Versioned> InOtherVersion(const ServedKind& kind, const Json& object,
                                                              std::string_view api_version) {
  const auto named = [&](const api::GroupVersion& version) { return version.Text() == api_version; };
  api::GroupVersion version{kind.info->group, kind.info->version};
  if (!named(version)) {
    const auto other = std::find_if(kind.info->served_as.begin(), kind.info->served_as.end(), named);
    if (other == kind.info->served_as.end()) return std::nullopt;
    version = *other;
  }
  const api::Schema* schema = SchemaIn(kind, version);
  const Result<Json> stored = ToStored(kind, object);
  if (!stored || schema == nullptr) return std::nullopt;
  return api::FieldManagement::Versioned{InVersion(*stored, version), schema};
}

}  // namespace

std::optional<Json> InOtherVersion(const Json& stored, const api::GroupVersion& version) {
  std::optional<Json> object = api::FromStored(stored, version);
  const std::string text = version.Text();
  if (!object && StringAt(stored, {"apiVersion"}) == text) return std::nullopt;
  if (!object) object = stored;
  object->as_object()["apiVersion"] = text;
  return object;
}

Json InVersion(const Json& stored, const api::GroupVersion& version) {
  std::optional<Json> object = InOtherVersion(stored, version);
  return object ? std::move(*object) : stored;
}

api::FieldManagement FieldManagementOf(const ServedKind& kind, const api::GroupVersion& version,
                                       std::string_view subresource) {
  api::FieldManagement management;
  management.schema = SchemaIn(kind, version);
  management.custom = kind.custom != nullptr;
  management.api_version = version.Text();
  management.kind = kind.info->kind;
  management.subresource = subresource;
  if (subresource == "status") {
    management.reset_fields = WithMember("spec");
  } else if (kind.HasStatus(version.version)) {
    management.reset_fields = WithMember("status");
  }
  management.convert = [kind](const Json& object, std::string_view api_version) {
    return InOtherVersion(kind, object, api_version);
  };
  return management;
}

Owning OwnedBy(const ServedKind& kind, const api::GroupVersion& version, std::string_view subresource,
               std::string manager, Time now) {
  return [management = FieldManagementOf(kind, version, subresource), version, manager = std::move(manager), now](
             const Json* before, Json& asked) {
    if (management.schema == nullptr) return;
    const std::optional<Json> other_before = before == nullptr ? std::nullopt : InOtherVersion(*before, version);
    const Json* shown_before = other_before ? &*other_before : before;
    if (std::optional<Json> shown = InOtherVersion(asked, version)) {
      TakeManagedFields(api::UpdateManagedFields(shown_before, std::move(*shown), manager, management, now), asked);
    } else {
      asked = api::UpdateManagedFields(shown_before, std::move(asked), manager, management, now);
    }
  };
}

void TakeManagedFields(const Json& from, Json& to) {
  JsonObject& metadata = MetadataOf(to);
  if (const Json* managed = FindPath(from, {"metadata", "managedFields"})) {
    metadata["managedFields"] = *managed;
  } else {
    metadata.erase("managedFields");
  }
}

}  // namespace kumiko::localcluster
