// What the API server refuses in a pod and in the template of one.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/group.h"
#include "base/quantity.h"

namespace kumiko::api {

namespace {

constexpr std::int64_t kMaxSeconds = 2147483647;

void CheckName(const Field& name, FieldErrors& errors) {
  if (name.text().empty()) {
    errors.Required(name.path());
  } else {
    CheckFormat(name, CheckDnsLabel, errors);
  }
}

void CheckRequired(const Field& field, FieldErrors& errors, std::string_view why = "") {
  if (field.text().empty()) errors.Required(field.path(), why);
}

std::optional<Quantity> QuantityOf(const Json& value) {
  const Result<Quantity> parsed =
      value.is_string() ? Quantity::Parse(std::string_view(value.get_string())) : Quantity::Parse(WriteJson(value));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// Resources without a domain that containers may ask for.
bool IsStandardResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
}

// Resources that nodes never give away twice: those of device plugins, and huge pages.
bool IsOvercommitted(std::string_view name) {
  return IsStandardResource(name) && !name.starts_with("hugepages-");
}

bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos && name.find("kubernetes.io/") == std::string_view::npos;
}

void CheckAmounts(const Field& amounts, FieldErrors& errors) {
  for (const auto& [name, value] : amounts.members()) {
    const FieldPath at = amounts.path().Key(name);
    if (const std::string reason = CheckQualifiedName(name); !reason.empty()) {
      errors.Invalid(at, name, reason);
    } else if (std::string_view(name).find('/') == std::string_view::npos && !IsStandardResource(name)) {
      errors.Invalid(at, name, "must be a standard resource type or fully qualified");
      errors.Invalid(at, name, "must be a standard resource for containers");
    }
    const std::optional<Quantity> quantity = QuantityOf(value);
    if (!quantity) continue;
    if (quantity->Sign() < 0) errors.Invalid(at, quantity->ToString(), "must be greater than or equal to 0");
    if (IsExtended(name) && quantity->MilliValue() % 1000 != 0) {
      errors.Invalid(at, quantity->ToString(), "must be an integer");
    }
  }
}

void CheckResources(const Field& resources, FieldErrors& errors) {
  const Field limits = resources["limits"];
  const Field requests = resources["requests"];
  CheckAmounts(limits, errors);
  CheckAmounts(requests, errors);
  for (const auto& [name, value] : requests.members()) {
    const std::optional<Quantity> request = QuantityOf(value);
    const Json* limit_value = limits.members().if_contains(name);
    const std::optional<Quantity> limit = limit_value == nullptr ? std::nullopt : QuantityOf(*limit_value);
    if (!request) continue;
    if (limit) {
      const std::string text = limit->ToString();
      if (!IsOvercommitted(name) && *request != *limit) {
        errors.Invalid(requests.path(), request->ToString(),
                       fmt::format("must be equal to {} limit of {}", std::string_view(name), text));
      } else if (*request > *limit) {
        errors.Invalid(requests.path(), request->ToString(),
                       fmt::format("must be less than or equal to {} limit of {}", std::string_view(name), text));
      }
    } else if (!IsOvercommitted(name)) {
      errors.Required(limits.path(), "Limit must be set for non overcommitable resources");
    }
  }
}

void CheckClaimsOfContainer(const Field& claims, const std::set<std::string, std::less<>>& pod_claims,
                            FieldErrors& errors) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Field claim = claims[i];
    const std::string_view name = claim["name"].text();
    const std::string_view request = claim["request"].text();
    if (name.empty()) {
      errors.Required(claim.path());
      continue;
    }
    const std::string both = request.empty() ? std::string(name) : fmt::format("{}/{}", name, request);
    if (!seen.emplace(name, request).second) errors.Duplicate(claim.path(), both);
    if (pod_claims.contains(name)) continue;
    std::string why = "must be one of the names in pod.spec.resourceClaims";
    if (pod_claims.empty()) why += " which is empty";
    errors.NotFound(claim.path(), name, why);
  }
}

void CheckPorts(const Field& ports, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Field port = ports[i];
    if (const Field name = port["name"]; !name.text().empty()) {
      if (const std::string reason = CheckPortName(name.text()); !reason.empty()) {
        errors.Invalid(name.path(), name.text(), reason);
      } else if (!names.insert(name.text()).second) {
        errors.Duplicate(name.path(), name.text());
      }
    }
    if (port["containerPort"].number() == 0) {
      errors.Required(port["containerPort"].path());
    } else {
      CheckPortNumber(port["containerPort"], errors);
    }
    if (port["hostPort"].number() != 0) CheckPortNumber(port["hostPort"], errors);
    CheckOneOf(port["protocol"], {"SCTP", "TCP", "UDP"}, errors);
  }
}

bool IsEnvName(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

bool IsDownwardField(std::string_view path) {
  constexpr std::string_view kFields[] = {
      "metadata.name",           "metadata.namespace", "metadata.uid",        "spec.nodeName",
      "spec.serviceAccountName", "status.hostIP",      "status.hostIPs",      "status.podIP",
      "status.podIPs",           "metadata.labels",    "metadata.annotations"};
  return path.starts_with("metadata.labels['") || path.starts_with("metadata.annotations['") ||
         std::ranges::find(kFields, path) != std::end(kFields);
}

void CheckEnvironment(const Field& environment, FieldErrors& errors) {
  for (std::size_t i = 0; i < environment.size(); ++i) {
    const Field variable = environment[i];
    const Field name = variable["name"];
    if (name.text().empty()) {
      errors.Required(name.path());
    } else if (!IsEnvName(name.text())) {
      errors.Invalid(
          name.path(), name.text(),
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }
    const Field source = variable["valueFrom"];
    if (!source.present()) continue;
    const Field path = source["fieldRef"]["fieldPath"];
    if (source["fieldRef"].present()) {
      if (path.text().empty()) {
        errors.Required(path.path());
      } else if (!IsDownwardField(path.text())) {
        errors.Invalid(path.path(), path.text(),
                       fmt::format("error converting fieldPath: field label not supported: {}", path.text()));
      }
    }
    for (const std::string_view reference : {"configMapKeyRef", "secretKeyRef"}) {
      if (source[reference].present()) CheckRequired(source[reference]["key"], errors);
    }
    const std::size_t sources = source.members().size();
    if (sources == 0) {
      errors.Invalid(source.path(), "",
                     "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
    } else if (!variable["value"].text().empty()) {
      errors.Invalid(source.path(), "", "may not be specified when `value` is not empty");
    } else if (sources > 1) {
      errors.Invalid(source.path(), "", "may not have more than one field specified at a time");
    }
  }
}

void CheckMounts(const Field& mounts, const std::set<std::string, std::less<>>& volumes, FieldErrors& errors) {
  std::set<std::string_view> paths;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const Field mount = mounts[i];
    const Field name = mount["name"];
    if (name.text().empty()) {
      errors.Required(name.path());
    } else if (!volumes.contains(name.text())) {
      errors.NotFound(name.path(), name.text());
    }
    const Field path = mount["mountPath"];
    CheckRequired(path, errors);
    if (!paths.insert(path.text()).second) errors.Invalid(path.path(), path.text(), "must be unique");
  }
}

void CheckProbe(const Field& probe, bool must_succeed_once, FieldErrors& errors) {
  if (!probe.present()) return;
  constexpr std::string_view kHandlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
  const auto handlers = std::ranges::count_if(kHandlers, [&](std::string_view name) { return probe[name].present(); });
  if (handlers == 0) errors.Required(probe.path(), "must specify a handler type");
  if (probe["exec"].present() && probe["exec"]["command"].size() == 0) errors.Required(probe["exec"]["command"].path());
  for (const std::string_view handler : {"httpGet", "tcpSocket"}) {
    const Field port = probe[handler]["port"];
    if (!probe[handler].present()) continue;
    if (port.json() != nullptr && port.json()->is_string()) {
      CheckFormat(port, CheckPortName, errors);
    } else {
      CheckPortNumber(port, errors);
    }
  }
  if (probe["grpc"].present()) CheckPortNumber(probe["grpc"]["port"], errors);
  for (const std::string_view name :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    CheckNotNegative(probe[name], errors);
  }
  if (must_succeed_once && probe["successThreshold"].number() > 1) {
    errors.Invalid(probe["successThreshold"].path(), probe["successThreshold"].number(), "must be 1");
  }
}

struct PodNames {
  std::set<std::string, std::less<>> claims;
  std::set<std::string, std::less<>> volumes;
};

void CheckContainer(const Field& container, const PodNames& pod, FieldErrors& errors) {
  CheckName(container["name"], errors);
  const Field image = container["image"];
  if (image.text().empty()) {
    errors.Required(image.path());
  } else if (image.text().front() == ' ' || image.text().back() == ' ') {
    errors.Invalid(image.path(), image.text(), "must not have leading or trailing whitespace");
  }
  CheckOneOf(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"}, errors);
  CheckPorts(container["ports"], errors);
  CheckEnvironment(container["env"], errors);
  CheckMounts(container["volumeMounts"], pod.volumes, errors);
  CheckOneOf(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"}, errors);
  CheckResources(container["resources"], errors);
  CheckClaimsOfContainer(container["resources"]["claims"], pod.claims, errors);
  CheckProbe(container["livenessProbe"], true, errors);
  CheckProbe(container["readinessProbe"], false, errors);
  CheckProbe(container["startupProbe"], true, errors);
}

std::set<std::string, std::less<>> CheckVolumes(const Field& volumes, FieldErrors& errors) {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Field volume = volumes[i];
    std::size_t sources = 0;
    for (const auto& [member, value] : volume.members()) {
      if (member == "name" || value.is_null() || ++sources == 1) continue;
      errors.Forbidden(volume.path().Member(member), "may not specify more than 1 volume type");
    }
    if (volume["hostPath"].present()) CheckRequired(volume["hostPath"]["path"], errors);
    if (volume["configMap"].present()) CheckRequired(volume["configMap"]["name"], errors);
    if (volume["secret"].present()) CheckRequired(volume["secret"]["secretName"], errors);
    const Field claim = volume["persistentVolumeClaim"];
    if (claim.present()) CheckRequired(claim["claimName"], errors);
    const Field name = volume["name"];
    CheckName(name, errors);
    if (!name.text().empty() && !names.emplace(name.text()).second) errors.Duplicate(name.path(), name.text());
  }
  return names;
}

std::set<std::string, std::less<>> CheckPodClaims(const Field& claims, FieldErrors& errors) {
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Field claim = claims[i];
    const Field name = claim["name"];
    CheckName(name, errors);
    if (!name.text().empty() && !names.emplace(name.text()).second) errors.Duplicate(name.path(), name.text());
    const Field of_claim = claim["resourceClaimName"];
    const Field of_template = claim["resourceClaimTemplateName"];
    const auto shown = [](const Field& field) { return field.present() ? *field.json() : Json(); };
    const Json whole = JsonObject{{"Name", shown(name)},
                                  {"ResourceClaimName", shown(of_claim)},
                                  {"ResourceClaimTemplateName", shown(of_template)}};
    if (!of_claim.present() && !of_template.present()) {
      errors.InvalidJson(claim.path(), &whole, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    } else if (of_claim.present() && of_template.present()) {
      errors.InvalidJson(claim.path(), &whole,
                         "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    for (const Field& reference : {of_claim, of_template}) {
      if (reference.present()) CheckFormat(reference, CheckDnsSubdomain, errors);
    }
  }
  return names;
}

void CheckTolerations(const Field& tolerations, FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Field toleration = tolerations[i];
    const Field key = toleration["key"];
    const Field how = toleration["operator"];
    const Field effect = toleration["effect"];
    if (!key.text().empty()) CheckFormat(key, CheckQualifiedName, errors);
    if (key.text().empty() && how.text() != "Exists") {
      errors.Invalid(how.path(), how.text(),
                     "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (toleration["tolerationSeconds"].present() && effect.text() != "NoExecute") {
      errors.Invalid(effect.path(), effect.text(), "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (how.text().empty() || how.text() == "Equal") {
      CheckFormat(toleration["value"], CheckLabelValue, errors);
    } else if (how.text() == "Exists") {
      if (const std::string_view value = toleration["value"].text(); !value.empty()) {
        errors.Invalid(how.path(), value, "value must be empty when `operator` is 'Exists'");
      }
    } else {
      errors.Unsupported(how.path(), how.text(), {"Equal", "Exists"});
    }
    if (!effect.text().empty()) CheckOneOf(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, errors);
  }
}

void CheckSpread(const Field& constraints, FieldErrors& errors) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Field constraint = constraints[i];
    if (constraint["maxSkew"].number() <= 0) {
      errors.Invalid(constraint["maxSkew"].path(), constraint["maxSkew"].number(), "must be greater than zero");
    }
    CheckRequired(constraint["topologyKey"], errors, "can not be empty");
    CheckOneOf(constraint["whenUnsatisfiable"], {"DoNotSchedule", "ScheduleAnyway"}, errors);
  }
}

void CheckNodeTerms(const Field& terms, FieldErrors& errors) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Field expressions = terms[i]["matchExpressions"];
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const Field expression = expressions[j];
      const std::string_view how = expression["operator"].text();
      const Field values = expression["values"];
      if ((how == "In" || how == "NotIn") && values.size() == 0) {
        errors.Required(values.path(), "must be specified when `operator` is 'In' or 'NotIn'");
      } else if ((how == "Exists" || how == "DoesNotExist") && values.size() > 0) {
        errors.Forbidden(values.path(), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      } else if ((how == "Gt" || how == "Lt") && values.size() != 1) {
        errors.Required(values.path(), "must be specified single value when `operator` is 'Lt' or 'Gt'");
      } else if (how != "In" && how != "NotIn" && how != "Exists" && how != "DoesNotExist" && how != "Gt" &&
                 how != "Lt") {
        errors.Invalid(expression["operator"].path(), how, "not a valid selector operator");
      }
      CheckFormat(expression["key"], CheckQualifiedName, errors);
    }
  }
}

void CheckGates(const Field& gates, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::string_view name = gates[i]["name"].text();
    if (const std::string why = CheckQualifiedName(name); !why.empty()) errors.Invalid(gates[i].path(), name, why);
    if (!names.insert(name).second) errors.Duplicate(gates[i].path(), name);
  }
}

void CheckContainers(const Field& spec, const PodNames& pod, FieldErrors& errors) {
  if (spec["containers"].size() == 0) errors.Required(spec["containers"].path());
  std::set<std::string_view> names;
  std::set<std::string> host_ports;
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Field containers = spec[list];
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const Field container = containers[i];
      CheckContainer(container, pod, errors);
      const Field name = container["name"];
      if (!name.text().empty() && !names.insert(name.text()).second) errors.Duplicate(name.path(), name.text());
      const Field ports = container["ports"];
      for (std::size_t j = 0; list == "containers" && j < ports.size(); ++j) {
        const Field host_port = ports[j]["hostPort"];
        if (host_port.number() == 0) continue;
        const std::string text =
            fmt::format("{}/{}/{}", ports[j]["protocol"].text(), ports[j]["hostIP"].text(), host_port.number());
        if (!host_ports.insert(text).second) errors.Duplicate(host_port.path(), text);
      }
    }
  }
}

}  // namespace

void ValidatePodSpec(const Field& spec, FieldErrors& errors) {
  const PodNames names{CheckPodClaims(spec["resourceClaims"], errors), CheckVolumes(spec["volumes"], errors)};
  CheckContainers(spec, names, errors);
  CheckOneOf(spec["restartPolicy"], {"Always", "OnFailure", "Never"}, errors);
  CheckOneOf(spec["dnsPolicy"], {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, errors);
  CheckLabels(spec["nodeSelector"], errors);
  if (const Field name = spec["serviceAccountName"]; !name.text().empty()) CheckFormat(name, CheckDnsSubdomain, errors);
  for (const std::string_view member : {"hostname", "subdomain"}) {
    if (!spec[member].text().empty()) CheckFormat(spec[member], CheckDnsLabel, errors);
  }
  if (const Field deadline = spec["activeDeadlineSeconds"];
      deadline.present() && (deadline.number() < 1 || deadline.number() > kMaxSeconds)) {
    errors.Invalid(deadline.path(), deadline.number(), "must be between 1 and 2147483647, inclusive");
  }
  const Field affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (affinity.present()) CheckNodeTerms(affinity["nodeSelectorTerms"], errors);
  if (const Field os = spec["os"]; os.present() && os["name"].text() != "linux" && os["name"].text() != "windows") {
    errors.Unsupported(os.path(), os["name"].text(), {"linux", "windows"});
  }
  CheckGates(spec["schedulingGates"], errors);
  CheckTolerations(spec["tolerations"], errors);
  CheckSpread(spec["topologySpreadConstraints"], errors);
}

void ValidatePodTemplate(const Field& pod_template, FieldErrors& errors) {
  const Field metadata = pod_template["metadata"];
  CheckLabels(metadata["labels"], errors);
  ValidatePodAnnotations(metadata["annotations"], errors);
  ValidatePodSpec(pod_template["spec"], errors);
}

void ValidatePod(const Json& pod, FieldErrors& errors) {
  ValidateName(pod, CheckDnsSubdomain, errors);
  const Field root(&pod, FieldPath());
  ValidatePodAnnotations(root["metadata"]["annotations"], errors);
  ValidatePodSpec(root["spec"], errors);
}

}  // namespace kumiko::api
