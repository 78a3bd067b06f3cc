#include "cli/explain/device_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "cli/explain/stage.h"
#include "gpu/layout.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

using allocator::Rejection;
using Board = std::pair<std::string, std::string>;  // pool, board

// Nearer to success is larger.
std::tuple<Stage, Rejection::Reason> Nearness(const Rejection& row) {
  return {StageOf(row), row.reason};
}

// Each board with the row of its nearest part; empty when the devices are no parts of boards, or not named.
std::map<Board, const Rejection*> NearestRows(const allocator::Explanation& explanation) {
  std::map<Board, const Rejection*> boards;
  std::size_t named = 0;
  for (const Rejection& row : explanation.rows) {
    for (const auto& id : row.names) {
      ++named;
      const Rejection*& nearest = boards[{id.pool, gpu::BoardOf(id.device)}];
      if (nearest == nullptr || Nearness(*nearest) < Nearness(row)) nearest = &row;
    }
  }
  if (named != explanation.devices || boards.size() == named) boards.clear();
  return boards;
}

// Rows of devices that the class does not accept are merged: what they are instead is of no interest.
std::string TextOf(const allocator::Explanation& explanation, const Rejection& row) {
  return row.of_class ? row.detail : fmt::format("not of class {}", explanation.device_class);
}

struct Counted {
  report::PlaceRow row;
  std::tuple<Stage, Rejection::Reason> nearness;
};

std::vector<report::PlaceRow> Sorted(std::map<std::string, Counted> rows) {
  std::vector<Counted> sorted;
  for (auto& [text, counted] : rows) sorted.push_back(std::move(counted));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Counted& a, const Counted& b) {
    return std::tie(a.nearness, a.row.count) < std::tie(b.nearness, b.row.count);
  });
  std::vector<report::PlaceRow> result;
  for (Counted& counted : sorted) result.push_back(std::move(counted.row));
  return result;
}

void Add(const Rejection& row, const std::string& text, std::size_t count, std::map<std::string, Counted>& rows,
         const std::string& name) {
  Counted& counted = rows[text];
  counted.nearness = std::max(counted.nearness, Nearness(row));
  counted.row.count += count;
  counted.row.code = CodeOf(row.reason);
  counted.row.text = text;
  if (!name.empty()) counted.row.names.push_back(name);
}

}  // namespace

report::Place PlaceDevices(const allocator::Explanation& explanation, std::span<const std::string> nodes) {
  report::Place place;
  place.where =
      nodes.size() == 1 ? nodes.front() : report::Counted(static_cast<std::int64_t>(nodes.size()), "node", "nodes");
  const bool in_use = std::any_of(explanation.rows.begin(), explanation.rows.end(),
                                  [](const Rejection& row) { return StageOf(row) >= Stage::kTaken; });
  const auto boards = in_use ? NearestRows(explanation) : std::map<Board, const Rejection*>();
  std::map<std::string, Counted> rows;
  for (const auto& [board, row] : boards) {
    // Its nearest part is taken, and so are all that come as near.
    const bool taken = row->reason == Rejection::Reason::kDeviceTaken;
    Add(*row, taken ? "no free part" : TextOf(explanation, *row), 1, rows,
        nodes.size() == 1 ? board.second : board.first + "/" + board.second);
  }
  if (boards.empty()) {
    for (const Rejection& row : explanation.rows) {
      Add(row, TextOf(explanation, row), row.devices, rows, "");
      for (const auto& id : row.names) {
        rows[TextOf(explanation, row)].row.names.push_back(nodes.size() == 1 ? id.device : id.pool + "/" + id.device);
      }
    }
  }
  place.unit = boards.empty() ? "device" : "board";
  place.total = boards.empty() ? explanation.devices : boards.size();
  place.rows = Sorted(std::move(rows));
  return place;
}

}  // namespace kumiko::cli
