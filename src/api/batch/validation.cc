#include <fmt/format.h>

#include "api/batch/schedule.h"
#include "api/group.h"

namespace kumiko::api {

namespace {

// Pods of jobs end. Which of the two policies is to be said.
void CheckJobTemplate(const Field& spec, FieldErrors& errors) {
  ValidatePodTemplate(spec["template"], errors);
  const Field policy = spec["template"]["spec"]["restartPolicy"];
  if (policy.text() != "OnFailure" && policy.text() != "Never") {
    errors.Required(policy.path(), "valid values: \"OnFailure\", \"Never\"");
  }
}

void CheckJobSpec(const Field& spec, FieldErrors& errors) {
  for (const std::string_view count : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                                       "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    CheckNotNegative(spec[count], errors);
  }
  const Field mode = spec["completionMode"];
  const Field per_index = spec["backoffLimitPerIndex"];
  const Field failed_indexes = spec["maxFailedIndexes"];
  const bool indexed = mode.text() == "Indexed";
  if (failed_indexes.present() && !per_index.present()) {
    errors.Required(per_index.path(), "when maxFailedIndexes is specified");
  }
  if (mode.present()) CheckOneOf(mode, {"NonIndexed", "Indexed"}, errors);
  if (indexed && !spec["completions"].present()) {
    errors.Required(spec["completions"].path(), "when completion mode is Indexed");
  }
  for (const Field& field : {per_index, failed_indexes}) {
    if (field.present() && !indexed) errors.Invalid(field.path(), field.number(), "requires indexed completion mode");
  }
  if (const Field policy = spec["podReplacementPolicy"]; policy.present()) {
    CheckOneOf(policy, {"Failed", "TerminatingOrFailed"}, errors);
  }
  CheckJobTemplate(spec, errors);
}

// A Job whose selector is its own; without one it is generated when the job has its uid.
void CheckManualSelector(const Field& spec, FieldErrors& errors) {
  const Field selector = spec["selector"];
  const Field labels = spec["template"]["metadata"]["labels"];
  const bool manual = spec["manualSelector"].flag();
  if (!selector.present()) {
    if (!manual) return;
    errors.Required(selector.path());
    errors.InvalidJson(labels.path(), labels.json(), "`selector` does not match template `labels`");
    return;
  }
  if (!CheckLabelSelector(selector, errors)) return;
  const Field generated = selector["matchLabels"]["batch.kubernetes.io/controller-uid"];
  const Field legacy = selector["matchLabels"]["controller-uid"];
  if (!manual && (selector["matchLabels"].members().size() != 1 || (!generated.present() && !legacy.present()))) {
    errors.InvalidJson(selector.path(), selector.json(), "`selector` not auto-generated");
    return;
  }
  const Result<LabelSelector> decoded = Decode<LabelSelector>(*selector.json());
  StringMap values;
  for (const auto& [key, value] : labels.members()) {
    if (value.is_string()) values.emplace(key, std::string_view(value.get_string()));
  }
  if (decoded && !Matches(*decoded, values)) {
    errors.InvalidJson(labels.path(), labels.json(), "`selector` does not match template `labels`");
  }
}

}  // namespace

void ValidateJob(const Json& job, FieldErrors& errors) {
  ValidateName(job, CheckDnsSubdomain, errors);
  const Field spec = Field(&job, FieldPath())["spec"];
  CheckJobSpec(spec, errors);
  CheckManualSelector(spec, errors);
}

void ValidateCronJob(const Json& cron_job, FieldErrors& errors) {
  // Its jobs are named after it, with up to 11 characters of time.
  const auto check_name = [](std::string_view name) {
    return name.size() > 52 ? std::string("must be no more than 52 characters") : CheckDnsSubdomain(name);
  };
  ValidateName(cron_job, check_name, errors);
  const Field spec = Field(&cron_job, FieldPath())["spec"];
  if (const Field schedule = spec["schedule"]; schedule.text().empty()) {
    errors.Required(schedule.path());
  } else {
    CheckFormat(schedule, CheckSchedule, errors);
  }
  CheckNotNegative(spec["startingDeadlineSeconds"], errors);
  CheckOneOf(spec["concurrencyPolicy"], {"Allow", "Forbid", "Replace"}, errors);
  const Field zone = spec["timeZone"];
  if (zone.present() && zone.text().empty()) {
    errors.Invalid(zone.path(), "", "timeZone must be nil or non-empty string");
  }
  const Field job = spec["jobTemplate"]["spec"];
  CheckJobSpec(job, errors);
  if (job["selector"].present()) {
    errors.InvalidJson(job["selector"].path(), job["selector"].json(), "`selector` will be auto-generated");
  }
  if (job["manualSelector"].flag()) {
    errors.Add({job["manualSelector"].path().text(), "Unsupported value: true: supported values: \"nil\", \"false\""});
  }
  CheckNotNegative(spec["successfulJobsHistoryLimit"], errors);
  CheckNotNegative(spec["failedJobsHistoryLimit"], errors);
}

}  // namespace kumiko::api
