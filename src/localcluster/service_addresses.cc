#include "localcluster/service_addresses.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>

#include "api/defaults.h"

namespace kumiko::localcluster {
namespace {

constexpr std::uint32_t kFirstAddress = 0x0A600001;  // 10.96.0.1
constexpr std::uint32_t kAddresses = 65534;
constexpr std::int64_t kFirstNodePort = 30000;
constexpr std::uint32_t kNodePorts = 2768;

std::string AddressText(std::uint32_t offset) {
  const std::uint32_t address = kFirstAddress + offset;
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF, address & 0xFF);
}

// Where the search for something free begins: far from other Services, and the same on every run.
std::uint32_t StartOf(const Json& service, std::uint32_t size) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : StringAt(service, {"metadata", "uid"})) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash % size;
}

struct Taken {
  std::set<std::string, std::less<>> addresses;
  std::set<std::int64_t> node_ports;
};

Taken TakenBy(std::span<const std::shared_ptr<const Json>> others, std::string_view uid) {
  Taken taken;
  for (const std::shared_ptr<const Json>& other : others) {
    if (StringAt(*other, {"metadata", "uid"}) == uid) continue;
    taken.addresses.emplace(StringAt(*other, {"spec", "clusterIP"}));
    const Json* ports = FindPath(*other, {"spec", "ports"});
    if (ports == nullptr || !ports->is_array()) continue;
    for (const Json& port : ports->get_array()) {
      const Json* node_port = Find(port, "nodePort");
      if (node_port != nullptr && node_port->is_int64()) taken.node_ports.insert(node_port->get_int64());
    }
  }
  return taken;
}

void AssignNodePorts(JsonObject& spec, Taken& taken, std::uint32_t start) {
  JsonArray* ports = api::ListAt(spec, "ports");
  if (ports == nullptr) return;
  for (Json& item : *ports) {
    JsonObject* port = item.if_object();
    if (port == nullptr) continue;
    const Json* given = port->if_contains("nodePort");
    if (given != nullptr && given->is_int64() && given->get_int64() != 0) continue;
    for (std::uint32_t tries = 0; tries < kNodePorts; ++tries) {
      const std::int64_t number = kFirstNodePort + (start + tries) % kNodePorts;
      if (!taken.node_ports.insert(number).second) continue;
      (*port)["nodePort"] = number;
      break;
    }
  }
}

std::vector<api::FieldError> CheckNodePorts(const JsonObject& spec) {
  std::vector<api::FieldError> errors;
  const Json* ports = spec.if_contains("ports");
  if (ports == nullptr || !ports->is_array()) return errors;
  for (std::size_t i = 0; i < ports->get_array().size(); ++i) {
    const Json* given = Find(ports->get_array()[i], "nodePort");
    const std::int64_t number = given != nullptr && given->is_int64() ? given->get_int64() : 0;
    if (number == 0 || (number >= kFirstNodePort && number < kFirstNodePort + kNodePorts)) continue;
    errors.push_back({fmt::format("spec.ports[{}].nodePort", i),
                      fmt::format("Invalid value: {}: provided port is not in the valid range. The range of valid "
                                  "ports is {}-{}",
                                  number, kFirstNodePort, kFirstNodePort + kNodePorts - 1)});
  }
  return errors;
}

}  // namespace

std::vector<api::FieldError> AssignAddresses(Json& service, std::span<const std::shared_ptr<const Json>> others) {
  JsonObject* spec = api::MapAt(service.as_object(), "spec");
  const std::string type(spec == nullptr ? "" : api::TextAt(*spec, "type"));
  if (spec == nullptr || type == "ExternalName") return {};
  Taken taken = TakenBy(others, StringAt(service, {"metadata", "uid"}));
  std::string address(api::TextAt(*spec, "clusterIP"));
  if (address.empty()) {
    const std::uint32_t start = StartOf(service, kAddresses);
    for (std::uint32_t tries = 0; tries < kAddresses && address.empty(); ++tries) {
      const std::string text = AddressText((start + tries) % kAddresses);
      if (!taken.addresses.contains(text)) address = text;
    }
    (*spec)["clusterIP"] = address;
    (*spec)["clusterIPs"] = JsonArray{Json(std::string_view(address))};
  } else if (address != "None" && taken.addresses.contains(address)) {
    return {{"spec.clusterIPs",
             fmt::format("Invalid value: [\"{0}\"]: failed to allocate IP {0}: provided IP is already allocated",
                         address)}};
  }
  if (type != "NodePort" && type != "LoadBalancer") return {};
  if (auto errors = CheckNodePorts(*spec); !errors.empty()) return errors;
  AssignNodePorts(*spec, taken, StartOf(service, kNodePorts));
  return {};
}

}  // namespace kumiko::localcluster
