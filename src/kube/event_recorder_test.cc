#include "kube/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/typed.h"

namespace kumiko::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Keeps events, refuses when told to.
class EventStore final : public ApiClient {
 public:
  Result<std::shared_ptr<const Json>> Create(const Json& event) override {
    ++creates;
    if (failures > 0) {
      --failures;
      return Fail(failure, "not now");
    }
    const ObjectKey key = KeyOf(event);
    if (events.contains(key)) return Fail(Code::kAlreadyExists, "{} exists", key.name);
    return events[key] = std::make_shared<const Json>(event);
  }
  Result<std::shared_ptr<const Json>> Patch(const ObjectKey& key, const Json& patch, Subresource) override {
    const auto found = events.find(key);
    if (found == events.end()) return Fail(Code::kNotFound, "no {}", key.name);
    Json event = *found->second;
    for (const auto& member : patch.as_object()) event.as_object()[member.key()] = member.value();
    return found->second = std::make_shared<const Json>(std::move(event));
  }
  Result<std::shared_ptr<const Json>> Get(const ObjectKey&) override { return nullptr; }
  Result<ObjectList> List(const ObjectKey&) override { return ObjectList{}; }
  Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey&, const std::string&) override { return nullptr; }
  Result<std::shared_ptr<const Json>> Update(const Json&, Subresource) override { return nullptr; }
  Status Delete(const ObjectKey&, const DeleteOptions&) override { return {}; }

  std::map<ObjectKey, std::shared_ptr<const Json>> events;
  int creates = 0;
  int failures = 0;
  Code failure = Code::kUnavailable;
};

Json PodNamed(const std::string& name) {
  return *ParseJson(fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"ml","uid":"u-{}","resourceVersion":"7"}}}})",
      name, name));
}

class EventRecorderTest : public testing::Test {
 protected:
  void Start(Duration between_tries = Duration(1)) {
    recorder_ = std::make_unique<EventRecorder>(
        store_, clock_,
        EventRecorder::Options{.component = "kumiko-scheduler", .host = "n1", .between_tries = between_tries});
  }
  void Say(const std::string& pod, const std::string& message) {
    recorder_->Record(PodNamed(pod), EventType::kWarning, "FailedScheduling", message);
    recorder_->Flush();
    clock_.Advance(Duration(1));
  }
  std::vector<std::string> Told() const {
    std::vector<std::string> told;
    for (const auto& [key, event] : store_.events) {
      told.push_back(fmt::format("{} x{}", StringAt(*event, {"message"}), WriteJson(*Find(*event, "count"))));
    }
    return told;
  }
  EventStore store_;
  ManualClock clock_{Time{1'000'000'000'000}};
  std::unique_ptr<EventRecorder> recorder_;
};

TEST_F(EventRecorderTest, EventSaysWhatAboutWhomFromWhere) {
  Start();
  Say("a", "no device");
  ASSERT_EQ(store_.events.size(), 1U);
  EXPECT_EQ(
      WriteJson(*store_.events.begin()->second),
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"a.38d7ea4c68000","namespace":"ml"},)"
      R"("involvedObject":{"kind":"Pod","namespace":"ml","name":"a","uid":"u-a","apiVersion":"v1","resourceVersion":"7"},)"
      R"("reason":"FailedScheduling","message":"no device","source":{"component":"kumiko-scheduler","host":"n1"},)"
      R"("firstTimestamp":"1970-01-12T13:46:40Z","lastTimestamp":"1970-01-12T13:46:40Z","count":1,"type":"Warning",)"
      R"("reportingComponent":"kumiko-scheduler","reportingInstance":"n1"})");
}

TEST_F(EventRecorderTest, EqualEventsAreCounted) {
  Start();
  for (int i = 0; i < 5; ++i) Say("a", "no device");
  Say("b", "no device");
  EXPECT_THAT(Told(), testing::ElementsAre("no device x5", "no device x1"));
  EXPECT_EQ(store_.creates, 2);
}

TEST_F(EventRecorderTest, CountedEventThatWasForgottenIsWrittenAnew) {
  Start();
  Say("a", "no device");
  store_.events.clear();
  Say("a", "no device");
  EXPECT_THAT(Told(), testing::ElementsAre("no device x2"));
}

TEST_F(EventRecorderTest, ManyMessagesOfOneReasonBecomeOne) {
  Start();
  for (int i = 0; i < 20; ++i) Say("a", fmt::format("{} nodes", i));
  EXPECT_EQ(store_.events.size(), 10U);
  EXPECT_EQ(Told().back(), "(combined from similar events): 19 nodes x11");
}

TEST_F(EventRecorderTest, MessagesFarApartAreNotCombined) {
  Start();
  for (int i = 0; i < 15; ++i) {
    Say("a", fmt::format("{} nodes", i));
    clock_.Advance(minutes(11));
  }
  EXPECT_EQ(store_.events.size(), 15U);
}

TEST_F(EventRecorderTest, TalkativeSourceIsHeardTwentyFiveTimesAndThenSeldom) {
  Start();
  for (int i = 0; i < 40; ++i) Say("a", "no device");
  EXPECT_EQ(recorder_->dropped(), 15);
  EXPECT_THAT(Told(), testing::ElementsAre("no device x25"));
  Say("b", "no device");
  EXPECT_EQ(recorder_->dropped(), 15) << "another object has its own measure";
  clock_.Advance(minutes(5));
  Say("a", "no device");
  Say("a", "no device");
  EXPECT_EQ(recorder_->dropped(), 16);
  EXPECT_EQ(Told().front(), "no device x41") << "what was not written is counted";
}

TEST_F(EventRecorderTest, ServerThatIsAwayIsTriedAgainAndOneThatRefusesIsNot) {
  Start();
  store_.failures = 3;
  Say("a", "no device");
  EXPECT_EQ(store_.creates, 4);
  EXPECT_EQ(store_.events.size(), 1U);
  store_.failures = 1;
  store_.failure = Code::kPermission;
  Say("b", "no device");
  EXPECT_EQ(store_.creates, 5);
  EXPECT_EQ(recorder_->dropped(), 1);
}

TEST_F(EventRecorderTest, EndingDoesNotWaitForAServerThatIsAway) {
  Start(minutes(10));
  store_.failures = 1000;
  recorder_->Record(PodNamed("a"), EventType::kNormal, "Started", "started");
  recorder_->Record(PodNamed("b"), EventType::kNormal, "Started", "started");
  recorder_.reset();
  EXPECT_TRUE(store_.events.empty());
}

TEST_F(EventRecorderTest, ObjectsWithoutNamespaceHaveTheirEventsInTheDefaultOne) {
  Start();
  recorder_->Record(*ParseJson(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}})"), EventType::kNormal,
                    "Ready", "ready");
  recorder_->Flush();
  ASSERT_EQ(store_.events.size(), 1U);
  EXPECT_EQ(store_.events.begin()->first.namespace_, "default");
}

}  // namespace
}  // namespace kumiko::kube
