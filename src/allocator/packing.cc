#include "allocator/packing.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kWholePpm = 1'000'000;
constexpr double kEighths = 8;  // worth of a whole board

}  // namespace

std::int64_t AlternativesPassed(const Plan& plan, const std::vector<Pick>& picks) {
  std::int64_t passed = 0;
  for (const auto& pick : picks) {
    passed += pick.alternative - plan.claims[pick.claim].requests[pick.request].alternatives.data();
  }
  return passed;
}

const Candidate* Best(const std::vector<Candidate>& candidates, double tolerance) {
  const auto grade = [](const Candidate& c) { return std::tie(c.cost.alternatives, c.cost.share_ppm); };
  const Candidate* least = nullptr;
  for (const auto& candidate : candidates) {
    if (!least || grade(candidate) < grade(*least) ||
        (grade(candidate) == grade(*least) && candidate.cost.loss < least->cost.loss)) {
      least = &candidate;
    }
  }
  const Candidate* best = nullptr;
  const auto rank = [](const Candidate& c) {
    return std::tie(c.cost.board_free_ppm, c.cost.node_free_ppm, c.cost.loss, c.node);
  };
  for (const auto& candidate : candidates) {
    if (grade(candidate) != grade(*least) || candidate.cost.loss > least->cost.loss + tolerance) continue;
    if (!best || rank(candidate) < rank(*best)) best = &candidate;
  }
  return best;
}

Packing::Packing(const Inventory& inventory, const Demand* demand, std::span<const Node> nodes, ShapeCache& shapes)
    : worths_(&own_worths_) {
  std::vector<const NodeView*> views;
  for (const auto& node : nodes) views.push_back(&node.in_flight->view());
  const PackingClasses classes(inventory, demand, views);
  std::vector<Census> census;
  for (const auto& node : nodes) {
    const auto& view = node.in_flight->view();
    Model model;
    model.start = node.in_flight;
    model.place = PlacesOnBoards(*view.layout);
    model.neighbourhoods = NeighbourhoodsOf(inventory, view);
    for (const auto& board : view.layout->boards) {
      model.boards.push_back(std::make_shared<BoardModel>(MakeBoardModel(view, board, classes, shapes)));
      const auto& shape = *model.boards.back()->shape;
      auto counted = std::find_if(census.begin(), census.end(), [&](const Census& c) { return c.shape == &shape; });
      if (counted == census.end()) counted = census.insert(counted, {.shape = &shape, .boards = {}});
      const auto state = model.boards.back()->shape->StateOf(model.boards.back()->FreeOf(*node.in_flight, board));
      counted->boards.resize(shape.merged().size(), 0);
      if (state) counted->boards[shape.MergedOf(*state)] += static_cast<double>(node.members);
    }
    models_.push_back(std::move(model));
  }
  own_worths_ = ComputeWorths(census, classes);
}

Packing::Packing(const InFlight& in_flight, NodeModel model, const Worths& worths) : worths_(&worths) {
  models_.push_back({{std::move(model)}, &in_flight, PlacesOnBoards(in_flight.layout())});
}

double Packing::WorthOf(const BoardShape& shape, BoardShape::State state) const {
  if (shape.index() < worths_->of.size()) {
    const auto& worths = worths_->of[shape.index()];
    if (shape.MergedOf(state) < worths.size()) return worths[shape.MergedOf(state)];
  }
  return kEighths * static_cast<double>(shape.FreePpm(state)) / static_cast<double>(kWholePpm);
}

Packing::BoardNow Packing::Look(BoardShape& shape, BoardShape::Free free) const {
  BoardNow now;
  now.state = shape.StateOf(free);
  now.free_ppm = now.state ? shape.FreePpm(*now.state) : shape.FreePpm(free);
  now.worth = now.state ? WorthOf(shape, *now.state)
                        : kEighths * static_cast<double>(now.free_ppm) / static_cast<double>(kWholePpm);
  now.free = std::move(free);
  return now;
}

Packing::BoardNow Packing::Look(const Model& model, const InFlight& in_flight, std::uint32_t board) const {
  const auto& entry = *model.boards[board];
  return Look(*entry.shape, entry.FreeOf(in_flight, in_flight.layout().boards[board]));
}

double Packing::LossOf(BoardShape& shape, const BoardNow& before, std::uint32_t type) const {
  if (before.state) {
    const auto child = shape.ChildrenOf(*before.state)[type];
    if (child != BoardShape::kNoState) return before.worth - WorthOf(shape, child);
  }
  auto after = before.free;
  const auto& need = shape.types()[type].need;
  for (std::size_t c = 0; c < need.size(); ++c) after[c] -= need[c];
  const auto limit = shape.limit_of_type()[type];
  if (limit >= 0) --after[need.size() + static_cast<std::size_t>(limit)];
  return before.worth - Look(shape, std::move(after)).worth;
}

PickOrder Packing::OrderFor(std::size_t index) const {
  return
      [this, index](const InFlight& in_flight, const AlternativePlan&, std::size_t remaining,
                    std::vector<std::uint32_t>& candidates) { Sort(models_[index], in_flight, remaining, candidates); };
}

void Packing::Sort(const Model& model, const InFlight& in_flight, std::size_t remaining,
                   std::vector<std::uint32_t>& candidates) const {
  const auto& view = in_flight.layout();
  std::vector<std::optional<BoardNow>> boards(view.boards.size());

  // Whole boards that could still be taken together, by neighbourhood.
  std::map<std::uint32_t, std::size_t> free_boards;
  struct Scored {
    std::uint32_t device = 0;
    std::int64_t share_ppm = 0;
    double loss = 0;
    bool near_least = false;
    std::int64_t free_ppm = 0;
    std::pair<int, std::int64_t> neighbourhood;
  };
  std::vector<Scored> scored;
  std::map<std::uint32_t, std::uint32_t> last_counted;
  for (const auto d : candidates) {
    const auto b = view.devices[d].board;
    auto& shape = *model.boards[b]->shape;
    if (!boards[b]) boards[b] = Look(model, in_flight, b);
    const auto type = model.boards[b]->types[model.place[d]];
    Scored candidate;
    candidate.device = d;
    candidate.share_ppm = shape.SharePpm(shape.types()[type]);
    candidate.loss = LossOf(shape, *boards[b], type);
    candidate.free_ppm = boards[b]->free_ppm;
    scored.push_back(candidate);
    if (candidate.share_ppm == kWholePpm && last_counted.try_emplace(b, d).second) {
      ++free_boards[model.neighbourhoods[b]];
    }
  }
  std::set<std::uint32_t> joined;
  for (const auto& pick : in_flight.picks()) joined.insert(model.neighbourhoods[view.devices[pick.device].board]);
  std::map<std::int64_t, double> least_loss;
  for (const auto& candidate : scored) {
    const auto [found, added] = least_loss.try_emplace(candidate.share_ppm, candidate.loss);
    if (!added) found->second = std::min(found->second, candidate.loss);
  }
  for (auto& candidate : scored) {
    candidate.near_least = candidate.loss <= least_loss[candidate.share_ppm] + worths_->tolerance;
    if (candidate.share_ppm != kWholePpm) continue;
    // The neighbourhood of what was picked before; else the smallest that holds all that is wanted; failing that, the
    // one that holds most of it.
    const auto neighbourhood = model.neighbourhoods[view.devices[candidate.device].board];
    const auto free = static_cast<std::int64_t>(free_boards[neighbourhood]);
    const bool enough = free >= static_cast<std::int64_t>(remaining);
    candidate.neighbourhood = {joined.count(neighbourhood) > 0 ? 0 : enough ? 1 : 2, enough ? free : -free};
  }
  std::sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
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
    const auto board = view.devices[pick.device].board;
    const auto& shape = *model.boards[board]->shape;
    cost.share_ppm += shape.SharePpm(shape.types()[model.boards[board]->types[model.place[pick.device]]]);
    touched[board] = 1;
  }
  for (std::uint32_t b = 0; b < view.boards.size(); ++b) {
    const auto before = Look(model, start, b);
    cost.node_free_ppm += before.free_ppm;
    if (touched[b] == 0) continue;
    cost.board_free_ppm += before.free_ppm;
    cost.loss += before.worth - Look(model, end, b).worth;
  }
  return cost;
}

}  // namespace kumiko::allocator
