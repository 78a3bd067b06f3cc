#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/top/views.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

using report::Fit;
using report::Hue;

std::string AttributeOf(const Board& board, const char* name) {
  const api::Device* device = board.whole != nullptr ? board.whole : board.devices.front();
  const auto found = device->attributes.find(name);
  if (found == device->attributes.end()) return "";
  if (found->second.string_value) return *found->second.string_value;
  return found->second.int_value ? std::to_string(*found->second.int_value) : "";
}

// Of the whole board; without one, the sum of its parts would count some of it twice.
std::string MemoryOf(const Board& board) {
  if (board.whole == nullptr) return "";
  const auto found = board.whole->capacity.find("memory");
  return found == board.whole->capacity.end() ? "" : report::BinarySize(found->second.value.Value());
}

std::string HoldersOf(const Board& board) {
  std::set<std::string> names;
  for (const BoardPart& part : board.held) {
    if (part.holder != nullptr) names.insert(part.holder->name);
  }
  return Join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

JsonArray PartsOf(const Board& board) {
  JsonArray parts;
  for (const BoardPart& part : board.held) {
    JsonObject record{{"device", part.id.device}, {"profile", part.profile}};
    if (part.slots) {
      record["slot"] = part.slots->start;
      record["slots"] = part.slots->size;
    }
    if (part.holder != nullptr) record["holder"] = part.holder->name;
    parts.push_back(std::move(record));
  }
  return parts;
}

ViewRow RowOf(const Board& board, const report::Style& style) {
  ViewRow row;
  row.name = "gpu/" + board.node + "/" + board.name;
  row.cells = {Text(board.node),
               Text(board.name),
               Text(board.model),
               {.text = report::Draw(board.Strip(), style), .hue = Hue::kNone, .painted = true},
               Text("<unknown>"),
               Text(HoldersOf(board)),
               Text(AttributeOf(board, "uuid")),
               Text(AttributeOf(board, "resource.kubernetes.io/numaNode")),
               Text(AttributeOf(board, "resource.kubernetes.io/pcieRoot")),
               Text(MemoryOf(board)),
               Text("<unknown>"),
               Text("<unknown>"),
               Text(board.taint, Hue::kRed)};
  row.record = {{"node", board.node},
                {"gpu", board.name},
                {"model", board.model},
                {"uuid", AttributeOf(board, "uuid")},
                {"slots", board.slots},
                {"freeSlots", board.FreeSlots()},
                {"allocatedMilliGpu", board.AllocatedMilli()},
                {"usedMilliGpu", nullptr},
                {"taint", board.taint},
                {"parts", PartsOf(board)}};
  return row;
}

}  // namespace

View GpusView(const GpuCluster& cluster, const ViewChoice& choice, const report::Style& style) {
  View view;
  view.kind = "GpuView";
  view.columns = {{"NODE", Fit::kCutMiddle},
                  {"GPU"},
                  {"MODEL", Fit::kCutMiddle},
                  {"STRIP"},
                  {"USE"},
                  {"HELD-BY", Fit::kCutEnd},
                  {"UUID"},
                  {"NUMA"},
                  {"PCIE"},
                  {"MEM"},
                  {"TEMP"},
                  {"POWER"},
                  {"TAINTS"}};
  view.wide_columns = 7;
  view.nothing = choice.node.empty() ? "No GPUs found: no node publishes a device with memory."
                                     : "No GPUs found on node " + choice.node + ".";
  for (const NodeBoards& node : cluster.nodes) {
    if (!choice.node.empty() && node.name != choice.node) continue;
    if (!Selected(choice.selector, node.node == nullptr ? api::StringMap() : node.node->metadata.labels)) continue;
    for (const Board& board : node.boards) view.rows.push_back(RowOf(board, style));
  }
  return view;
}

}  // namespace kumiko::cli
