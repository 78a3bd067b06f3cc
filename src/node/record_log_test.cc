#include "node/record_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool Known(std::string_view record) {
  return record != "unknown";
}

class RecordLogTest : public ::testing::Test {
 protected:
  RecordLog::Opened Open(DiskCalls disk = DiskCalls::OfTheSystem()) {
    auto opened = RecordLog::Open(path(), Known, std::move(disk));
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return *std::move(opened);
  }
  void Append(const std::vector<std::string>& records) {
    RecordLog::Opened opened = Open();
    for (const std::string& record : records) ASSERT_TRUE(opened.log.Append(record).has_value());
  }
  std::string Bytes() const { return *ReadFile(path()); }
  void SetBytes(const std::string& bytes) {
    ASSERT_TRUE(WriteFileAtomically(path(), bytes, 0644, Durability::kProcess).has_value());
  }
  std::string path() const { return folder_.path() + "/log"; }

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
};

TEST_F(RecordLogTest, RecordsComeBackInOrder) {
  Append({"one", std::string("\0binary\n", 8), "three"});
  Append({"four"});
  EXPECT_THAT(Open().records, ElementsAre("one", std::string("\0binary\n", 8), "three", "four"));
}

// A process killed in the middle of an append leaves some prefix of it.
TEST_F(RecordLogTest, EveryPrefixOfTheLastRecordIsTakenForARecordCutOff) {
  Append({"one", "two"});
  const std::string whole = Bytes();
  const std::size_t first = RecordLog::BytesOf("one");
  for (std::size_t length = first; length < whole.size(); ++length) {
    SetBytes(whole.substr(0, length));
    {
      RecordLog::Opened opened = Open();
      EXPECT_THAT(opened.records, ElementsAre("one")) << length;
      EXPECT_EQ(opened.damage, std::nullopt) << length;
      ASSERT_TRUE(opened.log.Append("three").has_value());
    }
    EXPECT_THAT(Open().records, ElementsAre("one", "three")) << length;
  }
}

TEST_F(RecordLogTest, EveryFlippedBitIsFoundAndTheFileIsSetAside) {
  Append({"one", "two", "three"});
  const std::string whole = Bytes();
  const std::size_t first = RecordLog::BytesOf("one");
  const std::size_t second = first + RecordLog::BytesOf("two");
  for (std::size_t at = first; at < second; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      SetBytes(damaged);
      const RecordLog::Opened opened = Open();
      ASSERT_THAT(opened.records, ElementsAre("one")) << at << " " << bit;
      ASSERT_TRUE(opened.damage.has_value()) << at << " " << bit;
      ASSERT_THAT(*opened.damage, HasSubstr("record 2"));
      ASSERT_EQ(*ReadFile(path() + ".damaged"), damaged);
    }
  }
  EXPECT_THAT(Open().records, ElementsAre("one"));
}

TEST_F(RecordLogTest, RecordThatTheReaderDoesNotKnowIsDamage) {
  Append({"one", "unknown", "three"});
  const RecordLog::Opened opened = Open();
  EXPECT_THAT(opened.records, ElementsAre("one"));
  EXPECT_TRUE(opened.damage.has_value());
}

TEST_F(RecordLogTest, FileOfGarbageIsSetAside) {
  SetBytes("this is not a log at all");
  EXPECT_THAT(Open().records, IsEmpty());
  EXPECT_EQ(*ReadFile(path() + ".damaged"), "this is not a log at all");
}

TEST_F(RecordLogTest, AppendThatTheDiskRefusesHalfwayLeavesNoTrace) {
  std::size_t left = 1u << 20;
  DiskCalls disk = DiskCalls::OfTheSystem();
  disk.write = [&](int file, const void* bytes, std::size_t count) -> ssize_t {
    if (left == 0) {
      errno = ENOSPC;
      return -1;
    }
    const ssize_t written = ::write(file, bytes, std::min(count, left));
    left -= static_cast<std::size_t>(written);
    return written;
  };
  RecordLog::Opened opened = Open(disk);
  ASSERT_TRUE(opened.log.Append("one").has_value());
  for (std::size_t space = 0; space < RecordLog::BytesOf("two"); ++space) {
    left = space;
    const Status refused = opened.log.Append("two");
    ASSERT_FALSE(refused.has_value()) << space;
    EXPECT_THAT(refused.error().message, HasSubstr("No space left"));
  }
  left = 1u << 20;
  ASSERT_TRUE(opened.log.Append("three").has_value());
  EXPECT_THAT(Open().records, ElementsAre("one", "three"));
}

TEST_F(RecordLogTest, ReservedSpaceIsAskedForOnce) {
  int calls = 0;
  bool full = false;
  DiskCalls disk = DiskCalls::OfTheSystem();
  disk.fallocate = [&](int, int mode, off_t, off_t) {
    ++calls;
    EXPECT_EQ(mode, FALLOC_FL_KEEP_SIZE);
    errno = ENOSPC;
    return full ? -1 : 0;
  };
  RecordLog::Opened opened = Open(disk);
  ASSERT_TRUE(opened.log.Reserve(1000).has_value());
  ASSERT_TRUE(opened.log.Reserve(2000).has_value());
  EXPECT_EQ(calls, 1);
  full = true;
  ASSERT_TRUE(opened.log.Reserve(3000).has_value()) << "there is room already";
  const Status refused = opened.log.Reserve(1u << 20);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
}

TEST_F(RecordLogTest, ReplacementTakesThePlaceAtOnce) {
  Append({"one", "two"});
  RecordLog::Opened opened = Open();
  auto next = opened.log.BeginReplacement();
  ASSERT_TRUE(next.has_value());
  ASSERT_TRUE(next->Append("short").has_value());
  EXPECT_THAT(Open().records, ElementsAre("one", "two")) << "a kill before the exchange changes nothing";
  ASSERT_TRUE(opened.log.BecomeReplacement(*std::move(next)).has_value());
  ASSERT_TRUE(opened.log.Append("more").has_value());
  EXPECT_THAT(Open().records, ElementsAre("short", "more"));
}

}  // namespace
}  // namespace kumiko::node
