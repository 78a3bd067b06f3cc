#include "gpu/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> StartsOf(const char* model, const std::string& profile) {
  const auto profiles = UsableProfiles(**FindModel(model));
  std::vector<int> starts;
  for (const Slot& slot : SlotsByPreference(*profiles)) {
    if (slot.profile->name == profile) starts.push_back(slot.placement.start);
  }
  return starts;
}

TEST(Geometry, PlacementsThatKeepMostOpenComeFirst) {
  EXPECT_THAT(StartsOf("A100-80", "3g.40gb"), ElementsAre(4, 0));
  EXPECT_THAT(StartsOf("A100-80", "2g.20gb"), ElementsAre(4, 0, 2));
  EXPECT_THAT(StartsOf("A100-80", "1g.20gb"), ElementsAre(6, 4, 0, 2));
  EXPECT_THAT(StartsOf("A100-80", "1g.10gb"), ElementsAre(6, 4, 5, 0, 1, 2, 3));
}

TEST(Geometry, SmallestProfilesComeFirstAndPlainBeforeMedia) {
  const auto profiles = UsableProfiles(**FindModel("H100"));
  std::vector<std::string> order;
  for (const Slot& slot : SlotsByPreference(*profiles)) {
    if (order.empty() || order.back() != slot.profile->name) order.push_back(slot.profile->name);
  }
  EXPECT_THAT(order, ElementsAre("1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"));
}

Result<std::vector<int>> Cut(const char* model, const std::vector<std::string>& profiles) {
  KU_TRY(const auto placed, PlaceStatic(**FindModel(model), profiles));
  std::vector<int> starts;
  for (const PlacedProfile& each : placed) starts.push_back(each.placement.start);
  return starts;
}

TEST(Geometry, StaticCutFindsPlacesInAnyOrderOfTheList) {
  EXPECT_THAT(*Cut("A100-80", {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}), ElementsAre(2, 3, 0, 4));
  EXPECT_THAT(*Cut("A100-80", {"3g.40gb", "4g.40gb"}), ElementsAre(4, 0));
  EXPECT_EQ(Cut("A100-80", std::vector<std::string>(7, "1g.10gb"))->size(), 7u);
  EXPECT_THAT(*Cut("A100-80", {"3g.40gb", "3g.40gb"}), ElementsAre(4, 0));
}

TEST(Geometry, StaticCutThatDoesNotFitIsRefused) {
  EXPECT_THAT(Cut("A100-80", {"4g.40gb", "4g.40gb"}).error().message, HasSubstr("do not fit"));
  EXPECT_FALSE(Cut("A100-80", std::vector<std::string>(8, "1g.10gb")).has_value());
  EXPECT_FALSE(Cut("A100-80", {"1g.10gb+me", "1g.10gb+me"}).has_value());
  EXPECT_FALSE(Cut("A100-80", {"7g.80gb", "1g.10gb"}).has_value());
  EXPECT_FALSE(Cut("T4", {"1g.10gb"}).has_value());
}

TEST(Geometry, StaticCutNeedsNumbersOnlyOfTheProfilesItUses) {
  const auto cut = Cut("B200", std::vector<std::string>(7, "1g.23gb"));
  ASSERT_TRUE(cut.has_value()) << cut.error().message;
  EXPECT_EQ(cut->size(), 7u);
  EXPECT_THAT(Cut("B200", {"3g.90gb"}).error().message, HasSubstr("3g.90gb has no known memoryMiB"));
}

}  // namespace
}  // namespace kumiko::gpu
