#include <array>

#include "api/group.h"

namespace kumiko::api {

namespace {

constexpr std::array<std::string_view, 8> kExactMembers = {"deviceClassName", "selectors",        "allocationMode",
                                                           "count",           "adminAccess",      "tolerations",
                                                           "capacity",        "derivedAttributes"};

Json* MemberOf(Json* parent, std::string_view name) {
  JsonObject* object = parent == nullptr ? nullptr : parent->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

void ConvertRequest(JsonObject& request) {
  JsonObject exactly;
  for (const std::string_view name : kExactMembers) {
    if (const Json* member = request.if_contains(name)) {
      exactly.emplace(name, *member);
      request.erase(name);
    }
  }
  if (!exactly.empty()) request.emplace("exactly", std::move(exactly));
}

void ConvertClaimSpec(Json* spec) {
  Json* requests = MemberOf(MemberOf(spec, "devices"), "requests");
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& request : requests->as_array()) {
    if (request.is_object()) ConvertRequest(request.as_object());
  }
}

void ConvertSlice(Json* spec) {
  JsonObject* object = spec == nullptr ? nullptr : spec->if_object();
  if (object == nullptr) return;
  // Plain values in v1beta1, where empty and false mean unset.
  if (const Json* node_name = object->if_contains("nodeName"); node_name != nullptr && node_name->is_string()) {
    if (node_name->get_string().empty()) object->erase("nodeName");
  }
  if (const Json* all_nodes = object->if_contains("allNodes"); all_nodes != nullptr && all_nodes->is_bool()) {
    if (!all_nodes->get_bool()) object->erase("allNodes");
  }
  Json* devices = MemberOf(spec, "devices");
  if (devices == nullptr || !devices->is_array()) return;
  for (Json& item : devices->as_array()) {
    JsonObject* device = item.if_object();
    if (device == nullptr) continue;
    const Json* basic = device->if_contains("basic");
    if (basic == nullptr || !basic->is_object()) continue;
    const JsonObject members = basic->get_object();
    device->erase("basic");
    for (const auto& member : members) device->insert_or_assign(member.key(), member.value());
  }
}

void FlattenRequest(JsonObject& request) {
  const Json* exactly = request.if_contains("exactly");
  if (exactly == nullptr || !exactly->is_object()) return;
  const JsonObject members = exactly->get_object();
  request.erase("exactly");
  for (const auto& member : members) request.insert_or_assign(member.key(), member.value());
}

void FlattenClaimSpec(Json* spec) {
  Json* requests = MemberOf(MemberOf(spec, "devices"), "requests");
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& request : requests->as_array()) {
    if (request.is_object()) FlattenRequest(request.as_object());
  }
}

void WrapDevices(Json* spec) {
  Json* devices = MemberOf(spec, "devices");
  if (devices == nullptr || !devices->is_array()) return;
  for (Json& item : devices->as_array()) {
    JsonObject* device = item.if_object();
    if (device == nullptr) continue;
    JsonObject basic = *device;
    basic.erase("name");
    JsonObject wrapped;
    if (const Json* name = device->if_contains("name")) wrapped["name"] = *name;
    wrapped["basic"] = std::move(basic);
    item = std::move(wrapped);
  }
}

}  // namespace

void ConvertToV1Beta1(std::string_view kind, Json& object) {
  Json* spec = MemberOf(&object, "spec");
  if (kind == ResourceClaim::kKind) FlattenClaimSpec(spec);
  if (kind == ResourceClaimTemplate::kKind) FlattenClaimSpec(MemberOf(spec, "spec"));
  if (kind == ResourceSlice::kKind) WrapDevices(spec);
}

void ConvertFromV1Beta1(std::string_view kind, Json& object) {
  Json* spec = MemberOf(&object, "spec");
  if (kind == ResourceClaim::kKind) ConvertClaimSpec(spec);
  if (kind == ResourceClaimTemplate::kKind) ConvertClaimSpec(MemberOf(spec, "spec"));
  if (kind == ResourceSlice::kKind) ConvertSlice(spec);
}

}  // namespace kumiko::api
