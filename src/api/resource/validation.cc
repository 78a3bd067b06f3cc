#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <set>

#include "api/group.h"
#include "cel/expression.h"

namespace kumiko::api {

namespace {

constexpr std::size_t kMaxListItems = 32;  // requests, constraints, selectors, configs of a claim or class
constexpr std::size_t kMaxSubRequests = 8;
constexpr std::size_t kMaxExpressionBytes = 10 * 1024;
constexpr std::size_t kMaxParametersBytes = 10 * 1024;
constexpr std::size_t kMaxDevicesPerSlice = 128;
constexpr std::size_t kMaxConstrainedDevicesPerSlice = 64;  // with taints, counters or lists
constexpr std::size_t kMaxCounterSets = 8;
constexpr std::size_t kMaxCountersPerSet = 32;
constexpr std::size_t kMaxCounterConsumptions = 2;
constexpr std::size_t kMaxAttributesAndCapacities = 32;
constexpr std::size_t kMaxAttributeValues = 48;  // an item of a list counts as a value
constexpr std::size_t kMaxDeviceTaints = 16;
constexpr std::size_t kMaxAttributeValueBytes = 64;
constexpr std::uint64_t kMaxExpressionCost = 1'000'000;

// Names that requests of constraints and configs may refer to: "request" and "request/subrequest".
using RequestNames = std::set<std::string>;

// As the API server checks an expression when an object is written, with the gates on that change what `device` has.
void ValidateExpression(const std::string& expression, const FieldPath& path, FieldErrors& errors) {
  if (expression.empty()) return errors.Required(path, "write a CEL expression over `device`");
  if (expression.size() > kMaxExpressionBytes) {
    return errors.Invalid(path, expression, fmt::format("may not be more than {} bytes", kMaxExpressionBytes));
  }
  cel::CompileOptions options;
  options.mode = cel::Mode::kNew;
  options.features = {.consumable_capacity = true, .list_type_attributes = true};
  const auto compiled = cel::Expression::Compile(expression, options);
  if (!compiled) return errors.Invalid(path, expression, compiled.error().message);
  if (compiled->max_cost() > kMaxExpressionCost) {
    errors.Forbidden(path, fmt::format("too complex, exceeds cost limit: it may cost {} units, at most {} are allowed; "
                                       "loop over less",
                                       compiled->max_cost(), kMaxExpressionCost));
  }
}

void ValidateSelectors(const std::vector<DeviceSelector>& selectors, const FieldPath& path, FieldErrors& errors) {
  if (selectors.size() > kMaxListItems) errors.TooMany(path, selectors.size(), kMaxListItems);
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const FieldPath at = path.Index(i);
    if (!selectors[i].cel) {
      errors.Required(at.Member("cel"));
      continue;
    }
    ValidateExpression(selectors[i].cel->expression, at.Member("cel").Member("expression"), errors);
  }
}

void ValidateTolerations(const std::vector<DeviceToleration>& tolerations, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const DeviceToleration& toleration = tolerations[i];
    const FieldPath at = path.Index(i);
    if (toleration.operator_ != "Equal" && toleration.operator_ != "Exists") {
      errors.Unsupported(at.Member("operator"), toleration.operator_, {"Equal", "Exists"});
    }
    if (!toleration.value.empty() && toleration.operator_ == "Exists") {
      errors.Invalid(at.Member("value"), toleration.value, "must be empty for operator `Exists`");
    }
  }
}

void ValidateDevicesAsked(const DeviceSubRequest& request, const FieldPath& path, FieldErrors& errors) {
  if (request.device_class_name.empty()) {
    errors.Required(path.Member("deviceClassName"));
  } else if (const std::string reason = CheckDnsSubdomain(request.device_class_name); !reason.empty()) {
    errors.Invalid(path.Member("deviceClassName"), request.device_class_name, reason);
  }
  ValidateSelectors(request.selectors, path.Member("selectors"), errors);
  if (request.allocation_mode == kExactCount) {
    if (request.count <= 0) {
      errors.Invalid(path.Member("count"), request.count, "must be greater than zero");
    }
  } else if (request.allocation_mode == kAll) {
    if (request.count != 0) {
      errors.Invalid(path.Member("count"), request.count, "must not be specified when allocationMode is 'All'");
    }
  } else {
    errors.Unsupported(path.Member("allocationMode"), request.allocation_mode, {kAll, kExactCount});
  }
  ValidateTolerations(request.tolerations, path.Member("tolerations"), errors);
  if (request.capacity) {
    for (const auto& [name, quantity] : request.capacity->requests) {
      const FieldPath at = path.Member("capacity").Member("requests").Key(name);
      if (const std::string reason = CheckAttributeName(name); !reason.empty()) errors.Invalid(at, name, reason);
      if (quantity.Sign() < 0) errors.Invalid(at, quantity.ToString(), "must be greater than or equal to 0");
    }
  }
}

void ValidateName(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) {
    errors.Required(path);
  } else if (const std::string reason = CheckDnsLabel(name); !reason.empty()) {
    errors.Invalid(path, name, reason);
  }
}

RequestNames ValidateRequests(const std::vector<DeviceRequest>& requests, const FieldPath& path, FieldErrors& errors) {
  RequestNames names;
  if (requests.size() > kMaxListItems) errors.TooMany(path, requests.size(), kMaxListItems);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const DeviceRequest& request = requests[i];
    const FieldPath at = path.Index(i);
    ValidateName(request.name, at.Member("name"), errors);
    if (!names.insert(request.name).second) errors.Duplicate(at.Member("name"), request.name);
    if (request.exactly.has_value() && !request.first_available.empty()) {
      errors.InvalidJson(at, nullptr,
                         "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
    } else if (request.exactly) {
      ValidateDevicesAsked(*request.exactly, at.Member("exactly"), errors);
    } else if (request.first_available.empty()) {
      errors.Required(at, "exactly one of `exactly` or `firstAvailable` is required");
    }
    const FieldPath alternatives = at.Member("firstAvailable");
    if (request.first_available.size() > kMaxSubRequests) {
      errors.TooMany(alternatives, request.first_available.size(), kMaxSubRequests);
    }
    for (std::size_t j = 0; j < request.first_available.size(); ++j) {
      const DeviceSubRequest& sub_request = request.first_available[j];
      const FieldPath sub_path = alternatives.Index(j);
      ValidateName(sub_request.name, sub_path.Member("name"), errors);
      if (!names.insert(request.name + "/" + sub_request.name).second) {
        errors.Duplicate(sub_path.Member("name"), sub_request.name);
      }
      if (sub_request.admin_access) {
        errors.Forbidden(sub_path.Member("adminAccess"), "only `exactly` may ask for admin access");
      }
      ValidateDevicesAsked(sub_request, sub_path, errors);
    }
  }
  return names;
}

void ValidateRequestReferences(const std::vector<std::string>& references, const RequestNames& names,
                               const FieldPath& path, FieldErrors& errors) {
  if (references.size() > kMaxListItems) errors.TooMany(path, references.size(), kMaxListItems);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!seen.insert(references[i]).second) errors.Duplicate(path.Index(i), references[i]);
    if (names.count(references[i]) == 0) {
      errors.Invalid(
          path.Index(i), references[i],
          "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'");
    }
  }
}

void ValidateOpaque(const OpaqueDeviceConfiguration& opaque, const FieldPath& path, FieldErrors& errors) {
  if (opaque.driver.empty()) {
    errors.Required(path.Member("driver"));
  } else if (const std::string reason = CheckDnsSubdomain(opaque.driver); !reason.empty()) {
    errors.Invalid(path.Member("driver"), opaque.driver, reason);
  }
  const FieldPath parameters = path.Member("parameters");
  if (opaque.parameters.is_null()) {
    errors.Required(parameters);
  } else if (!opaque.parameters.is_object()) {
    errors.Invalid(parameters, WriteJson(opaque.parameters), "must be an object");
  } else if (WriteJson(opaque.parameters).size() > kMaxParametersBytes) {
    errors.Invalid(parameters, "", fmt::format("may not be more than {} bytes", kMaxParametersBytes));
  }
}

void ValidateClaimSpec(const ResourceClaimSpec& spec, const FieldPath& path, FieldErrors& errors) {
  const DeviceClaim& devices = spec.devices;
  const FieldPath at = path.Member("devices");
  const RequestNames names = ValidateRequests(devices.requests, at.Member("requests"), errors);
  if (devices.constraints.size() > kMaxListItems) {
    errors.TooMany(at.Member("constraints"), devices.constraints.size(), kMaxListItems);
  }
  for (std::size_t i = 0; i < devices.constraints.size(); ++i) {
    const DeviceConstraint& constraint = devices.constraints[i];
    const FieldPath constraint_path = at.Member("constraints").Index(i);
    ValidateRequestReferences(constraint.requests, names, constraint_path.Member("requests"), errors);
    const auto check = [&](const std::optional<std::string>& attribute, std::string_view member) {
      if (!attribute) return;
      if (const std::string reason = CheckFullAttributeName(*attribute); !reason.empty()) {
        errors.Invalid(constraint_path.Member(member), *attribute, reason);
      }
    };
    check(constraint.match_attribute, "matchAttribute");
    check(constraint.distinct_attribute, "distinctAttribute");
    if (!constraint.match_attribute && !constraint.distinct_attribute) {
      errors.Required(constraint_path, "exactly one of `matchAttribute` or `distinctAttribute` is required");
    }
  }
  if (devices.config.size() > kMaxListItems) errors.TooMany(at.Member("config"), devices.config.size(), kMaxListItems);
  for (std::size_t i = 0; i < devices.config.size(); ++i) {
    const FieldPath config_path = at.Member("config").Index(i);
    ValidateRequestReferences(devices.config[i].requests, names, config_path.Member("requests"), errors);
    if (devices.config[i].opaque) {
      ValidateOpaque(*devices.config[i].opaque, config_path.Member("opaque"), errors);
    } else {
      errors.Required(config_path.Member("opaque"));
    }
  }
}

void ValidateClaimStatus(const ResourceClaim& claim, FieldErrors& errors) {
  const FieldPath path("status");
  const ResourceClaimStatus& status = claim.status;
  if (status.reserved_for.size() > kMaxReservedFor) {
    errors.TooMany(path.Member("reservedFor"), status.reserved_for.size(), kMaxReservedFor);
  }
  if (!status.reserved_for.empty() && !status.allocation) {
    errors.Forbidden(path.Member("reservedFor"), "may not be specified when `allocated` is not set");
  }
  std::set<std::string> uids;
  for (std::size_t i = 0; i < status.reserved_for.size(); ++i) {
    if (!uids.insert(status.reserved_for[i].uid).second) {
      errors.Duplicate(path.Member("reservedFor").Index(i).Member("uid"), status.reserved_for[i].uid);
    }
  }
  if (status.allocation && status.allocation->devices.results.size() > kMaxAllocationResults) {
    errors.TooMany(path.Member("allocation.devices.results"), status.allocation->devices.results.size(),
                   kMaxAllocationResults);
  }
}

bool IsList(const DeviceAttribute& attribute) {
  return attribute.int_values || attribute.bool_values || attribute.string_values || attribute.version_values;
}

// Checks one attribute and counts its values.
std::size_t ValidateAttribute(const DeviceAttribute& attribute, const FieldPath& path, FieldErrors& errors) {
  std::size_t members = 0;
  std::size_t values = 0;
  const auto check_text = [&](const std::string& text, const FieldPath& at) {
    if (text.size() > kMaxAttributeValueBytes) {
      errors.Invalid(at, text, fmt::format("may not be more than {} bytes", kMaxAttributeValueBytes));
    }
  };
  const auto check_one = [&](const auto& value, std::string_view member) {
    if (!value) return;
    ++members;
    ++values;
    if constexpr (std::same_as<decltype(*value), const std::string&>) check_text(*value, path.Member(member));
  };
  const auto check_list = [&](const auto& list, std::string_view member) {
    if (!list) return;
    ++members;
    values += list->size();
    if (list->empty()) errors.Required(path.Member(member), "a list needs at least one value");
    if constexpr (std::same_as<decltype(*list), const std::vector<std::string>&>) {
      for (std::size_t i = 0; i < list->size(); ++i) check_text((*list)[i], path.Member(member).Index(i));
    }
  };
  check_one(attribute.int_value, "int");
  check_one(attribute.bool_value, "bool");
  check_one(attribute.string_value, "string");
  check_one(attribute.version_value, "version");
  check_list(attribute.int_values, "ints");
  check_list(attribute.bool_values, "bools");
  check_list(attribute.string_values, "strings");
  check_list(attribute.version_values, "versions");
  if (members == 0) {
    errors.Invalid(path, "",
                   "must specify one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`");
  } else if (members > 1) {
    errors.Invalid(path, "", "exactly one value must be specified");
  }
  return values;
}

void ValidateDevice(const Device& device, bool selects_node, const FieldPath& path, FieldErrors& errors) {
  ValidateName(device.name, path.Member("name"), errors);
  if (device.attributes.size() + device.capacity.size() > kMaxAttributesAndCapacities) {
    errors.TooMany(path, device.attributes.size() + device.capacity.size(), kMaxAttributesAndCapacities);
  }
  std::size_t values = 0;
  for (const auto& [name, attribute] : device.attributes) {
    const FieldPath at = path.Member("attributes").Key(name);
    if (const std::string reason = CheckAttributeName(name); !reason.empty()) {
      errors.Invalid(path.Member("attributes"), name, reason);
    }
    values += ValidateAttribute(attribute, at, errors);
  }
  if (values > kMaxAttributeValues) errors.TooMany(path.Member("attributes"), values, kMaxAttributeValues);
  for (const auto& [name, capacity] : device.capacity) {
    const FieldPath at = path.Member("capacity").Key(name);
    if (const std::string reason = CheckAttributeName(name); !reason.empty()) errors.Invalid(at, name, reason);
  }
  if (device.consumes_counters.size() > kMaxCounterConsumptions) {
    errors.TooMany(path.Member("consumesCounters"), device.consumes_counters.size(), kMaxCounterConsumptions);
  }
  if (device.taints.size() > kMaxDeviceTaints) {
    errors.TooMany(path.Member("taints"), device.taints.size(), kMaxDeviceTaints);
  }
  const int selectors =
      int{device.node_name.has_value()} + int{device.node_selector.has_value()} + int{device.all_nodes.value_or(false)};
  if (selectors != int{selects_node}) {
    errors.Invalid(
        path, device.name,
        selects_node ? "exactly one of `nodeName`, `nodeSelector`, `allNodes` is required with `perDeviceNodeSelection`"
                     : "`nodeName`, `nodeSelector`, `allNodes` need `perDeviceNodeSelection` on the slice");
  }
}

}  // namespace

void ValidateResourceClaim(const ResourceClaim& claim, FieldErrors& errors) {
  ValidateMeta(claim.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  ValidateClaimSpec(claim.spec, FieldPath("spec"), errors);
  ValidateClaimStatus(claim, errors);
}

void ValidateResourceClaimTemplate(const ResourceClaimTemplate& object, FieldErrors& errors) {
  ValidateMeta(object.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  ValidateClaimSpec(object.spec.spec, FieldPath("spec.spec"), errors);
}

void ValidateDeviceClass(const DeviceClass& device_class, FieldErrors& errors) {
  ValidateMeta(device_class.metadata, FieldPath("metadata"), false, CheckDnsSubdomain, errors);
  const FieldPath path("spec");
  ValidateSelectors(device_class.spec.selectors, path.Member("selectors"), errors);
  for (std::size_t i = 0; i < device_class.spec.config.size(); ++i) {
    const FieldPath at = path.Member("config").Index(i);
    if (device_class.spec.config[i].opaque) {
      ValidateOpaque(*device_class.spec.config[i].opaque, at.Member("opaque"), errors);
    } else {
      errors.Required(at.Member("opaque"));
    }
  }
  if (const auto& name = device_class.spec.extended_resource_name) {
    if (name->find('/') == std::string::npos || !CheckQualifiedName(*name).empty()) {
      errors.Invalid(path.Member("extendedResourceName"), *name,
                     "must be an extended resource name, such as example.com/gpu");
    }
  }
}

void ValidateResourceSlice(const ResourceSlice& slice, FieldErrors& errors) {
  ValidateMeta(slice.metadata, FieldPath("metadata"), false, CheckDnsSubdomain, errors);
  const FieldPath path("spec");
  const ResourceSliceSpec& spec = slice.spec;
  if (spec.driver.empty()) {
    errors.Required(path.Member("driver"));
  } else if (const std::string reason = CheckDnsSubdomain(spec.driver); !reason.empty()) {
    errors.Invalid(path.Member("driver"), spec.driver, reason);
  }
  if (spec.pool.name.empty()) errors.Required(path.Member("pool").Member("name"));
  if (spec.pool.resource_slice_count <= 0) {
    errors.Invalid(path.Member("pool").Member("resourceSliceCount"), spec.pool.resource_slice_count,
                   "must be greater than zero");
  }
  if (spec.pool.generation < 0) {
    errors.Invalid(path.Member("pool").Member("generation"), spec.pool.generation,
                   "must be greater than or equal to zero");
  }
  const bool per_device = spec.per_device_node_selection.value_or(false);
  const int selectors = int{spec.node_name.has_value()} + int{spec.node_selector.has_value()} +
                        int{spec.all_nodes.value_or(false)} + int{per_device};
  if (selectors == 0) {
    errors.Required(path,
                    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required");
  } else if (selectors > 1) {
    errors.Invalid(path, "",
                   "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required");
  }
  if (!spec.shared_counters.empty() && !spec.devices.empty()) {
    errors.Invalid(path, "", "only one of `sharedCounters` and `devices` may be set; use two slices");
  }
  if (spec.shared_counters.size() > kMaxCounterSets) {
    errors.TooMany(path.Member("sharedCounters"), spec.shared_counters.size(), kMaxCounterSets);
  }
  for (std::size_t i = 0; i < spec.shared_counters.size(); ++i) {
    const FieldPath at = path.Member("sharedCounters").Index(i);
    ValidateName(spec.shared_counters[i].name, at.Member("name"), errors);
    if (spec.shared_counters[i].counters.empty()) errors.Required(at.Member("counters"), "list at least one counter");
    if (spec.shared_counters[i].counters.size() > kMaxCountersPerSet) {
      errors.TooMany(at.Member("counters"), spec.shared_counters[i].counters.size(), kMaxCountersPerSet);
    }
  }
  bool constrained = false;
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const Device& device = spec.devices[i];
    const FieldPath at = path.Member("devices").Index(i);
    ValidateDevice(device, per_device, at, errors);
    if (!names.insert(device.name).second) errors.Duplicate(at, device.name);
    constrained = constrained || !device.taints.empty() || !device.consumes_counters.empty() ||
                  std::ranges::any_of(device.attributes, [](const auto& it) { return IsList(it.second); });
  }
  const std::size_t limit = constrained ? kMaxConstrainedDevicesPerSlice : kMaxDevicesPerSlice;
  if (spec.devices.size() > limit) errors.TooMany(path.Member("devices"), spec.devices.size(), limit);
}

void ValidateDeviceTaintRule(const DeviceTaintRule& rule, FieldErrors& errors) {
  ValidateMeta(rule.metadata, FieldPath("metadata"), false, CheckDnsSubdomain, errors);
  const DeviceTaint& taint = rule.spec.taint;
  const FieldPath path("spec.taint");
  if (const std::string reason = CheckQualifiedName(taint.key); !reason.empty()) {
    errors.Invalid(path.Member("key"), taint.key, reason);
  }
  if (taint.effect != "None" && taint.effect != "NoSchedule" && taint.effect != "NoExecute") {
    errors.Unsupported(path.Member("effect"), taint.effect, {"NoExecute", "NoSchedule", "None"});
  }
}

}  // namespace kumiko::api
