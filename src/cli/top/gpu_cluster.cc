#include "cli/top/gpu_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace kumiko::cli {
namespace {

// "gpu-3" is GPU 3 to people.
std::string GpuName(const std::string& board) {
  constexpr std::string_view kPrefix = "gpu-";
  return board.starts_with(kPrefix) ? "GPU " + board.substr(kPrefix.size()) : board;
}

bool IsReady(const api::Node& node) {
  return std::none_of(
      node.status.conditions.begin(), node.status.conditions.end(),
      [](const api::Condition& condition) { return condition.type == "Ready" && condition.status != "True"; });
}

}  // namespace

std::int64_t NodeBoards::AllocatedMilli() const {
  std::int64_t milli = 0;
  for (const Board& board : boards) milli += board.AllocatedMilli();
  return milli;
}

std::int64_t NodeBoards::FreeSlots() const {
  std::int64_t slots = 0;
  for (const Board& board : boards) slots += board.FreeSlots();
  return slots;
}

std::string NodeBoards::Health() const {
  std::vector<std::string> wrong;
  if (node == nullptr) wrong.emplace_back("no such node");
  if (node != nullptr && !IsReady(*node)) wrong.emplace_back("not ready");
  if (node != nullptr && node->spec.unschedulable) wrong.emplace_back("cordoned");
  for (const Board& board : boards) {
    if (!board.taint.empty()) wrong.push_back(GpuName(board.name) + " " + board.taint);
  }
  return wrong.empty() ? "ok" : Join(wrong, ", ");
}

GpuCluster::GpuCluster(const localcluster::ClusterModel& from) : model(&from), holders(from) {
  NodeSlices slices = SlicesByNode(from);
  slices.erase("");  // what several nodes reach is no board of one
  for (const auto& [key, node] : from.nodes().objects()) slices.try_emplace(key.name);
  for (const auto& [name, of_node] : slices) {
    nodes.push_back(
        {.name = name, .node = from.nodes().Find("", name), .boards = BoardsOf(name, of_node, holders, from)});
  }
  for (const auto& [key, pod] : from.pods().objects()) {
    if (pod->spec.node_name.empty() && !pod->metadata.deletion_timestamp && !api::IsFinished(*pod)) {
      waiting.push_back(pod);
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
    return a->metadata.creation_timestamp < b->metadata.creation_timestamp;
  });
}

bool Selected(const localcluster::LabelSelector& selector, const api::StringMap& labels) {
  if (selector.empty()) return true;
  JsonObject written;
  for (const auto& [key, value] : labels) written[key] = value;
  return selector.Matches(JsonObject{{"metadata", JsonObject{{"labels", std::move(written)}}}});
}

}  // namespace kumiko::cli
