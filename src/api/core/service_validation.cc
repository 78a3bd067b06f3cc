// What the API server refuses in a Service.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/group.h"

namespace kumiko::api {

namespace {

constexpr std::int64_t kLongestAffinitySeconds = 86400;

void CheckServicePorts(const Field& spec, FieldErrors& errors) {
  const Field ports = spec["ports"];
  const std::string_view type = spec["type"].text();
  const bool headless = spec["clusterIP"].text() == "None";
  if (ports.size() == 0 && !headless && type != "ExternalName") errors.Required(ports.path());
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::int64_t>> numbers;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Field port = ports[i];
    const Field name = port["name"];
    if (name.text().empty()) {
      if (ports.size() > 1) errors.Required(name.path());
    } else {
      CheckFormat(name, CheckDnsLabel, errors);
      if (!names.insert(name.text()).second) errors.Duplicate(name.path(), name.text());
    }
    CheckPortNumber(port["port"], errors);
    CheckOneOf(port["protocol"], {"SCTP", "TCP", "UDP"}, errors);
    const Field target = port["targetPort"];
    if (target.json() != nullptr && target.json()->is_string()) {
      CheckFormat(target, CheckPortName, errors);
    } else {
      CheckPortNumber(target, errors);
    }
    if (port["nodePort"].number() != 0 && type == "ClusterIP") {
      errors.Forbidden(port["nodePort"].path(), "may not be used when `type` is 'ClusterIP'");
    }
    if (!numbers.emplace(port["protocol"].text(), port["port"].number()).second) {
      errors.DuplicateJson(port.path(), JsonObject{{"Name", ""},
                                                   {"Protocol", port["protocol"].text()},
                                                   {"AppProtocol", nullptr},
                                                   {"Port", port["port"].number()},
                                                   {"TargetPort", 0},
                                                   {"NodePort", 0}});
    }
  }
}

void CheckAddresses(const Field& spec, FieldErrors& errors) {
  const std::string_view type = spec["type"].text();
  const Field addresses = spec["clusterIPs"];
  const Field only = spec["clusterIP"];
  for (std::size_t i = 0; i < std::max<std::size_t>(addresses.size(), only.text().empty() ? 0 : 1); ++i) {
    // A list that is not written is that of the one address.
    const Field address = addresses.size() == 0 ? Field(only.json(), addresses[0].path()) : addresses[i];
    if (address.text() != "None") {
      CheckFormat(address, CheckIp, errors);
    } else if (type == "NodePort" || type == "LoadBalancer") {
      errors.Invalid(address.path(), "None", fmt::format("may not be set to 'None' for {} services", type));
    }
  }
  const Field external = spec["externalIPs"];
  for (std::size_t i = 0; i < external.size(); ++i) CheckFormat(external[i], CheckIp, errors);
  const Field families = spec["ipFamilies"];
  for (std::size_t i = 0; i < families.size(); ++i) CheckOneOf(families[i], {"IPv4", "IPv6"}, errors);
  const bool headless_without_selector = spec["clusterIP"].text() == "None" && spec["selector"].members().empty();
  if (const Field policy = spec["ipFamilyPolicy"]; policy.present()) {
    CheckOneOf(policy, {"PreferDualStack", "RequireDualStack", "SingleStack"}, errors);
    if (policy.text() == "RequireDualStack" && !headless_without_selector) {
      errors.Invalid(policy.path(), policy.text(), "this cluster is not configured for dual-stack services");
    }
  }
}

void CheckTraffic(const Field& spec, FieldErrors& errors) {
  const std::string_view type = spec["type"].text();
  const Field affinity = spec["sessionAffinity"];
  CheckOneOf(affinity, {"ClientIP", "None"}, errors);
  CheckOneOf(spec["type"], {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, errors);
  const Field seconds = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
  if (affinity.text() == "ClientIP" && (seconds.number() <= 0 || seconds.number() > kLongestAffinitySeconds)) {
    errors.Invalid(seconds.path(), seconds.number(), "must be greater than 0 and less than 86400");
  }
  const Field external = spec["externalTrafficPolicy"];
  const bool reached_from_outside = type == "NodePort" || type == "LoadBalancer" || spec["externalIPs"].size() > 0;
  if (!external.text().empty()) {
    if (!reached_from_outside) {
      errors.Invalid(external.path(), external.text(), "may only be set for externally-accessible services");
    } else {
      CheckOneOf(external, {"Cluster", "Local"}, errors);
    }
  }
  const Field internal = spec["internalTrafficPolicy"];
  if (internal.present()) CheckOneOf(internal, {"Cluster", "Local"}, errors);
  const Field ranges = spec["loadBalancerSourceRanges"];
  const FieldPath ranges_path = spec.path().Member("LoadBalancerSourceRanges");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (const std::string reason = CheckCidr(ranges[i].text()); !reason.empty()) {
      errors.Invalid(ranges_path.Index(i), ranges[i].text(), reason);
    }
  }
}

}  // namespace

void ValidateService(const Json& service, FieldErrors& errors) {
  ValidateName(service, CheckDnsLabel, errors);
  const Field spec = Field(&service, FieldPath())["spec"];
  const std::string_view type = spec["type"].text();
  CheckServicePorts(spec, errors);
  if (type == "ExternalName") {
    if (const Field name = spec["externalName"]; name.text().empty()) {
      errors.Required(name.path());
    } else {
      CheckFormat(name, CheckDnsSubdomain, errors);
    }
  }
  CheckLabels(spec["selector"], errors);
  CheckAddresses(spec, errors);
  CheckTraffic(spec, errors);
}

}  // namespace kumiko::api
