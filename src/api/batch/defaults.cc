#include "api/defaults.h"

#include <cstdint>
#include <limits>

namespace kumiko::api {

namespace {

// Of a Job itself; the template of a CronJob gets them when it becomes one.
void DefaultJob(JsonObject& job) {
  MakeMapAt(job, "metadata");  // first: a member that is added moves the others
  JsonObject* spec = MakeMapAt(job, "spec");
  if (spec == nullptr) return;
  // Without parallelism and completions the Job is one pod; with only parallelism it is a work queue.
  if (IsAbsent(*spec, "parallelism")) DefaultMember(*spec, "completions", 1);
  DefaultMember(*spec, "parallelism", 1);
  const bool per_index = !IsAbsent(*spec, "backoffLimitPerIndex");
  DefaultMember(*spec, "backoffLimit", per_index ? std::numeric_limits<std::int32_t>::max() : 6);
  DefaultMember(*spec, "completionMode", "NonIndexed");
  DefaultMember(*spec, "suspend", false);
  DefaultMember(*spec, "manualSelector", false);
  DefaultMember(*spec, "podReplacementPolicy", IsAbsent(*spec, "podFailurePolicy") ? "TerminatingOrFailed" : "Failed");
  JsonObject* pod_template = MapAt(*spec, "template");
  JsonObject* template_metadata = pod_template == nullptr ? nullptr : MapAt(*pod_template, "metadata");
  const JsonObject* labels = template_metadata == nullptr ? nullptr : MapAt(*template_metadata, "labels");
  JsonObject* metadata = MapAt(job, "metadata");
  if (labels == nullptr || metadata == nullptr) return;
  const JsonObject* own = MapAt(*metadata, "labels");
  if (own == nullptr || own->empty()) (*metadata)["labels"] = *labels;
}

}  // namespace

std::span<const DependentDefaults> BatchDefaults() {
  static constexpr DependentDefaults kRows[] = {{"batch.Job", DefaultJob}};
  return kRows;
}

}  // namespace kumiko::api
