#include "localcluster/service_strategy.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/defaults.h"

namespace kumiko::localcluster {
namespace {

using api::TextAt;

bool HasMember(const JsonObject& object, std::string_view name) {
  const Json* member = object.if_contains(name);
  return member != nullptr && !member->is_null() && !(member->is_string() && member->get_string().empty());
}

bool SameMember(const JsonObject& a, const JsonObject& b, std::string_view name) {
  if (!HasMember(a, name) || !HasMember(b, name)) return HasMember(a, name) == HasMember(b, name);
  return a.at(name) == b.at(name);
}

void CopyIfMissing(const JsonObject& from, JsonObject& to, std::string_view name) {
  if (!HasMember(to, name) && HasMember(from, name)) to[name] = from.at(name);
}

// The defaults are not written yet.
std::string TypeOf(const JsonObject& spec) {
  const std::string type(TextAt(spec, "type"));
  return type.empty() ? "ClusterIP" : type;
}

bool HasAddress(const JsonObject& spec) {
  return TypeOf(spec) != "ExternalName";
}

bool HasNodePorts(const JsonObject& spec) {
  return TypeOf(spec) == "NodePort" || TypeOf(spec) == "LoadBalancer";
}

bool HasHealthCheckPort(const JsonObject& spec) {
  return TypeOf(spec) == "LoadBalancer" && TextAt(spec, "externalTrafficPolicy") == "Local";
}

bool IsReachedFromOutside(const JsonObject& spec) {
  const Json* addresses = spec.if_contains("externalIPs");
  const bool has_external = addresses != nullptr && addresses->is_array() && !addresses->get_array().empty();
  return HasNodePorts(spec) || (TypeOf(spec) == "ClusterIP" && has_external);
}

JsonArray PortsOf(const JsonObject& spec) {
  const Json* ports = spec.if_contains("ports");
  return ports != nullptr && ports->is_array() ? ports->get_array() : JsonArray();
}

std::int64_t NodePortOf(const Json& port) {
  const Json* number = Find(port, "nodePort");
  return number != nullptr && number->is_int64() ? number->get_int64() : 0;
}

std::set<std::int64_t> NodePortsOf(const JsonObject& spec) {
  std::set<std::int64_t> numbers;
  for (const Json& port : PortsOf(spec)) {
    if (NodePortOf(port) != 0) numbers.insert(NodePortOf(port));
  }
  return numbers;
}

// Ports keep their node port by name.
void KeepNodePorts(const JsonObject& before, JsonObject& after) {
  JsonArray* ports = api::ListAt(after, "ports");
  if (ports == nullptr) return;
  std::set<std::int64_t> used = NodePortsOf(after);
  for (Json& port : *ports) {
    if (!port.is_object() || NodePortOf(port) != 0) continue;
    for (const Json& old : PortsOf(before)) {
      if (StringAt(old, {"name"}) != StringAt(port, {"name"}) || NodePortOf(old) == 0) continue;
      if (used.insert(NodePortOf(old)).second) port.get_object()["nodePort"] = NodePortOf(old);
    }
  }
}

void KeepAssigned(const JsonObject& before, JsonObject& after) {
  if (HasAddress(before) && HasAddress(after)) {
    for (const std::string_view name : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      CopyIfMissing(before, after, name);
    }
  }
  if (HasNodePorts(before) && HasNodePorts(after)) KeepNodePorts(before, after);
  if (HasHealthCheckPort(before) && HasHealthCheckPort(after)) CopyIfMissing(before, after, "healthCheckNodePort");
}

// A client that knows only the one address changes only that.
void FollowAddress(const JsonObject& before, JsonObject& after) {
  const std::string address(TextAt(after, "clusterIP"));
  if (address == TextAt(before, "clusterIP") || !SameMember(before, after, "clusterIPs")) return;
  if (address.empty()) {
    after.erase("clusterIPs");
  } else {
    after["clusterIPs"] = JsonArray{Json(std::string_view(address))};
  }
}

void DropIfSame(const JsonObject& before, JsonObject& after, std::string_view name) {
  if (SameMember(before, after, name)) after.erase(name);
}

void DropWhatTheTypeHasNot(const JsonObject& before, JsonObject& after) {
  if (HasAddress(before) && !HasAddress(after)) {
    const bool same = SameMember(before, after, "clusterIP") && SameMember(before, after, "clusterIPs");
    for (const std::string_view name : {"clusterIP", "clusterIPs"}) {
      if (same) after.erase(name);
    }
    for (const std::string_view name : {"ipFamilies", "ipFamilyPolicy"}) DropIfSame(before, after, name);
  }
  if (HasNodePorts(before) && !HasNodePorts(after)) {
    const std::set<std::int64_t> old_ports = NodePortsOf(before);
    const std::set<std::int64_t> ports = NodePortsOf(after);
    if (std::ranges::includes(old_ports, ports)) {
      api::ForEachMap(after, "ports", [](JsonObject& port) { port.erase("nodePort"); });
    }
  }
  if (HasHealthCheckPort(before) && !HasHealthCheckPort(after)) DropIfSame(before, after, "healthCheckNodePort");
  if (TypeOf(before) == "LoadBalancer" && TypeOf(after) != "LoadBalancer") {
    for (const std::string_view name : {"allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
      DropIfSame(before, after, name);
    }
  }
  if (IsReachedFromOutside(before) && !IsReachedFromOutside(after)) {
    DropIfSame(before, after, "externalTrafficPolicy");
  }
}

}  // namespace

void ChooseFamilies(Json& service) {
  JsonObject* spec = api::MapAt(service.as_object(), "spec");
  if (spec == nullptr || !HasAddress(*spec)) return;
  const JsonObject* selector = api::MapAt(*spec, "selector");
  // Its endpoints are somebody else's, of whichever family.
  const bool both = TextAt(*spec, "clusterIP") == "None" && (selector == nullptr || selector->empty());
  api::DefaultMember(*spec, "ipFamilyPolicy", both ? "RequireDualStack" : "SingleStack");
  const JsonArray* families = api::ListAt(*spec, "ipFamilies");
  if (families == nullptr || families->empty()) {
    const bool dual = both && TextAt(*spec, "ipFamilyPolicy") != "SingleStack";
    (*spec)["ipFamilies"] = dual ? JsonArray{"IPv4", "IPv6"} : JsonArray{"IPv4"};
  }
  const std::string address(TextAt(*spec, "clusterIP"));
  if (!address.empty()) api::DefaultMember(*spec, "clusterIPs", JsonArray{Json(std::string_view(address))});
}

void KeepService(const Json& before, Json& after) {
  const Json* old_spec = Find(before, "spec");
  JsonObject* spec = api::MakeMapAt(after.as_object(), "spec");
  if (old_spec == nullptr || !old_spec->is_object() || spec == nullptr) return;
  KeepAssigned(old_spec->get_object(), *spec);
  FollowAddress(old_spec->get_object(), *spec);
  DropWhatTheTypeHasNot(old_spec->get_object(), *spec);
  if (TypeOf(*spec) != "LoadBalancer" && FindPath(after, {"status", "loadBalancer"}) != nullptr) {
    after.at("status").as_object()["loadBalancer"] = JsonObject();
  }
}

}  // namespace kumiko::localcluster
