#include <algorithm>
#include <set>

#include "api/group.h"
#include "api/kinds.h"

namespace kumiko::api {

namespace {

void ValidateQuantities(const ResourceList& list, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [name, quantity] : list) {
    if (quantity.Sign() < 0) {
      errors.Invalid(path.Key(name), quantity.ToString(), "must be greater than or equal to 0");
    }
  }
}

void ValidateContainer(const Container& container, const std::set<std::string>& pod_claims, const FieldPath& path,
                       FieldErrors& errors) {
  if (container.name.empty()) {
    errors.Required(path.Member("name"), "give the container a name");
  } else if (const std::string reason = CheckDnsLabel(container.name); !reason.empty()) {
    errors.Invalid(path.Member("name"), container.name, reason);
  }
  if (container.image.empty()) errors.Required(path.Member("image"), "name the container's image");
  const FieldPath resources = path.Member("resources");
  ValidateQuantities(container.resources.requests, resources.Member("requests"), errors);
  ValidateQuantities(container.resources.limits, resources.Member("limits"), errors);
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < container.resources.claims.size(); ++i) {
    const ContainerClaim& claim = container.resources.claims[i];
    const FieldPath at = resources.Member("claims").Index(i);
    if (claim.name.empty()) {
      errors.Required(at.Member("name"), "name an entry of the pod's spec.resourceClaims");
    } else if (pod_claims.count(claim.name) == 0) {
      errors.Invalid(at.Member("name"), claim.name, "the pod's spec.resourceClaims has no entry of this name; add one");
    }
    if (!seen.emplace(claim.name, claim.request).second) errors.Duplicate(at, claim.name);
  }
}

std::set<std::string> ValidateResourceClaims(const std::vector<PodResourceClaim>& claims, const FieldPath& path,
                                             FieldErrors& errors) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const PodResourceClaim& claim = claims[i];
    const FieldPath at = path.Index(i);
    if (claim.name.empty()) {
      errors.Required(at.Member("name"), "containers refer to the claim by this name");
    } else if (const std::string reason = CheckDnsLabel(claim.name); !reason.empty()) {
      errors.Invalid(at.Member("name"), claim.name, reason);
    }
    if (!names.insert(claim.name).second) errors.Duplicate(at.Member("name"), claim.name);
    if (claim.resource_claim_name.has_value() == claim.resource_claim_template_name.has_value()) {
      errors.Invalid(at, claim.name, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    const auto check = [&](const std::optional<std::string>& name, std::string_view member) {
      if (!name) return;
      if (const std::string reason = CheckDnsSubdomain(*name); !reason.empty()) {
        errors.Invalid(at.Member(member), *name, reason);
      }
    };
    check(claim.resource_claim_name, "resourceClaimName");
    check(claim.resource_claim_template_name, "resourceClaimTemplateName");
  }
  return names;
}

}  // namespace

void ValidatePodSpec(const PodSpec& spec, const FieldPath& path, FieldErrors& errors) {
  const std::set<std::string> claims =
      ValidateResourceClaims(spec.resource_claims, path.Member("resourceClaims"), errors);
  if (spec.containers.empty()) errors.Required(path.Member("containers"), "a pod needs at least one container");
  std::set<std::string> names;
  const auto containers = [&](const std::vector<Container>& list, std::string_view member) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const FieldPath at = path.Member(member).Index(i);
      ValidateContainer(list[i], claims, at, errors);
      if (!list[i].name.empty() && !names.insert(list[i].name).second) {
        errors.Duplicate(at.Member("name"), list[i].name);
      }
    }
  };
  containers(spec.init_containers, "initContainers");
  containers(spec.containers, "containers");
  if (spec.restart_policy != "Always" && spec.restart_policy != "OnFailure" && spec.restart_policy != "Never") {
    errors.Unsupported(path.Member("restartPolicy"), spec.restart_policy, {"Always", "OnFailure", "Never"});
  }
  for (std::size_t i = 0; i < spec.tolerations.size(); ++i) {
    const Toleration& toleration = spec.tolerations[i];
    const FieldPath at = path.Member("tolerations").Index(i);
    if (!toleration.operator_.empty() && toleration.operator_ != "Equal" && toleration.operator_ != "Exists") {
      errors.Unsupported(at.Member("operator"), toleration.operator_, {"Equal", "Exists"});
    }
    if (toleration.key.empty() && toleration.operator_ != "Exists") {
      errors.Invalid(at.Member("operator"), toleration.operator_, "operator must be Exists when `key` is empty");
    }
  }
  for (const auto& [key, value] : spec.node_selector) {
    const FieldPath at = path.Member("nodeSelector").Key(key);
    if (const std::string reason = CheckQualifiedName(key); !reason.empty()) errors.Invalid(at, key, reason);
    if (const std::string reason = CheckLabelValue(value); !reason.empty()) errors.Invalid(at, value, reason);
  }
}

void ValidatePod(const Pod& pod, FieldErrors& errors) {
  ValidateMeta(pod.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  ValidatePodAnnotations(pod.metadata.annotations, FieldPath("metadata").Member("annotations"), errors);
  ValidatePodSpec(pod.spec, FieldPath("spec"), errors);
}

void ValidateNode(const Node& node, FieldErrors& errors) {
  ValidateMeta(node.metadata, FieldPath("metadata"), false, CheckDnsSubdomain, errors);
  for (std::size_t i = 0; i < node.spec.taints.size(); ++i) {
    const Taint& taint = node.spec.taints[i];
    const FieldPath at = FieldPath("spec").Member("taints").Index(i);
    if (const std::string reason = CheckQualifiedName(taint.key); !reason.empty()) {
      errors.Invalid(at.Member("key"), taint.key, reason);
    }
    if (taint.effect != "NoSchedule" && taint.effect != "PreferNoSchedule" && taint.effect != "NoExecute") {
      errors.Unsupported(at.Member("effect"), taint.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
  }
  ValidateQuantities(node.status.capacity, FieldPath("status.capacity"), errors);
  ValidateQuantities(node.status.allocatable, FieldPath("status.allocatable"), errors);
}

void ValidateNamed(const Json& object, FieldErrors& errors) {
  const Json* sent = Find(object, "metadata");
  const Result<ObjectMeta> meta = Decode<ObjectMeta>(sent == nullptr ? Json(JsonObject()) : *sent);
  if (!meta) {
    errors.Add({"metadata", meta.error().message});
    return;
  }
  const KindInfo* info = FindKind(StringAt(object, {"kind"}));
  ValidateMeta(*meta, FieldPath("metadata"), info != nullptr && info->namespaced, CheckDnsSubdomain, errors);
}

void ValidateNamespace(const Namespace& object, FieldErrors& errors) {
  ValidateMeta(object.metadata, FieldPath("metadata"), false, CheckDnsLabel, errors);
}

void ValidateEvent(const Event& event, FieldErrors& errors) {
  ValidateMeta(event.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
}

}  // namespace kumiko::api
