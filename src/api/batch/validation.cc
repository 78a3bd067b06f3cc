#include "api/group.h"

namespace kumiko::api {

void ValidateJob(const Job& job, FieldErrors& errors) {
  ValidateMeta(job.metadata, FieldPath("metadata"), true, CheckDnsSubdomain, errors);
  const FieldPath path("spec");
  const auto not_negative = [&](const std::optional<std::int64_t>& value, std::string_view member) {
    if (value && *value < 0) {
      errors.Invalid(path.Member(member), std::to_string(*value), "must be greater than or equal to 0");
    }
  };
  not_negative(job.spec.parallelism, "parallelism");
  not_negative(job.spec.completions, "completions");
  not_negative(job.spec.backoff_limit, "backoffLimit");
  ValidatePodAnnotations(job.spec.template_.metadata.annotations, path.Member("template.metadata.annotations"), errors);
  ValidatePodSpec(job.spec.template_.spec, path.Member("template").Member("spec"), errors);
  const std::string& restart_policy = job.spec.template_.spec.restart_policy;
  if (restart_policy != "Never" && restart_policy != "OnFailure") {
    errors.Unsupported(path.Member("template.spec.restartPolicy"), restart_policy, {"OnFailure", "Never"});
  }
}

}  // namespace kumiko::api
