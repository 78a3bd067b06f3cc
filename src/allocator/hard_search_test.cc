// Searches that explode without counting and remembering (spec dra-allocator §2.6); steps are counted, not time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/allocate.h"
#include "allocator/testing/builders.h"

namespace kumiko::allocator {
namespace {

using testing::ClaimBuilder;
using testing::DeviceBuilder;
using testing::Names;
using testing::SliceBuilder;

class HardSearch : public ::testing::Test {
 protected:
  HardSearch() { inventory_.UpsertClass(testing::MakeClass("gpu")); }

  Outcome Run(const std::vector<api::ResourceClaim>& claims) {
    std::vector<const api::ResourceClaim*> pointers;
    for (const auto& claim : claims) pointers.push_back(&claim);
    Options options;
    options.policy = Policy::kFirstFit;
    options.max_steps = 20'000;
    return Allocate(inventory_, state_, "n1", pointers, options);
  }

  static ClaimBuilder Singles(int count) {
    ClaimBuilder claim("c");
    for (int i = 0; i < count; ++i) claim.Request("r" + std::to_string(i));
    return claim;
  }

  static std::string IsIndex(int index) {
    return "device.attributes[\"gpu.example.com\"].index == " + std::to_string(index);
  }

  Inventory inventory_;
  State state_{inventory_};
};

TEST_F(HardSearch, OneRequestMoreThanDevices) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 31));
  EXPECT_EQ(Run({Singles(32)}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({Singles(31)}).kind, Outcome::Kind::kFits);
}

TEST_F(HardSearch, OneClaimMoreThanDevices) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 32));
  std::vector<api::ResourceClaim> claims(33, Singles(1));
  EXPECT_EQ(Run(claims).kind, Outcome::Kind::kDoesNotFit);
  claims.pop_back();
  EXPECT_EQ(Run(claims).kind, Outcome::Kind::kFits);
}

TEST_F(HardSearch, AnErrorIsRaisedThoughTheCountIsHopeless) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 8));
  auto claim = Singles(8);
  claim.Request("last").Selector("device.attributes[\"gpu.example.com\"].nothing == 1");
  const auto outcome = Run({claim});
  EXPECT_EQ(outcome.kind, Outcome::Kind::kDoesNotFit) << "every device is taken before the selector is asked";
  auto earlier = ClaimBuilder("c");
  earlier.Request("first").Request("bad").Selector("device.attributes[\"gpu.example.com\"].nothing == 1");
  for (int i = 0; i < 8; ++i) earlier.Request("r" + std::to_string(i));
  EXPECT_EQ(Run({earlier}).kind, Outcome::Kind::kFatal);
}

TEST_F(HardSearch, TheLastRequestShowsThatTheFirstPickWasWrong) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 16));
  auto claim = Singles(12);
  for (int i = 0; i < 4; ++i) claim.Request("exact" + std::to_string(i)).Selector(IsIndex(i));
  const auto outcome = Run({claim});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  EXPECT_EQ(Names(outcome.results[0]).front(), "gpu-4");
  EXPECT_EQ(Names(outcome.results[0]).back(), "gpu-3");
}

TEST_F(HardSearch, ALaterClaimShowsThatTheFirstPickWasWrong) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 16));
  const auto outcome = Run({Singles(15), ClaimBuilder("d").Request("r").Selector(IsIndex(0))});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits);
  EXPECT_EQ(Names(outcome.results[0]).front(), "gpu-1");
}

TEST_F(HardSearch, FewerDistinctValuesThanRequests) {
  SliceBuilder slice("s", "n1");
  for (int i = 0; i < 24; ++i) slice.Add(DeviceBuilder("d-" + std::to_string(i)).Int("rack", i / 8));
  inventory_.UpsertSlice(slice.Build());
  EXPECT_EQ(Run({Singles(4).Distinct("gpu.example.com/rack")}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({Singles(3).Distinct("gpu.example.com/rack")}).kind, Outcome::Kind::kFits);
}

TEST_F(HardSearch, OneDeviceTooFewWithAnEqualValue) {
  inventory_.UpsertSlice(testing::MakeGpus("n1", 28, 7));
  constexpr const char* kRoot = "resource.kubernetes.io/pcieRoot";
  EXPECT_EQ(Run({Singles(8).Match(kRoot)}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({ClaimBuilder("c").Request("r", 8).Match(kRoot)}).kind, Outcome::Kind::kDoesNotFit);
  EXPECT_EQ(Run({Singles(7).Match(kRoot)}).kind, Outcome::Kind::kFits);
}

TEST_F(HardSearch, CountersThatFitInOneCombination) {
  SliceBuilder counters("a", "n1");
  counters.Pool("n1", 1, 2).Counters("card", {{"memory", "40"}});
  SliceBuilder devices("b", "n1");
  devices.Pool("n1", 1, 2);
  for (int request = 0; request < 10; ++request) {
    for (int size = 7; size >= 4; --size) {
      devices.Add(DeviceBuilder("d-" + std::to_string(request) + "-" + std::to_string(size))
                      .Int("index", request)
                      .Consumes("card", {{"memory", std::to_string(size)}}));
    }
  }
  inventory_.UpsertSlice(counters.Build());
  inventory_.UpsertSlice(devices.Build());
  ClaimBuilder claim("c");
  for (int i = 0; i < 10; ++i) claim.Request("r" + std::to_string(i)).Selector(IsIndex(i));
  const auto outcome = Run({claim});
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFits) << outcome.error;
  EXPECT_EQ(Names(outcome.results[0]).front(), "d-0-4");
}

}  // namespace
}  // namespace kumiko::allocator
