#include "node/device_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "node/key_locks.h"

namespace kumiko::node {
namespace {

using ::testing::HasSubstr;

ClaimEntry Entry(const std::string& uid, std::vector<std::string> uuids, bool admin = false) {
  ClaimEntry entry{uid, "ml", "claim-" + uid, false, {}};
  for (const std::string& uuid : uuids) entry.devices.push_back({{"gpu"}, "n", "gpu of " + uuid, uuid, admin});
  return entry;
}

TEST(DeviceOwners, SecondClaimIsRefusedNamingBoth) {
  DeviceOwners owners;
  ASSERT_TRUE(owners.Take(Entry("a", {"GPU-1", "GPU-2"})).has_value());
  const Status refused = owners.Take(Entry("b", {"GPU-3", "GPU-2"}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kConflict);
  EXPECT_THAT(refused.error().message,
              HasSubstr("claim ml/claim-b (b): requested device gpu of GPU-2 is already allocated to different claim "
                        "ml/claim-a (a)"));
  EXPECT_TRUE(owners.Take(Entry("c", {"GPU-3"})).has_value()) << "the refused claim took nothing";
  EXPECT_TRUE(owners.Take(Entry("a", {"GPU-1", "GPU-2"})).has_value()) << "what is its own";
}

TEST(DeviceOwners, ReleaseGivesBackOnlyWhatIsTheClaims) {
  DeviceOwners owners;
  ASSERT_TRUE(owners.Take(Entry("a", {"GPU-1"})).has_value());
  owners.Release(Entry("b", {"GPU-1"}));
  EXPECT_FALSE(owners.Take(Entry("c", {"GPU-1"})).has_value());
  owners.Release(Entry("a", {"GPU-1"}));
  EXPECT_TRUE(owners.Take(Entry("c", {"GPU-1"})).has_value());
}

TEST(DeviceOwners, AdminAccessIsBesideEveryOwner) {
  DeviceOwners owners;
  ASSERT_TRUE(owners.Take(Entry("a", {"GPU-1"})).has_value());
  ASSERT_TRUE(owners.Take(Entry("admin", {"GPU-1"}, true)).has_value());
  owners.Release(Entry("admin", {"GPU-1"}, true));
  EXPECT_FALSE(owners.Take(Entry("b", {"GPU-1"})).has_value()) << "it is still the first claim's";
}

TEST(KeyLocks, OverlappingSetsExcludeEachOtherAndNeverBlockForEver) {
  KeyLocks locks;
  std::atomic<int> holders_of_b = 0;
  std::atomic<int> rounds = 0;
  std::vector<std::jthread> threads;
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"a", "b"}, {"b", "a"}, {"b", "c"}, {"c", "b", "b"}}) {
    threads.emplace_back([&, keys] {
      for (int i = 0; i < 500; ++i) {
        const auto hold = locks.Take(keys, std::chrono::seconds(20));
        ASSERT_TRUE(hold.has_value());
        EXPECT_EQ(++holders_of_b, 1);
        --holders_of_b;
        ++rounds;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(rounds, 2000);
}

TEST(KeyLocks, WaitEndsWhenPatienceDoes) {
  KeyLocks locks;
  const auto hold = locks.Take({"a"}, std::chrono::milliseconds(0));
  ASSERT_TRUE(hold.has_value());
  EXPECT_FALSE(locks.Take({"b", "a"}, std::chrono::milliseconds(10)).has_value());
  EXPECT_TRUE(locks.Take({"b"}, std::chrono::milliseconds(0)).has_value()) << "a failed try holds nothing";
}

}  // namespace
}  // namespace kumiko::node
