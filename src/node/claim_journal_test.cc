#include "node/claim_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "base/files.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClaimEntry Entry(const std::string& uid, bool completed, bool admin = false) {
  return {uid, "ml", "claim-" + uid, completed, {{{"gpu", "other"}, "node-0", "gpu-0", "GPU-1", admin}}};
}

class ClaimJournalTest : public ::testing::Test {
 protected:
  ClaimJournal::Opened Open(JournalOptions options = {}, const std::string& boot = "boot-1") {
    auto opened = ClaimJournal::Open(path(), boot, std::move(options));
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return *std::move(opened);
  }
  std::string path() const { return folder_.path() + "/journal"; }

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
};

TEST_F(ClaimJournalTest, EntriesOutliveTheProcessAsTheyWere) {
  {
    const auto opened = Open();
    EXPECT_EQ(opened.origin, JournalOrigin::kLost) << "there was no file";
    ASSERT_TRUE(opened.journal->Put(Entry("a", false)).has_value());
    ASSERT_TRUE(opened.journal->Put(Entry("b", true, true)).has_value());
    ASSERT_TRUE(opened.journal->Put(Entry("c", true)).has_value());
    ASSERT_TRUE(opened.journal->Put(Entry("a", true)).has_value());
    ASSERT_TRUE(opened.journal->Remove("c").has_value());
    ASSERT_TRUE(opened.journal->Remove("never there").has_value());
  }
  const auto opened = Open();
  EXPECT_EQ(opened.origin, JournalOrigin::kThisBoot);
  EXPECT_THAT(opened.journal->All(), ElementsAre(Entry("a", true), Entry("b", true, true)));
  EXPECT_EQ(opened.journal->Find("b"), Entry("b", true, true));
  EXPECT_EQ(opened.journal->Find("c"), std::nullopt);
}

TEST_F(ClaimJournalTest, RebootVoidsAllEntries) {
  ASSERT_TRUE(Open().journal->Put(Entry("a", true)).has_value());
  const auto opened = Open({}, "boot-2");
  EXPECT_EQ(opened.origin, JournalOrigin::kOtherBoot);
  EXPECT_THAT(opened.journal->All(), IsEmpty());
  ASSERT_TRUE(opened.journal->Put(Entry("b", true)).has_value());
  EXPECT_THAT(Open({}, "boot-2").journal->All(), ElementsAre(Entry("b", true)));
}

TEST_F(ClaimJournalTest, DamageKeepsWhatStandsBeforeItAndIsTold) {
  ASSERT_TRUE(Open().journal->Put(Entry("a", true)).has_value());
  std::string bytes = *ReadFile(path());
  ASSERT_TRUE(Open().journal->Put(Entry("b", true)).has_value());
  std::string damaged = *ReadFile(path());
  damaged[bytes.size() + 20] = '!';
  ASSERT_TRUE(WriteFileAtomically(path(), damaged).has_value());
  const auto opened = Open();
  EXPECT_EQ(opened.origin, JournalOrigin::kLost);
  ASSERT_TRUE(opened.damage.has_value());
  EXPECT_THAT(opened.journal->All(), ElementsAre(Entry("a", true)));
}

TEST_F(ClaimJournalTest, BytesOfAChangeDoNotDependOnTheNumberOfClaims) {
  const auto opened = Open({.compact_above_bytes = 1u << 30});
  const auto cost = [&](int number) {
    const std::size_t before = opened.journal->bytes();
    const std::string uid = std::to_string(10000 + number);
    EXPECT_TRUE(opened.journal->Put(Entry(uid, false)).has_value());
    EXPECT_TRUE(opened.journal->Put(Entry(uid, true)).has_value());
    return opened.journal->bytes() - before;
  };
  const std::size_t first = cost(0);
  for (int i = 1; i < 1000; ++i) ASSERT_EQ(cost(i), first);
  EXPECT_LT(first, 500u);
}

TEST_F(ClaimJournalTest, LongFileIsShortenedWhileClaimsComeAndGo) {
  const auto opened = Open({.compact_above_bytes = 4096});
  ASSERT_TRUE(opened.journal->Put(Entry("stays", true)).has_value());
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        const std::string uid = fmt::format("{}-{}", t, i);
        ASSERT_TRUE(opened.journal->Put(Entry(uid, true)).has_value());
        if (i % 100 != 0) {
          ASSERT_TRUE(opened.journal->Remove(uid).has_value());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // What came while the file was being shortened goes with the next time, which is when it has doubled.
  for (int i = 0; i < 10'000 && opened.journal->bytes() >= 20u * 1024; ++i) {
    ASSERT_TRUE(opened.journal->Put(Entry("passing", true)).has_value());
    ASSERT_TRUE(opened.journal->Remove("passing").has_value());
    opened.journal->AwaitCompaction();
  }
  const auto all = opened.journal->All();
  EXPECT_EQ(all.size(), 21u);
  EXPECT_LT(opened.journal->bytes(), 20u * 1024);
  EXPECT_EQ(Open().journal->All(), all) << "the file says what the memory does";
}

// With the disk full nothing is begun, and all that was begun can end.
TEST_F(ClaimJournalTest, FullDiskRefusesIntentsOnly) {
  std::size_t room = 1u << 20;
  std::size_t reserved = 0;
  std::size_t used = 0;
  JournalOptions options;
  options.disk.fallocate = [&](int, int, off_t at, off_t count) {
    const auto end = static_cast<std::size_t>(at + count);
    if (end > room) {
      errno = ENOSPC;
      return -1;
    }
    reserved = std::max(reserved, end);
    return 0;
  };
  options.disk.write = [&](int file, const void* bytes, std::size_t count) -> ssize_t {
    if (used + count > std::max(room, reserved)) {
      errno = ENOSPC;
      return -1;
    }
    used += count;
    return ::write(file, bytes, count);
  };
  const auto opened = Open(options);
  std::vector<std::string> begun;
  room = 100u << 10;
  for (int i = 0; i < 10000; ++i) {
    const std::string uid = std::to_string(10000 + i);
    if (!opened.journal->Put(Entry(uid, false))) break;
    begun.push_back(uid);
    ASSERT_TRUE(opened.journal->Put(Entry(uid, true)).has_value()) << "what was begun can be completed";
  }
  EXPECT_GT(begun.size(), 100u);
  ASSERT_LT(begun.size(), 10000u) << "the disk is full";
  for (const std::string& uid : begun) ASSERT_TRUE(opened.journal->Remove(uid).has_value()) << uid;
}

}  // namespace
}  // namespace kumiko::node
