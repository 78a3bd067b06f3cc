// The boards of all nodes, grouped by kind (which devices they have, as far as anybody tells them apart) and state
// (what is left of them), so that a decision looks at groups instead of nodes (spec engine-decisions E10). Follows one
// inventory and one state: a change of a node's slices or allocations moves the boards of that node only.
//
//   kind A100 ── whole ──────► n0007/3 n0012/0 n0012/1 ...   fullest node first, then by name
//            ├── 3g taken ───► n0007/1 ...
//            └── ...
//   odd nodes: n0400 ...       what is left of their devices is not told by counters of their own alone
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allocator/board_model.h"
#include "allocator/inventory.h"
#include "allocator/packing_classes.h"
#include "allocator/prices.h"
#include "allocator/state.h"
#include "base/flat_map.h"

namespace kumiko::allocator {

class ClusterBoards {
 public:
  using KindId = std::uint32_t;
  // A board as ordered in its group: free share of its node, rank of the node's name, number on the node.
  using Key = std::uint64_t;

  struct Group {
    std::set<Key> boards;
    std::uint32_t position = 0;  // in Kind::in_use
  };
  struct Kind {
    std::shared_ptr<const BoardModel> model;
    std::vector<Group> groups;              // by state
    std::vector<BoardShape::State> in_use;  // states whose group is not empty, in no order
  };
  struct Node {
    std::uint64_t view = 0;     // its serial when last looked at
    bool odd = false;           // decided on its own
    std::uint32_t rank = 0;     // in name order
    std::int64_t free_ppm = 0;  // of all its boards
    // Parallel to NodeLayout::boards; empty when the node is odd by its slices.
    std::vector<KindId> kinds;
    std::vector<std::uint32_t> neighbourhoods;
    std::vector<BoardShape::State> states;  // empty when the boards are in no group
    // Of all boards, one after the other: what they have, what is left of it, and where each begins.
    BoardShape::Free full;
    BoardShape::Free free;
    std::vector<std::uint32_t> offsets;
  };

  ClusterBoards(const Inventory& inventory, ShapeCache& shapes) : inventory_(&inventory), shapes_(&shapes) {}

  // From now on boards that differ in one of these attributes are of different kinds. False when that would leave
  // hardly two boards alike.
  bool TellApart(std::span<const cel::AttributeKey> keys);

  // Catches up with inventory, state and demand; null: every kind of device is in equal demand by work. Grows with what
  // changed; everything is read again when there are new attributes to tell apart or new classes in demand.
  void Update(State& state, const Demand* demand);

  // Grows when kinds lose their numbers.
  std::uint64_t epoch() const { return epoch_; }
  std::span<const Kind> kinds() const { return kinds_; }
  const Node& NodeAt(NodeIndex node) const { return nodes_[node]; }
  NodeIndex NodeOf(Key key) const { return by_rank_[RankOf(key)]; }
  static std::uint32_t BoardOf(Key key) { return static_cast<std::uint32_t>(key & kMaxBoard); }
  static std::int64_t FreePpmOf(Key key) { return static_cast<std::int64_t>(key >> kFreeShift); }
  // In name order.
  std::vector<NodeIndex> OddNodes() const;
  NodeModel ModelOf(NodeIndex node) const;
  // By shape index, how many boards are in each merged state; shapes of other indices are null.
  const std::vector<Census>& census() const { return census_; }
  const PackingClasses& classes() const { return *classes_; }

 private:
  static constexpr unsigned kRankShift = 10;
  static constexpr unsigned kFreeShift = 30;
  static constexpr Key kMaxBoard = (Key{1} << kRankShift) - 1;
  static constexpr Key kMaxRank = (Key{1} << (kFreeShift - kRankShift)) - 1;

  static std::uint32_t RankOf(Key key) { return static_cast<std::uint32_t>(key >> kRankShift & kMaxRank); }
  static Key KeyOf(const Node& node, std::size_t board) {
    return static_cast<Key>(node.free_ppm) << kFreeShift | Key{node.rank} << kRankShift | board;
  }

  void ReadAgain(const State& state, const Demand* demand);
  void RankNodes();
  std::vector<AttributeNameId> NamesToRead() const;
  // Whether decisions about the node depend on more than counters and devices of its own.
  bool IsOdd(const NodeView& view);
  // Which kinds the boards of the node are of; new ones have no model yet.
  std::vector<KindId> KindsOf(const NodeView& view, std::span<const AttributeNameId> names);
  std::string StaticText(const NodeView& view, const NodeLayout::Board& board) const;
  void MakeClasses(const Demand* demand, const std::vector<const NodeView*>& views);
  // False when a device is of a label that no class has.
  bool MakeModels(const NodeView& view, std::span<const KindId> kinds);
  // Reads the node's devices again if they changed, then what is left of them. False as MakeModels.
  bool ReadNode(const State& state, NodeIndex node);
  void ReadUse(const State& state, NodeIndex node);
  bool OwnsItsPools(NodeIndex node, const NodeView& view);
  void SetOdd(Node& node, bool odd);
  // Takes the node's boards out of their groups; puts them into those of these states.
  void TakeOut(Node& node);
  void Regroup(Node& node, std::span<const BoardShape::State> states);
  void Insert(const Node& node, std::size_t board, BoardShape::State state);
  void Erase(const Node& node, std::size_t board, BoardShape::State state);
  void Count(const Kind& kind, BoardShape::State state, double change);

  const Inventory* inventory_;
  ShapeCache* shapes_;
  std::uint64_t epoch_ = 0;
  std::vector<cel::AttributeKey> keys_;  // told apart on request
  bool keys_changed_ = true;
  std::size_t known_names_ = 0;  // attributes when the names to read were collected
  std::vector<AttributeNameId> names_;
  std::unique_ptr<PackingClasses> classes_;
  bool labels_ = false;             // classes are those of the devices
  const Demand* demand_ = nullptr;  // the last; only compared
  std::uint64_t demand_version_ = 0;
  std::uint64_t demand_classes_ = 0;
  std::string demand_key_;

  std::uint64_t next_change_ = 0;  // of the inventory
  std::vector<PoolId> changed_pools_;
  std::vector<NodeIndex> pool_nodes_;  // by pool: the one node that has it, or kNoNode, kManyNodes
  std::vector<Node> nodes_;
  std::vector<NodeIndex> by_rank_;
  std::size_t odd_count_ = 0;
  std::vector<Kind> kinds_;
  StringFlatMap<KindId> kind_ids_;
  FlatMap<std::uint32_t, std::vector<std::uint32_t>> static_ids_;  // by layout: what each board is regardless of values
  StringFlatMap<std::uint32_t> static_texts_;
  FlatMap<std::uint32_t, bool> odd_layouts_;
  std::vector<Census> census_;
  BoardShape::Free free_;                  // scratch of ReadUse
  std::vector<BoardShape::State> states_;  // the same
};

}  // namespace kumiko::allocator
