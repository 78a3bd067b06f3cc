#include "localcluster/node/container_log.h"

#include <algorithm>

#include "api/codec.h"
#include "api/core/pod_annotations.h"
#include "base/text.h"

namespace kumiko::localcluster {
namespace {

ContainerProgram ProgramOf(const api::Pod& pod, const api::Container& container) {
  ContainerProgram program;
  program.command_line = container.command;
  program.command_line.insert(program.command_line.end(), container.args.begin(), container.args.end());
  for (const api::EnvVar& variable : container.env) program.environment.emplace_back(variable.name, variable.value);
  program.hostname = pod.metadata.name;
  return program;
}

std::optional<Duration> RunFor(const api::Pod& pod) {
  const auto found = pod.metadata.annotations.find(api::kRunForAnnotation);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  const Result<Duration> time = api::ParseRunTime(found->second);
  return time ? std::optional<Duration>(*time) : std::nullopt;
}

const api::Container* FindContainer(const api::Pod& pod, const std::string& name) {
  for (const auto* list : {&pod.spec.containers, &pod.spec.init_containers}) {
    const auto found = std::ranges::find(*list, name, &api::Container::name);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

const Json* FindStatus(const Json& pod, const std::string& container) {
  for (const char* member : {"containerStatuses", "initContainerStatuses"}) {
    const Json* list = FindPath(pod, {"status", member});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& status : list->get_array()) {
      if (StringAt(status, {"name"}) == container) return &status;
    }
  }
  return nullptr;
}

}  // namespace

ProgramRun EndOf(const api::Pod& pod, const api::Container& container, Time start) {
  ProgramRun run;
  const bool is_init = std::ranges::find(pod.spec.init_containers, container.name, &api::Container::name) !=
                       pod.spec.init_containers.end();
  if (const auto run_for = RunFor(pod); run_for && !is_init) {
    run.end = run_for;
  } else {
    run = EndOfProgram(ProgramOf(pod, container), start);
  }
  const auto code = pod.metadata.annotations.find(api::kExitCodeAnnotation);
  if (code != pod.metadata.annotations.end() && !is_init) {
    run.exit_code = static_cast<int>(ParseInt64(code->second).value_or(0) & 0xff);
  }
  return run;
}

Result<std::vector<LogLine>> LogOf(const Json& tree, const std::string& container, WhichRun which, Time now) {
  KU_TRY(const api::Pod pod, api::Decode<api::Pod>(tree));
  const api::Container* found = FindContainer(pod, container);
  if (found == nullptr) {
    return Fail(Code::kInvalidArgument, "container {} is not valid for pod {}", container, pod.metadata.name);
  }
  const Json* status = FindStatus(tree, container);
  const Json empty = JsonObject();
  const Json& known = status == nullptr ? empty : *status;
  const Json* running = FindPath(known, {"state", "running"});
  const Json* present = FindPath(known, {"state", "terminated"});
  const Json* last = FindPath(known, {"lastState", "terminated"});
  // A container that waits to be restarted shows the log of its last run.
  if (which == WhichRun::kPresent && running == nullptr && present == nullptr) present = last;
  const Json* ended = which == WhichRun::kPrevious ? last : running == nullptr ? present : nullptr;
  if (which == WhichRun::kPrevious && ended == nullptr) {
    return Fail(Code::kNotFound, "previous terminated container \"{}\" in pod \"{}\" not found", container,
                pod.metadata.name);
  }
  if (running == nullptr && ended == nullptr) {
    std::string_view reason = StringAt(known, {"state", "waiting", "reason"});
    if (reason.empty()) reason = "ContainerCreating";
    return Fail(Code::kInvalidArgument, "container \"{}\" in pod \"{}\" is waiting to start: {}", container,
                pod.metadata.name, reason);
  }
  KU_TRY(const Time start, ParseRfc3339(StringAt(ended == nullptr ? *running : *ended, {"startedAt"})));
  Time until = now;
  if (ended != nullptr) {
    KU_TRY(until, ParseRfc3339(StringAt(*ended, {"finishedAt"})));
  }
  std::vector<LogLine> lines;
  for (OutputLine& line : RunProgram(ProgramOf(pod, *found), start, until - start).lines) {
    lines.push_back({start + line.at, std::move(line.text)});
  }
  return lines;
}

}  // namespace kumiko::localcluster
