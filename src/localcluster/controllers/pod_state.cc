#include "localcluster/controllers/pod_state.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "base/text.h"

namespace kumiko::localcluster {
namespace {

constexpr const char* kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

const api::Condition* ReadyCondition(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == "Ready") return &condition;
  }
  return nullptr;
}

// What decides over deletion; the smallest goes first.
struct Rank {
  bool has_node = false;
  bool runs = false;
  bool ready = false;
  std::int64_t cost = 0;
  std::int64_t fewer_beside = 0;    // minus the number of ready pods on the node
  std::int64_t ready_for = 0;       // minus the microsecond since when it is ready
  std::int64_t fewer_restarts = 0;  // minus the number of restarts
  std::int64_t age = 0;             // minus the microsecond of its creation
  auto operator<=>(const Rank&) const = default;
};

Rank RankOf(const api::Pod& pod, std::int64_t ready_beside) {
  Rank rank;
  rank.has_node = !pod.spec.node_name.empty();
  rank.runs = pod.status.phase == "Running";
  rank.ready = IsReady(pod);
  const auto cost = pod.metadata.annotations.find(kDeletionCost);
  if (cost != pod.metadata.annotations.end()) rank.cost = ParseInt64(cost->second).value_or(0);
  rank.fewer_beside = -ready_beside;
  if (rank.ready) rank.ready_for = -ReadyCondition(pod)->last_transition_time.value_or(Time()).micros;
  for (const api::ContainerStatus& container : pod.status.container_statuses) {
    rank.fewer_restarts = std::min(rank.fewer_restarts, -container.restart_count);
  }
  rank.age = -pod.metadata.creation_timestamp.value_or(Time()).micros;
  return rank;
}

}  // namespace

bool IsActive(const api::Pod& pod) {
  return !api::IsFinished(pod) && !pod.metadata.deletion_timestamp;
}

bool IsTerminating(const api::Pod& pod) {
  return !api::IsFinished(pod) && pod.metadata.deletion_timestamp.has_value();
}

bool IsReady(const api::Pod& pod) {
  const api::Condition* ready = ReadyCondition(pod);
  return ready != nullptr && ready->status == "True";
}

std::optional<Time> AvailableFrom(const api::Pod& pod, std::int64_t min_ready_seconds) {
  if (!IsReady(pod)) return std::nullopt;
  return ReadyCondition(pod)->last_transition_time.value_or(Time()) + std::chrono::seconds(min_ready_seconds);
}

bool IsAvailable(const api::Pod& pod, std::int64_t min_ready_seconds, Time now) {
  const std::optional<Time> from = AvailableFrom(pod, min_ready_seconds);
  return from && (min_ready_seconds == 0 || *from <= now);
}

void SortForDeletion(Pods& pods) {
  std::map<std::string, std::int64_t> ready_on;
  for (const PodPointer& pod : pods) {
    if (IsReady(*pod)) ++ready_on[pod->spec.node_name];
  }
  std::vector<std::pair<Rank, PodPointer>> ranked;
  ranked.reserve(pods.size());
  for (PodPointer& pod : pods) {
    const auto beside = ready_on.find(pod->spec.node_name);
    ranked.emplace_back(RankOf(*pod, beside == ready_on.end() ? 0 : beside->second), std::move(pod));
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second->metadata.name > b.second->metadata.name;
  });
  for (std::size_t i = 0; i < pods.size(); ++i) pods[i] = std::move(ranked[i].second);
}

}  // namespace kumiko::localcluster
