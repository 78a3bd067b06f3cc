#include "localcluster/controllers/pod_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {
namespace {

using testing::HasSubstr;
using testing::Not;

class PodLimits : public testing::Test {
 protected:
  std::size_t Pods() { return store_.List({"Pod", "", ""}).value().items.size(); }

  void Create(std::string_view text) {
    const auto created = store_.Create(ParseJson(text).value());
    ASSERT_TRUE(created) << created.error().message;
  }

  ManualClock clock_{Time{1'767'225'600'000'000}};
  Store store_{clock_, {}};
  Workloads workloads_{store_, store_, clock_};
};

constexpr std::string_view kSet = R"({"apiVersion": "apps/v1", "kind": "ReplicaSet",
    "metadata": {"name": "many", "namespace": "default"},
    "spec": {"replicas": 700, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
             "spec": {"containers": [{"name": "main", "image": "x"}]}}}})";

constexpr std::string_view kJob = R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "many", "namespace": "default"},
    "spec": {"parallelism": 700, "completions": 700, "template": {"metadata": {},
             "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}}}})";

TEST_F(PodLimits, AReplicaSetMakesFiveHundredPodsInAStep) {
  Create(kSet);
  const Controller controller = MakeReplicaSetController(workloads_);
  EXPECT_TRUE(controller.step().value());
  EXPECT_EQ(Pods(), 500u);
  EXPECT_TRUE(controller.step().value());
  EXPECT_EQ(Pods(), 700u);
}

TEST_F(PodLimits, AnOwnerThatComesTooLateForAStepHasItsTurnInTheNext) {
  Create(kSet);
  std::string other(kSet);
  other.replace(other.find("many"), 4, "more");
  for (std::size_t at = other.find("\"b\""); at != std::string::npos; at = other.find("\"b\"")) {
    other.replace(at, 3, "\"c\"");
  }
  Create(other);
  const Controller controller = MakeReplicaSetController(workloads_);
  for (const std::size_t pods : {500u, 1000u, 1400u}) {
    EXPECT_TRUE(controller.step().value());
    EXPECT_EQ(Pods(), pods);
  }
}

TEST_F(PodLimits, AJobMakesFiveHundredPodsInAStep) {
  Create(kJob);
  const Controller controller = MakeJobController(workloads_);
  EXPECT_TRUE(controller.step().value());
  EXPECT_EQ(Pods(), 500u);
  EXPECT_TRUE(controller.step().value());
  EXPECT_EQ(Pods(), 700u);
}

TEST(OwnerLimit, HoldsBackAndWarnsOnce) {
  OwnerLimit limit;
  api::ObjectMeta owner;
  owner.namespace_ = "ml";
  owner.name = "huge";
  owner.uid = "u";
  testing::internal::CaptureStderr();
  EXPECT_EQ(limit.Cap("Deployment", owner, 10'000), 10'000);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("ml/huge")));
  testing::internal::CaptureStderr();
  EXPECT_EQ(limit.Cap("Deployment", owner, 1'000'000'000), 10'000);
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, HasSubstr("ml/huge"));
  EXPECT_THAT(warning, HasSubstr("10000"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(limit.Cap("Deployment", owner, 1'000'000'000), 10'000);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kumiko::localcluster
