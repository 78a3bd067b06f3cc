// Placing on the whole cluster: groups of boards say which nodes can serve the claims and where that costs least, so
// that only the best nodes are searched, or none at all for a single device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocator/allocate.h"
#include "allocator/cluster_boards.h"
#include "allocator/cluster_prices.h"
#include "allocator/packing.h"
#include "allocator/request_fits.h"
#include "allocator/request_plan.h"

namespace kumiko::allocator {

// What the decisions on one state use again.
struct ClusterIndex {
  explicit ClusterIndex(const Inventory& inventory, ShapeCache& shapes) : boards(inventory, shapes) {}

  ClusterBoards boards;
  RequestFits fits;
  ClusterPrices prices;
};

class ClusterSearch {
 public:
  ClusterSearch(const Inventory& inventory, State& state, const Plan& plan, const Options& options,
                ClusterIndex& index);

  // Brings the boards up to date. False when they say nothing about these claims: each node has to be searched.
  bool PrepareBoards();
  // The same, and what they are worth under the packed policy.
  bool Prepare();

  // False when the node certainly lacks devices: fewer than the requests want, by itself or under a matchAttribute.
  // An odd node always may.
  bool MayServe(NodeIndex node) const;

  struct Found {
    std::vector<Candidate> candidates;                // the best, or few of which one is; empty when no node fits
    Outcome::Kind kind = Outcome::Kind::kDoesNotFit;  // kFatal: out of steps or told to stop
    std::string error;
    std::int64_t steps = 0;
    std::int64_t searched = 0;  // nodes
  };
  // Among the nodes that are not odd.
  Found Run();
  double tolerance() const { return index_.prices.worths().tolerance; }

 private:
  using KindId = ClusterBoards::KindId;
  // Where a request is served, and by which way.
  struct Spot {
    std::int64_t alternative = 0;
    WayToServe way;
    double loss = 0;
    std::int64_t board_free_ppm = 0;
    KindId kind = 0;
    BoardShape::State state = 0;
  };

  double WorthOf(const BoardShape& shape, std::uint32_t merged) const;
  const KindFit& FitOf(const AlternativePlan& alternative, KindId kind) const;
  bool IsSingleDevice() const;
  // One spot for each group that serves the alternative, by its way that loses least.
  void AppendSpots(const AlternativePlan& alternative, std::int64_t number, std::vector<Spot>& spots) const;
  std::optional<Candidate> PlaceOne() const;
  Candidate TakeFrom(const RequestPlan& request, const Spot& spot, ClusterBoards::Key board) const;
  std::uint32_t NearestWholeBoard(const AlternativePlan& alternative, const Spot& spot, NodeIndex node) const;

  Found PlaceMany();
  bool MayMatch(NodeIndex node, const ClaimPlan& claim, std::uint32_t constraint) const;
  const RequestPlan& HardestRequest() const;
  KnownMatches MatchesOn(NodeIndex node) const;

  const Inventory& inventory_;
  State& state_;
  const Plan& plan_;
  const Options& options_;
  ClusterIndex& index_;
  std::vector<std::uint32_t> numbers_;  // by alternative serial
};

}  // namespace kumiko::allocator
