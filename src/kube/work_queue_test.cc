#include "kube/work_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace kumiko::kube {
namespace {

using std::chrono::milliseconds;

class WorkQueueTest : public testing::Test {
 protected:
  // "" when there is none. The work ends at once.
  std::string Next() {
    const auto item = queue_.TryGet();
    return item ? item->key() : "";
  }
  ManualClock clock_{Time{1'000'000'000'000}};
  WorkQueue<std::string> queue_{clock_};
};

TEST_F(WorkQueueTest, KeyAddedTwiceIsGivenOnce) {
  queue_.Add("a");
  queue_.Add("b");
  queue_.Add("a");
  EXPECT_EQ(queue_.size(), 2U);
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), "b");
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, KeyAddedWhileWorkedOnComesAgainAfterwards) {
  queue_.Add("a");
  {
    const auto item = queue_.TryGet();
    ASSERT_TRUE(item);
    queue_.Add("a");
    queue_.Add("a");
    EXPECT_EQ(Next(), "") << "worked on by two at once";
  }
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, EarlierOfTwoTimesCounts) {
  queue_.AddAfter("a", milliseconds(50));
  queue_.AddAfter("a", milliseconds(20));
  queue_.AddAfter("a", milliseconds(90));
  clock_.Advance(milliseconds(19));
  EXPECT_EQ(Next(), "");
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(Next(), "a");
  clock_.Advance(milliseconds(100));
  EXPECT_EQ(Next(), "");
}

TEST_F(WorkQueueTest, FailuresWaitTwiceAsLongEachTimeUntilForgotten) {
  Duration delay = milliseconds(5);
  for (int i = 0; i < 25; ++i) {
    queue_.AddRateLimited("a");
    EXPECT_EQ(queue_.failures("a"), i + 1);
    clock_.Advance(delay - milliseconds(1));
    EXPECT_EQ(Next(), "") << i;
    clock_.Advance(milliseconds(1));
    EXPECT_EQ(Next(), "a") << i;
    delay = std::min<Duration>(delay * 2, std::chrono::seconds(1000));
  }
  queue_.Forget("a");
  queue_.AddRateLimited("a");
  clock_.Advance(milliseconds(5));
  EXPECT_EQ(Next(), "a");
}

TEST_F(WorkQueueTest, ManyFailuresShareTenRetriesASecond) {
  for (int i = 0; i < 150; ++i) queue_.AddRateLimited("key" + std::to_string(i));
  clock_.Advance(milliseconds(5));
  int given = 0;
  while (!Next().empty()) ++given;
  EXPECT_EQ(given, 100);
  clock_.Advance(milliseconds(1000));
  while (!Next().empty()) ++given;
  EXPECT_EQ(given, 110);
}

TEST_F(WorkQueueTest, ShutDownGivesOutWhatIsQueuedAndTakesNoMore) {
  queue_.Add("a");
  queue_.AddAfter("late", milliseconds(1));
  queue_.ShutDown();
  queue_.Add("b");
  clock_.Advance(milliseconds(5));
  {
    const auto item = queue_.Get();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->key(), "a");
  }
  EXPECT_FALSE(queue_.Get());
}

TEST(WorkQueueThreads, EachKeyIsWorkedOnByOneAndAllAreDone) {
  const RealClock clock;
  WorkQueue<int> queue(clock);
  std::array<std::atomic<int>, 8> working{};
  std::array<std::atomic<int>, 8> done{};
  std::atomic<bool> collided = false;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&] {
        while (const auto item = queue.Get()) {
          const auto at = static_cast<std::size_t>(item->key());
          if (++working[at] != 1) collided = true;
          std::this_thread::yield();
          --working[at];
          ++done[at];
        }
      });
    }
    for (int i = 0; i < 4000; ++i) queue.Add(i % 8);
    for (int i = 0; i < 8; ++i) queue.AddAfter(i, milliseconds(1 + i));
    queue.Drain();
    queue.ShutDown();
  }
  EXPECT_FALSE(collided);
  for (const auto& count : done) EXPECT_GE(count, 1);
}

}  // namespace
}  // namespace kumiko::kube
