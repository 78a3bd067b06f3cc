#include "api/patch/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "api/patch/go_text.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kMember = "managedFields";

std::string_view OperationName(Operation operation) {
  return operation == Operation::kApply ? "Apply" : "Update";
}

std::int64_t SecondsOf(const Ownership& ownership) {
  // Floor, as Go's Unix() does for times before 1970.
  if (!ownership.time) return 0;
  const std::int64_t micros = ownership.time->micros;
  return micros >= 0 ? micros / 1'000'000 : -((-micros + 999'999) / 1'000'000);
}

const Json* EntriesOf(const Json& object) {
  const Json* entries = FindPath(object, {"metadata", kMember});
  return entries != nullptr && entries->is_array() ? entries : nullptr;
}

Result<Ownership> ReadEntry(const Json& entry, std::size_t at) {
  Ownership ownership;
  const std::string_view operation = StringAt(entry, {"operation"});
  if (operation != "Apply" && operation != "Update") {
    return Fail(Code::kInvalidArgument, "operation must be `Apply` or `Update`");
  }
  ownership.api_version = StringAt(entry, {"apiVersion"});
  if (ownership.api_version.empty()) return Fail(Code::kInvalidArgument, "apiVersion must not be empty");
  const std::string_view fields_type = StringAt(entry, {"fieldsType"});
  if (fields_type.empty()) {
    return Fail(Code::kInvalidArgument, "missing fieldsType in managed fields entry {}", at);
  }
  if (fields_type != "FieldsV1") {
    return Fail(Code::kInvalidArgument, "invalid fieldsType {} in managed fields entry {}", GoQuoted(fields_type), at);
  }
  ownership.manager.name = StringAt(entry, {"manager"});
  ownership.manager.operation = operation == "Apply" ? Operation::kApply : Operation::kUpdate;
  if (ownership.manager.operation == Operation::kUpdate) ownership.manager.api_version = ownership.api_version;
  ownership.manager.subresource = StringAt(entry, {"subresource"});
  const Json* fields = Find(entry, "fieldsV1");
  if (fields != nullptr && !fields->is_null()) {
    KU_TRY(ownership.fields, ParseFieldsV1(*fields), "managed fields entry {} of {}", at, ownership.manager.name);
  }
  if (const std::string_view text = StringAt(entry, {"time"}); !text.empty()) {
    KU_TRY(ownership.time, ParseRfc3339(text), "managed fields entry {} of {}", at, ownership.manager.name);
  }
  return ownership;
}

JsonObject WriteEntry(const Ownership& ownership) {
  JsonObject entry;
  if (!ownership.manager.name.empty()) entry["manager"] = ownership.manager.name;
  entry["operation"] = OperationName(ownership.manager.operation);
  entry["apiVersion"] = ownership.api_version;
  if (ownership.time) entry["time"] = FormatRfc3339(*ownership.time);
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = WriteFieldsV1(ownership.fields);
  if (!ownership.manager.subresource.empty()) entry["subresource"] = ownership.manager.subresource;
  return entry;
}

}  // namespace

std::string Manager::Id() const {
  std::string id = "{";
  const auto add = [&](std::string_view member, std::string_view value) {
    if (!value.empty()) id += fmt::format("{}\"{}\":{}", id.size() > 1 ? "," : "", member, GoJson(Json(value)));
  };
  add("manager", name);
  add("operation", OperationName(operation));
  add("apiVersion", api_version);
  add("subresource", subresource);
  return id + "}";
}

Result<ManagedFields> ReadManagedFields(const Json& object) {
  ManagedFields managed;
  const Json* entries = EntriesOf(object);
  if (entries == nullptr) return managed;
  for (std::size_t at = 0; at < entries->get_array().size(); ++at) {
    KU_TRY(Ownership ownership, ReadEntry(entries->get_array()[at], at));
    std::string id = ownership.manager.Id();
    managed.insert_or_assign(std::move(id), std::move(ownership));
  }
  return managed;
}

void WriteManagedFields(const ManagedFields& managed, Json& object) {
  RemoveManagedFields(object);
  JsonObject* members = object.if_object();
  if (managed.empty() || members == nullptr) return;
  std::vector<const Ownership*> ordered;
  for (const auto& [id, ownership] : managed) ordered.push_back(&ownership);
  const auto rank = [](const Ownership* ownership) {
    const Manager& manager = ownership->manager;
    return std::make_tuple(manager.operation, SecondsOf(*ownership), std::string_view(manager.name),
                           std::string_view(ownership->api_version), std::string_view(manager.subresource));
  };
  std::ranges::stable_sort(ordered, [&](const Ownership* a, const Ownership* b) { return rank(a) < rank(b); });
  JsonArray entries;
  for (const Ownership* ownership : ordered) entries.push_back(WriteEntry(*ownership));
  Json& metadata = (*members)["metadata"];
  if (!metadata.is_object()) metadata = JsonObject();
  metadata.get_object()[kMember] = std::move(entries);
}

void RemoveManagedFields(Json& object) {
  JsonObject* members = object.if_object();
  Json* metadata = members == nullptr ? nullptr : members->if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  const auto found = metadata->get_object().find(kMember);
  if (found != metadata->get_object().end()) metadata->get_object().stable_erase(found);
}

bool ResetsManagedFields(const Json& object) {
  const Json* entries = EntriesOf(object);
  if (entries == nullptr) return false;
  const JsonArray& list = entries->get_array();
  if (list.empty()) return true;
  return list.size() == 1 && list[0].is_object() && list[0].get_object().empty();
}

void MergeOldUpdates(ManagedFields& managed) {
  std::vector<std::string> updaters;
  for (const auto& [id, ownership] : managed) {
    if (ownership.manager.operation == Operation::kUpdate) updaters.push_back(id);
  }
  std::size_t count = updaters.size();
  if (count <= kMaxUpdateManagers) return;
  std::ranges::stable_sort(updaters, [&](const std::string& a, const std::string& b) {
    return SecondsOf(managed.at(a)) < SecondsOf(managed.at(b));
  });
  std::map<std::string, std::string> first_of_version;
  for (const std::string& id : updaters) {
    if (count <= kMaxUpdateManagers) break;
    const Ownership old = managed.at(id);
    const auto [first, is_first] = first_of_version.emplace(old.api_version, id);
    if (is_first) continue;  // it is merged when a second one of its version is
    const Manager ancient{"ancient-changes", Operation::kUpdate, old.api_version, ""};
    const std::string ancient_id = ancient.Id();
    if (!managed.contains(ancient_id)) {
      Ownership bucket = managed.at(first->second);
      bucket.manager = ancient;
      managed.erase(first->second);
      managed.emplace(ancient_id, std::move(bucket));
    }
    Ownership& bucket = managed.at(ancient_id);
    bucket.fields = Union(old.fields, bucket.fields);
    bucket.time = old.time;  // the later of the two
    managed.erase(id);
    --count;
  }
}

std::string DescribeManager(const Manager& manager) {
  std::string text = GoQuoted(manager.name);
  if (!manager.subresource.empty()) text += fmt::format(" with subresource {}", GoQuoted(manager.subresource));
  if (manager.operation == Operation::kUpdate) text += fmt::format(" using {}", manager.api_version);
  return text;
}

}  // namespace kumiko::api
