#include "localcluster/apiserver/field_management.h"

#include <algorithm>

#include "api/conversion.h"
#include "api/schema/schema.h"
#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

constexpr std::size_t kMaxManagerLength = 128;

api::FieldSet WithMember(std::string_view name) {
  const api::PathElement element = api::PathElement::Field(name);
  api::FieldSet set;
  set.Insert(std::span(&element, 1));
  return set;
}

const api::Schema* SchemaIn(const ResourceCall& call, const api::GroupVersion& version) {
  return api::SchemaOf(version.group, version.version, call.kind.kind);
}

std::optional<api::FieldManagement::Versioned> InOtherVersion(const ResourceCall& call, const Json& object,
                                                              std::string_view api_version) {
  const auto named = [&](const api::GroupVersion& version) { return version.Text() == api_version; };
  api::GroupVersion version{call.kind.group, call.kind.version};
  if (!named(version)) {
    const auto other = std::find_if(call.kind.served_as.begin(), call.kind.served_as.end(), named);
    if (other == call.kind.served_as.end()) return std::nullopt;
    version = *other;
  }
  const api::Schema* schema = SchemaIn(call, version);
  if (call.served.custom != nullptr) {
    const CustomVersion* custom = call.served.custom->FindServed(version.version);
    schema = custom == nullptr ? nullptr : &custom->schema->type();
  }
  Result<Json> stored = ToStored(call.served, object);
  if (!stored || schema == nullptr) return std::nullopt;
  Json converted = api::FromStored(*stored, version).value_or(*stored);
  converted.as_object()["apiVersion"] = version.Text();
  return api::FieldManagement::Versioned{std::move(converted), schema};
}

}  // namespace

kube::ApiResult<std::string> FieldManagerOf(const ResourceCall& call) {
  const std::string_view given = call.info.query.Get("fieldManager");
  if (given.empty()) return api::ManagerFromUserAgent(call.http.Header("User-Agent"));
  std::string why;
  if (given.size() > kMaxManagerLength) why = fmt::format("may not be more than {} bytes", kMaxManagerLength);
  if (std::any_of(given.begin(), given.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    why = "should only contain printable characters";
  }
  if (why.empty()) return std::string(given);
  return kube::Refuse(kube::StatusReason::kInvalid, "fieldManager: Invalid value: {}: {}", WriteJson(Json(given)), why);
}

api::FieldManagement FieldManagementOf(const ResourceCall& call) {
  api::FieldManagement management;
  management.schema = call.custom() ? &call.custom()->schema->type() : SchemaIn(call, call.version);
  management.custom = call.custom() != nullptr;
  management.api_version = call.version.Text();
  management.kind = call.kind.kind;
  management.subresource = call.info.subresource;
  if (call.info.subresource == "status") {
    management.reset_fields = WithMember("spec");
  } else if (call.served.HasStatus(call.version.version)) {
    management.reset_fields = WithMember("status");
  }
  management.convert = [&call](const Json& object, std::string_view api_version) {
    return InOtherVersion(call, object, api_version);
  };
  return management;
}

void TakeManagedFields(const Json& from, Json& to) {
  JsonObject& metadata = to.as_object()["metadata"].as_object();
  if (const Json* managed = FindPath(from, {"metadata", "managedFields"})) {
    metadata["managedFields"] = *managed;
  } else {
    metadata.erase("managedFields");
  }
}

WriteOptions UpdateOptions(const ResourceCall& call, std::string manager, Time now) {
  WriteOptions options{.dry_run = call.dry_run()};
  options.finish = [&call, manager = std::move(manager), now](const Json* before, Json after) -> kube::ApiResult<Json> {
    const api::FieldManagement management = FieldManagementOf(call);
    if (management.schema == nullptr) return after;
    std::optional<Json> shown_before;
    if (before != nullptr) shown_before = call.InVersion(*before);
    const Json managed = api::UpdateManagedFields(shown_before ? &*shown_before : nullptr, call.InVersion(after),
                                                  manager, management, now);
    TakeManagedFields(managed, after);
    // A write that changes nothing but times is none.
    if (before != nullptr && api::EqualButForTimes(*before, after)) return *before;
    return after;
  };
  return options;
}

}  // namespace kumiko::localcluster
