#include "allocator/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "allocator/place.h"
#include "allocator/smallest_change.h"
#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::ClaimBuilder;
using testing::DeviceBuilder;
using ::testing::IsEmpty;
using testing::kDriver;
using testing::MakeClass;
using testing::MakeGpus;
using testing::SliceBuilder;

Features AllFeatures() {
  Features features;
  for (const auto& row : kFeatureTable) features.*row.on = true;
  return features;
}

class Explaining : public ::testing::Test {
 protected:
  explicit Explaining(const Features& features = AllFeatures()) : inventory_(features) {
    inventory_.UpsertClass(MakeClass("gpu"));
  }

  void AddGpus(const std::string& node, int gpus) {
    inventory_.UpsertSlice(MakeGpus(node, gpus));
    nodes_.push_back(node);
  }
  void Add(const SliceBuilder& slice, const std::string& node) {
    inventory_.UpsertSlice(slice.Build());
    if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) nodes_.push_back(node);
  }
  void Ask(api::ResourceClaim claim) { claims_.push_back(std::move(claim)); }
  void Hold(const std::string& pool, const std::string& device) { state_.AddDevice({kDriver, pool, device}); }

  std::vector<const api::ResourceClaim*> Claims() const {
    std::vector<const api::ResourceClaim*> claims;
    for (const auto& claim : claims_) claims.push_back(&claim);
    return claims;
  }
  // Devices by what is said of them. Every device is said to have one reason.
  std::map<std::string, std::size_t> Why() {
    const auto claims = Claims();
    EXPECT_NE(Place(inventory_, state_, claims, nodes_, {}).kind, Outcome::Kind::kFits);
    const auto explanation = Explain(inventory_, state_, claims, nodes_, DeviceNames::kListed);
    std::map<std::string, std::size_t> why;
    std::size_t sum = 0;
    for (const auto& row : explanation.rows) {
      EXPECT_EQ(row.names.size(), row.devices);
      sum += row.devices;
      why[row.detail] += row.devices;
    }
    EXPECT_EQ(sum, explanation.devices);
    return why;
  }
  std::string Change() {
    const auto claims = Claims();
    const auto explanation = Explain(inventory_, state_, claims, nodes_);
    const auto before = state_.Mark();
    const auto proposal = SmallestChange(inventory_, state_, claims, explanation.nearest_nodes);
    EXPECT_EQ(state_.Mark(), before);
    return Text(proposal.changes);
  }

  Inventory inventory_;
  State state_{inventory_};
  std::vector<std::string> nodes_;
  std::vector<api::ResourceClaim> claims_;
};

using Rows = std::map<std::string, std::size_t>;

TEST_F(Explaining, NamesTheRequestThatNeedsADevice) {
  AddGpus("n1", 2);
  Ask(ClaimBuilder("c").Request("a", 2).Request("b"));
  EXPECT_EQ(Why(), (Rows{{"needed by request a", 2}}));
}

TEST_F(Explaining, NamesTheValueThatAConstraintRefuses) {
  Add(SliceBuilder("s", "n1")
          .Add(DeviceBuilder("x").String("model", "a").Int("index", 0))
          .Add(DeviceBuilder("y").String("model", "b").Int("index", 1))
          .Add(DeviceBuilder("z").Int("index", 2)),
      "n1");
  const std::string first = R"(device.attributes["gpu.example.com"].index == 0)";
  Ask(ClaimBuilder("c").Request("r").Selector(first).Request("s").Match("gpu.example.com/model"));
  EXPECT_EQ(Why(), (Rows{{"needed by request r", 1},
                         {"model is b, not a as of request r", 1},
                         {"model does not exist, the claim needs it to be equal", 1}}));
  EXPECT_EQ(Change(), "drop the constraint on gpu.example.com/model (claim ns/c)");
}

TEST_F(Explaining, SaysHowMuchOfACounterIsLeft) {
  Add(SliceBuilder("s-counters", "n1").Pool("n1", 1, 2).Counters("card", {{"memory", "40Gi"}}), "n1");
  Add(SliceBuilder("s-devices", "n1")
          .Pool("n1", 1, 2)
          .Add(DeviceBuilder("small").Consumes("card", {{"memory", "30Gi"}}))
          .Add(DeviceBuilder("large").Consumes("card", {{"memory", "40Gi"}})),
      "n1");
  Hold("n1", "small");
  Ask(ClaimBuilder("c").Request("r"));
  EXPECT_EQ(Why(), (Rows{{"taken", 1}, {"memory: 10Gi left, needs 40Gi", 1}}));
  EXPECT_EQ(Change(), "wait until gpu.example.com/n1/small is free");
}

TEST_F(Explaining, SaysHowMuchOfACapacityIsLeft) {
  Add(SliceBuilder("s", "n1").Add(DeviceBuilder("x").Capacity("memory", "10Gi").Shareable()), "n1");
  state_.AddShare({kDriver, "n1", "x"});
  state_.AddConsumedCapacity({kDriver, "n1", "x"}, {{"memory", testing::Amount("7Gi")}});
  Ask(ClaimBuilder("c").Request("r").Capacity("memory", "5Gi"));
  EXPECT_EQ(Why(), (Rows{{"capacity memory: 3Gi left, needs 5Gi", 1}}));
  EXPECT_EQ(Change(), "ask for 3Gi of capacity memory instead of 5Gi (claim ns/c, request r)");
}

TEST_F(Explaining, CountsDevicesOfPoolsThatMayNotBeUsed) {
  AddGpus("n1", 2);
  Add(SliceBuilder("half", "n1").Pool("half", 1, 2).Add(DeviceBuilder("x")).Add(DeviceBuilder("y")), "n1");
  Add(SliceBuilder("twice", "n1").Pool("twice", 1, 1).Add(DeviceBuilder("x")).Add(DeviceBuilder("x")), "n1");
  Ask(ClaimBuilder("c").Request("r", 3));
  EXPECT_EQ(Why(), (Rows{{"free, but fewer than 3 on one node", 2},
                         {"pool half is incomplete: 2 slices are announced", 2},
                         {"pool twice is invalid: duplicate device name x", 1}}));
  EXPECT_EQ(Change(), "ask for 2 devices instead of 3 (claim ns/c, request r)");
}

TEST_F(Explaining, CountsADeviceOnceWhoseNodesSeeItsPoolDifferently) {
  api::Device shared = DeviceBuilder("a");
  shared.all_nodes = true;
  Add(SliceBuilder("s-0", "").Pool("p", 1, 2).PerDevice().Add(shared), "n1");
  Add(SliceBuilder("s-1", "")
          .Pool("p", 1, 2)
          .PerDevice()
          .Add(DeviceBuilder("x").Node("n2"))
          .Add(DeviceBuilder("x").Node("n2")),
      "n2");
  Ask(ClaimBuilder("c").Request("r", 3));
  EXPECT_EQ(Why(),
            (Rows{{"free, but fewer than 3 on one node", 1}, {"pool p is invalid: duplicate device name x", 1}}));
}

class WithoutFeatures : public Explaining {
 protected:
  WithoutFeatures() : Explaining(Features()) {}
};

TEST_F(WithoutFeatures, NamesTheFeatureThatIsOff) {
  Add(SliceBuilder("s-counters", "n1").Pool("n1", 1, 2).Counters("card", {{"memory", "40Gi"}}), "n1");
  Add(SliceBuilder("s-devices", "n1").Pool("n1", 1, 2).Add(DeviceBuilder("x").Consumes("card", {{"memory", "30Gi"}})),
      "n1");
  Ask(ClaimBuilder("c").Request("r"));
  EXPECT_EQ(Why(), (Rows{{"its shared counters need the feature PartitionableDevices, which is off", 1}}));
  EXPECT_EQ(Change(), "turn on the feature PartitionableDevices");
}

TEST_F(Explaining, NamesTheSelectorAndItsFalsePart) {
  AddGpus("n1", 1);
  const std::string index = R"(device.attributes["gpu.example.com"].index == 7)";
  const std::string selector = R"(device.driver == "gpu.example.com" && )" + index;
  Ask(ClaimBuilder("c").Request("r").Selector(selector));
  const auto claims = Claims();
  const auto explanation = Explain(inventory_, state_, claims, nodes_);
  ASSERT_EQ(explanation.rows.size(), 1U);
  ASSERT_TRUE(explanation.rows[0].selector.has_value());
  EXPECT_EQ(explanation.rows[0].selector->expression, selector);
  EXPECT_EQ(explanation.rows[0].selector->condition, index);
  EXPECT_EQ(Change(), "drop the condition " + index + " (claim ns/c, request r)");
}

TEST_F(Explaining, ReleasesNoMoreThanNeeded) {
  AddGpus("n1", 4);
  for (const auto* device : {"gpu-0", "gpu-1", "gpu-2"}) Hold("n1", device);
  Ask(ClaimBuilder("c").Request("r", 2));
  Ask(ClaimBuilder("d").Request("r").Selector(R"(device.attributes["gpu.example.com"].index == 3)"));
  EXPECT_EQ(Change(), "wait until gpu.example.com/n1/gpu-1 and gpu.example.com/n1/gpu-2 are free");
}

TEST_F(Explaining, PrefersWhatTheClaimCanSayToHardware) {
  AddGpus("n1", 2);
  Add(SliceBuilder("t", "n1").Pool("tainted", 1, 1).Add(DeviceBuilder("x").Taint("example.com/broken", "NoSchedule")),
      "n1");
  Ask(ClaimBuilder("c").Request("r", 3));
  EXPECT_EQ(Change(), "tolerate taint example.com/broken (claim ns/c, request r)");
}

TEST_F(Explaining, AddsDevicesWhereThereAreTooFew) {
  AddGpus("n1", 2);
  Ask(ClaimBuilder("c").Request("a").Request("b").Request("c"));
  EXPECT_EQ(Change(), "do without request c (claim ns/c)");
  claims_.clear();
  nodes_ = {"n2"};
  Ask(ClaimBuilder("c").Request("a"));
  EXPECT_EQ(Change(), "add 1 device like gpu.example.com/n1/gpu-0 to node n2");
}

TEST_F(Explaining, TwoChangesWhereOneDoesNotSuffice) {
  AddGpus("n1", 2);
  const std::string index = R"(device.attributes["gpu.example.com"].index == 7)";
  Ask(ClaimBuilder("c").Request("r", 3).Selector(index));
  EXPECT_EQ(Change(), "ask for 2 devices instead of 3 (claim ns/c, request r), and drop the selector " + index +
                          " (claim ns/c, request r)");
}

TEST_F(Explaining, AsksForAsManyAsThereAre) {
  AddGpus("n1", 11);
  Ask(ClaimBuilder("c").Request("r", 30));
  EXPECT_EQ(Change(), "ask for 11 devices instead of 30 (claim ns/c, request r)");
}

TEST_F(Explaining, KnowsWhetherWaitingMayHelp) {
  AddGpus("n1", 2);
  Ask(ClaimBuilder("c").Request("r", 2));
  Hold("n1", "gpu-0");
  EXPECT_TRUE(MayPass(Explain(inventory_, state_, Claims(), nodes_)));
  claims_.clear();
  Ask(ClaimBuilder("c").Request("r").Selector(R"(device.attributes["gpu.example.com"].index == 7)"));
  EXPECT_FALSE(MayPass(Explain(inventory_, state_, Claims(), nodes_)));
}

TEST_F(Explaining, KeepsARequest) {
  AddGpus("n1", 1);
  const std::string never = R"(device.attributes["gpu.example.com"].absent == 1)";
  for (const auto* name : {"a", "b", "c"}) Ask(ClaimBuilder(name).Request("r", 4).Selector(never));
  const auto claims = Claims();
  const auto proposal = SmallestChange(inventory_, state_, claims, nodes_);
  std::size_t dropped = 0;
  for (const auto& change : proposal.changes) dropped += std::holds_alternative<DropRequest>(change) ? 1 : 0;
  EXPECT_FALSE(proposal.changes.empty());
  EXPECT_LT(dropped, 3U);
}

TEST_F(Explaining, ProposesNothingWhereTheClaimIsWrong) {
  AddGpus("n1", 2);
  Ask(ClaimBuilder("c").Request("r").Class("absent"));
  const auto claims = Claims();
  EXPECT_THAT(SmallestChange(inventory_, state_, claims, nodes_).changes, IsEmpty());
}

}  // namespace
}  // namespace kumiko::allocator
