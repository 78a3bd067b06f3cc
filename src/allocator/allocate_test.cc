#include "allocator/allocate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::Amount;
using testing::ClaimBuilder;
using testing::DeviceBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kDriver;
using testing::MakeBoards;
using testing::MakeClass;
using testing::MakeGpus;
using testing::Names;
using testing::SliceBuilder;

class FirstFit : public ::testing::Test {
 protected:
  FirstFit() {
    inventory_.UpsertClass(MakeClass("gpu"));
    inventory_.UpsertClass(MakeClass("mig", R"(device.attributes["gpu.example.com"].type == "mig")"));
    options_.policy = Policy::kFirstFit;
  }

  Outcome Run(const std::vector<api::ResourceClaim>& claims, const std::string& node = "n1") {
    std::vector<const api::ResourceClaim*> pointers;
    for (const auto& claim : claims) pointers.push_back(&claim);
    return Allocate(inventory_, state_, node, pointers, options_);
  }
  // Names of the devices of all claims; empty when they do not fit.
  std::vector<std::string> Devices(const std::vector<api::ResourceClaim>& claims) {
    const auto outcome = Run(claims);
    std::vector<std::string> names;
    for (const auto& result : outcome.results) {
      for (auto& name : Names(result)) names.push_back(std::move(name));
    }
    return names;
  }
  void Take(const std::vector<std::string>& devices) {
    api::AllocationResult result;
    for (const auto& device : devices) {
      api::DeviceRequestAllocationResult entry;
      entry.driver = kDriver;
      entry.pool = "n1";
      entry.device = device;
      result.devices.results.push_back(std::move(entry));
    }
    state_.Add(result);
  }

  Inventory inventory_;
  State state_{inventory_};
  Options options_;
};

TEST_F(FirstFit, TakesTheFirstFreeDevicesInOrder) {
  inventory_.UpsertSlice(MakeGpus("n1", 4));
  Take({"gpu-0"});
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r", 2)}), ElementsAre("gpu-1", "gpu-2"));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r", 3)}), ElementsAre("gpu-1", "gpu-2", "gpu-3"));
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r", 4)}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, ClaimsOfOnePodNeverShareADevice) {
  inventory_.UpsertSlice(MakeGpus("n1", 3));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r", 1).Request("s", 1), ClaimBuilder("b").Request("r", 1)}),
              ElementsAre("gpu-0", "gpu-1", "gpu-2"));
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r", 2), ClaimBuilder("b").Request("r", 2)}).kind,
            Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, SelectorsOfClassAndRequestBothCount) {
  for (const auto& slice : MakeBoards("n1")) inventory_.UpsertSlice(slice);
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r").Class("mig").Selector(
                  R"(device.attributes["gpu.example.com"].profile == "3g.40gb")")}),
              ElementsAre("gpu-0-3g.40gb-0"));
}

TEST_F(FirstFit, MissingAttributeIsFatalAndNamesTheDevice) {
  inventory_.UpsertSlice(MakeGpus("n1", 1));
  const auto outcome =
      Run({ClaimBuilder("a").Request("r").Selector(R"(device.attributes["gpu.example.com"].nothing == "x")")});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kFatal);
  EXPECT_THAT(outcome.error,
              HasSubstr("claim ns/a: selector #0 on device gpu.example.com/n1/gpu-0: CEL runtime error"));
}

TEST_F(FirstFit, BadInputIsFatal) {
  inventory_.UpsertSlice(MakeGpus("n1", 1));
  EXPECT_THAT(Run({ClaimBuilder("a").Request("r").Class("gpus")}).error, HasSubstr("did you mean gpu?"));
  EXPECT_THAT(Run({ClaimBuilder("a").Request("r").Selector("1 +")}).error, HasSubstr("selector #0"));
  auto claim = ClaimBuilder("a").Request("r").Build();
  claim.spec.devices.requests[0].exactly->allocation_mode = "Some";
  EXPECT_THAT(Run({claim}).error, HasSubstr("unsupported count mode Some"));
  EXPECT_THAT(Run({ClaimBuilder("a").Request("r", 33)}).error, HasSubstr("exceeds the claim limit of 32"));
}

TEST_F(FirstFit, AllTakesEveryMatchingDeviceOrNone) {
  inventory_.UpsertSlice(MakeGpus("n1", 3));
  EXPECT_THAT(Devices({ClaimBuilder("a").All("r")}), ElementsAre("gpu-0", "gpu-1", "gpu-2"));
  Take({"gpu-1"});
  EXPECT_EQ(Run({ClaimBuilder("a").All("r")}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({ClaimBuilder("a").All("r").Selector("false")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, AllThatIsTakenFallsBackBeforeConstraintsAreAsked) {
  inventory_.UpsertSlice(SliceBuilder("s1", "n1")
                             .Add(DeviceBuilder("gpu-0").String("root", "a"))
                             .Add(DeviceBuilder("gpu-1").String("root", "b"))
                             .Build());
  auto claim =
      ClaimBuilder("a").FirstAvailable("r").Alternative("all").Alternative("one").Match("gpu.example.com/root").Build();
  auto& all = claim.spec.devices.requests[0].first_available[0];
  all.allocation_mode = api::kAll;
  all.count = 0;
  EXPECT_EQ(Run({claim}).kind, Outcome::Kind::kFatal);
  Take({"gpu-1"});
  EXPECT_THAT(Devices({claim}), ElementsAre("gpu-0"));
}

TEST_F(FirstFit, AllRefusesAPoolThatIsBeingUpdated) {
  inventory_.UpsertSlice(SliceBuilder("s1", "n1").Pool("n1", 1, 2).Add(DeviceBuilder("gpu-0")).Build());
  const auto outcome = Run({ClaimBuilder("a").All("r")});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kNodeError);
  EXPECT_THAT(outcome.error, HasSubstr("currently being updated"));
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, FirstAvailableFallsBackInOrder) {
  for (const auto& slice : MakeBoards("n1")) inventory_.UpsertSlice(slice);
  const auto claim = ClaimBuilder("a")
                         .FirstAvailable("r")
                         .Alternative("whole")
                         .Selector(R"(device.attributes["gpu.example.com"].type == "gpu")")
                         .Alternative("part")
                         .Class("mig")
                         .Build();
  EXPECT_THAT(Devices({claim}), ElementsAre("gpu-0"));
  Take({"gpu-0-1g.10gb-0"});
  const auto outcome = Run({claim});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  EXPECT_EQ(outcome.results[0].devices.results[0].request, "r/part");
  EXPECT_EQ(outcome.results[0].devices.results[0].device, "gpu-0-1g.10gb-1");
}

TEST_F(FirstFit, AnAlternativeIsGivenUpWhenALaterRequestNeedsItsDevice) {
  inventory_.UpsertSlice(MakeGpus("n1", 2));
  const auto claim =
      ClaimBuilder("a").FirstAvailable("r").Alternative("two", 2).Alternative("one").Request("s").Build();
  EXPECT_THAT(Devices({claim}), ElementsAre("gpu-0", "gpu-1"));
  EXPECT_EQ(Run({claim}).results[0].devices.results[0].request, "r/one");
}

TEST_F(FirstFit, MatchAttributeHoldsAcrossRequests) {
  inventory_.UpsertSlice(MakeGpus("n1", 4));
  Take({"gpu-0"});
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r").Request("s").Match("resource.kubernetes.io/pcieRoot")}),
              ElementsAre("gpu-2", "gpu-3"));
  // The driver's own attributes may be written with or without its domain.
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r", 2).Match("gpu.example.com/index")}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r", 1).Match("gpu.example.com/absent")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, MatchAttributeBindsOnlyTheRequestsItNames) {
  inventory_.UpsertSlice(MakeGpus("n1", 4));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("x").Request("r").Request("s").Match("resource.kubernetes.io/pcieRoot",
                                                                                      {"r", "s"})}),
              ElementsAre("gpu-0", "gpu-2", "gpu-3"));
}

TEST_F(FirstFit, DistinctAttributeSpreads) {
  inventory_.UpsertSlice(MakeGpus("n1", 4));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r", 2).Distinct("resource.kubernetes.io/pcieRoot")}),
              ElementsAre("gpu-0", "gpu-2"));
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r", 3).Distinct("resource.kubernetes.io/pcieRoot")}).kind,
            Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, CountersLimitOverlappingParts) {
  for (const auto& slice : MakeBoards("n1")) inventory_.UpsertSlice(slice);
  const auto profile = [](const char* name) {
    return ClaimBuilder(name).Request("r").Class("mig").Selector(
        std::string(R"(device.attributes["gpu.example.com"].profile == ")") + name + "\"");
  };
  EXPECT_THAT(Devices({profile("4g.40gb"), profile("3g.40gb")}), ElementsAre("gpu-0-4g.40gb-0", "gpu-0-3g.40gb-4"));
  Take({"gpu-0-3g.40gb-0"});
  EXPECT_EQ(Run({profile("4g.40gb")}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_THAT(Devices({profile("1g.10gb")}), ElementsAre("gpu-0-1g.10gb-4"));
  EXPECT_EQ(Run({profile("7g.80gb")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, TaintsKeepOffThoseWhoDoNotTolerateThem) {
  inventory_.UpsertSlice(SliceBuilder("s", "n1")
                             .Add(DeviceBuilder("gpu-0").Taint("example.com/broken", "NoExecute"))
                             .Add(DeviceBuilder("gpu-1").Taint("example.com/note", "None"))
                             .Build());
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("gpu-1"));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r").Tolerate("example.com/broken")}), ElementsAre("gpu-0"));
  api::DeviceTaintRule rule;
  rule.metadata.name = "rule";
  rule.spec.device_selector.emplace();
  rule.spec.device_selector->device = "gpu-1";
  rule.spec.taint.key = "example.com/rule";
  rule.spec.taint.effect = "NoSchedule";
  inventory_.UpsertTaintRule(rule);
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r")}).kind, Outcome::Kind::kDoesNotFit);
  inventory_.RemoveTaintRule("rule");
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("gpu-1"));
}

TEST_F(FirstFit, AdminAccessIgnoresUseAndLeavesNoTrace) {
  for (const auto& slice : MakeBoards("n1")) inventory_.UpsertSlice(slice);
  Take({"gpu-0"});
  const auto outcome = Run({ClaimBuilder("a").Request("r", 2).Admin()});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  EXPECT_EQ(outcome.results[0].devices.results[0].admin_access, true);
  state_.Add(outcome.results[0]);
  EXPECT_FALSE(state_.Holds({kDriver, "n1", outcome.results[0].devices.results[1].device}));
}

TEST_F(FirstFit, AdminPicksDoNotStandInTheWayOfOrdinaryOnes) {
  inventory_.UpsertSlice(MakeGpus("n1", 1));
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r").Admin(), ClaimBuilder("b").Request("r")}),
              ElementsAre("gpu-0", "gpu-0"));
}

TEST_F(FirstFit, SharesCapacityUntilItIsUsedUp) {
  api::CapacityRequestPolicy policy;
  policy.default_value = testing::Amount("1Gi");
  policy.valid_range.emplace();
  policy.valid_range->min = testing::Amount("1Gi");
  policy.valid_range->max = testing::Amount("20Gi");
  policy.valid_range->step = testing::Amount("1Gi");
  inventory_.UpsertSlice(SliceBuilder("s", "n1")
                             .Add(DeviceBuilder("v").Capacity("memory", "5Gi").Policy("memory", policy).Shareable())
                             .Build());
  const auto ask = [&](const char* memory) { return Run({ClaimBuilder("a").Request("r").Capacity("memory", memory)}); };
  auto outcome = ask("1500Mi");
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  const auto& device = outcome.results[0].devices.results[0];
  EXPECT_TRUE(device.share_id.has_value());
  EXPECT_EQ(device.consumed_capacity.at("memory").ToString(), "2Gi");
  state_.Add(outcome.results[0]);
  EXPECT_EQ(ask("4Gi").kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(ask("3Gi").kind, Outcome::Kind::kFits);
  EXPECT_EQ(ask("21Gi").kind, Outcome::Kind::kDoesNotFit);
  state_.Remove(outcome.results[0]);
  EXPECT_EQ(ask("5Gi").kind, Outcome::Kind::kFits);
}

TEST_F(FirstFit, ResultNamesTheNodeAndCarriesConfig) {
  auto device_class = MakeClass("gpu");
  device_class.spec.config.push_back({.opaque = api::OpaqueDeviceConfiguration{.driver = kDriver, .parameters = {}}});
  inventory_.UpsertClass(device_class);
  inventory_.UpsertSlice(MakeGpus("n1", 2));
  auto claim = ClaimBuilder("a").Request("r").Request("s").Build();
  claim.spec.devices.config.push_back(
      {.requests = {"s"}, .opaque = api::OpaqueDeviceConfiguration{.driver = kDriver, .parameters = {}}});
  const auto outcome = Run({claim});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  const auto& config = outcome.results[0].devices.config;
  ASSERT_EQ(config.size(), 2u);
  EXPECT_EQ(config[0].source, "FromClass");
  EXPECT_TRUE(config[0].requests.empty());
  EXPECT_EQ(config[1].source, "FromClaim");
  EXPECT_THAT(config[1].requests, ElementsAre("s"));
  ASSERT_TRUE(outcome.results[0].node_selector.has_value());
  const auto& field = outcome.results[0].node_selector->node_selector_terms[0].match_fields[0];
  EXPECT_EQ(field.key, "metadata.name");
  EXPECT_THAT(field.values, ElementsAre("n1"));
}

TEST_F(FirstFit, ANewerPoolGenerationReplacesTheOlder) {
  inventory_.UpsertSlice(SliceBuilder("old", "n1").Pool("n1", 1, 1).Add(DeviceBuilder("old")).Build());
  inventory_.UpsertSlice(SliceBuilder("new", "n1").Pool("n1", 2, 1).Add(DeviceBuilder("new")).Build());
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("new"));
  EXPECT_EQ(inventory_.FindDevice({kDriver, "n1", "old"}).slice, nullptr);
  EXPECT_NE(inventory_.FindDevice({kDriver, "n1", "new"}).slice, nullptr);
}

TEST_F(FirstFit, AnInvalidPoolIsAnErrorOfThisNodeOnly) {
  inventory_.UpsertSlice(SliceBuilder("s", "n1").Add(DeviceBuilder("gpu-0")).Add(DeviceBuilder("gpu-0")).Build());
  const auto outcome = Run({ClaimBuilder("a").Request("r")});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kNodeError);
  EXPECT_THAT(outcome.error, HasSubstr("invalid resource pools"));
}

TEST_F(FirstFit, DevicesOfOtherNodesCountForCountersOnly) {
  inventory_.UpsertSlice(
      SliceBuilder("a", "").Pool("fabric", 1, 2).AllNodes().Counters("set", {{"links", "2"}}).Build());
  inventory_.UpsertSlice(SliceBuilder("b", "")
                             .Pool("fabric", 1, 2)
                             .PerDevice()
                             .Add(DeviceBuilder("d1").Node("n1").Consumes("set", {{"links", "1"}}))
                             .Add(DeviceBuilder("d2").Node("n2").Consumes("set", {{"links", "2"}}))
                             .Build());
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("d1"));
  api::AllocationResult other;
  other.devices.results.push_back({});
  other.devices.results[0].driver = kDriver;
  other.devices.results[0].pool = "fabric";
  other.devices.results[0].device = "d2";
  state_.Add(other);
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, EachDeviceOfATakenNameDraws) {
  const std::vector<std::pair<std::string, std::string>> one = {{"links", "1"}};
  inventory_.UpsertSlice(
      SliceBuilder("a", "").Pool("fabric", 1, 3).AllNodes().Counters("set", {{"links", "2"}}).Build());
  inventory_.UpsertSlice(SliceBuilder("b", "n2")
                             .Pool("fabric", 1, 3)
                             .Add(DeviceBuilder("x").Consumes("set", one))
                             .Add(DeviceBuilder("x").Consumes("set", one))
                             .Build());
  inventory_.UpsertSlice(
      SliceBuilder("c", "n1").Pool("fabric", 1, 3).Add(DeviceBuilder("y").Consumes("set", one)).Build());
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("y"));
  state_.AddDevice({kDriver, "fabric", "x"});
  EXPECT_EQ(Run({ClaimBuilder("a").Request("r")}).kind, Outcome::Kind::kDoesNotFit);
}

TEST_F(FirstFit, InterchangeableDevicesDoNotBlowUpTheSearch) {
  inventory_.UpsertSlice(MakeGpus("n1", 16));
  ClaimBuilder claim("a");
  // Alternatives keep the count check from seeing that seventeen devices are one too many.
  for (int i = 0; i < 17; ++i) {
    claim.FirstAvailable("r" + std::to_string(i)).Alternative("x").Alternative("y").Class("mig");
  }
  options_.max_steps = 100'000;
  const auto outcome = Run({claim});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kDoesNotFit) << outcome.error;
}

TEST_F(FirstFit, StopsAfterTheStepsAllowed) {
  inventory_.UpsertSlice(MakeGpus("n1", 4));
  options_.max_steps = 2;
  const auto outcome = Run({ClaimBuilder("a").Request("r", 4)});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kFatal);
  EXPECT_THAT(outcome.error, HasSubstr("filter operation aborted: context deadline exceeded"));
}

TEST_F(FirstFit, CapacityInUseWithoutAShareCountsAndIsUndone) {
  inventory_.UpsertSlice(SliceBuilder("s", "n1").Add(DeviceBuilder("x").Capacity("memory", "4Gi").Shareable()).Build());
  const auto takes_all = ClaimBuilder("a").Request("r");
  const auto mark = state_.Mark();
  const DeviceId id{kDriver, "n1", "x"};
  state_.AddConsumedCapacity(id, {{"memory", Amount("0")}});
  EXPECT_THAT(Devices({takes_all}), ElementsAre("x"));
  state_.AddConsumedCapacity(id, {{"memory", Amount("1")}});
  EXPECT_EQ(Run({takes_all}).kind, Outcome::Kind::kDoesNotFit);
  state_.UndoTo(mark);
  EXPECT_FALSE(state_.Holds(id));
  EXPECT_THAT(Devices({takes_all}), ElementsAre("x"));
}

TEST_F(FirstFit, UndoRestoresTheStateExactly) {
  inventory_.UpsertSlice(MakeGpus("n1", 2));
  const auto outer = state_.Mark();
  Take({"gpu-0"});
  const auto inner = state_.Mark();
  Take({"gpu-1"});
  state_.UndoTo(inner);
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("gpu-1"));
  state_.UndoTo(outer);
  EXPECT_THAT(Devices({ClaimBuilder("a").Request("r")}), ElementsAre("gpu-0"));
}

}  // namespace
}  // namespace kumiko::allocator
