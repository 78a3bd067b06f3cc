#include "api/defaults.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/base64.h"
#include "base/quantity.h"

namespace kumiko::api {

namespace {

// "latest" when neither tag nor digest is there, as for `docker pull`.
std::string_view TagOf(std::string_view image) {
  if (image.empty()) return "";
  const std::size_t at = image.find('@');
  const std::string_view name = image.substr(0, at);
  const std::size_t slash = name.rfind('/');
  const std::size_t colon = name.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) return name.substr(colon + 1);
  return at == std::string_view::npos ? "latest" : "";
}

void DefaultPullPolicy(JsonObject& object, std::string_view image, std::string_view policy) {
  DefaultMember(object, policy, TagOf(TextAt(object, image)) == "latest" ? "Always" : "IfNotPresent");
}

void DefaultContainer(JsonObject& container) {
  DefaultPullPolicy(container, "image", "imagePullPolicy");
}

void DefaultVolume(JsonObject& volume) {
  const bool has_source = std::ranges::any_of(
      volume, [](const auto& member) { return member.key() != "name" && !member.value().is_null(); });
  if (!has_source) volume["emptyDir"] = JsonObject();
  if (JsonObject* image = MapAt(volume, "image")) DefaultPullPolicy(*image, "reference", "pullPolicy");
}

// The service account has an old name and a new one, which say the same.
void DefaultPodSpec(JsonObject& spec) {
  const std::string account(TextAt(spec, TextAt(spec, "serviceAccountName").empty() ? "serviceAccount"  //
                                                                                    : "serviceAccountName"));
  if (account.empty()) return;
  spec["serviceAccountName"] = account;
  spec["serviceAccount"] = account;
}

// What `from` has and `to` lacks.
void FillMissing(JsonObject& to, const JsonObject& from) {
  for (const auto& [name, value] : from) {
    if (IsAbsent(to, name)) to[name] = value;
  }
}

std::optional<Quantity> ReadQuantity(const Json& value) {
  auto parsed =
      value.is_string() ? Quantity::Parse(std::string_view(value.get_string())) : Quantity::Parse(WriteJson(value));
  if (!parsed) return std::nullopt;
  return *parsed;
}

// A limit is a request too where there is no other. What is no quantity stays one mistake.
void DefaultRequests(JsonObject& container) {
  JsonObject* resources = MapAt(container, "resources");
  JsonObject* limits = resources == nullptr ? nullptr : MapAt(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  JsonObject copy;  // making the requests may move them
  for (const auto& [name, value] : *limits) {
    if (ReadQuantity(value)) copy[name] = value;
  }
  if (JsonObject* requests = MakeMapAt(*resources, "requests")) FillMissing(*requests, copy);
}

void DefaultHostPorts(JsonObject& container) {
  ForEachMap(container, "ports", [](JsonObject& port) {
    Json& host_port = port["hostPort"];
    const Json* container_port = port.if_contains("containerPort");
    const bool is_set = host_port.is_int64() && host_port.get_int64() != 0;
    if (!is_set && container_port != nullptr) port["hostPort"] = Json(*container_port);
  });
}

enum class Qos { kBestEffort, kBurstable, kGuaranteed };

Qos QosOf(const JsonObject& resources, std::string_view resource) {
  const auto amount = [&](std::string_view list) -> std::optional<Quantity> {
    const Json* member = resources.if_contains(list);
    const Json* value = member == nullptr ? nullptr : Find(*member, resource);
    if (value == nullptr) return std::nullopt;
    const auto parsed = ReadQuantity(*value);
    return parsed && !parsed->IsZero() ? parsed : std::nullopt;
  };
  const std::optional<Quantity> request = amount("requests");
  const std::optional<Quantity> limit = amount("limits");
  if (!request && !limit) return Qos::kBestEffort;
  return request && limit && *request == *limit ? Qos::kGuaranteed : Qos::kBurstable;
}

// What two parts of a pod are together.
Qos Together(std::optional<Qos> a, Qos b) {
  return !a || *a == b ? b : Qos::kBurstable;
}

Qos QosOf(const JsonObject& resources) {
  return Together(QosOf(resources, "cpu"), QosOf(resources, "memory"));
}

std::string_view QosOfPod(JsonObject& spec) {
  std::optional<Qos> qos;
  const JsonObject* of_pod = MapAt(spec, "resources");
  if (of_pod != nullptr && !of_pod->empty()) {
    qos = QosOf(*of_pod);
  } else {
    for (const std::string_view list : {"initContainers", "containers"}) {
      JsonArray* containers = ListAt(spec, list);
      if (containers == nullptr) continue;
      for (Json& item : *containers) {
        JsonObject* container = item.if_object();
        const JsonObject* resources = container == nullptr ? nullptr : MapAt(*container, "resources");
        qos = Together(qos, resources == nullptr ? Qos::kBestEffort : QosOf(*resources));
      }
    }
  }
  switch (qos.value_or(Qos::kBestEffort)) {
    case Qos::kBestEffort:
      return "BestEffort";
    case Qos::kBurstable:
      return "Burstable";
    case Qos::kGuaranteed:
      return "Guaranteed";
  }
  return "";
}

// What pods have and the templates of pods have not.
void DefaultPod(JsonObject& pod) {
  MakeMapAt(pod, "status");  // first: a member that is added moves the others
  JsonObject* spec = MakeMapAt(pod, "spec");
  JsonObject* status = MapAt(pod, "status");
  if (spec == nullptr || status == nullptr) return;
  Json& grace = (*spec)["terminationGracePeriodSeconds"];
  if (grace.is_int64() && grace.get_int64() < 0) grace = 1;
  DefaultMember(*spec, "enableServiceLinks", true);
  const Json* host_network = spec->if_contains("hostNetwork");
  const bool on_host = host_network != nullptr && host_network->is_bool() && host_network->get_bool();
  for (const std::string_view list : {"initContainers", "containers"}) {
    ForEachMap(*spec, list, DefaultRequests);
    if (on_host) ForEachMap(*spec, list, DefaultHostPorts);
  }
  DefaultMember(*status, "qosClass", Json(QosOfPod(*spec)));
}

void DefaultServicePort(JsonObject& port) {
  const Json* target = port.if_contains("targetPort");
  const bool is_set = target != nullptr && ((target->is_string() && !target->get_string().empty()) ||
                                            (target->is_int64() && target->get_int64() != 0));
  if (is_set) return;
  if (const Json* number = port.if_contains("port")) port["targetPort"] = Json(*number);
}

constexpr int kClientIpSeconds = 10800;  // how long a client stays with its pod

void DefaultServiceSpec(JsonObject& spec) {
  DefaultMember(spec, "type", "ClusterIP");
  DefaultMember(spec, "sessionAffinity", "None");
  if (TextAt(spec, "sessionAffinity") == "None") spec.erase("sessionAffinityConfig");
  if (TextAt(spec, "sessionAffinity") == "ClientIP") {
    JsonObject* config = MakeMapAt(spec, "sessionAffinityConfig");
    JsonObject* client_ip = config == nullptr ? nullptr : MakeMapAt(*config, "clientIP");
    if (client_ip != nullptr) DefaultMember(*client_ip, "timeoutSeconds", kClientIpSeconds);
  }
  ForEachMap(spec, "ports", DefaultServicePort);
  const std::string type(TextAt(spec, "type"));
  const JsonArray* external_ips = ListAt(spec, "externalIPs");
  if (type == "LoadBalancer" || type == "NodePort" ||
      (type == "ClusterIP" && external_ips != nullptr && !external_ips->empty())) {
    DefaultMember(spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") DefaultMember(spec, "allocateLoadBalancerNodePorts", true);
  if (type == "ExternalName") return;
  DefaultMember(spec, "internalTrafficPolicy", "Cluster");
}

// Text is what people write, bytes are what is kept.
void DefaultSecret(JsonObject& secret) {
  const JsonObject* texts = MapAt(secret, "stringData");
  if (texts == nullptr) return;
  const JsonObject copy = *texts;
  JsonObject* data = MakeMapAt(secret, "data");
  if (data == nullptr) return;
  for (const auto& [name, text] : copy) {
    if (text.is_string()) (*data)[name] = EncodeBase64(text.get_string());
  }
  secret.erase("stringData");
}

void DefaultNamespace(JsonObject& object) {
  JsonObject* metadata = MakeMapAt(object, "metadata");
  const std::string name(metadata == nullptr ? "" : TextAt(*metadata, "name"));
  JsonObject* labels = name.empty() ? nullptr : MakeMapAt(*metadata, "labels");
  if (labels != nullptr) (*labels)["kubernetes.io/metadata.name"] = name;
}

void DefaultNodeStatus(JsonObject& status) {
  if (!IsAbsent(status, "allocatable") || IsAbsent(status, "capacity")) return;
  status["allocatable"] = Json(status.at("capacity"));
}

void DefaultLimits(JsonObject& item) {
  if (TextAt(item, "type") != "Container") return;
  const auto fill = [&](std::string_view to, std::string_view from) {
    if (IsAbsent(item, from)) return;
    const Json source = item.at(from);
    JsonObject* target = MakeMapAt(item, to);
    if (target != nullptr && source.is_object()) FillMissing(*target, source.get_object());
  };
  fill("default", "max");
  fill("defaultRequest", "default");
  fill("defaultRequest", "min");
}

// Keeps the address and the list of addresses the same; the single one is what older kubelets write.
void DefaultPodStatus(JsonObject& status) {
  const std::string address(TextAt(status, "podIP"));
  JsonArray* list = ListAt(status, "podIPs");
  const std::string first(list == nullptr || list->empty() ? "" : StringAt(list->front(), {"ip"}));
  if (address.empty() && !first.empty()) status["podIP"] = first;
  if (!address.empty() && first != address) status["podIPs"] = JsonArray{JsonObject{{"ip", address}}};
}

}  // namespace

std::span<const DependentDefaults> CoreDefaults() {
  static constexpr DependentDefaults kRows[] = {
      {"Container", DefaultContainer},   {"EphemeralContainer", DefaultContainer},
      {"LimitRangeItem", DefaultLimits}, {"Namespace", DefaultNamespace},
      {"NodeStatus", DefaultNodeStatus}, {"Pod", DefaultPod},
      {"PodSpec", DefaultPodSpec},       {"PodStatus", DefaultPodStatus},
      {"Secret", DefaultSecret},         {"ServiceSpec", DefaultServiceSpec},
      {"Volume", DefaultVolume},
  };
  return kRows;
}

}  // namespace kumiko::api
