#include "allocator/packing.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kWholePpm = 1'000'000;

std::string ShapeText(const PackingClasses& classes, const std::vector<Amount>& declared,
                      const std::vector<BoardShape::Type>& types) {
  std::string text = classes.key();
  for (const auto amount : declared) text += std::to_string(amount) + ",";
  for (const auto& type : types) {
    text += "|" + std::to_string(type.mask) + "x" + std::to_string(type.count) + ":";
    for (const auto amount : type.need) text += std::to_string(amount) + ",";
  }
  return text;
}

}  // namespace

BoardShape& ShapeCache::Get(const PackingClasses& classes, std::vector<Amount> declared,
                            std::vector<BoardShape::Type> types) {
  auto& shape = shapes_[ShapeText(classes, declared, types)];
  if (!shape) shape = std::make_unique<BoardShape>(std::move(declared), std::move(types));
  return *shape;
}

Packing::Packing(const Inventory& inventory, const Demand* demand, std::span<const Node> nodes, ShapeCache& shapes) {
  std::vector<const NodeView*> views;
  for (const auto& node : nodes) views.push_back(&node.in_flight->view());
  const PackingClasses classes(inventory, demand, views);
  for (const auto& node : nodes) {
    models_.push_back(MakeModel(inventory, *node.in_flight, classes, shapes));
    const auto& model = models_.back();
    for (std::size_t b = 0; b < model.boards.size(); ++b) {
      const auto& board = model.boards[b];
      const auto state = board.shape->StateOf(FreeOf(*node.in_flight, node.in_flight->layout().boards[b], board));
      if (state) {
        auto& counted = census_[board.census].boards;
        if (counted.size() <= *state) counted.resize(*state + std::size_t{1}, 0);
        counted[*state] += static_cast<double>(node.members);
      }
    }
  }
  for (auto& entry : census_) entry.boards.resize(entry.shape->merged().size(), 0);
  worths_ = ComputeWorths(census_, classes);
}

Packing::Model Packing::MakeModel(const Inventory& inventory, const InFlight& in_flight, const PackingClasses& classes,
                                  ShapeCache& shapes) {
  const auto& view = in_flight.view();
  const auto& layout = in_flight.layout();
  Model model;
  model.start = &in_flight;
  model.place.resize(layout.devices.size(), 0);
  std::map<AttributeId, std::uint32_t> neighbourhoods;
  const auto near = inventory.attributes().FindName("resource.kubernetes.io", "pcieRoot");
  for (const auto& board_view : layout.boards) {
    Board board;
    std::vector<Amount> declared;
    for (const auto counter : board_view.counters) declared.push_back(layout.counters[counter].declared);
    std::vector<BoardShape::Type> type_of_device;
    AttributeId where = kNoAttribute;
    for (std::uint32_t place = 0; place < board_view.devices.size(); ++place) {
      const auto d = board_view.devices[place];
      model.place[d] = place;
      BoardShape::Type type{
          .mask = classes.MaskOf(view.Device(d)), .need = std::vector<Amount>(declared.size(), 0), .count = 0};
      for (const auto& consumption : layout.ConsumptionOf(d)) {
        const auto found =
            std::lower_bound(board_view.counters.begin(), board_view.counters.end(), consumption.counter);
        type.need[static_cast<std::size_t>(found - board_view.counters.begin())] = consumption.amount;
      }
      type_of_device.push_back(std::move(type));
      if (near && where == kNoAttribute) where = view.Device(d).Attribute(*near);
    }
    auto types = type_of_device;
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    for (const auto& type : type_of_device) {
      board.types.push_back(
          static_cast<std::uint32_t>(std::lower_bound(types.begin(), types.end(), type) - types.begin()));
    }
    for (const auto type : board.types) ++types[type].count;
    board.shape = &shapes.Get(classes, std::move(declared), std::move(types));
    // Visits the whole shape, so that the census knows all of its states.
    BoardShape::Free full = board.shape->declared();
    full.resize(full.size() + board.shape->limit_count(), 0);
    for (std::size_t t = 0; t < board.shape->types().size(); ++t) {
      const auto limit = board.shape->limit_of_type()[t];
      if (limit >= 0)
        full[board.shape->declared().size() + static_cast<std::size_t>(limit)] = board.shape->types()[t].count;
    }
    board.shape->StateOf(full);
    const auto known =
        std::find_if(census_.begin(), census_.end(), [&](const Census& c) { return c.shape == board.shape; });
    board.census = static_cast<std::size_t>(known - census_.begin());
    if (known == census_.end()) census_.push_back({.shape = board.shape, .boards = {}});
    board.neighbourhood =
        neighbourhoods.try_emplace(where, static_cast<std::uint32_t>(neighbourhoods.size())).first->second;
    model.boards.push_back(std::move(board));
  }
  return model;
}

BoardShape::Free Packing::FreeOf(const InFlight& in_flight, const NodeLayout::Board& view, const Board& board) {
  BoardShape::Free free;
  for (const auto counter : view.counters) free.push_back(in_flight.Remaining(counter));
  const auto& limits = board.shape->limit_of_type();
  free.resize(free.size() + board.shape->limit_count(), 0);
  for (std::size_t i = 0; i < view.devices.size(); ++i) {
    const auto limit = limits[board.types[i]];
    if (limit >= 0 && !in_flight.InUse(view.devices[i])) ++free[view.counters.size() + static_cast<std::size_t>(limit)];
  }
  return free;
}

std::int64_t Packing::FreePpm(const Board& board, const BoardShape::Free& free) {
  const auto& declared = board.shape->declared();
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t c = 0; c < declared.size(); ++c) {
    if (declared[c] <= 0) continue;
    sum += static_cast<double>(std::max<Amount>(free[c], 0)) / static_cast<double>(declared[c]);
    ++counted;
  }
  if (counted > 0)
    return static_cast<std::int64_t>(sum / static_cast<double>(counted) * static_cast<double>(kWholePpm) + 0.5);
  const bool any = std::any_of(free.begin(), free.end(), [](Amount amount) { return amount > 0; });
  return any ? kWholePpm : 0;
}

double Packing::WorthOf(const Board& board, const BoardShape::Free& free) const {
  if (const auto state = board.shape->StateOf(free)) {
    const auto& worths = worths_.of[board.census];
    if (*state < worths.size()) return worths[*state];
  }
  return 8 * static_cast<double>(FreePpm(board, free)) / static_cast<double>(kWholePpm);
}

PickOrder Packing::OrderFor(std::size_t index) const {
  return
      [this, index](const InFlight& in_flight, const AlternativePlan&, std::size_t remaining,
                    std::vector<std::uint32_t>& candidates) { Sort(models_[index], in_flight, remaining, candidates); };
}

void Packing::Sort(const Model& model, const InFlight& in_flight, std::size_t remaining,
                   std::vector<std::uint32_t>& candidates) const {
  const auto& view = in_flight.layout();
  struct BoardNow {
    bool known = false;
    BoardShape::Free free;
    double worth = 0;
    std::int64_t free_ppm = 0;
  };
  std::vector<BoardNow> boards(view.boards.size());
  const auto now = [&](std::uint32_t b) -> BoardNow& {
    auto& board = boards[b];
    if (!board.known) {
      board.known = true;
      board.free = FreeOf(in_flight, view.boards[b], model.boards[b]);
      board.worth = WorthOf(model.boards[b], board.free);
      board.free_ppm = FreePpm(model.boards[b], board.free);
    }
    return board;
  };

  // Whole boards that could still be taken together, by neighbourhood.
  std::map<std::uint32_t, std::size_t> free_boards;
  struct Candidate {
    std::uint32_t device = 0;
    std::int64_t share_ppm = 0;
    double loss = 0;
    bool near_least = false;
    std::int64_t free_ppm = 0;
    std::pair<int, std::int64_t> neighbourhood;
  };
  std::vector<Candidate> scored;
  std::map<std::uint32_t, std::uint32_t> last_counted;
  for (const auto d : candidates) {
    const auto b = view.devices[d].board;
    const auto& board = model.boards[b];
    const auto& before = now(b);
    const auto type = board.types[model.place[d]];
    BoardShape::Free after = before.free;
    const auto& need = board.shape->types()[type].need;
    for (std::size_t c = 0; c < need.size(); ++c) after[c] -= need[c];
    const auto limit = board.shape->limit_of_type()[type];
    if (limit >= 0) --after[need.size() + static_cast<std::size_t>(limit)];
    Candidate candidate;
    candidate.device = d;
    candidate.share_ppm = board.shape->SharePpm(board.shape->types()[type]);
    candidate.loss = before.worth - WorthOf(board, after);
    candidate.free_ppm = before.free_ppm;
    scored.push_back(candidate);
    if (candidate.share_ppm == kWholePpm && last_counted.try_emplace(b, d).second) ++free_boards[board.neighbourhood];
  }
  std::set<std::uint32_t> joined;
  for (const auto& pick : in_flight.picks()) joined.insert(model.boards[view.devices[pick.device].board].neighbourhood);
  std::map<std::int64_t, double> least_loss;
  for (const auto& candidate : scored) {
    const auto [found, added] = least_loss.try_emplace(candidate.share_ppm, candidate.loss);
    if (!added) found->second = std::min(found->second, candidate.loss);
  }
  for (auto& candidate : scored) {
    candidate.near_least = candidate.loss <= least_loss[candidate.share_ppm] + worths_.tolerance;
    if (candidate.share_ppm != kWholePpm) continue;
    // The neighbourhood of what was picked before; else the smallest that holds all that is wanted; failing that, the
    // one that holds most of it.
    const auto neighbourhood = model.boards[view.devices[candidate.device].board].neighbourhood;
    const auto free = static_cast<std::int64_t>(free_boards[neighbourhood]);
    const bool enough = free >= static_cast<std::int64_t>(remaining);
    candidate.neighbourhood = {joined.count(neighbourhood) > 0 ? 0 : enough ? 1 : 2, enough ? free : -free};
  }
  std::sort(scored.begin(), scored.end(), [](const Candidate& a, const Candidate& b) {
    if (a.share_ppm != b.share_ppm) return a.share_ppm < b.share_ppm;
    if (a.near_least != b.near_least) return a.near_least;
    if (a.near_least) {
      return std::tie(a.free_ppm, a.neighbourhood, a.loss, a.device) <
             std::tie(b.free_ppm, b.neighbourhood, b.loss, b.device);
    }
    return std::tie(a.loss, a.free_ppm, a.neighbourhood, a.device) <
           std::tie(b.loss, b.free_ppm, b.neighbourhood, b.device);
  });
  for (std::size_t i = 0; i < scored.size(); ++i) candidates[i] = scored[i].device;
}

PackingCost Packing::CostOf(std::size_t index, const std::vector<Pick>& picks) const {
  const auto& model = models_[index];
  const auto& start = *model.start;
  const auto& view = start.layout();
  InFlight end = start;
  PackingCost cost;
  std::vector<std::uint8_t> touched(view.boards.size(), 0);
  for (const auto& pick : picks) {
    end.Push(pick);
    const auto& device = view.devices[pick.device];
    const auto& board = model.boards[device.board];
    cost.share_ppm += board.shape->SharePpm(board.shape->types()[board.types[model.place[pick.device]]]);
    touched[device.board] = 1;
  }
  for (std::uint32_t b = 0; b < view.boards.size(); ++b) {
    const auto before = FreeOf(start, view.boards[b], model.boards[b]);
    cost.node_free_ppm += FreePpm(model.boards[b], before);
    if (touched[b] == 0) continue;
    cost.board_free_ppm += FreePpm(model.boards[b], before);
    cost.loss +=
        WorthOf(model.boards[b], before) - WorthOf(model.boards[b], FreeOf(end, view.boards[b], model.boards[b]));
  }
  return cost;
}

}  // namespace kumiko::allocator
