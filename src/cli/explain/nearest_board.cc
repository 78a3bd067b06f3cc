#include "cli/explain/nearest_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/boards.h"

namespace kumiko::cli {
namespace {

using Reason = allocator::Rejection::Reason;

constexpr std::size_t kMostNodes = 2;

bool Overlap(const gpu::SlotRange& a, const gpu::SlotRange& b) {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

struct Candidate {
  const Board* board = nullptr;
  gpu::SlotRange range;
  int free = 0;
  std::set<std::string> blockers;  // "dev/nb-4 holds 1g.10gb"
};

// Nearer: more of its slots free, then fewer in the way, then the first.
bool Nearer(const Candidate& a, const Candidate& b) {
  const int missing_a = a.range.size - a.free;
  const int missing_b = b.range.size - b.free;
  return missing_a != missing_b ? missing_a < missing_b : a.blockers.size() < b.blockers.size();
}

Candidate OnBoard(const Board& board, const gpu::SlotRange& range) {
  Candidate candidate{.board = &board, .range = range, .free = 0, .blockers = {}};
  for (int slot = range.start; slot < range.start + range.size; ++slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (at < board.taken.size() && !board.taken[at]) ++candidate.free;
  }
  for (const BoardPart& part : board.held) {
    if (!part.slots || part.holder == nullptr || !Overlap(*part.slots, range)) continue;
    candidate.blockers.insert(
        fmt::format("{} holds {}", part.holder->name, part.profile.empty() ? "the whole" : part.profile));
  }
  return candidate;
}

std::optional<Candidate> NearestOf(const std::vector<Board>& boards, const std::set<std::string>& devices) {
  std::optional<Candidate> nearest;
  for (const Board& board : boards) {
    for (const api::Device* device : board.devices) {
      const auto range = gpu::SlotsOf(*device);
      if (!range || !devices.contains(device->name)) continue;
      Candidate candidate = OnBoard(board, *range);
      if (!nearest || Nearer(candidate, *nearest)) nearest = std::move(candidate);
    }
  }
  return nearest;
}

std::string TextOf(const Candidate& candidate) {
  const std::vector<std::string> blockers(candidate.blockers.begin(), candidate.blockers.end());
  const std::string free = fmt::format("{} of the {} slots free", candidate.free, candidate.range.size);
  return blockers.empty() ? free : free + "; " + Join(blockers, ", ");
}

}  // namespace

std::vector<report::NearestBoard> NearestBoards(const Subject& subject, const NodePlace& place,
                                                const Holders& holders) {
  std::vector<report::NearestBoard> nearest;
  const NodeSlices slices = SlicesByNode(*subject.model);
  for (const NodeSituation& situation : place.situations) {
    if (nearest.size() == kMostNodes) break;
    if (!situation.explanation || situation.stage != Stage::kTaken || situation.needed > 1) continue;
    const std::string& node = situation.nodes.front();
    const auto found = slices.find(node);
    if (found == slices.end()) continue;
    std::set<std::string> devices;
    for (const allocator::Rejection& row : situation.explanation->rows) {
      if (StageOf(row) != Stage::kTaken) continue;
      for (const auto& id : row.names) devices.insert(id.device);
    }
    const std::vector<Board> boards = BoardsOf(node, found->second, holders, *subject.model);
    const auto candidate = NearestOf(boards, devices);
    // A board that is to be had as a whole shows nothing that its holder's name does not.
    if (!candidate || candidate->free == 0 || candidate->range.size == candidate->board->slots) continue;
    const bool one_node = subject.model->nodes().objects().size() == 1;
    nearest.push_back({.name = (one_node ? "" : node + " ") + candidate->board->name,
                       .strip = candidate->board->Strip(),
                       .text = TextOf(*candidate)});
  }
  return nearest;
}

SlotCount CountSlots(const localcluster::ClusterModel& model, const std::vector<std::string>& nodes,
                     const Holders& holders) {
  SlotCount count;
  const NodeSlices slices = SlicesByNode(model);
  for (const std::string& node : nodes) {
    const auto found = slices.find(node);
    if (found == slices.end()) continue;
    for (const Board& board : BoardsOf(node, found->second, holders, model)) {
      if (board.slots == 0 || !board.taint.empty()) continue;
      count.free += static_cast<std::size_t>(board.FreeSlots());
      count.total += static_cast<std::size_t>(board.slots);
    }
  }
  return count;
}

}  // namespace kumiko::cli
