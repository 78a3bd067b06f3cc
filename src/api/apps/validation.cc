#include "api/group.h"

namespace kumiko::api {

namespace {

void ValidateSpec(const DeploymentSpec& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  if (spec.replicas && *spec.replicas < 0) {
    errors.Invalid(path.Member("replicas"), std::to_string(*spec.replicas), "must be greater than or equal to 0");
  }
  if (spec.selector.match_labels.empty() && spec.selector.match_expressions.empty()) {
    errors.Required(path.Member("selector"), "select the template's labels with matchLabels");
  } else if (!Matches(spec.selector, spec.template_.metadata.labels)) {
    errors.Invalid(path.Member("template.metadata.labels"), "", "`selector` does not match template `labels`");
  }
  ValidatePodAnnotations(spec.template_.metadata.annotations, path.Member("template.metadata.annotations"), errors);
  ValidatePodSpec(spec.template_.spec, path.Member("template").Member("spec"), errors);
  if (spec.template_.spec.restart_policy != "Always") {
    errors.Unsupported(path.Member("template.spec.restartPolicy"), spec.template_.spec.restart_policy, {"Always"});
  }
}

}  // namespace

void ValidateDeployment(const Deployment& deployment, FieldErrors& errors) {
  ValidateMeta(deployment.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  ValidateSpec(deployment.spec, errors);
}

void ValidateReplicaSet(const ReplicaSet& replica_set, FieldErrors& errors) {
  ValidateMeta(replica_set.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  ValidateSpec(replica_set.spec, errors);
}

}  // namespace kumiko::api
