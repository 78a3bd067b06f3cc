#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "allocator/explain_nodes.h"
#include "base/text.h"
#include "cli/explain/stage.h"
#include "cli/top/views.h"
#include "localcluster/cluster_file.h"
#include "localcluster/pod_claims.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

using report::Fit;
using report::Hue;

// Kinds of waiting work that are looked at for WAIT-FIT.
constexpr std::size_t kMostAsks = 16;

std::string Tenths(std::int64_t milli) {
  const std::int64_t tenths = (milli + 50) / 100;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

// Free slots of each node that something waiting could use.
class WaitFit {
 public:
  explicit WaitFit(const GpuCluster& cluster) {
    std::set<std::string> asks;
    std::vector<std::string> names;
    for (const NodeBoards& node : cluster.nodes) {
      names.push_back(node.name);
      nodes_[node.name] = &node;
    }
    for (const auto& pod : cluster.waiting) {
      if (asks.size() == kMostAsks) break;
      const localcluster::PodClaims found = localcluster::FindClaims(*pod, *cluster.model);
      std::vector<const api::ResourceClaim*> wanted;
      std::string text;
      for (const auto& claim : found.claims) {
        if (claim->status.allocation) continue;
        api::ResourceClaim bare;
        bare.spec = claim->spec;
        text += WriteJson(api::Encode(bare));
        wanted.push_back(claim.get());
      }
      if (wanted.empty() || !asks.insert(text).second) continue;
      for (const auto& entry : allocator::ExplainEach(cluster.model->inventory(), cluster.model->state(), wanted, names,
                                                      allocator::DeviceNames::kListed)) {
        AddUsable(entry);
      }
    }
  }

  std::size_t Of(const NodeBoards& node) const {
    const auto found = usable_.find(node.name);
    return found == usable_.end() ? 0 : found->second.size();
  }

 private:
  void AddUsable(const allocator::ExplainedNodes& entry) {
    std::set<std::string> devices;
    for (const allocator::Rejection& row : entry.explanation.rows) {
      if (StageOf(row) < Stage::kTogether) continue;
      for (const auto& id : row.names) devices.insert(id.device);
    }
    if (!entry.fits && devices.empty()) return;
    for (const std::string& name : entry.nodes) {
      for (const Board& board : nodes_.at(name)->boards) AddSlots(board, entry.fits, devices, usable_[name]);
    }
  }

  static void AddSlots(const Board& board, bool all, const std::set<std::string>& devices,
                       std::set<std::pair<std::string, int>>& usable) {
    if (board.FreeSlots() == 0) return;
    for (const api::Device* device : board.devices) {
      if (!all && !devices.contains(device->name)) continue;
      const auto range = gpu::SlotsOf(*device);
      if (!range || board.slots == 0) {
        usable.emplace(board.name, 0);
        continue;
      }
      for (int slot = range->start; slot < range->start + range->size; ++slot) {
        const auto at = static_cast<std::size_t>(slot);
        if (at < board.taken.size() && !board.taken[at]) usable.emplace(board.name, slot);
      }
    }
  }

  std::map<std::string, const NodeBoards*> nodes_;
  std::map<std::string, std::set<std::pair<std::string, int>>> usable_;  // (board, slot)
};

// As many strips a line as fit beside the other columns.
std::vector<std::string> StripLines(const NodeBoards& node, const report::Style& style) {
  std::size_t each = 8;
  if (style.width > 0 && style.width < 118) each = style.width >= 78 ? 4 : 2;
  if (style.width == 0) each = std::max<std::size_t>(node.boards.size(), 1);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < node.boards.size(); ++i) {
    if (i % each == 0) lines.emplace_back();
    lines.back() += report::DrawCompact(node.boards[i].Strip(), style);
  }
  return lines;
}

std::string HeadOf(const GpuCluster& cluster, const std::vector<const NodeBoards*>& shown) {
  std::int64_t gpus = 0;
  std::int64_t allocated = 0;
  std::int64_t unhealthy = 0;
  for (const NodeBoards* node : shown) {
    gpus += static_cast<std::int64_t>(node->boards.size());
    allocated += node->AllocatedMilli();
    unhealthy += std::count_if(node->boards.begin(), node->boards.end(),
                               [](const Board& board) { return !board.taint.empty(); });
  }
  return fmt::format("{}, {}   allocated {} ({})   used <unknown>   waiting {}   unhealthy {}",
                     report::Counted(static_cast<std::int64_t>(shown.size()), "node", "nodes"),
                     report::Counted(gpus, "GPU", "GPUs"), Tenths(allocated), report::Percent(allocated, gpus * 1000),
                     report::Counted(static_cast<std::int64_t>(cluster.waiting.size()), "pod", "pods"), unhealthy);
}

std::string Models(const NodeBoards& node) {
  std::vector<std::string> models;
  for (const Board& board : node.boards) {
    if (std::find(models.begin(), models.end(), board.model) == models.end()) models.push_back(board.model);
  }
  return Join(models, ", ");
}

std::string Modes(const NodeBoards& node) {
  const auto divided =
      std::count_if(node.boards.begin(), node.boards.end(), [](const Board& b) { return b.slots > 0; });
  if (divided == 0) return "whole";
  return static_cast<std::size_t>(divided) == node.boards.size() ? "parts" : "mixed";
}

std::string CpuFree(const GpuCluster& cluster, const NodeBoards& node) {
  if (node.node == nullptr) return "";
  const auto& has = node.node->status.allocatable.empty() ? node.node->status.capacity : node.node->status.allocatable;
  const auto cpu = has.find("cpu");
  if (cpu == has.end()) return "";
  const std::int64_t free = cpu->second.MilliValue() - cluster.model->uses().Of(node.name).cpu_milli;
  return free % 1000 == 0 ? std::to_string(free / 1000) : fmt::format("{}m", free);
}

std::string Label(const NodeBoards& node, const char* key) {
  if (node.node == nullptr) return "";
  const auto found = node.node->metadata.labels.find(key);
  return found == node.node->metadata.labels.end() ? "" : found->second;
}

ViewRow RowOf(const GpuCluster& cluster, const NodeBoards& node, std::size_t wait_fit, const report::Style& style,
              Time now) {
  ViewRow row;
  row.name = "node/" + node.name;
  const std::vector<std::string> strips = StripLines(node, style);
  const std::string health = node.Health();
  const std::string rack = Label(node, localcluster::kRackLabel);
  const std::string age = node.node != nullptr && node.node->metadata.creation_timestamp
                              ? FormatAge(now - *node.node->metadata.creation_timestamp)
                              : "";
  row.cells = {Text(node.name),
               Text(std::to_string(node.boards.size())),
               Text(Tenths(node.AllocatedMilli())),
               {.text = strips.empty() ? "" : strips.front(), .hue = Hue::kNone, .painted = true},
               Text(fmt::format("{}/{}", wait_fit, node.FreeSlots())),
               Text(health, health == "ok" ? Hue::kNone : Hue::kRed),
               Text(Models(node)),
               Text(Modes(node)),
               Text(CpuFree(cluster, node)),
               Text(rack),
               Text(age)};
  for (std::size_t i = 1; i < strips.size(); ++i) {
    row.more.push_back({.text = strips[i], .hue = Hue::kNone, .painted = true});
  }
  row.record = {
      {"name", node.name},       {"gpus", node.boards.size()},    {"allocatedMilliGpu", node.AllocatedMilli()},
      {"usedMilliGpu", nullptr}, {"freeSlots", node.FreeSlots()}, {"waitFitSlots", wait_fit},
      {"health", health},        {"models", Models(node)}};
  return row;
}

}  // namespace

View NodesView(const GpuCluster& cluster, const ViewChoice& choice, const report::Style& style, Time now) {
  View view;
  view.kind = "NodeView";
  view.columns = {{"NODE", Fit::kCutMiddle},
                  {"GPUS"},
                  {"ALLOC"},
                  {"STRIPS"},
                  {"WAIT-FIT"},
                  {"HEALTH", Fit::kCutEnd},
                  {"MODEL"},
                  {"MODE"},
                  {"CPU-FREE"},
                  {"RACK"},
                  {"AGE"}};
  view.wide_columns = 5;
  view.more_column = 3;
  view.nothing = "No nodes found. Is a cluster with GPUs behind this kubeconfig?";
  std::vector<const NodeBoards*> shown;
  for (const NodeBoards& node : cluster.nodes) {
    if (Selected(choice.selector, node.node == nullptr ? api::StringMap() : node.node->metadata.labels)) {
      shown.push_back(&node);
    }
  }
  const WaitFit wait_fit(cluster);
  view.head = HeadOf(cluster, shown);
  for (const NodeBoards* node : shown) view.rows.push_back(RowOf(cluster, *node, wait_fit.Of(*node), style, now));
  return view;
}

}  // namespace kumiko::cli
