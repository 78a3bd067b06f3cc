// Placing by the index of all boards beside searching every node: the same fits, at the same grade, whatever happened
// to slices, nodes and allocations before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "allocator/cluster_boards.h"
#include "allocator/decision_cache.h"
#include "allocator/device_match.h"
#include "allocator/place.h"
#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::ClaimBuilder;
using testing::DeviceBuilder;
using testing::MakeBoards;
using testing::MakeClass;
using testing::MakeGpus;
using testing::Names;
using testing::SliceBuilder;

constexpr const char* kProfiles[] = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"};

std::string Attribute(const std::string& name, const std::string& value) {
  return "device.attributes[\"gpu.example.com\"]." + name + " == \"" + value + "\"";
}

api::ResourceClaim RandomClaim(int serial) {
  ClaimBuilder claim("c" + std::to_string(serial));
  const auto requests = *rc::gen::weightedElement<int>({{3, 1}, {1, 2}});
  for (int r = 0; r < requests; ++r) {
    const auto name = "r" + std::to_string(r);
    const auto count = *rc::gen::weightedElement<int>({{4, 1}, {1, 2}});
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        claim.Request(name, count).Class("gpu");
        break;
      case 1:
        claim.Request(name).Class("any");
        break;
      case 2:
        claim.FirstAvailable(name).Alternative("w").Class("gpu").Alternative("p").Class("mig");
        break;
      case 3:
        claim.Request(name).Class("gpu").Selector(Attribute("model", "H100"));
        break;
      default:
        claim.Request(name, count)
            .Class("mig")
            .Selector(Attribute("profile", kProfiles[*rc::gen::inRange<std::size_t>(0, std::size(kProfiles))]));
        break;
    }
    if (*rc::gen::inRange(0, 4) == 0) claim.Tolerate("maintenance");
  }
  if (*rc::gen::inRange(0, 4) == 0) {
    claim.Match(*rc::gen::element<std::string>("gpu.example.com/index", "resource.kubernetes.io/pcieRoot"));
  }
  return claim;
}

class Cluster {
 public:
  Cluster() {
    inventory_.UpsertClass(MakeClass("any"));
    inventory_.UpsertClass(MakeClass("gpu", R"(device.attributes["gpu.example.com"].type == "gpu")"));
    inventory_.UpsertClass(MakeClass("mig", R"(device.attributes["gpu.example.com"].type == "mig")"));
    const auto nodes = *rc::gen::inRange(1, 6);
    for (int n = 0; n < nodes; ++n) AddNode();
  }

  void AddNode() {
    const auto name = "n" + std::to_string(*rc::gen::inRange(0, 50));
    if (slices_.contains(name)) return;
    slices_[name];
    Publish(name);
  }

  // Anew, with other devices perhaps.
  void Publish(const std::string& node) {
    for (const auto& slice : slices_[node]) inventory_.RemoveSlice(slice);
    slices_[node].clear();
    std::vector<std::shared_ptr<const api::ResourceSlice>> slices;
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        slices = {MakeGpus(node, *rc::gen::inRange(1, 5))};
        break;
      case 1:
        slices = {SliceBuilder(node + "-tainted", node)
                      .Add(DeviceBuilder("gpu-0").String("type", "gpu").Taint("maintenance", "NoSchedule"))
                      .Add(DeviceBuilder("gpu-1").String("type", "gpu"))
                      .Build()};
        break;
      case 2:  // odd: devices that several may share
        slices = {SliceBuilder(node + "-shareable", node)
                      .Add(DeviceBuilder("gpu-0").String("type", "gpu").Capacity("memory", "80Gi").Shareable())
                      .Build()};
        break;
      default:
        slices = MakeBoards(node,
                            {.gpus = *rc::gen::inRange(1, 4), .model = *rc::gen::element<std::string>("A100", "H100")});
        break;
    }
    for (const auto& slice : slices) {
      inventory_.UpsertSlice(slice);
      slices_[node].push_back(slice->metadata.name);
    }
  }

  std::string AnyNode() const {
    return std::next(slices_.begin(), *rc::gen::inRange<int>(0, static_cast<int>(slices_.size())))->first;
  }

  void RemoveNode(const std::string& node) {
    for (const auto& slice : slices_[node]) inventory_.RemoveSlice(slice);
    slices_[node].clear();
  }

  Inventory inventory_;
  std::map<std::string, std::vector<std::string>> slices_;  // by node
};

void CheckSuits(const Inventory& inventory, const Plan& plan, const std::string& node,
                const api::DeviceRequestAllocationResult& device, const DeviceRef& published) {
  const auto& view = inventory.ViewOf(node);
  for (const auto& request : plan.claims[0].requests) {
    for (const auto& alternative : request.alternatives) {
      if (alternative.name != device.request) continue;
      RC_ASSERT(MatchSelectors(inventory, alternative, published).kind == Verdict::Kind::kTrue);
      const auto found = view.layout->FindDevice(0, *inventory.names().Find(device.device));
      RC_ASSERT(found.has_value());
      RC_ASSERT(UntoleratedTaint(alternative, view, *found) == nullptr);
    }
  }
}

std::vector<std::string> GroupsOf(const ClusterBoards& boards, const Inventory& inventory) {
  std::vector<std::string> groups;
  for (const auto& kind : boards.kinds()) {
    for (const auto state : kind.in_use) {
      std::string text = std::to_string(kind.model->shape->FreePpm(state)) + ":";
      for (const auto key : kind.groups[state].boards) {
        text += " " + inventory.NodeName(boards.NodeOf(key)) + "/" + std::to_string(ClusterBoards::BoardOf(key)) + "@" +
                std::to_string(ClusterBoards::FreePpmOf(key));
      }
      groups.push_back(std::move(text));
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

RC_GTEST_PROP(ClusterSearchProperty, FindsWhatSearchingEveryNodeFinds, ()) {
  Cluster cluster;
  auto& inventory = cluster.inventory_;
  State state(inventory);
  ShapeCache shapes;
  auto& followed = state.cache().ClusterOf(inventory).boards;
  std::vector<cel::AttributeKey> keys;
  for (const char* id : {"model", "profile", "type"}) {
    keys.push_back({.map = cel::AttributeKey::Map::kAttributes, .domain = testing::kDriver, .id = id});
  }
  Options options;
  std::map<int, std::vector<api::AllocationResult>> running;
  const auto events = *rc::gen::inRange(1, 40);
  for (int event = 0; event < events; ++event) {
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
        cluster.AddNode();
        break;
      case 1:
        cluster.Publish(cluster.AnyNode());
        break;
      case 2:
        cluster.RemoveNode(cluster.AnyNode());
        break;
      case 3:
      case 4:
        if (running.empty()) break;
        for (const auto& result : running.begin()->second) state.Remove(result);
        running.erase(running.begin());
        break;
      default: {
        const auto claim = RandomClaim(event);
        const auto* pointer = &claim;
        const auto names = inventory.NodeNames();
        const auto indexed = Place(inventory, state, std::span(&pointer, 1), options);
        const auto searched = Place(inventory, state, std::span(&pointer, 1), names, options);
        RC_ASSERT(indexed.kind == searched.kind);
        RC_ASSERT(indexed.error == searched.error);
        if (indexed.kind != Outcome::Kind::kFits) break;
        const auto plan = MakePlan(inventory, std::span(&pointer, 1));
        for (const auto& result : indexed.results) {
          for (const auto& device : result.devices.results) {
            const DeviceId id{device.driver, device.pool, device.device};
            RC_ASSERT(!state.Holds(id) || device.share_id);
            const auto published = inventory.FindDevice(id);
            RC_ASSERT(published.slice != nullptr);
            CheckSuits(inventory, plan, indexed.node, device, published);
          }
          state.Add(result);
        }
        const auto& view = inventory.ViewOf(indexed.node);
        const InFlight after(view, state);
        for (std::uint32_t c = 0; c < view.layout->counters.size(); ++c) RC_ASSERT(after.Remaining(c) >= 0);
        running[event] = indexed.results;
        break;
      }
    }
    // What was followed is what is found when everything is read again.
    State copy(inventory);
    for (const auto& [serial, results] : running) {
      for (const auto& result : results) copy.Add(result);
    }
    ClusterBoards fresh(inventory, shapes);
    for (auto* boards : {&followed, &fresh}) {
      RC_ASSERT(boards->TellApart(keys));
      boards->Update(boards == &fresh ? copy : state, nullptr);
    }
    RC_ASSERT(GroupsOf(followed, inventory) == GroupsOf(fresh, inventory));
    RC_ASSERT(followed.OddNodes() == fresh.OddNodes());
  }
}

}  // namespace
}  // namespace kumiko::allocator
