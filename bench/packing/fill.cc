#include "fill.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/text.h"
#include "gpu/device_classes.h"
#include "gpu/layout.h"
#include "gpu/slices.h"

namespace kumiko::packing {
namespace {

// The boards' plain profiles only: the ones with media engines are not part of the experiment.
gpu::Board PlainBoard(const gpu::Board& board) {
  gpu::Board plain = board;
  const auto has_engines = [](const gpu::Profile& profile) { return profile.name.find('+') != std::string::npos; };
  std::erase_if(plain.profiles, has_engines);
  return plain;
}

const std::string& ProfileOf(const api::Device& device) {
  static const std::string none;
  const auto found = device.attributes.find("profile");
  return found != device.attributes.end() && found->second.string_value ? *found->second.string_value : none;
}

// Of one profile the lowest start first, as the first-fit of the study has it.
void SortByStart(std::vector<api::Device>& devices) {
  for (auto begin = devices.begin(); begin != devices.end();) {
    const auto end =
        std::find_if(begin, devices.end(), [&](const api::Device& d) { return ProfileOf(d) != ProfileOf(*begin); });
    std::stable_sort(begin, end, [](const api::Device& a, const api::Device& b) {
      const auto slots_a = gpu::SlotsOf(a);
      const auto slots_b = gpu::SlotsOf(b);
      return slots_a && slots_b && slots_a->start < slots_b->start;
    });
    begin = end;
  }
}

std::string NodeName(int node) {
  return fmt::format("node-{:04}", node);
}

Result<std::vector<api::ResourceSlice>> SlicesOf(const Cluster& cluster, const gpu::Model& model, int node) {
  std::vector<gpu::BoardInstance> boards;
  for (int minor = 0; minor < cluster.boards_per_node; ++minor) {
    gpu::BoardInstance board;
    board.minor = minor;
    board.uuid = fmt::format("GPU-{:08x}-0000-0000-0000-{:012x}", node, minor);
    board.model = model;
    board.mig = gpu::MigMode::kDynamic;
    board.pci_bus_id = fmt::format("0000:{:02x}:00.0", minor + 1);
    boards.push_back(std::move(board));
  }
  return gpu::BuildSlices({.node_name = NodeName(node), .node_uid = NodeName(node)}, boards);
}

api::ResourceClaim ClaimFor(std::string_view profile) {
  api::DeviceSubRequest exactly;
  exactly.device_class_name = gpu::kMigClass;
  exactly.allocation_mode = "ExactCount";
  exactly.count = 1;
  exactly.selectors.push_back(
      {api::CelDeviceSelector{fmt::format("device.attributes[\"{}\"].profile == \"{}\"", gpu::kGpuDriver, profile)}});
  api::ResourceClaim claim;
  claim.metadata.name = "part";
  claim.metadata.namespace_ = "default";
  claim.spec.devices.requests.push_back({.name = "part", .exactly = std::move(exactly), .first_available = {}});
  return claim;
}

// What the scheduler counts as one arrival: the selectors of the class, then the request's own.
std::vector<std::string> SelectorsOf(const api::ResourceClaim& claim) {
  std::vector<std::string> selectors;
  const auto& exactly = *claim.spec.devices.requests.front().exactly;
  for (const auto& device_class : gpu::DeviceClasses()) {
    if (device_class.metadata.name != exactly.device_class_name) continue;
    for (const auto& selector : device_class.spec.selectors) selectors.push_back(selector.cel->expression);
  }
  for (const auto& selector : exactly.selectors) selectors.push_back(selector.cel->expression);
  return selectors;
}

// Candidates in the order in which first-fit goes through them.
class NodeOrder {
 public:
  NodeOrder(int nodes, Policy policy, Random& ties) : most_allocated_first_(policy == Policy::kFirstFitPackedNodes) {
    for (int node = 0; node < nodes; ++node) nodes_.push_back({.name = NodeName(node), .used = 0, .rank = 0});
    std::vector<std::size_t> ranks(nodes_.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    ties.Shuffle(ranks);
    for (std::size_t i = 0; i < ranks.size(); ++i) nodes_[i].rank = ranks[i];
    Sort();
  }

  std::span<const std::string> names() const { return names_; }
  void Use(const std::string& name, std::int64_t slots) {
    for (auto& node : nodes_) {
      if (node.name == name) node.used += slots;
    }
    Sort();
  }

 private:
  struct Node {
    std::string name;
    std::int64_t used = 0;
    std::size_t rank = 0;
  };
  void Sort() {
    std::sort(nodes_.begin(), nodes_.end(), [this](const Node& a, const Node& b) {
      if (a.used != b.used) return most_allocated_first_ ? a.used > b.used : a.used < b.used;
      return a.rank < b.rank;
    });
    names_.clear();
    for (const auto& node : nodes_) names_.push_back(node.name);
  }

  bool most_allocated_first_;
  std::vector<Node> nodes_;
  std::vector<std::string> names_;
};

// Which slots of each board run something, kept apart from the allocator to check it.
class Slots {
 public:
  Slots(const gpu::Board& board, std::size_t boards) : board_(board), used_(boards, 0) {}

  // The device must be of this profile and its slots free.
  Status Take(std::size_t board, std::string_view profile, const gpu::SlotRange& range) {
    auto slots = ((std::uint64_t{1} << range.size) - 1) << range.start;
    if ((used_[board] & slots) != 0) return Fail(Code::kInternal, "{} overlaps what runs on board {}", profile, board);
    used_[board] |= slots;
    return {};
  }
  bool HasRoomFor(std::string_view profile) const {
    const auto* found = board_.FindProfile(profile);
    return std::any_of(used_.begin(), used_.end(), [&](std::uint64_t used) {
      return std::any_of(found->placements.begin(), found->placements.end(), [&](const gpu::Placement& placement) {
        return (used & ((std::uint64_t{1} << placement.size) - 1) << placement.start) == 0;
      });
    });
  }

 private:
  const gpu::Board& board_;
  std::vector<std::uint64_t> used_;
};

}  // namespace

Result<Filled> Fill(const Cluster& cluster, Policy policy, std::span<const std::size_t> requests,
                    std::span<const double> loads_percent, Random& ties) {
  KU_TRY(const gpu::Model* known, gpu::FindModel(cluster.kind->model));
  gpu::Model model = *known;
  const gpu::Board board = PlainBoard(*model.board);
  model.board = &board;

  allocator::Inventory inventory;
  // By pool and device: the board among all, and its slots there.
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, gpu::SlotRange>> places;
  for (const auto& device_class : gpu::DeviceClasses()) inventory.UpsertClass(device_class);
  for (int node = 0; node < cluster.nodes; ++node) {
    KU_TRY(auto slices, SlicesOf(cluster, model, node));
    for (auto& slice : slices) {
      if (policy == Policy::kFirstFit || policy == Policy::kFirstFitPackedNodes) SortByStart(slice.spec.devices);
      inventory.UpsertSlice(slice);
      for (const auto& device : slice.spec.devices) {
        const auto minor = *ParseInt64(std::string_view(gpu::BoardOf(device.name)).substr(4));
        const auto index = static_cast<std::size_t>(node * cluster.boards_per_node) + static_cast<std::size_t>(minor);
        places[{slice.spec.pool.name, device.name}] = {index, *gpu::SlotsOf(device)};
      }
    }
  }
  Slots taken(board, static_cast<std::size_t>(cluster.nodes) * static_cast<std::size_t>(cluster.boards_per_node));
  std::vector<api::ResourceClaim> claims;
  std::vector<std::vector<std::string>> selectors;
  for (const auto profile : cluster.kind->profiles) {
    claims.push_back(ClaimFor(profile));
    selectors.push_back(SelectorsOf(claims.back()));
  }

  allocator::State state(inventory);
  allocator::Demand demand;
  const bool packed = policy == Policy::kPacked;
  allocator::Options options;
  options.policy = packed ? allocator::Policy::kPacked : allocator::Policy::kFirstFit;
  if (packed) options.demand = &demand;
  NodeOrder order(cluster.nodes, policy, ties);

  Filled filled;
  std::int64_t arrived = 0;
  std::int64_t accepted = 0;
  const auto slots = static_cast<double>(cluster.slots());
  const auto start = std::chrono::steady_clock::now();
  for (const auto profile : requests) {
    const auto size = cluster.kind->slots[profile];
    arrived += size;
    while (filled.accepted.size() < loads_percent.size() &&
           static_cast<double>(arrived) > loads_percent[filled.accepted.size()] / 100 * slots) {
      filled.accepted.push_back(accepted);
    }
    demand.Arrive(selectors[profile]);
    const api::ResourceClaim* claim = &claims[profile];
    const auto placement = packed ? Place(inventory, state, std::span(&claim, 1), options)
                                  : Place(inventory, state, std::span(&claim, 1), order.names(), options);
    ++filled.decisions;
    switch (placement.kind) {
      case allocator::Outcome::Kind::kFits: {
        const auto& device = placement.results.front().devices.results.front();
        const auto& [index, range] = places.at({device.pool, device.device});
        KU_TRY_OK(taken.Take(index, cluster.kind->profiles[profile], range));
        state.Add(placement.results.front());
        state.Commit();
        accepted += size;
        if (!packed) order.Use(placement.node, size);
        break;
      }
      case allocator::Outcome::Kind::kDoesNotFit:
        if (!taken.HasRoomFor(cluster.kind->profiles[profile])) break;
        return Fail(Code::kInternal, "request {} of profile {} was turned away, but a board has room for it",
                    filled.decisions, cluster.kind->profiles[profile]);
      case allocator::Outcome::Kind::kNodeError:
      case allocator::Outcome::Kind::kFatal:
        return Fail(Code::kInternal, "request {} of profile {}: {}", filled.decisions,
                    cluster.kind->profiles[profile], placement.error);
    }
  }
  filled.accepted.resize(loads_percent.size(), accepted);
  filled.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return filled;
}

}  // namespace kumiko::packing
