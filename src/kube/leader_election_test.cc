#include "kube/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <queue>

#include "base/monotonic_clock.h"

namespace kumiko::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LeaderElectionOptions OptionsOf(const std::string& identity) {
  return {.namespace_ = "kube-system", .name = "kumiko", .identity = identity};
}

// One Lease with the rules of an API server.
class LeaseStore {
 public:
  Result<std::shared_ptr<const Json>> Apply(const LeaseContest::Request& request) {
    using Verb = LeaseContest::Request::Verb;
    if (request.verb == Verb::kGet && lease_ == nullptr) return Fail(Code::kNotFound, "no lease");
    if (request.verb == Verb::kGet) return lease_;
    if (request.verb == Verb::kCreate && lease_ != nullptr) return Fail(Code::kAlreadyExists, "it exists");
    if (request.verb == Verb::kUpdate &&
        (lease_ == nullptr || StringAt(request.lease, {"metadata", "resourceVersion"}) !=
                                  StringAt(*lease_, {"metadata", "resourceVersion"}))) {
      return Fail(Code::kConflict, "modified");
    }
    Json stored = request.lease;
    // A write that changes nothing changes no version.
    if (lease_ != nullptr && stored == *lease_) return lease_;
    stored.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    lease_ = std::make_shared<const Json>(std::move(stored));
    return lease_;
  }
  const Json* lease() const { return lease_.get(); }

 private:
  std::shared_ptr<const Json> lease_;
  int version_ = 0;
};

class StoreClient final : public ApiClient {
 public:
  explicit StoreClient(LeaseStore& store) : store_(store) {}
  using Verb = LeaseContest::Request::Verb;
  Result<std::shared_ptr<const Json>> Get(const ObjectKey&) override { return Ask({Verb::kGet, {}, {}}); }
  Result<std::shared_ptr<const Json>> Create(const Json& lease) override { return Ask({Verb::kCreate, lease, {}}); }
  Result<std::shared_ptr<const Json>> Update(const Json& lease, Subresource) override {
    return Ask({Verb::kUpdate, lease, {}});
  }
  Result<ObjectList> List(const ObjectKey&) override { return ObjectList{}; }
  Result<std::unique_ptr<Watch>> StartWatch(const ObjectKey&, const std::string&) override { return nullptr; }
  Result<std::shared_ptr<const Json>> Patch(const ObjectKey&, const Json&, Subresource) override { return nullptr; }
  Status Delete(const ObjectKey&, const DeleteOptions&) override { return {}; }

  bool reachable = true;

 private:
  Result<std::shared_ptr<const Json>> Ask(const LeaseContest::Request& request) {
    if (!reachable) return Fail(Code::kUnavailable, "connection refused");
    return store_.Apply(request);
  }
  LeaseStore& store_;
};

class LeaderElectionTest : public testing::Test {
 protected:
  struct Process {
    StoreClient client;
    std::unique_ptr<LeaderElection> election;
    int started = 0;
    int stopped = 0;
  };
  std::unique_ptr<Process> Start(const std::string& identity) {
    auto process = std::make_unique<Process>(Process{.client = StoreClient(store_), .election = {}});
    Process* at = process.get();
    process->election =
        *LeaderElection::Create(at->client, clock_, clock_, Random(seed_++), OptionsOf(identity),
                                {.started = [at] { ++at->started; }, .stopped = [at] { ++at->stopped; }});
    return process;
  }
  void Pass(Duration duration, std::initializer_list<Process*> processes) {
    const Time end = clock_.Now() + duration;
    while (clock_.Now() < end) {
      clock_.Advance(milliseconds(100));
      for (Process* process : processes) process->election->Step();
    }
  }

  LeaseStore store_;
  ManualClock clock_{Time{1'000'000'000'000}};
  std::uint64_t seed_ = 1;
};

TEST_F(LeaderElectionTest, FirstLeadsAndTheOtherWaits) {
  const auto a = Start("a");
  const auto b = Start("b");
  a->election->Step();
  b->election->Step();
  EXPECT_TRUE(a->election->Leads());
  Pass(seconds(60), {a.get(), b.get()});
  EXPECT_TRUE(a->election->Leads());
  EXPECT_FALSE(b->election->Leads());
  EXPECT_EQ(a->started, 1);
  EXPECT_EQ(a->stopped, 0);
  EXPECT_EQ(StringAt(*store_.lease(), {"spec", "holderIdentity"}), "a");
  EXPECT_EQ(StringAt(*store_.lease(), {"spec", "acquireTime"}), "1970-01-12T13:46:40.000000Z");
}

TEST_F(LeaderElectionTest, LeaderThatCannotRenewStopsBeforeTheOtherStarts) {
  const auto a = Start("a");
  const auto b = Start("b");
  a->election->Step();
  Pass(seconds(1), {a.get(), b.get()});
  a->client.reachable = false;
  Pass(seconds(11), {a.get(), b.get()});
  EXPECT_FALSE(a->election->Leads());
  EXPECT_EQ(a->stopped, 1);
  EXPECT_FALSE(b->election->Leads());
  Pass(seconds(8), {a.get(), b.get()});
  EXPECT_TRUE(b->election->Leads());
  EXPECT_EQ(WriteJson(*FindPath(*store_.lease(), {"spec", "leaseTransitions"})), "1");
  a->client.reachable = true;
  Pass(seconds(30), {a.get(), b.get()});
  EXPECT_FALSE(a->election->Leads());
  EXPECT_TRUE(b->election->Leads());
}

TEST_F(LeaderElectionTest, ResigningLetsTheOtherLeadAtItsNextTry) {
  const auto a = Start("a");
  const auto b = Start("b");
  a->election->Step();
  Pass(seconds(5), {a.get(), b.get()});
  a->election->Resign();
  EXPECT_FALSE(a->election->Leads());
  EXPECT_EQ(a->stopped, 1);
  EXPECT_EQ(WriteJson(*FindPath(*store_.lease(), {"spec", "leaseDurationSeconds"})), "1");
  Pass(milliseconds(2500), {b.get()});
  EXPECT_TRUE(b->election->Leads());
}

TEST_F(LeaderElectionTest, PausedLeaderDoesNotLeadWhenItWakes) {
  const auto a = Start("a");
  const auto b = Start("b");
  a->election->Step();
  Pass(seconds(3), {a.get(), b.get()});
  Pass(seconds(20), {b.get()});
  EXPECT_TRUE(b->election->Leads());
  EXPECT_FALSE(a->election->Leads()) << "before it has done anything";
  a->election->Step();
  EXPECT_FALSE(a->election->Leads());
}

TEST_F(LeaderElectionTest, RunLeadsUntilStoppedAndReleases) {
  const MonotonicClock clock;
  const RealClock wall;
  StoreClient client(store_);
  std::stop_source stop;
  auto options = OptionsOf("a");
  const auto election =
      *LeaderElection::Create(client, clock, wall, Random(1), options, {.started = [&] { stop.request_stop(); }});
  election->Run(stop.get_token());
  EXPECT_FALSE(election->Leads());
  EXPECT_EQ(StringAt(*store_.lease(), {"spec", "holderIdentity"}), "");
}

TEST(LeaderElectionOptionsTest, DeadlinesInTheWrongOrderAreRefused) {
  auto options = OptionsOf("a");
  EXPECT_TRUE(CheckElection(options));
  options.renew_deadline = seconds(15);
  EXPECT_FALSE(CheckElection(options));
  options = OptionsOf("a");
  options.retry_period = seconds(9);
  EXPECT_FALSE(CheckElection(options));
  EXPECT_FALSE(CheckElection(OptionsOf("")));
}

// Contestants whose clocks differ in time and speed, that stand still at times, over a network that delays, loses
// answers and loses requests. Nothing is synchronous: a request travels, is applied, and its answer travels.
class Simulation {
 public:
  Simulation(std::uint64_t seed, int contestants) : random_(seed) {
    for (int i = 0; i < contestants; ++i) {
      contestants_.push_back({.contest = LeaseContest(OptionsOf(std::to_string(i)), random_.Fork()),
                              .offset = static_cast<std::int64_t>(random_.Below(1'000'000'000'000)),
                              // Within a tenth of each other's speed.
                              .speed = 0.95 + random_.Fraction() * 0.1});
    }
    for (std::size_t i = 0; i < contestants_.size(); ++i) At(random_.Below(3'000'000), [this, i] { Act(i); });
  }

  // How many led at one moment at most, and how often leadership changed.
  struct Outcome {
    int most_leaders = 0;
    int changes = 0;
    std::int64_t led_micros = 0;
  };
  Outcome Run(std::int64_t until) {
    while (!events_.empty() && events_.top().at < until) {
      const std::int64_t before = now_;
      now_ = events_.top().at;
      const int leaders = CountLeaders();
      if (leaders > 0) outcome_.led_micros += now_ - before;
      const auto act = events_.top().act;
      events_.pop();
      act();
      CountLeaders();
    }
    return outcome_;
  }

 private:
  struct Contestant {
    LeaseContest contest;
    std::int64_t offset;
    double speed;
    std::uint64_t asking = 0;  // the number of the request under way
    std::int64_t paused_until = 0;
  };
  struct Event {
    std::int64_t at;
    std::uint64_t order;
    std::function<void()> act;
    bool operator>(const Event& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
  };

  void At(std::uint64_t after, std::function<void()> act) {
    events_.push({now_ + static_cast<std::int64_t>(after), ++order_, std::move(act)});
  }
  Time Local(const Contestant& contestant) const {
    return {contestant.offset + static_cast<std::int64_t>(static_cast<double>(now_) * contestant.speed)};
  }
  int CountLeaders() {
    int leaders = 0;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (!contestants_[i].contest.Leads(Local(contestants_[i]))) continue;
      ++leaders;
      if (last_leader_ != i) ++outcome_.changes;
      last_leader_ = i;
    }
    outcome_.most_leaders = std::max(outcome_.most_leaders, leaders);
    return leaders;
  }
  // Mostly short, at times long enough for a Lease to run out.
  std::uint64_t Delay() { return random_.Below(20) == 0 ? random_.Below(40'000'000) : random_.Below(50'000); }

  void Act(std::size_t index) {
    Contestant& contestant = contestants_[index];
    At(100'000 + random_.Below(200'000), [this, index] { Act(index); });
    if (now_ < contestant.paused_until || contestant.asking != 0) return;
    if (random_.Below(300) == 0) {
      contestant.paused_until = now_ + static_cast<std::int64_t>(random_.Below(60'000'000));
      return;
    }
    if (random_.Below(2000) == 0) {
      if (const std::optional<Json> lease = contestant.contest.Resign(Local(contestant))) {
        const LeaseContest::Request request{LeaseContest::Request::Verb::kUpdate, *lease, {}};
        At(Delay(), [this, request] { static_cast<void>(store_.Apply(request)); });
      }
    }
    const auto request = contestant.contest.Next(Local(contestant), Local(contestant));
    if (!request) return;
    const std::uint64_t number = ++requests_;
    contestant.asking = number;
    // A client gives up after a while, though its request may still be applied later.
    const bool lost = random_.Below(20) == 0;
    if (!lost) {
      At(Delay(), [this, index, number, request] {
        const auto answer = store_.Apply(*request);
        At(Delay(), [this, index, number, request, answer] { Take(index, number, *request, answer); });
      });
    }
    At(6'000'000,
       [this, index, number, request] { Take(index, number, *request, Fail(Code::kUnavailable, "timed out")); });
  }

  void Take(std::size_t index, std::uint64_t number, const LeaseContest::Request& request,
            const Result<std::shared_ptr<const Json>>& answer) {
    Contestant& contestant = contestants_[index];
    if (now_ < contestant.paused_until) {
      At(static_cast<std::uint64_t>(contestant.paused_until - now_),
         [this, index, number, request, answer] { Take(index, number, request, answer); });
      return;
    }
    // Of the answer and the timeout the first counts.
    if (contestant.asking != number) return;
    contestant.asking = 0;
    contestant.contest.Answer(request, Local(contestant), answer);
  }

  Random random_;
  LeaseStore store_;
  std::vector<Contestant> contestants_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::uint64_t requests_ = 0;
  std::int64_t now_ = 0;
  std::size_t last_leader_ = static_cast<std::size_t>(-1);
  Outcome outcome_;
};

RC_GTEST_PROP(LeaderElectionSimulation, NeverDoTwoLeadAndMostlyOneDoes, (std::uint64_t seed)) {
  constexpr std::int64_t kHour = 3'600'000'000;
  const auto outcome = Simulation(seed, 4).Run(kHour);
  RC_ASSERT(outcome.most_leaders == 1);
  RC_ASSERT(outcome.changes > 1);
  RC_ASSERT(outcome.led_micros > kHour / 4);
}

}  // namespace
}  // namespace kumiko::kube
