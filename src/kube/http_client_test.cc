#include "kube/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "kube/typed.h"

namespace kumiko::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// What a stream has to say, and what became of it. Shared with the test.
struct Wire {
  HttpRequest request;
  Arrived arrived;
  bool dropped = false;

  void Say(const std::string& text) {
    arrived.status = 200;
    arrived.body += text;
  }
  void End(int status, const std::string& body) {
    arrived.status = status;
    arrived.body += body;
    arrived.ended = true;
  }
  void Break() {
    arrived.ended = true;
    arrived.end = Fail(Code::kUnavailable, "connection lost");
  }
};

class FakeStream final : public ResponseStream {
 public:
  explicit FakeStream(std::shared_ptr<Wire> wire) : wire_(std::move(wire)) {}
  ~FakeStream() override { wire_->dropped = true; }
  Arrived Take() override {
    Arrived taken = wire_->arrived;
    wire_->arrived.body.clear();
    return taken;
  }

 private:
  std::shared_ptr<Wire> wire_;
};

// Answers in the order that the test gives, and remembers what it was asked.
class FakeTransport final : public Transport {
 public:
  Result<HttpResponse> Send(const HttpRequest& request) override {
    requests.push_back(request);
    if (answers.empty()) return Fail(Code::kUnavailable, "no answer prepared for {}", request.target);
    Result<HttpResponse> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  std::unique_ptr<ResponseStream> Open(const HttpRequest& request, std::function<void()> /*wake*/) override {
    wires.push_back(std::make_shared<Wire>(Wire{.request = request, .arrived = {}}));
    return std::make_unique<FakeStream>(wires.back());
  }

  std::deque<Result<HttpResponse>> answers;
  std::vector<HttpRequest> requests;
  std::vector<std::shared_ptr<Wire>> wires;
};

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "";
}

std::string Pod(const std::string& name, int version) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"ml","resourceVersion":"{}"}}}})", name,
      version);
}
std::string Event(const std::string& type, const std::string& object) {
  return fmt::format(R"({{"type":"{}","object":{}}})", type, object) + "\n";
}
std::string Expired() {
  return R"({"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"})";
}

class HttpClientTest : public testing::Test {
 protected:
  HttpClientTest() {
    auto transport = std::make_unique<FakeTransport>();
    transport_ = transport.get();
    HttpClientOptions options;
    options.clock = &clock_;
    options.seed = 7;
    options.requests.wait = [this](Duration duration) { waits_.push_back(duration); };
    options.requests.on_warning = [this](std::string_view text) { warnings_.emplace_back(text); };
    ClusterAccess access;
    access.token = "secret";
    client_ = std::make_unique<HttpClient>(std::make_unique<Credentials>(access, clock_), std::move(transport),
                                           std::move(options));
  }

  void Answer(int status, std::string body, HttpHeaders headers = {}) {
    transport_->answers.emplace_back(HttpResponse{status, std::move(headers), std::move(body)});
  }
  const HttpRequest& Last() const { return transport_->requests.back(); }
  Wire& LastWire() { return *transport_->wires.back(); }
  std::vector<std::string> Targets() const {
    std::vector<std::string> targets;
    for (const HttpRequest& request : transport_->requests) targets.push_back(request.target);
    return targets;
  }

  ManualClock clock_{Time{1'000'000'000'000}};
  std::vector<Duration> waits_;
  std::vector<std::string> warnings_;
  FakeTransport* transport_ = nullptr;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpClientTest, ObjectsHaveThePathsOfTheirKinds) {
  Answer(200, Pod("a", 1));
  ASSERT_TRUE(client_->Get({"Pod", "ml", "a"}));
  EXPECT_EQ(Last().target, "/api/v1/namespaces/ml/pods/a");
  EXPECT_EQ(HeaderOf(Last(), "Authorization"), "Bearer secret");
  Answer(200, "{}");
  ASSERT_TRUE(client_->Get({"ClusterRole", "", "system:node"}));
  EXPECT_EQ(Last().target, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node");
  Answer(200, "{}");
  ASSERT_TRUE(client_->Patch({"ResourceClaim", "ml", "c"}, *ParseJson(R"({"a":1})"), Subresource::kStatus));
  EXPECT_EQ(Last().target, "/apis/resource.k8s.io/v1/namespaces/ml/resourceclaims/c/status");
  EXPECT_EQ(Last().method, "PATCH");
  EXPECT_EQ(HeaderOf(Last(), "Content-Type"), "application/merge-patch+json");
  Answer(201, Pod("a", 1));
  ASSERT_TRUE(client_->Create(*ParseJson(Pod("a", 1))));
  EXPECT_EQ(Last().target, "/api/v1/namespaces/ml/pods");
  Answer(200, Pod("a", 1));
  ASSERT_TRUE(client_->Apply(*ParseJson(Pod("a", 1)), "me & you", Force::kYes, Subresource::kNone));
  EXPECT_EQ(Last().target, "/api/v1/namespaces/ml/pods/a?fieldManager=me%20%26%20you&force=true");
  EXPECT_EQ(HeaderOf(Last(), "Content-Type"), "application/apply-patch+yaml");
}

TEST_F(HttpClientTest, WithoutNamespaceOrNameNothingIsSent) {
  EXPECT_EQ(client_->Delete({"Pod", "", "a"}, {}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(client_->Delete({"Pod", "ml", ""}, {}).error().code, Code::kInvalidArgument);
  EXPECT_THAT(transport_->requests, IsEmpty());
}

TEST_F(HttpClientTest, DeleteSaysHowAndUnderWhichConditions) {
  Answer(200, R"({"kind":"Status","status":"Success"})");
  DeleteOptions options;
  options.propagation = Propagation::kForeground;
  options.uid = "u1";
  options.grace_period_seconds = 0;
  ASSERT_TRUE(client_->Delete({"Pod", "ml", "a"}, options));
  EXPECT_EQ(Last().body, R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground",)"
                         R"("preconditions":{"uid":"u1"},"gracePeriodSeconds":0})");
}

TEST_F(HttpClientTest, ErrorsOfTheServerKeepTheirMeaning) {
  struct Case {
    int status;
    const char* reason;
    Code code;
  };
  for (const Case& c : {Case{404, "NotFound", Code::kNotFound}, Case{409, "Conflict", Code::kConflict},
                        Case{409, "AlreadyExists", Code::kAlreadyExists}, Case{422, "Invalid", Code::kInvalidArgument},
                        Case{403, "Forbidden", Code::kPermission}, Case{500, "InternalError", Code::kUnavailable}}) {
    Answer(c.status, fmt::format(R"({{"kind":"Status","reason":"{}","message":"because"}})", c.reason));
    const auto got = client_->Get({"Pod", "ml", "a"});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error(), (Error{c.code, "because"})) << c.reason;
  }
}

TEST_F(HttpClientTest, ListsAreReadInPagesAndOrderedByNamespaceAndName) {
  Answer(200, R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"9","continue":"t/1"},"items":[
    {"metadata":{"namespace":"a-b","name":"x"}},{"metadata":{"namespace":"a","name":"z"}}]})");
  Answer(200, R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"9"},"items":[
    {"metadata":{"namespace":"a","name":"y"}}]})");
  const auto list = client_->List({"ConfigMap", "", ""}, {.labels = "app in (x)", .fields = ""});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->resource_version, "9");
  std::vector<std::string> names;
  for (const auto& item : list->items) {
    const ObjectKey key = KeyOf(item.outline());
    names.push_back(fmt::format("{} {}/{}", key.kind, key.namespace_, key.name));
  }
  EXPECT_THAT(names, ElementsAre("ConfigMap a/y", "ConfigMap a/z", "ConfigMap a-b/x"));
  EXPECT_THAT(Targets(), ElementsAre("/api/v1/configmaps?labelSelector=app%20in%20%28x%29&limit=500",
                                     "/api/v1/configmaps?labelSelector=app%20in%20%28x%29&limit=500&continue=t%2F1"));
}

TEST_F(HttpClientTest, ListThatExpiresBetweenPagesIsReadWhole) {
  Answer(200, R"({"metadata":{"resourceVersion":"9","continue":"t"},"items":[{"metadata":{"name":"old"}}]})");
  Answer(410, Expired());
  Answer(200, R"({"metadata":{"resourceVersion":"12"},"items":[{"metadata":{"name":"new"}}]})");
  const auto list = client_->List({"Node", "", ""});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->resource_version, "12");
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(KeyOf(list->items[0].outline()).name, "new");
  EXPECT_EQ(Targets().back(), "/api/v1/nodes");
}

TEST_F(HttpClientTest, BusyServerIsAskedAgainWhenItSays) {
  Answer(429, "{}", {{"retry-after", "3"}});
  Answer(503, "{}", {{"Retry-After", "99999999999"}});
  Answer(200, Pod("a", 1));
  ASSERT_TRUE(client_->Get({"Pod", "ml", "a"}));
  EXPECT_THAT(waits_, ElementsAre(std::chrono::seconds(3), kLongestWait));
  Answer(500, "{}");
  EXPECT_FALSE(client_->Get({"Pod", "ml", "a"})) << "a failure that names no time is the caller's";
  for (int i = 0; i < kSendTries; ++i) Answer(429, "{}", {{"Retry-After", "1"}});
  EXPECT_EQ(client_->Get({"Pod", "ml", "a"}).error().code, Code::kUnavailable);
  EXPECT_THAT(transport_->answers, IsEmpty());
}

TEST_F(HttpClientTest, WarningsAreToldWithoutTheirFrame) {
  Answer(200, Pod("a", 1), {{"warning", "299 - \"v1 Endpoints is deprecated\""}});
  ASSERT_TRUE(client_->Get({"Pod", "ml", "a"}));
  EXPECT_THAT(warnings_, ElementsAre("v1 Endpoints is deprecated"));
}

TEST_F(HttpClientTest, OtherKindsAreLookedUpOnce) {
  const std::string groups = R"({"kind":"APIGroupDiscoveryList","items":[
    {"metadata":{"name":"a.io"},"versions":[
      {"version":"v2","resources":[{"resource":"queues","responseKind":{"kind":"Queue"},"scope":"Cluster"}]},
      {"version":"v1","resources":[{"resource":"queues","responseKind":{"kind":"Queue"},"scope":"Cluster"}]}]},
    {"metadata":{"name":"b.io"},"versions":[
      {"version":"v1","resources":[{"resource":"queues","responseKind":{"kind":"Queue"},"scope":"Namespaced"}]}]}]})";
  const std::string core = R"({"kind":"APIGroupDiscoveryList","items":[]})";
  Answer(200, core);
  Answer(200, groups);
  EXPECT_EQ(client_->FindResource("Queue")->Path("", "x"), "/apis/a.io/v2/queues/x");
  EXPECT_EQ(client_->FindResource("Queue", "a.io/v1")->Path("", "x"), "/apis/a.io/v1/queues/x");
  EXPECT_EQ(client_->FindResource("Queue.b.io")->Path("ml", "x"), "/apis/b.io/v1/namespaces/ml/queues/x");
  EXPECT_THAT(HeaderOf(Last(), "Accept"), HasSubstr("as=APIGroupDiscoveryList"));
  EXPECT_EQ(transport_->requests.size(), 2U);
  Answer(200, core);
  Answer(200, groups);
  EXPECT_THAT(client_->FindResource("Queu").error().message, HasSubstr("did you mean Queue?"));
}

// Watches

TEST_F(HttpClientTest, WatchGivesWholeLinesAsTheyArrive) {
  const auto watch = client_->StartWatch({"Pod", "ml", ""}, "5");
  ASSERT_TRUE(watch);
  EXPECT_THAT(
      LastWire().request.target,
      StartsWith("/api/v1/namespaces/ml/pods?watch=1&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds="));
  EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
  const std::string line = Event("ADDED", Pod("a", 6));
  LastWire().Say(line.substr(0, 20));
  EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
  LastWire().Say(line.substr(20) + Event("DELETED", Pod("b", 7)));
  const auto events = (*watch)->Poll();
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ(events->at(0).type, WatchEvent::Type::kAdded);
  EXPECT_EQ(events->at(1).type, WatchEvent::Type::kDeleted);
  EXPECT_EQ(KeyOf(events->at(1).object.outline()).name, "b");
}

TEST_F(HttpClientTest, LostWatchGoesOnFromItsLastBookmarkAfterAGrowingWait) {
  const auto watch = client_->StartWatch({"Pod", "", ""}, "5");
  LastWire().Say(Event("ADDED", Pod("a", 6)) +
                 Event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"40"}})"));
  LastWire().Break();
  EXPECT_EQ((*watch)->Poll()->size(), 1U) << "what came before the end is not lost";
  ASSERT_TRUE((*watch)->Trouble());
  EXPECT_EQ((*watch)->Trouble()->message, "connection lost");
  Duration previous(0);
  for (int tries = 0; tries < 8; ++tries) {
    const std::optional<Time> at = (*watch)->NextPollAt();
    ASSERT_TRUE(at);
    const Duration wait = *at - clock_.Now();
    const Duration base = std::min<Duration>(std::chrono::milliseconds(800) * (1 << tries), std::chrono::seconds(30));
    EXPECT_GE(wait, base);
    EXPECT_LE(wait, base * 2);
    const std::size_t opened = transport_->wires.size();
    EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
    EXPECT_EQ(transport_->wires.size(), opened) << "opened before its time";
    clock_.Advance(wait);
    EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
    ASSERT_EQ(transport_->wires.size(), opened + 1);
    EXPECT_THAT(LastWire().request.target, HasSubstr("resourceVersion=40&"));
    LastWire().Break();
    EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
    previous = wait;
  }
  EXPECT_GE(previous, std::chrono::seconds(30));
}

TEST_F(HttpClientTest, WatchWhoseTimeIsOverGoesOnAtOnce) {
  const auto watch = client_->StartWatch({"Pod", "", ""}, "5");
  LastWire().Say(Event("ADDED", Pod("a", 6)));
  LastWire().End(200, "");
  EXPECT_EQ((*watch)->Poll()->size(), 1U);
  EXPECT_FALSE((*watch)->Trouble());
  EXPECT_EQ((*watch)->NextPollAt(), clock_.Now());
  EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
  EXPECT_THAT(LastWire().request.target, HasSubstr("resourceVersion=6&"));
  // One that ends without a word, at once, is waited for.
  LastWire().End(200, "");
  EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
  EXPECT_GE(*(*watch)->NextPollAt() - clock_.Now(), std::chrono::milliseconds(800));
}

TEST_F(HttpClientTest, ForgottenVersionEndsTheWatchWithConflict) {
  for (const bool in_response : {true, false}) {
    const auto watch = client_->StartWatch({"Pod", "", ""}, "5");
    if (in_response) {
      LastWire().End(410, Expired());
    } else {
      LastWire().Say(Event("ADDED", Pod("a", 6)) + Event("ERROR", Expired()));
      EXPECT_EQ((*watch)->Poll()->size(), 1U);
    }
    const auto over = (*watch)->Poll();
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error().code, Code::kConflict);
    EXPECT_TRUE(LastWire().dropped);
    EXPECT_FALSE((*watch)->Poll()) << "it stays over";
  }
}

TEST_F(HttpClientTest, RefusedWatchWaitsAsLongAsTheServerSays) {
  const auto watch = client_->StartWatch({"Pod", "", ""}, "5");
  LastWire().arrived.headers = {{"Retry-After", "25"}};
  LastWire().End(429, "{}");
  EXPECT_THAT(*(*watch)->Poll(), IsEmpty());
  EXPECT_EQ(*(*watch)->NextPollAt() - clock_.Now(), std::chrono::seconds(25));
}

TEST_F(HttpClientTest, ServerThatNeverKnowsTheVersionIsListedAnew) {
  const auto watch = client_->StartWatch({"Pod", "", ""}, "500");
  const std::string too_new =
      R"({"kind":"Status","code":504,"reason":"Timeout","message":"Too large resource version: 500, current: 3",)"
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}})";
  for (int i = 0; i < 2; ++i) {
    LastWire().End(504, too_new);
    EXPECT_TRUE((*watch)->Poll());
    clock_.Set(*(*watch)->NextPollAt());
    EXPECT_TRUE((*watch)->Poll());
  }
  LastWire().End(504, too_new);
  EXPECT_EQ((*watch)->Poll().error().code, Code::kConflict);
}

TEST_F(HttpClientTest, NonsenseInAWatchIsNoEvent) {
  const auto watch = client_->StartWatch({"Pod", "", ""}, "5");
  LastWire().Say(Event("ADDED", Pod("a", 6)) + "{]\n" + Event("ADDED", Pod("b", 7)));
  EXPECT_EQ((*watch)->Poll()->size(), 1U);
  clock_.Set(*(*watch)->NextPollAt());
  EXPECT_TRUE((*watch)->Poll());
  EXPECT_THAT(LastWire().request.target, HasSubstr("resourceVersion=6&"));
}

// Informers over it

class InformerTest : public HttpClientTest {
 protected:
  InformerOptions Options() { return {.clock = &clock_, .seed = 3}; }
  void AnswerList(int version, const std::vector<std::string>& pods) {
    std::string items;
    for (const std::string& pod : pods) items += (items.empty() ? "" : ",") + pod;
    Answer(200, fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"items":[{}]}})", version, items));
  }
  static std::vector<std::string> Names(const std::vector<TreeInformer::Change>& changes) {
    std::vector<std::string> names;
    for (const auto& change : changes) names.push_back((change.object == nullptr ? "-" : "") + change.key.name);
    return names;
  }
};

TEST_F(InformerTest, BeforeTheFirstListItsErrorIsReturnedAndRetriedInTime) {
  TreeInformer informer(*client_, "Pod", Options());
  const auto first = informer.Sync();
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::kUnavailable);
  EXPECT_EQ(transport_->requests.size(), 1U);
  EXPECT_FALSE(informer.Sync());
  EXPECT_EQ(transport_->requests.size(), 1U) << "asked again before its time";
  clock_.Set(*informer.NextSyncAt());
  AnswerList(5, {Pod("a", 3)});
  const auto synced = informer.Sync();
  ASSERT_TRUE(synced);
  EXPECT_THAT(Names(*synced), ElementsAre("a"));
  EXPECT_TRUE(informer.synced());
  EXPECT_FALSE(informer.trouble());
}

TEST_F(InformerTest, LostEventsAreMadeUpForByANewList) {
  TreeInformer informer(*client_, "Pod", Options());
  AnswerList(5, {Pod("a", 3), Pod("b", 4), Pod("c", 5)});
  ASSERT_TRUE(informer.Sync());
  LastWire().End(410, Expired());
  AnswerList(9, {Pod("a", 3), Pod("b", 8), Pod("d", 9)});
  EXPECT_THAT(Names(*informer.Sync()), ElementsAre("b", "-c", "d"));
  EXPECT_THAT(LastWire().request.target, HasSubstr("resourceVersion=9&"));
}

TEST_F(InformerTest, WhileTheServerIsAwayNothingIsReportedAndNothingIsLost) {
  TreeInformer informer(*client_, "Pod", Options());
  AnswerList(5, {Pod("a", 3)});
  ASSERT_TRUE(informer.Sync());
  LastWire().End(410, Expired());
  // The list that follows fails too.
  EXPECT_THAT(*informer.Sync(), IsEmpty());
  ASSERT_TRUE(informer.trouble());
  EXPECT_EQ(informer.trouble()->code, Code::kUnavailable);
  clock_.Set(*informer.NextSyncAt());
  AnswerList(9, {});
  EXPECT_THAT(Names(*informer.Sync()), ElementsAre("-a"));
  EXPECT_FALSE(informer.trouble());
}

TEST_F(InformerTest, ServerThatForgetsAtOnceIsNotListedWithoutEnd) {
  TreeInformer informer(*client_, "Pod", Options());
  AnswerList(5, {});
  ASSERT_TRUE(informer.Sync());
  for (int i = 0; i < 10; ++i) {
    LastWire().End(410, Expired());
    AnswerList(5, {});
    EXPECT_TRUE(informer.Sync());
  }
  EXPECT_LT(transport_->requests.size(), 6U);
  clock_.Set(*informer.NextSyncAt());
  EXPECT_TRUE(informer.Sync());
  EXPECT_EQ(transport_->requests.size(), 5U);
}

TEST_F(InformerTest, SeveralChangesOfOneObjectAreOneWithTheNewestState) {
  TreeInformer informer(*client_, "Pod", Options());
  AnswerList(5, {});
  ASSERT_TRUE(informer.Sync());
  LastWire().Say(Event("ADDED", Pod("a", 6)) + Event("DELETED", Pod("a", 7)) + Event("ADDED", Pod("b", 8)) +
                 Event("MODIFIED", Pod("b", 9)));
  const auto changes = informer.Sync();
  EXPECT_THAT(Names(*changes), ElementsAre("-a", "b"));
  EXPECT_EQ(StringAt(changes->at(1).object.outline(), {"metadata", "resourceVersion"}), "9");
}

}  // namespace
}  // namespace kumiko::kube
