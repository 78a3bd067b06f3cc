#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "cli/explain/explain.h"
#include "cli/explain/subject.h"
#include "cli/selector_text.h"
#include "cli/top/views.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

using report::Fit;
using report::Hue;

// Explaining each waiting pod would take seconds where many wait; of the others what the scheduler wrote is shown.
constexpr std::size_t kMostExplained = 50;

constexpr const char* kQueueLabel = "kai.scheduler/queue";

std::string QueueOf(const api::Pod& pod) {
  const auto found = pod.metadata.labels.find(kQueueLabel);
  return found == pod.metadata.labels.end() ? "" : found->second;
}

bool Shown(const api::Pod& pod, const ViewChoice& choice) {
  return (choice.namespace_.empty() || pod.metadata.namespace_ == choice.namespace_) &&
         Selected(choice.selector, pod.metadata.labels);
}

std::string NothingIn(const ViewChoice& choice, const char* what) {
  return choice.namespace_.empty() ? fmt::format("No {} found", what)
                                   : fmt::format("No {} found in {} namespace.", what, choice.namespace_);
}

// What a device is of its board, and its memory, for every device that is held.
struct Part {
  std::int64_t milli = 0;
  std::int64_t memory_bytes = 0;
};
using Parts = std::map<allocator::DeviceId, Part>;

Parts PartsOf(const GpuCluster& cluster) {
  Parts parts;
  for (const NodeBoards& node : cluster.nodes) {
    for (const Board& board : node.boards) {
      for (const BoardPart& held : board.held) {
        Part& part = parts[held.id];
        const bool whole = board.slots == 0 || held.profile.empty() || !held.slots;
        part.milli = whole ? 1000 : held.slots->size * 1000 / board.slots;
        for (const api::Device* device : board.devices) {
          if (device->name != held.id.device) continue;
          const auto memory = device->capacity.find("memory");
          if (memory != device->capacity.end()) part.memory_bytes = memory->second.value.Value();
        }
      }
    }
  }
  return parts;
}

std::string Hundredths(std::int64_t milli) {
  return milli % 1000 == 0 ? std::to_string(milli / 1000)
                           : fmt::format("{}.{:02}", milli / 1000, (milli % 1000 + 5) / 10);
}

ViewRow HolderRow(const api::Pod& pod, const std::vector<allocator::DeviceId>& devices, const Parts& parts, Time now) {
  std::int64_t milli = 0;
  std::int64_t memory = 0;
  std::vector<std::string> names;
  for (const auto& id : devices) {
    const auto found = parts.find(id);
    names.push_back(id.device);
    if (found == parts.end()) continue;
    milli += found->second.milli;
    memory += found->second.memory_bytes;
  }
  ViewRow row;
  row.name = "pod/" + pod.metadata.name;
  const std::string since = pod.status.start_time ? FormatAge(now - *pod.status.start_time) : "";
  row.cells = {Text(pod.metadata.namespace_),
               Text(pod.metadata.name),
               Text(QueueOf(pod)),
               Text(Hundredths(milli)),
               Text("<unknown>"),
               Text(report::BinarySize(memory)),
               Text(since),
               Text(pod.spec.node_name + ": " + Join(names, " ")),
               Text(std::to_string(pod.spec.priority.value_or(0)))};
  row.record = {{"namespace", pod.metadata.namespace_},
                {"name", pod.metadata.name},
                {"queue", QueueOf(pod)},
                {"node", pod.spec.node_name},
                {"allocatedMilliGpu", milli},
                {"usedMilliGpu", nullptr},
                {"memoryBytes", memory}};
  return row;
}

std::string AsksOf(const localcluster::ClusterModel& model, const api::Pod& pod) {
  std::vector<std::string> asks;
  for (const auto& claim : ClaimsOf(model, pod)) asks.push_back(AskedFor(claim->spec.devices));
  return Join(asks, "; ");
}

std::string ReasonOf(const GpuCluster& cluster, const api::Pod& pod, bool explain, Time now) {
  if (explain) {
    const auto explanation = ExplainPod(*cluster.model, pod.metadata.namespace_, pod.metadata.name, now);
    if (explanation) return explanation->because;
  }
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "False") return condition.message;
  }
  return "no scheduler has looked at it yet";
}

}  // namespace

View PodsView(const GpuCluster& cluster, const ViewChoice& choice, Time now) {
  View view;
  view.kind = "PodView";
  view.columns = {{"NAMESPACE", Fit::kCutMiddle},
                  {"NAME", Fit::kCutMiddle},
                  {"QUEUE"},
                  {"GPUS"},
                  {"USE"},
                  {"MEM"},
                  {"SINCE"},
                  {"DEVICE"},
                  {"PRIORITY"}};
  view.wide_columns = 2;
  view.nothing = NothingIn(choice, "pods with devices");
  const Parts parts = PartsOf(cluster);
  for (const auto& [key, pod] : cluster.model->pods().objects()) {
    if (pod->spec.node_name.empty() || api::IsFinished(*pod) || !Shown(*pod, choice)) continue;
    std::vector<allocator::DeviceId> devices;
    for (const auto& claim : ClaimsOf(*cluster.model, *pod)) {
      if (!claim->status.allocation) continue;
      for (const auto& result : claim->status.allocation->devices.results) {
        devices.push_back({result.driver, result.pool, result.device});
      }
    }
    if (!devices.empty()) view.rows.push_back(HolderRow(*pod, devices, parts, now));
  }
  // Biggest first.
  std::stable_sort(view.rows.begin(), view.rows.end(), [](const ViewRow& a, const ViewRow& b) {
    return a.record.at("allocatedMilliGpu").as_int64() > b.record.at("allocatedMilliGpu").as_int64();
  });
  return view;
}

View PendingView(const GpuCluster& cluster, const ViewChoice& choice, Time now) {
  View view;
  view.kind = "PendingView";
  view.columns = {{"POS", Fit::kWhole},      {"NAMESPACE", Fit::kCutMiddle},
                  {"NAME", Fit::kCutMiddle}, {"QUEUE"},
                  {"ASKS", Fit::kCutEnd},    {"WAITING"},
                  {"REASON", Fit::kCutEnd},  {"PRIORITY"}};
  view.wide_columns = 1;
  view.nothing = NothingIn(choice, "waiting pods");
  std::size_t position = 0;
  for (const auto& pod : cluster.waiting) {
    ++position;
    if (!Shown(*pod, choice)) continue;
    const Duration waited = pod->metadata.creation_timestamp ? now - *pod->metadata.creation_timestamp : Duration(0);
    const std::string reason = ReasonOf(cluster, *pod, view.rows.size() < kMostExplained, now);
    ViewRow row;
    row.name = "pod/" + pod->metadata.name;
    row.cells = {Text(std::to_string(position)),
                 Text(pod->metadata.namespace_),
                 Text(pod->metadata.name),
                 Text(QueueOf(*pod)),
                 Text(AsksOf(*cluster.model, *pod)),
                 Text(FormatAge(waited)),
                 Text(reason),
                 Text(std::to_string(pod->spec.priority.value_or(0)))};
    row.record = {{"position", position},
                  {"namespace", pod->metadata.namespace_},
                  {"name", pod->metadata.name},
                  {"queue", QueueOf(*pod)},
                  {"asks", AsksOf(*cluster.model, *pod)},
                  {"waitedSeconds", std::chrono::duration_cast<std::chrono::seconds>(waited).count()},
                  {"reason", reason}};
    view.rows.push_back(std::move(row));
  }
  return view;
}

}  // namespace kumiko::cli
