#include "localcluster/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/core/types.h"
#include "kube/retry.h"
#include "kube/typed.h"

namespace kumiko::localcluster {
namespace {

using kube::DeleteOptions;
using kube::ObjectKey;
using kube::Propagation;
using kube::Subresource;
using testing::HasSubstr;

Json Pod(const std::string& name) {
  return ParseJson(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                   R"("},"spec":{"containers":[{"name":"main","image":"busybox"}]}})")
      .value();
}

Json Claim(const std::string& name) {
  return ParseJson(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" + name +
                   R"("},"spec":{"devices":{"requests":[{"name":"gpu","exactly":
                      {"deviceClassName":"gpu.nvidia.com"}}]}}})")
      .value();
}

Json Namespace(const std::string& name) {
  return ParseJson(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})").value();
}

Json Allocation(const std::string& device) {
  return ParseJson(R"({"devices":{"results":[{"request":"gpu","driver":"gpu.nvidia.com","pool":"n","device":")" +
                   device + R"("}]}})")
      .value();
}

Json Consumers(int count) {
  JsonArray consumers;
  for (int i = 0; i < count; ++i) {
    const std::string name = "p" + std::to_string(i);
    consumers.push_back(JsonObject{{"resource", "pods"}, {"name", name}, {"uid", "uid-" + name}});
  }
  return consumers;
}

std::string Version(const Json& object) {
  return std::string(StringAt(object, {"metadata", "resourceVersion"}));
}

class StoreTest : public testing::Test {
 protected:
  ManualClock clock_{Time{1'700'000'000'000'000}};
  Store store_{clock_};
};

TEST_F(StoreTest, CreateStampsDefaultsAndRefusesASecondOne) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(StringAt(**created, {"metadata", "namespace"}), "default");
  EXPECT_EQ(StringAt(**created, {"metadata", "creationTimestamp"}), "2023-11-14T22:13:20Z");
  EXPECT_EQ(StringAt(**created, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(StringAt(**created, {"status", "phase"}), "Pending");
  EXPECT_EQ(StringAt(**created, {"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(store_.Create(Pod("a")).error().code, Code::kAlreadyExists);
}

TEST_F(StoreTest, GeneratedNamesDiffer) {
  Json pod = Pod("x");
  pod.at("metadata").as_object() = {{"generateName", "train-"}};
  const auto first = store_.Create(pod);
  const auto second = store_.Create(pod);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(StringAt(**first, {"metadata", "name"}).starts_with("train-"));
  EXPECT_NE(StringAt(**first, {"metadata", "name"}), StringAt(**second, {"metadata", "name"}));
}

TEST_F(StoreTest, SameSeedAndCallsGiveTheSameBytes) {
  const auto run = [&] {
    Store store(clock_, {.seed = 7});
    Json pod = Pod("x");
    pod.at("metadata").as_object() = {{"generateName", "train-"}};
    std::string bytes = WriteJson(**store.Create(pod));
    return bytes + WriteJson(**store.Create(pod));
  };
  EXPECT_EQ(run(), run());
}

TEST_F(StoreTest, NamespacedObjectsNeedTheirNamespace) {
  Json pod = Pod("a");
  pod.at("metadata").as_object()["namespace"] = "ml";
  EXPECT_EQ(store_.Create(pod).error().code, Code::kNotFound);
  ASSERT_TRUE(store_.Create(Namespace("ml")));
  EXPECT_TRUE(store_.Create(pod));
}

TEST_F(StoreTest, StaleUpdateConflictsAndRetrySucceeds) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  Json stale = **created;
  const auto label = [](const std::string& key) {
    return [key](Json& object) -> Result<bool> {
      Json& labels = object.at("metadata").as_object()["labels"];
      if (!labels.is_object()) labels = JsonObject();
      labels.as_object()[key] = "x";
      return true;
    };
  };
  const ObjectKey key = kube::KeyOf(stale);
  ASSERT_TRUE(kube::UpdateWithRetry(store_, key, Subresource::kNone, label("one")));
  stale.at("metadata").as_object()["labels"] = JsonObject{{"two", "x"}};
  EXPECT_EQ(store_.Update(stale, Subresource::kNone).error().code, Code::kConflict);
  ASSERT_TRUE(kube::UpdateWithRetry(store_, key, Subresource::kNone, label("two")));
  const auto now = store_.Get(key);
  EXPECT_EQ(FindPath(**now, {"metadata", "labels"})->as_object().size(), 2u);
}

TEST_F(StoreTest, StatusAndSpecAreWrittenApart) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  Json changed = **created;
  changed.at("status").as_object()["phase"] = "Running";
  changed.at("metadata").as_object()["labels"] = JsonObject{{"app", "x"}};
  const auto spec = store_.Update(changed, Subresource::kNone);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(StringAt(**spec, {"status", "phase"}), "Pending");
  EXPECT_EQ(StringAt(**spec, {"metadata", "labels", "app"}), "x");

  changed = **spec;
  changed.at("status").as_object()["phase"] = "Running";
  changed.at("metadata").as_object()["labels"] = JsonObject{{"app", "y"}};
  const auto status = store_.Update(changed, Subresource::kStatus);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(StringAt(**status, {"status", "phase"}), "Running");
  EXPECT_EQ(StringAt(**status, {"metadata", "labels", "app"}), "x");
}

TEST_F(StoreTest, GenerationRisesWithTheSpecButNotWithTheNode) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  const ObjectKey key = kube::KeyOf(**created);
  const auto labelled =
      store_.Patch(key, ParseJson(R"({"metadata":{"labels":{"a":"b"}}})").value(), Subresource::kNone);
  ASSERT_TRUE(labelled);
  EXPECT_EQ(FindPath(**labelled, {"metadata", "generation"})->as_int64(), 1);
  const auto bound = store_.Patch(key, ParseJson(R"({"spec":{"nodeName":"n1"}})").value(), Subresource::kNone);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(FindPath(**bound, {"metadata", "generation"})->as_int64(), 1);
  const auto changed =
      store_.Patch(key, ParseJson(R"({"spec":{"activeDeadlineSeconds":60}})").value(), Subresource::kNone);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(FindPath(**changed, {"metadata", "generation"})->as_int64(), 2);
}

TEST_F(StoreTest, AnUnchangedObjectIsNotWritten) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  const std::uint64_t before = store_.Revision();
  const auto updated = store_.Update(**created, Subresource::kNone);
  ASSERT_TRUE(updated);
  EXPECT_EQ(store_.Revision(), before);
  EXPECT_EQ(Version(**updated), Version(**created));
}

TEST_F(StoreTest, PatchHonoursItsPrecondition) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  const Json patch =
      ParseJson(R"({"metadata":{"resourceVersion":")" + Version(**created) + R"(","labels":{"a":"b"}}})").value();
  ASSERT_TRUE(store_.Patch(kube::KeyOf(**created), patch, Subresource::kNone));
  Json again = patch;
  again.at("metadata").as_object()["labels"] = JsonObject{{"a", "c"}};
  EXPECT_EQ(store_.Patch(kube::KeyOf(**created), again, Subresource::kNone).error().code, Code::kConflict);
}

TEST_F(StoreTest, FinalizersHoldADeletedObject) {
  Json claim = Claim("c");
  claim.at("metadata").as_object()["finalizers"] = JsonArray{"example.com/hold"};
  const auto created = store_.Create(claim);
  ASSERT_TRUE(created) << created.error().message;
  const ObjectKey key = kube::KeyOf(**created);
  ASSERT_TRUE(store_.Delete(key, {}));
  const auto held = store_.Get(key);
  ASSERT_TRUE(held);
  EXPECT_FALSE(StringAt(**held, {"metadata", "deletionTimestamp"}).empty());
  const Json release = ParseJson(R"({"metadata":{"finalizers":null}})").value();
  ASSERT_TRUE(store_.Patch(key, release, Subresource::kNone));
  EXPECT_EQ(store_.Get(key).error().code, Code::kNotFound);
}

TEST_F(StoreTest, APodOnANodeGetsItsGrace) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  const ObjectKey key = kube::KeyOf(**created);
  ASSERT_TRUE(store_.Patch(key, ParseJson(R"({"spec":{"nodeName":"n1"}})").value(), Subresource::kNone));
  ASSERT_TRUE(store_.Delete(key, {}));
  const auto held = store_.Get(key);
  ASSERT_TRUE(held);
  EXPECT_EQ(FindPath(**held, {"metadata", "deletionGracePeriodSeconds"})->to_number<int>(), 30);
  ASSERT_TRUE(store_.Delete(key, {.grace_period_seconds = 0}));
  EXPECT_EQ(store_.Get(key).error().code, Code::kNotFound);
}

TEST_F(StoreTest, DeleteChecksTheUid) {
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  EXPECT_EQ(store_.Delete(kube::KeyOf(**created), {.uid = "another"}).error().code, Code::kConflict);
  EXPECT_TRUE(store_.Delete(kube::KeyOf(**created), {.uid = std::string(StringAt(**created, {"metadata", "uid"}))}));
}

TEST_F(StoreTest, ClaimSpecsAndAllocationsDoNotChange) {
  const auto created = store_.Create(Claim("c"));
  ASSERT_TRUE(created);
  const ObjectKey key = kube::KeyOf(**created);
  Json changed = **created;
  changed.at("spec").at("devices").at("requests").at(0).at("exactly").as_object()["count"] = 2;
  const auto refused = store_.Update(changed, Subresource::kNone);
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("spec: "));

  const auto with_status = [](Json status) {
    return [status](Json& object) -> Result<bool> {
      object.as_object()["status"] = status;
      return true;
    };
  };
  ASSERT_TRUE(
      kube::UpdateWithRetry(store_, key, Subresource::kStatus, with_status({{"allocation", Allocation("gpu-0")}})));
  EXPECT_THAT(
      kube::UpdateWithRetry(store_, key, Subresource::kStatus, with_status({{"allocation", Allocation("gpu-1")}}))
          .error()
          .message,
      HasSubstr("status.allocation"));
  EXPECT_TRUE(kube::UpdateWithRetry(store_, key, Subresource::kStatus, with_status(JsonObject())));
  EXPECT_THAT(kube::UpdateWithRetry(store_, key, Subresource::kStatus, with_status({{"reservedFor", Consumers(1)}}))
                  .error()
                  .message,
              HasSubstr("status.reservedFor"));
}

TEST_F(StoreTest, The257thConsumerIsRefused) {
  const auto created = store_.Create(Claim("c"));
  ASSERT_TRUE(created);
  const auto reserve = [&](int count) {
    return kube::UpdateWithRetry(store_, kube::KeyOf(**created), Subresource::kStatus, [&](Json& object) {
      object.as_object()["status"] = JsonObject{{"allocation", Allocation("gpu-0")}, {"reservedFor", Consumers(count)}};
      return Result<bool>(true);
    });
  };
  EXPECT_TRUE(reserve(256));
  const auto refused = reserve(257);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("status.reservedFor: "));
  EXPECT_THAT(refused.error().message, HasSubstr("256"));
}

TEST_F(StoreTest, WatchesSeeTheirKindInOrder) {
  const auto list = store_.List({"Pod", "", ""});
  ASSERT_TRUE(list);
  auto watch = store_.StartWatch({"Pod", "default", ""}, list->resource_version);
  ASSERT_TRUE(watch);
  const auto created = store_.Create(Pod("a"));
  ASSERT_TRUE(created);
  ASSERT_TRUE(store_.Create(Claim("c")));
  ASSERT_TRUE(store_.Patch(kube::KeyOf(**created), ParseJson(R"({"metadata":{"labels":{"a":"b"}}})").value(),
                           Subresource::kNone));
  ASSERT_TRUE(store_.Delete(kube::KeyOf(**created), {}));
  const auto events = (*watch)->Poll();
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 3u);
  EXPECT_EQ((*events)[0].type, kube::WatchEvent::Type::kAdded);
  EXPECT_EQ((*events)[1].type, kube::WatchEvent::Type::kModified);
  EXPECT_EQ((*events)[2].type, kube::WatchEvent::Type::kDeleted);
  EXPECT_EQ(Version((*events)[2].object.outline()), std::to_string(store_.Revision()));
  EXPECT_TRUE((*watch)->Poll()->empty());
}

TEST_F(StoreTest, AWatchLeftBehindMustListAgain) {
  Store store(clock_, {.history_limit = 4});
  kube::Informer<api::Pod> informer(store);
  ASSERT_TRUE(informer.Sync());
  auto watch = store.StartWatch({"Pod", "", ""}, std::to_string(store.Revision()));
  ASSERT_TRUE(watch);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store.Create(Pod("p" + std::to_string(i))));
  EXPECT_EQ((*watch)->Poll().error().code, Code::kConflict);
  const auto changed = informer.Sync();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->size(), 5u);
  EXPECT_EQ(informer.objects().size(), 5u);
}

TEST_F(StoreTest, ApplyIsAllOrNothingAndNamesTheField) {
  Json bad = Claim("c");
  bad.at("spec").at("devices").at("requests").at(0).at("exactly").as_object()["count"] = -1;
  const std::vector<Json> manifests = {Pod("a"), bad};
  const std::uint64_t before = store_.Revision();
  const std::vector<ManifestProblem> problems = store_.ApplyAll(manifests);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].manifest, 1u);
  EXPECT_EQ(problems[0].path, "spec.devices.requests[0].exactly.count");
  EXPECT_EQ(store_.Revision(), before);
}

TEST_F(StoreTest, ApplyCreatesThenMerges) {
  Json pod = Pod("a");
  pod.at("metadata").as_object()["namespace"] = "ml";
  const std::vector<Json> manifests = {pod, Namespace("ml")};
  EXPECT_TRUE(store_.ApplyAll(manifests).empty());
  const std::uint64_t before = store_.Revision();
  EXPECT_TRUE(store_.ApplyAll(manifests).empty());
  EXPECT_EQ(store_.Revision(), before) << "applying the same again writes nothing";
  pod.at("metadata").as_object()["labels"] = JsonObject{{"app", "x"}};
  EXPECT_TRUE(store_.ApplyAll(std::vector<Json>{pod}).empty());
  EXPECT_EQ(StringAt(**store_.Get({"Pod", "ml", "a"}), {"metadata", "labels", "app"}), "x");
}

TEST_F(StoreTest, ApplyRefusesTheSameNameTwiceAndAMissingNamespace) {
  EXPECT_EQ(store_.ApplyAll(std::vector<Json>{Pod("a"), Pod("a")}).at(0).path, "metadata.name");
  Json pod = Pod("a");
  pod.at("metadata").as_object()["namespace"] = "nowhere";
  EXPECT_EQ(store_.ApplyAll(std::vector<Json>{pod}).at(0).path, "metadata.namespace");
}

TEST_F(StoreTest, ConcurrentWritersLoseNothingAndWatchersSeeEveryRevision) {
  constexpr int kWriters = 4;
  constexpr int kRounds = 50;
  const auto created = store_.Create(Pod("shared"));
  ASSERT_TRUE(created);
  const ObjectKey key = kube::KeyOf(**created);
  std::atomic<bool> writing = true;
  std::atomic<int> failures = 0;
  std::set<std::string> versions;
  {
    std::jthread watcher([&] {
      auto watch = store_.StartWatch({"Pod", "", ""}, Version(**created));
      bool last_round = false;
      while (!last_round) {
        last_round = !writing;
        const auto events = (*watch)->Poll();
        if (!events) {
          ++failures;
          return;
        }
        for (const kube::WatchEvent& event : *events) versions.insert(Version(event.object.outline()));
        std::this_thread::yield();
      }
    });
    {
      std::vector<std::jthread> writers;
      for (int w = 0; w < kWriters; ++w) {
        writers.emplace_back([&, w] {
          for (int i = 0; i < kRounds; ++i) {
            const std::string name = "w" + std::to_string(w) + "-" + std::to_string(i);
            const Json patch = Json{{"metadata", {{"labels", JsonObject{{name, "x"}}}}}};
            if (!store_.Patch(key, patch, Subresource::kNone)) ++failures;
            if (!store_.Create(Pod(name))) ++failures;
            if (!store_.Delete({"Pod", "default", name}, {})) ++failures;
          }
        });
      }
    }
    writing = false;
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(versions.size(), static_cast<std::size_t>(kWriters * kRounds * 3));
  const auto shared = store_.Get(key);
  EXPECT_EQ(FindPath(**shared, {"metadata", "labels"})->as_object().size(),
            static_cast<std::size_t>(kWriters * kRounds));
}

}  // namespace
}  // namespace kumiko::localcluster
