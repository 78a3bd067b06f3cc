#include "allocator/cluster_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "allocator/constraint.h"
#include "allocator/search.h"
#include "base/check.h"

namespace kumiko::allocator {
namespace {

constexpr std::int64_t kWholePpm = 1'000'000;
// Of several devices, boards tell the cost of a node only roughly: so many nodes that fit are compared.
constexpr std::size_t kNodesToCompare = 4;
constexpr std::int64_t kSearchesToCompare = 16;

}  // namespace

ClusterSearch::ClusterSearch(const Inventory& inventory, State& state, const Plan& plan, const Options& options,
                             ClusterIndex& index)
    : inventory_(inventory), state_(state), plan_(plan), options_(options), index_(index) {}

bool ClusterSearch::Prepare() {
  if (!PrepareBoards()) return false;
  index_.prices.Follow(index_.boards, options_.demand);
  return true;
}

bool ClusterSearch::PrepareBoards() {
  index_.fits.Tidy();
  numbers_.resize(plan_.alternative_count);
  bool indexed = FirstError(plan_).empty() && plan_.alternative_count > 0;
  for (const auto& claim : plan_.claims) {
    std::size_t devices = 0;
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        const auto number = index_.fits.NumberOf(alternative, index_.boards);
        if (number) numbers_[alternative.serial] = *number;
        indexed = indexed && number;
        devices += alternative.count;
      }
    }
    // What no claim may have is an error, for the search to raise.
    indexed = indexed && devices <= api::kMaxAllocationResults;
  }
  if (!indexed) return false;
  index_.boards.Update(state_, options_.demand);
  for (const auto& claim : plan_.claims) {
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        for (KindId kind = 0; kind < index_.boards.kinds().size(); ++kind) {
          if (index_.boards.kinds()[kind].in_use.empty()) continue;
          if (FitOf(alternative, kind).errs()) return false;
        }
      }
    }
  }
  return true;
}

double ClusterSearch::WorthOf(const BoardShape& shape, std::uint32_t merged) const {
  const auto& of = index_.prices.worths().of;
  return shape.index() < of.size() && merged < of[shape.index()].size() ? of[shape.index()][merged] : 0;
}

const KindFit& ClusterSearch::FitOf(const AlternativePlan& alternative, KindId kind) const {
  return index_.fits.FitOf(inventory_, index_.boards, numbers_[alternative.serial], alternative, kind);
}

bool ClusterSearch::IsSingleDevice() const {
  if (plan_.claims.size() != 1 || plan_.claims[0].requests.size() != 1) return false;
  for (const auto& alternative : plan_.claims[0].requests[0].alternatives) {
    if (alternative.count != 1 || !alternative.constraints.empty()) return false;
    for (KindId kind = 0; kind < index_.boards.kinds().size(); ++kind) {
      if (!index_.boards.kinds()[kind].in_use.empty() && !FitOf(alternative, kind).exact()) return false;
    }
  }
  return true;
}

ClusterSearch::Found ClusterSearch::Run() {
  if (!IsSingleDevice()) return PlaceMany();
  Found found;
  if (auto candidate = PlaceOne()) {
    found.kind = Outcome::Kind::kFits;
    found.candidates.push_back(std::move(*candidate));
  }
  return found;
}

void ClusterSearch::AppendSpots(const AlternativePlan& alternative, std::int64_t number,
                                std::vector<Spot>& spots) const {
  const auto kinds = index_.boards.kinds();
  for (KindId k = 0; k < kinds.size(); ++k) {
    if (kinds[k].in_use.empty()) continue;
    const auto& fit = FitOf(alternative, k);
    const auto& shape = *kinds[k].model->shape;
    for (const auto state : kinds[k].in_use) {
      const auto ways = fit.Ways(state);
      if (ways.empty()) continue;
      const auto before = WorthOf(shape, shape.MergedOf(state));
      const WayToServe* best = nullptr;
      double least = 0;
      for (const auto& way : ways) {
        if (way.share_ppm != ways.front().share_ppm) break;
        const auto loss = before - WorthOf(shape, way.merged_child);
        if (best && loss >= least) continue;
        best = &way;
        least = loss;
      }
      spots.push_back({.alternative = number,
                       .way = *best,
                       .loss = least,
                       .board_free_ppm = shape.FreePpm(state),
                       .kind = k,
                       .state = state});
    }
  }
}

std::optional<Candidate> ClusterSearch::PlaceOne() const {
  const auto& request = plan_.claims[0].requests[0];
  std::vector<Spot> spots;
  for (std::size_t a = 0; a < request.alternatives.size() && spots.empty(); ++a) {
    AppendSpots(request.alternatives[a], static_cast<std::int64_t>(a), spots);
  }
  if (spots.empty()) return std::nullopt;
  auto share = std::numeric_limits<std::int64_t>::max();
  double least = 0;
  for (const auto& spot : spots) {
    if (spot.way.share_ppm > share) continue;
    least = spot.way.share_ppm < share ? spot.loss : std::min(least, spot.loss);
    share = spot.way.share_ppm;
  }
  const auto kinds = index_.boards.kinds();
  const Spot* best = nullptr;
  ClusterBoards::Key best_board = 0;
  const auto rank = [](const Spot& spot, ClusterBoards::Key board) {
    return std::tuple(spot.board_free_ppm, ClusterBoards::FreePpmOf(board), spot.loss, board);
  };
  for (const auto& spot : spots) {
    if (spot.way.share_ppm != share || spot.loss > least + tolerance()) continue;
    const auto board = *kinds[spot.kind].groups[spot.state].boards.begin();
    if (best && rank(*best, best_board) <= rank(spot, board)) continue;
    best = &spot;
    best_board = board;
  }
  return TakeFrom(request, *best, best_board);
}

std::uint32_t ClusterSearch::NearestWholeBoard(const AlternativePlan& alternative, const Spot& spot,
                                               NodeIndex index) const {
  const auto& node = index_.boards.NodeAt(index);
  std::map<std::uint32_t, std::int64_t> free;
  for (std::size_t b = 0; b < node.states.size(); ++b) {
    const auto ways = FitOf(alternative, node.kinds[b]).Ways(node.states[b]);
    if (!ways.empty() && ways.back().share_ppm == kWholePpm) ++free[node.neighbourhoods[b]];
  }
  std::optional<std::uint32_t> best;
  for (std::uint32_t b = 0; b < node.states.size(); ++b) {
    if (node.kinds[b] != spot.kind || node.states[b] != spot.state) continue;
    if (!best || free[node.neighbourhoods[b]] < free[node.neighbourhoods[*best]]) best = b;
  }
  KU_CHECK(best) << "node " << inventory_.NodeName(index) << " lost its board";
  return *best;
}

Candidate ClusterSearch::TakeFrom(const RequestPlan& request, const Spot& spot, ClusterBoards::Key key) const {
  const auto& alternative = request.alternatives[static_cast<std::size_t>(spot.alternative)];
  const auto index = index_.boards.NodeOf(key);
  const auto& view = inventory_.ViewOf(index);
  const auto& layout = *view.layout;
  const auto& kind = index_.boards.kinds()[spot.kind];
  const auto& shape = *kind.model->shape;
  const auto board =
      spot.way.share_ppm == kWholePpm ? NearestWholeBoard(alternative, spot, index) : ClusterBoards::BoardOf(key);
  std::optional<std::uint32_t> device;
  for (const auto& way : FitOf(alternative, spot.kind).Ways(spot.state)) {
    if (way.share_ppm != spot.way.share_ppm) break;
    if (WorthOf(shape, way.merged_child) != WorthOf(shape, spot.way.merged_child)) continue;
    for (std::size_t place = 0; place < kind.model->types.size(); ++place) {
      if (kind.model->types[place] != way.type) continue;
      const auto d = layout.boards[board].devices[place];
      if (device && *device < d) break;
      const auto& entry = layout.devices[d];
      if (state_.Find(view.pools[entry.pool], entry.name)) continue;
      device = d;
      break;
    }
  }
  KU_CHECK(device) << "no free device on board " << board << " of node " << view.node;
  Candidate candidate;
  candidate.node = view.node;
  candidate.picks.push_back({.claim = 0, .request = 0, .alternative = &alternative, .device = *device, .amounts = {}});
  candidate.cost = {.alternatives = spot.alternative,
                    .share_ppm = spot.way.share_ppm,
                    .loss = spot.loss,
                    .board_free_ppm = spot.board_free_ppm,
                    .node_free_ppm = ClusterBoards::FreePpmOf(key)};
  return candidate;
}

const RequestPlan& ClusterSearch::HardestRequest() const {
  const RequestPlan* hardest = nullptr;
  std::int64_t most = -1;
  for (const auto& claim : plan_.claims) {
    for (const auto& request : claim.requests) {
      std::vector<Spot> spots;
      AppendSpots(request.alternatives.front(), 0, spots);
      auto least = kWholePpm + 1;
      for (const auto& spot : spots) least = std::min(least, spot.way.share_ppm);
      if (least <= most) continue;
      most = least;
      hardest = &request;
    }
  }
  return *hardest;
}

bool ClusterSearch::MayServe(NodeIndex index) const {
  const auto& node = index_.boards.NodeAt(index);
  if (node.odd) return true;
  const auto most = [&](const AlternativePlan& alternative) {
    std::size_t sum = 0;
    for (std::size_t b = 0; b < node.states.size(); ++b) {
      sum += FitOf(alternative, node.kinds[b]).Most(node.states[b]);
    }
    return sum;
  };
  // Requests alike compete for the same devices.
  std::map<std::uint32_t, std::pair<const AlternativePlan*, std::size_t>> needed;
  for (const auto& claim : plan_.claims) {
    for (const auto& request : claim.requests) {
      if (request.alternatives.size() == 1) {
        auto& [alternative, count] = needed[numbers_[request.alternatives[0].serial]];
        alternative = request.alternatives.data();
        count += alternative->count;
      } else if (std::none_of(request.alternatives.begin(), request.alternatives.end(),
                              [&](const auto& alternative) { return most(alternative) >= alternative.count; })) {
        return false;
      }
    }
  }
  for (const auto& [number, need] : needed) {
    if (most(*need.first) < need.second) return false;
  }
  for (const auto& claim : plan_.claims) {
    for (std::uint32_t c = 0; c < claim.constraints.size(); ++c) {
      if (!claim.constraints[c].distinct && !MayMatch(index, claim, c)) return false;
    }
  }
  return true;
}

bool ClusterSearch::MayMatch(NodeIndex index, const ClaimPlan& claim, std::uint32_t constraint) const {
  // A list may match by any of its elements.
  if (inventory_.features().list_type_attributes) return true;
  const auto& node = index_.boards.NodeAt(index);
  const auto& view = inventory_.ViewOf(index);
  std::map<AttributeId, std::map<std::uint32_t, std::size_t>> found;  // by value and request number
  std::map<std::uint32_t, std::size_t> needed;
  for (const auto& request : claim.requests) {
    if (request.alternatives.size() > 1) continue;
    const auto& alternative = request.alternatives[0];
    const auto& constraints = alternative.constraints;
    if (std::find(constraints.begin(), constraints.end(), constraint) == constraints.end()) continue;
    const auto number = numbers_[alternative.serial];
    auto& count = needed[number];
    count += alternative.count;
    if (count > alternative.count) continue;
    for (std::size_t b = 0; b < node.states.size(); ++b) {
      const auto& fit = FitOf(alternative, node.kinds[b]);
      const auto most = fit.Most(node.states[b]);
      if (most == 0) continue;
      const auto& devices = view.layout->boards[b].devices;
      std::vector<AttributeId> values;
      for (std::uint32_t place = 0; place < devices.size(); ++place) {
        if (!fit.Suits(place)) continue;
        const auto value = PublishedAttribute(view.Device(devices[place]), claim.constraints[constraint]);
        if (value == kNoAttribute || std::find(values.begin(), values.end(), value) != values.end()) continue;
        values.push_back(value);
        found[value][number] += most;
      }
    }
  }
  if (needed.empty()) return true;
  return std::any_of(found.begin(), found.end(), [&](const auto& of_value) {
    return std::all_of(needed.begin(), needed.end(), [&](const auto& need) {
      const auto has = of_value.second.find(need.first);
      return has != of_value.second.end() && has->second >= need.second;
    });
  });
}

KnownMatches ClusterSearch::MatchesOn(NodeIndex index) const {
  const auto& layout = *inventory_.ViewOf(index).layout;
  const auto& node = index_.boards.NodeAt(index);
  KnownMatches known(std::size_t{plan_.alternative_count} * layout.candidates, 0);
  for (const auto& claim : plan_.claims) {
    for (const auto& request : claim.requests) {
      for (const auto& alternative : request.alternatives) {
        const auto begin = std::size_t{alternative.serial} * layout.candidates;
        for (std::size_t b = 0; b < layout.boards.size(); ++b) {
          const auto& fit = FitOf(alternative, node.kinds[b]);
          const auto& devices = layout.boards[b].devices;
          for (std::uint32_t place = 0; place < devices.size(); ++place) {
            known[begin + devices[place]] = fit.Suits(place) ? 1 : 0;
          }
        }
      }
    }
  }
  return known;
}

ClusterSearch::Found ClusterSearch::PlaceMany() {
  Found found;
  const auto& lead = HardestRequest();
  std::vector<Spot> spots;
  for (std::size_t a = 0; a < lead.alternatives.size(); ++a) {
    AppendSpots(lead.alternatives[a], static_cast<std::int64_t>(a), spots);
  }
  const auto kinds = index_.boards.kinds();
  const auto grade = [&](const Spot& spot) {
    return std::tuple(spot.alternative, spot.way.share_ppm, spot.loss, spot.board_free_ppm,
                      *kinds[spot.kind].groups[spot.state].boards.begin());
  };
  std::sort(spots.begin(), spots.end(), [&](const Spot& a, const Spot& b) { return grade(a) < grade(b); });
  FlatSet<NodeIndex> seen;
  std::int64_t searched_since = 0;
  for (const auto& spot : spots) {
    // Whole boards cost the same everywhere; the fullest node comes first.
    const auto enough = spot.way.share_ppm == kWholePpm ? 1 : kNodesToCompare;
    for (const auto key : kinds[spot.kind].groups[spot.state].boards) {
      if (found.candidates.size() >= enough || searched_since >= kSearchesToCompare) return found;
      const auto index = index_.boards.NodeOf(key);
      if (!seen.insert(index).second || !MayServe(index)) continue;
      const auto& view = inventory_.ViewOf(index);
      const InFlight start(view, state_);
      const Packing packing(start, index_.boards.ModelOf(index), index_.prices.worths());
      const auto order = packing.OrderFor(0);
      auto options = options_;
      options.max_steps = options_.max_steps - found.steps;
      const auto known = MatchesOn(index);
      auto result = SearchNode(inventory_, state_, view, plan_, options, &order, &known);
      found.steps += result.steps;
      ++found.searched;
      if (!found.candidates.empty()) ++searched_since;
      if (result.kind == Outcome::Kind::kFits) {
        auto cost = packing.CostOf(0, result.picks);
        cost.alternatives = AlternativesPassed(plan_, result.picks);
        found.candidates.push_back({.node = view.node, .picks = std::move(result.picks), .cost = cost});
        found.kind = Outcome::Kind::kFits;
      } else if (result.kind == Outcome::Kind::kFatal) {
        if (!found.candidates.empty()) return found;
        found.kind = result.kind;
        found.error = std::move(result.error);
        return found;
      }
    }
  }
  return found;
}

}  // namespace kumiko::allocator
