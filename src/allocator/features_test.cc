#include "allocator/features.h"

#include <gtest/gtest.h>

#include <string>

namespace kumiko::allocator {
namespace {

std::string Names(const Features& features) {
  std::string names;
  for (const FeatureRow& row : kFeatureTable) {
    if (features.*row.on) names += (names.empty() ? "" : " ") + std::string(row.name);
  }
  return names;
}

TEST(Features, FollowTheDefaultsOfEachRelease) {
  EXPECT_EQ(Names(FeaturesOf("1.34").value()), "AdminAccess PrioritizedList");
  EXPECT_EQ(Names(FeaturesOf("1.35").value()), "AdminAccess PrioritizedList");
  EXPECT_EQ(Names(FeaturesOf("1.36").value()),
            "AdminAccess ConsumableCapacity DeviceBindingAndStatus DeviceTaints PartitionableDevices PrioritizedList");
  EXPECT_EQ(Names(FeaturesOf("1.37").value()),
            "AdminAccess ConsumableCapacity DeviceBindingAndStatus DeviceTaints FractionalCapacityRange "
            "PartitionableDevices PrioritizedList");
  for (const char* unknown : {"1.33", "1.38", "1.3", "1.371", "37", "v1.37", ""}) {
    EXPECT_FALSE(FeaturesOf(unknown)) << unknown;
  }
}

TEST(Features, EachNameIsItsOwnSwitch) {
  for (const FeatureRow& row : kFeatureTable) {
    Features one;
    one.*row.on = true;
    EXPECT_EQ(Names(one), row.name);
  }
}

}  // namespace
}  // namespace kumiko::allocator
