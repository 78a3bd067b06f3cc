#include "allocator/cluster_boards.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace kumiko::allocator {
namespace {

constexpr NodeIndex kNoNode = 0xffff'ffff;
constexpr NodeIndex kManyNodes = 0xffff'fffe;
// An attribute with more values names devices rather than describing them.
constexpr std::uint32_t kMaxValuesToTellApart = 1024;
constexpr std::size_t kMaxRememberedLayouts = 16'384;
// New classes in learnt demand are looked for now and then.
constexpr std::uint64_t kArrivalsBetweenLooks = 64;

void Append(std::string& text, std::uint64_t value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void Append(std::string& text, const std::string& part) {
  Append(text, part.size());
  text += part;
}

void Append(std::string& text, const api::DeviceTaint& taint) {
  Append(text, taint.key);
  Append(text, taint.value);
  Append(text, taint.effect);
}

}  // namespace

bool ClusterBoards::TellApart(std::span<const cel::AttributeKey> keys) {
  for (const auto& key : keys) {
    if (key.map != cel::AttributeKey::Map::kAttributes) continue;
    if (key.id.empty()) return false;
    const auto name = inventory_->attributes().FindName(key.domain, key.id);
    if (name && inventory_->attributes().ValueCount(*name) > kMaxValuesToTellApart) return false;
  }
  for (const auto& key : keys) {
    if (key.map != cel::AttributeKey::Map::kAttributes) continue;
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
    keys_.push_back(key);
    keys_changed_ = true;
  }
  return true;
}

std::vector<AttributeNameId> ClusterBoards::NamesToRead() const {
  const auto& attributes = inventory_->attributes();
  std::vector<AttributeNameId> names;
  for (const auto& key : keys_) {
    if (const auto name = attributes.FindName(key.domain, key.id)) names.push_back(*name);
  }
  for (AttributeNameId name = 0; labels_ && name < attributes.name_count(); ++name) {
    if (IsLabel(attributes.Name(name).id)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void ClusterBoards::Update(State& state, const Demand* demand) {
  const bool uses_known = state.TakeChangedPools(changed_pools_);
  const auto dropped = inventory_->DroppedSince(next_change_);
  bool again = !uses_known || !dropped || !classes_ || demand != demand_;
  // A key that no device has tells nothing apart until one has it.
  if (keys_changed_ || inventory_->attributes().name_count() != known_names_) {
    keys_changed_ = false;
    known_names_ = inventory_->attributes().name_count();
    again = again || NamesToRead() != names_;
  }
  const auto version = demand ? demand->version() : 0;
  if (demand && (demand->classes_version() != demand_classes_ || version >= demand_version_ + kArrivalsBetweenLooks)) {
    demand_version_ = version;
    demand_classes_ = demand->classes_version();
    const PackingClasses now(*inventory_, demand, {});
    again = again || now.key() != demand_key_;
  }
  if (!again) {
    const std::vector<NodeIndex> nodes(dropped->begin(), dropped->end());
    next_change_ = inventory_->changes();
    const auto first_new = static_cast<NodeIndex>(nodes_.size());
    if (inventory_->node_count() > nodes_.size()) RankNodes();
    for (auto node = first_new; node < nodes_.size(); ++node) again = !ReadNode(state, node) || again;
    for (const auto node : nodes) again = !ReadNode(state, node) || again;
    for (const auto pool : changed_pools_) {
      const auto node = pool < pool_nodes_.size() ? pool_nodes_[pool] : kNoNode;
      if (node != kNoNode && node != kManyNodes) ReadUse(state, node);
    }
  }
  if (again) ReadAgain(state, demand);
}

void ClusterBoards::ReadAgain(const State& state, const Demand* demand) {
  ++epoch_;
  kinds_.clear();
  kind_ids_.clear();
  census_.clear();
  pool_nodes_.clear();
  nodes_.clear();
  odd_count_ = 0;
  RankNodes();
  demand_ = demand;
  labels_ = !demand || demand->Classes().empty();
  keys_changed_ = false;
  known_names_ = inventory_->attributes().name_count();
  names_ = NamesToRead();
  std::vector<const NodeView*> with_new_kinds;
  for (NodeIndex node = 0; node < nodes_.size(); ++node) {
    const auto& view = inventory_->ViewOf(node);
    const auto known = kinds_.size();
    if (!IsOdd(view)) KindsOf(view, names_);
    if (kinds_.size() > known) with_new_kinds.push_back(&view);
  }
  next_change_ = inventory_->changes();
  MakeClasses(demand, with_new_kinds);
  for (NodeIndex node = 0; node < nodes_.size(); ++node) ReadNode(state, node);
}

void ClusterBoards::MakeClasses(const Demand* demand, const std::vector<const NodeView*>& views) {
  classes_ = std::make_unique<PackingClasses>(*inventory_, demand, views);
  demand_key_ = classes_->key();
  demand_version_ = demand ? demand->version() : 0;
  demand_classes_ = demand ? demand->classes_version() : 0;
}

void ClusterBoards::RankNodes() {
  nodes_.resize(inventory_->node_count());
  by_rank_.resize(nodes_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  std::sort(by_rank_.begin(), by_rank_.end(),
            [this](NodeIndex a, NodeIndex b) { return inventory_->NodeName(a) < inventory_->NodeName(b); });
  for (auto& kind : kinds_) {
    for (auto& group : kind.groups) group.boards.clear();
  }
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
    auto& node = nodes_[by_rank_[rank]];
    node.rank = rank;
    for (std::size_t b = 0; b < node.states.size(); ++b) {
      kinds_[node.kinds[b]].groups[node.states[b]].boards.insert(KeyOf(node, b));
    }
  }
}

bool ClusterBoards::IsOdd(const NodeView& view) {
  if (!view.error.empty() || by_rank_.size() > kMaxRank) return true;
  const auto& layout = *view.layout;
  if (odd_layouts_.size() > kMaxRememberedLayouts) odd_layouts_.clear();
  const auto [found, added] = odd_layouts_.try_emplace(layout.serial, false);
  if (added) {
    const auto& features = inventory_->features();
    auto& odd = found->second;
    odd = layout.any_invalid || layout.candidates != layout.devices.size() || layout.boards.size() > kMaxBoard;
    for (const auto& pool : layout.pools) odd = odd || pool.incomplete || pool.invalid;
    for (const auto& device : layout.devices) {
      odd = odd || !device.on_node || (features.consumable_capacity && device.allow_multiple_allocations) ||
            (device.draws && !features.partitionable_devices);
    }
    for (const auto& shape : layout.shapes) {
      odd = odd || (features.compatibility_groups && shape->has_compatibility_groups);
    }
  }
  if (found->second) return true;
  const auto& attributes = inventory_->attributes();
  if (attributes.any_errors()) {
    for (const auto* slice : view.slices) {
      for (const auto value : slice->values) {
        if (!attributes.ErrorOf(value).empty()) return true;
      }
    }
  }
  return std::any_of(view.slices.begin(), view.slices.end(),
                     [&](const auto* slice) { return slice->node_name != view.node; });
}

std::string ClusterBoards::StaticText(const NodeView& view, const NodeLayout::Board& board) const {
  const auto& layout = *view.layout;
  std::string text;
  Append(text, layout.pools[board.pool].driver);
  Append(text, board.counters.size());
  for (const auto counter : board.counters) Append(text, static_cast<std::uint64_t>(layout.counters[counter].declared));
  for (const auto d : board.devices) {
    const auto& device = layout.devices[d];
    const auto ref = view.Device(d);
    for (const auto& consumption : layout.ConsumptionOf(d)) {
      const auto found = std::lower_bound(board.counters.begin(), board.counters.end(), consumption.counter);
      Append(text, static_cast<std::uint64_t>(found - board.counters.begin()) + 1);
      Append(text, static_cast<std::uint64_t>(consumption.amount));
    }
    Append(text, std::uint64_t{0});
    Append(text, (device.draws ? 1U : 0U) | (device.skips_node_operations ? 2U : 0U) |
                     (view.optional_node_operations ? 4U : 0U) | (device.tainted ? 8U : 0U));
    for (const auto& taint : ref.taints()) Append(text, taint);
    if (d < layout.rule_taints.size()) {
      for (const auto* taint : layout.rule_taints[d]) Append(text, *taint);
    }
    for (const auto& capacity : ref.capacities()) {
      Append(text, capacity.name);
      Append(text, capacity.value.ToString());
      // Rare enough to tell such devices apart wherever they come from.
      if (capacity.policy) Append(text, ref.shape().serial);
    }
    if (ref.device().extras >= 0) {
      Append(text, ref.shape().serial);
      Append(text, static_cast<std::uint64_t>(ref.device().extras));
    }
    Append(text, ~std::uint64_t{0});
  }
  return text;
}

std::vector<ClusterBoards::KindId> ClusterBoards::KindsOf(const NodeView& view,
                                                          std::span<const AttributeNameId> names) {
  const auto& layout = *view.layout;
  if (static_ids_.size() > kMaxRememberedLayouts) static_ids_.clear();
  auto& of_layout = static_ids_[layout.serial];
  if (of_layout.empty()) {
    for (const auto& board : layout.boards) {
      of_layout.push_back(
          static_texts_.try_emplace(StaticText(view, board), static_cast<std::uint32_t>(static_texts_.size()))
              .first->second);
    }
  }
  std::vector<KindId> kinds;
  kinds.reserve(layout.boards.size());
  std::string text;
  for (std::size_t b = 0; b < layout.boards.size(); ++b) {
    text.clear();
    // Of two nodes that differ in what they declare, layouts may be the same.
    Append(text, std::uint64_t{of_layout[b]} << 1 | (view.optional_node_operations ? 1 : 0));
    for (const auto d : layout.boards[b].devices) {
      const auto ref = view.Device(d);
      for (const auto name : names) {
        const auto value = ref.Attribute(name);
        text.append(reinterpret_cast<const char*>(&value), sizeof(value));
      }
    }
    auto found = kind_ids_.find(text);
    if (found == kind_ids_.end()) {
      found = kind_ids_.emplace(text, static_cast<KindId>(kinds_.size())).first;
      kinds_.emplace_back();
    }
    kinds.push_back(found->second);
  }
  return kinds;
}

bool ClusterBoards::MakeModels(const NodeView& view, std::span<const KindId> kinds) {
  bool known = true;
  for (std::size_t b = 0; b < kinds.size(); ++b) {
    auto& kind = kinds_[kinds[b]];
    if (kind.model) continue;
    const auto& board = view.layout->boards[b];
    kind.model = std::make_shared<BoardModel>(MakeBoardModel(view, board, *classes_, *shapes_));
    kind.groups.resize(kind.model->shape->state_count());
    for (const auto d : board.devices) known = known && (!labels_ || classes_->MaskOf(view.Device(d)) != 0);
    const auto index = kind.model->shape->index();
    if (census_.size() <= index) census_.resize(index + std::size_t{1});
    census_[index].shape = kind.model->shape;
    census_[index].boards.resize(kind.model->shape->merged().size(), 0);
  }
  return known || classes_->full();
}

bool ClusterBoards::OwnsItsPools(NodeIndex index, const NodeView& view) {
  bool owns = true;
  for (const auto pool : view.pools) {
    if (pool_nodes_.size() <= pool) pool_nodes_.resize(pool + std::size_t{1}, kNoNode);
    auto& owner = pool_nodes_[pool];
    if (owner == kNoNode) owner = index;
    if (owner == index) continue;
    if (owner != kManyNodes) {
      TakeOut(nodes_[owner]);
      nodes_[owner].kinds.clear();
      SetOdd(nodes_[owner], true);
      owner = kManyNodes;
    }
    owns = false;
  }
  return owns;
}

bool ClusterBoards::ReadNode(const State& state, NodeIndex index) {
  const auto& view = inventory_->ViewOf(index);
  auto& node = nodes_[index];
  if (node.view == view.serial) {
    ReadUse(state, index);
    return true;
  }
  TakeOut(node);
  node.view = view.serial;
  node.kinds.clear();
  const bool owns = OwnsItsPools(index, view);
  SetOdd(node, !owns || IsOdd(view));
  if (node.odd) return true;
  node.kinds = KindsOf(view, names_);
  node.neighbourhoods = NeighbourhoodsOf(*inventory_, view);
  const bool known = MakeModels(view, node.kinds);
  node.full.clear();
  node.offsets.clear();
  for (const auto kind : node.kinds) {
    node.offsets.push_back(static_cast<std::uint32_t>(node.full.size()));
    const auto full = kinds_[kind].model->shape->Full();
    node.full.insert(node.full.end(), full.begin(), full.end());
  }
  ReadUse(state, index);
  return known;
}

void ClusterBoards::ReadUse(const State& state, NodeIndex index) {
  auto& node = nodes_[index];
  if (node.kinds.empty()) return;
  const auto& view = inventory_->ViewOf(index);
  const auto& layout = *view.layout;
  free_ = node.full;
  for (std::uint32_t p = 0; p < view.pools.size(); ++p) {
    for (const auto& holding : state.HoldingsOf(view.pools[p])) {
      const auto device = layout.FindDevice(p, holding.device);
      if (!device) continue;
      const auto b = layout.devices[*device].board;
      const auto& devices = layout.boards[b].devices;
      const auto place = std::lower_bound(devices.begin(), devices.end(), *device) - devices.begin();
      const auto& model = *kinds_[node.kinds[b]].model;
      const auto type = model.types[static_cast<std::size_t>(place)];
      const auto& need = model.shape->types()[type].need;
      for (std::size_t c = 0; c < need.size(); ++c) free_[node.offsets[b] + c] -= need[c];
      const auto limit = model.shape->limit_of_type()[type];
      if (limit >= 0) --free_[node.offsets[b] + need.size() + static_cast<std::size_t>(limit)];
    }
  }
  states_.clear();
  bool odd = std::any_of(free_.begin(), free_.end(), [](Amount amount) { return amount < 0; });
  for (std::size_t b = 0; !odd && b < node.kinds.size(); ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(node.offsets[b]);
    const auto end = static_cast<std::ptrdiff_t>(b + 1 < node.offsets.size() ? node.offsets[b + 1] : free_.size());
    if (!node.states.empty() && std::equal(free_.begin() + begin, free_.begin() + end, node.free.begin() + begin)) {
      states_.push_back(node.states[b]);
      continue;
    }
    const auto found = kinds_[node.kinds[b]].model->shape->StateOf({free_.begin() + begin, free_.begin() + end});
    if (found) states_.push_back(*found);
    odd = !found;
  }
  SetOdd(node, odd);
  node.free = free_;
  if (odd) {
    TakeOut(node);
  } else {
    Regroup(node, states_);
  }
}

void ClusterBoards::Count(const Kind& kind, BoardShape::State state, double change) {
  const auto& shape = *kind.model->shape;
  auto& boards = census_[shape.index()].boards;
  const auto merged = shape.MergedOf(state);
  if (boards.size() <= merged) boards.resize(merged + std::size_t{1}, 0);
  boards[merged] += change;
}

void ClusterBoards::Insert(const Node& node, std::size_t board, BoardShape::State state) {
  auto& kind = kinds_[node.kinds[board]];
  if (kind.groups.size() <= state) kind.groups.resize(state + std::size_t{1});
  auto& group = kind.groups[state];
  if (group.boards.empty()) {
    group.position = static_cast<std::uint32_t>(kind.in_use.size());
    kind.in_use.push_back(state);
  }
  group.boards.insert(KeyOf(node, board));
  Count(kind, state, 1);
}

void ClusterBoards::Erase(const Node& node, std::size_t board, BoardShape::State state) {
  auto& kind = kinds_[node.kinds[board]];
  auto& group = kind.groups[state];
  group.boards.erase(KeyOf(node, board));
  Count(kind, state, -1);
  if (!group.boards.empty()) return;
  kind.in_use[group.position] = kind.in_use.back();
  kind.groups[kind.in_use.back()].position = group.position;
  kind.in_use.pop_back();
}

void ClusterBoards::SetOdd(Node& node, bool odd) {
  if (odd != node.odd) odd_count_ += odd ? std::size_t{1} : ~std::size_t{0};
  node.odd = odd;
}

void ClusterBoards::TakeOut(Node& node) {
  for (std::size_t b = 0; b < node.states.size(); ++b) Erase(node, b, node.states[b]);
  node.states.clear();
  node.free_ppm = 0;
}

void ClusterBoards::Regroup(Node& node, std::span<const BoardShape::State> states) {
  std::int64_t free_ppm = 0;
  for (std::size_t b = 0; b < states.size(); ++b) free_ppm += kinds_[node.kinds[b]].model->shape->FreePpm(states[b]);
  if (node.states.size() == states.size() && free_ppm == node.free_ppm &&
      std::equal(states.begin(), states.end(), node.states.begin())) {
    return;
  }
  TakeOut(node);
  node.free_ppm = free_ppm;
  node.states.assign(states.begin(), states.end());
  for (std::size_t b = 0; b < states.size(); ++b) Insert(node, b, states[b]);
}

std::vector<NodeIndex> ClusterBoards::OddNodes() const {
  std::vector<NodeIndex> odd;
  if (odd_count_ == 0) return odd;
  for (const auto node : by_rank_) {
    if (nodes_[node].odd) odd.push_back(node);
  }
  return odd;
}

NodeModel ClusterBoards::ModelOf(NodeIndex index) const {
  const auto& node = nodes_[index];
  NodeModel model;
  for (const auto kind : node.kinds) model.boards.push_back(kinds_[kind].model);
  model.neighbourhoods = node.neighbourhoods;
  return model;
}

}  // namespace kumiko::allocator
