// Rows of apps, batch and policy.
#include <fmt/format.h>

#include "base/text.h"
#include "localcluster/tables/cells.h"
#include "localcluster/tables/formats.h"

namespace kumiko::localcluster {
namespace {

void WriteContainers(const JsonArray& containers, Cells& cells) {
  cells.Text(NamesOf(containers));
  cells.Text(ImagesOf(containers));
}

void WriteDeployment(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(fmt::format("{}/{}", NumberAt(object, {"status", "readyReplicas"}),  //
                         NumberAt(object, {"spec", "replicas"})));
  cells.Number(NumberAt(object, {"status", "updatedReplicas"}));
  cells.Number(NumberAt(object, {"status", "availableReplicas"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(object, {"spec", "template", "spec", "containers"}), cells);
  cells.Text(SelectorText(FindPath(object, {"spec", "selector"})));
}

void WriteReplicaSet(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Number(NumberAt(object, {"spec", "replicas"}));
  cells.Number(NumberAt(object, {"status", "replicas"}));
  cells.Number(NumberAt(object, {"status", "readyReplicas"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(object, {"spec", "template", "spec", "containers"}), cells);
  cells.Text(SelectorText(FindPath(object, {"spec", "selector"})), kNoneText);
}

void WriteDaemonSet(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  for (const std::string_view count : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                                       "updatedNumberScheduled", "numberAvailable"}) {
    cells.Number(NumberAt(object, {"status", count}));
  }
  cells.Text(LabelsText(MapAt(object, {"spec", "template", "spec", "nodeSelector"})));
  cells.Age(object, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(object, {"spec", "template", "spec", "containers"}), cells);
  cells.Text(SelectorText(FindPath(object, {"spec", "selector"})), kNoneText);
}

void WriteStatefulSet(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(fmt::format("{}/{}", NumberAt(object, {"status", "readyReplicas"}),  //
                         NumberAt(object, {"spec", "replicas"})));
  cells.Age(object, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(object, {"spec", "template", "spec", "containers"}), cells);
}

// "apps/v1" and Deployment are "deployment.apps".
std::string LowerGroupKind(const Json& reference) {
  const std::string_view version = StringAt(reference, {"apiVersion"});
  const std::size_t slash = version.find('/');
  std::string text(StringAt(reference, {"kind"}));
  if (slash != std::string_view::npos) text += "." + std::string(version.substr(0, slash));
  return ToLower(text);
}

void WriteControllerRevision(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  std::string controller(kNoneText);
  for (const Json& owner : ListAt(object, {"metadata", "ownerReferences"})) {
    if (!FlagAt(owner, {"controller"})) continue;
    controller = LowerGroupKind(owner) + "/" + std::string(StringAt(owner, {"name"}));
  }
  cells.Text(controller);
  cells.Number(NumberAt(object, {"revision"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

std::string_view JobStatus(const Json& job) {
  const auto holds = [&](std::string_view type) {
    for (const Json& condition : ListAt(job, {"status", "conditions"})) {
      if (StringAt(condition, {"type"}) == type) return StringAt(condition, {"status"}) == "True";
    }
    return false;
  };
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (FindPath(job, {"metadata", "deletionTimestamp"}) != nullptr) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (holds(type)) return type;
  }
  return "Running";
}

std::string Completions(const Json& job) {
  const std::int64_t succeeded = NumberAt(job, {"status", "succeeded"});
  if (FindPath(job, {"spec", "completions"}) != nullptr) {
    return fmt::format("{}/{}", succeeded, NumberAt(job, {"spec", "completions"}));
  }
  const std::int64_t parallelism = NumberAt(job, {"spec", "parallelism"});
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : fmt::format("{}/1", succeeded);
}

std::string JobDuration(const Json& job, Time now) {
  const Result<Time> start = ParseRfc3339(StringAt(job, {"status", "startTime"}));
  if (!start) return "";
  const Result<Time> end = ParseRfc3339(StringAt(job, {"status", "completionTime"}));
  return FormatAge((end ? *end : now) - *start);
}

void WriteJob(const Json& job, Cells& cells) {
  cells.Text(NameOf(job));
  cells.Text(JobStatus(job));
  cells.Text(Completions(job));
  cells.Text(JobDuration(job, cells.now()));
  cells.Age(job, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(job, {"spec", "template", "spec", "containers"}), cells);
  cells.Text(SelectorText(FindPath(job, {"spec", "selector"})), kNoneText);
}

void WriteCronJob(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  cells.Text(StringAt(object, {"spec", "schedule"}));
  const Json* time_zone = FindPath(object, {"spec", "timeZone"});
  cells.Text(time_zone == nullptr ? std::string(kNoneText) : PlainText(*time_zone));
  const Json* suspend = FindPath(object, {"spec", "suspend"});
  cells.Text(suspend == nullptr ? kUnsetText : FlagAt(object, {"spec", "suspend"}) ? "True" : "False");
  cells.Number(static_cast<std::int64_t>(ListAt(object, {"status", "active"}).size()));
  const Json* last = FindPath(object, {"status", "lastScheduleTime"});
  cells.Text(last == nullptr ? std::string(kNoneText) : AgeText(last, cells.now()));
  cells.Age(object, {"metadata", "creationTimestamp"});
  WriteContainers(ListAt(object, {"spec", "jobTemplate", "spec", "template", "spec", "containers"}), cells);
  cells.Text(SelectorText(FindPath(object, {"spec", "jobTemplate", "spec", "selector"})), kNoneText);
}

void WriteDisruptionBudget(const Json& object, Cells& cells) {
  cells.Text(NameOf(object));
  for (const std::string_view bound : {"minAvailable", "maxUnavailable"}) {
    const Json* value = FindPath(object, {"spec", bound});
    cells.Text(value == nullptr ? "N/A" : PlainText(*value));
  }
  cells.Number(NumberAt(object, {"status", "disruptionsAllowed"}));
  cells.Age(object, {"metadata", "creationTimestamp"});
}

TableColumn Count(std::string name, std::string description) {
  return {.name = std::move(name), .type = "integer", .description = std::move(description)};
}

TableColumn SelectorColumn() {
  return Wide("Selector", "Labels of the pods that belong to it.");
}

}  // namespace

NamedFormats WorkloadFormats() {
  const TableColumn ready = {.name = "Ready", .description = "Pods that are ready, of those wanted."};
  return {
      {"ControllerRevision",
       {.columns = {NameColumn(),
                    {.name = "Controller", .description = "Controller of the object."},
                    {.name = "Revision", .description = "Number of the state that is kept."},
                    AgeColumn()},
        .write_cells = WriteControllerRevision}},
      {"CronJob",
       {.columns = {NameColumn(),
                    {.name = "Schedule", .description = "When jobs are made, as cron writes it."},
                    {.name = "Timezone", .description = "Time zone of the schedule."},
                    {.name = "Suspend", .type = "boolean", .description = "Whether no further jobs are made."},
                    Count("Active", "Jobs that run."),
                    {.name = "Last Schedule", .description = "When a job was last made."},
                    AgeColumn(),
                    ContainersColumn(),
                    ImagesColumn(),
                    SelectorColumn()},
        .write_cells = WriteCronJob}},
      {"DaemonSet",
       {.columns = {NameColumn(),
                    Count("Desired", "Nodes that should run the pod."),
                    Count("Current", "Nodes that run at least one and should."),
                    Count("Ready", "Nodes whose pod is ready."),
                    Count("Up-to-date", "Nodes whose pod is of the present template."),
                    Count("Available", "Nodes whose pod is available."),
                    {.name = "Node Selector", .description = "Labels of the nodes."},
                    AgeColumn(),
                    ContainersColumn(),
                    ImagesColumn(),
                    SelectorColumn()},
        .write_cells = WriteDaemonSet}},
      {"Deployment",
       {.columns = {NameColumn(),
                    ready,
                    {.name = "Up-to-date", .description = "Pods of the present template."},
                    {.name = "Available", .description = "Pods that are available."},
                    AgeColumn(),
                    ContainersColumn(),
                    ImagesColumn(),
                    SelectorColumn()},
        .write_cells = WriteDeployment}},
      {"Job",
       {.columns = {NameColumn(),
                    {.name = "Status", .description = "Status of the job."},
                    {.name = "Completions", .description = "Pods that have succeeded, of those wanted."},
                    {.name = "Duration", .description = "How long the job has taken."},
                    AgeColumn(),
                    ContainersColumn(),
                    ImagesColumn(),
                    SelectorColumn()},
        .write_cells = WriteJob}},
      {"PodDisruptionBudget",
       {.columns = {NameColumn(),
                    {.name = "Min Available", .description = "Pods that must be available."},
                    {.name = "Max Unavailable", .description = "Pods that may be unavailable."},
                    Count("Allowed Disruptions", "Pods that may be disrupted now."),
                    AgeColumn()},
        .write_cells = WriteDisruptionBudget}},
      {"ReplicaSet",
       {.columns = {NameColumn(), Count("Desired", "Pods wanted."), Count("Current", "Pods that are there."),
                    Count("Ready", "Pods that are ready."), AgeColumn(), ContainersColumn(), ImagesColumn(),
                    SelectorColumn()},
        .write_cells = WriteReplicaSet}},
      {"StatefulSet",
       {.columns = {NameColumn(), ready, AgeColumn(), ContainersColumn(), ImagesColumn()},
        .write_cells = WriteStatefulSet}},
  };
}

}  // namespace kumiko::localcluster
