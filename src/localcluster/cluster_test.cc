#include "localcluster/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "api/resource/types.h"
#include "kube/typed.h"
#include "localcluster/pod_devices.h"
#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::localcluster {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTwoT4 = R"(
kind: Cluster
nodes:
- name: node-0
  gpus: [{model: T4, count: 2}]
)";

constexpr std::string_view kTemplate = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one-gpu}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
)";

std::string PodSpec(std::string_view restart) {
  return R"({restartPolicy: )" + std::string(restart) + R"(, containers: [{name: main, image: x,
  resources: {claims: [{name: gpu}]}}], resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]})";
}

class ClusterTest : public testing::ClusterFixture {
 protected:
  ClusterTest() : ClusterFixture(kTwoT4) {}

  std::vector<api::Pod> Pods() { return kube::List<api::Pod>(cluster_->api()).value(); }

  int Count(std::string_view phase) {
    int count = 0;
    for (const api::Pod& pod : Pods()) count += pod.status.phase == phase;
    return count;
  }

  std::size_t Objects(const char* kind) { return cluster_->api().List({kind, "", ""}).value().items.size(); }
};

std::string Job(int completions) {
  return std::string(kTemplate) + "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {parallelism: " +
         std::to_string(completions) + ", completions: " + std::to_string(completions) +
         ", template: {metadata: {annotations: {kumiko.dev/run-for: \"60\"}}, spec: " + PodSpec("Never") + "}}\n";
}

std::string Deployment(int replicas, const std::string& image_label) {
  return std::string(kTemplate) + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: serve}\nspec: {replicas: " +
         std::to_string(replicas) +
         ", selector: {matchLabels: {app: s}}, template: {metadata: {labels: {app: s, v: " + image_label +
         "}}, spec: " + PodSpec("Always") + "}}\n";
}

TEST_F(ClusterTest, AJobRunsInTurnsAndGivesItsDevicesBack) {
  Apply(Job(3));
  EXPECT_EQ(Count("Running"), 2);
  EXPECT_EQ(Count("Pending"), 1);
  ASSERT_TRUE(cluster_->NextWake());
  clock_.Advance(std::chrono::seconds(60));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Count("Succeeded"), 2);
  EXPECT_EQ(Count("Running"), 1);
  clock_.Advance(std::chrono::seconds(60));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  const auto job = kube::Get<api::Job>(cluster_->api(), "default", "train");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->status.succeeded, 3);
  EXPECT_TRUE(job->status.completion_time);
  EXPECT_EQ(Objects("ResourceClaim"), 0u) << "claims of finished pods go";
}

TEST_F(ClusterTest, APendingPodSaysWhyOnce) {
  Apply(Job(3));
  const std::uint64_t before = cluster_->store().Revision();
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(cluster_->store().Revision(), before);
  for (const api::Pod& pod : Pods()) {
    if (pod.status.phase != "Pending") continue;
    ASSERT_FALSE(pod.status.conditions.empty());
    EXPECT_EQ(pod.status.conditions[0].reason, "Unschedulable");
    EXPECT_FALSE(pod.status.conditions[0].message.empty());
  }
}

TEST_F(ClusterTest, DeletingAnOwnerTakesAllBelow) {
  Apply(Deployment(2, "one"));
  EXPECT_EQ(Count("Running"), 2);
  ASSERT_TRUE(cluster_->DeleteObject({"Deployment", "default", "serve"}));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Objects("ReplicaSet"), 0u);
  EXPECT_EQ(Objects("Pod"), 0u);
  EXPECT_EQ(Objects("ResourceClaim"), 0u);
}

TEST_F(ClusterTest, AChangedTemplateReplacesThePods) {
  Apply(Deployment(2, "one"));
  Apply(Deployment(1, "two"));
  EXPECT_EQ(Objects("ReplicaSet"), 2u);
  EXPECT_EQ(Count("Running"), 1);
  EXPECT_EQ(Pods().at(0).metadata.labels.at("v"), "two");
}

TEST_F(ClusterTest, ForegroundAndOrphanDeletion) {
  Apply(Deployment(1, "one"));
  const kube::ObjectKey key{"Deployment", "default", "serve"};
  kube::DeleteOptions options;
  options.propagation = kube::Propagation::kOrphan;
  ASSERT_TRUE(cluster_->api().Delete(key, options));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Objects("Deployment"), 0u);
  ASSERT_EQ(Objects("ReplicaSet"), 1u);
  options.propagation = kube::Propagation::kForeground;
  const auto set = kube::List<api::ReplicaSet>(cluster_->api()).value().at(0);
  ASSERT_TRUE(cluster_->api().Delete(kube::KeyOf(set), options));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Objects("ReplicaSet"), 0u);
  EXPECT_EQ(Objects("Pod"), 0u);
}

TEST_F(ClusterTest, MissingThingsAreNamedWithTheNearest) {
  Apply(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidai.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: main, image: x}], resourceClaims: [{name: gpu, resourceClaimName: c}]}
)");
  const auto pod = kube::Get<api::Pod>(cluster_->api(), "default", "p");
  ASSERT_TRUE(pod);
  ASSERT_FALSE(pod->status.conditions.empty());
  EXPECT_THAT(pod->status.conditions[0].message, HasSubstr("did you mean \"gpu.nvidia.com\"?"));
}

TEST_F(ClusterTest, ErrorsOfApplyNameFileLineAndField) {
  const auto documents = ParseYamlDocuments(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: nowhere}\nspec: {containers: [{name: a, image: b}]}\n",
      "pod.yaml");
  ASSERT_TRUE(documents);
  const Status applied = cluster_->Apply(*documents);
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message, HasSubstr("pod.yaml:3"));
  EXPECT_THAT(applied.error().message, HasSubstr("metadata.namespace"));
}

TEST_F(ClusterTest, AClaimUnderTwoEntriesGivesItsDevicesOnce) {
  Apply(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: main, image: x}]
  resourceClaims: [{name: a, resourceClaimName: c}, {name: b, resourceClaimName: c}]
)");
  const auto use = ReadUse(cluster_->api());
  ASSERT_TRUE(use) << use.error().message;
  ASSERT_EQ(use->pods.size(), 1u);
  EXPECT_EQ(use->pods[0].pod.status.phase, "Running");
  EXPECT_EQ(use->pods[0].devices.size(), 1u);
}

TEST_F(ClusterTest, APodRunsForPartsOfASecond) {
  clock_.Advance(std::chrono::milliseconds(900));
  Apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {kumiko.dev/run-for: 250ms}}
spec: {restartPolicy: Never, containers: [{name: main, image: x}]}
)");
  EXPECT_EQ(Count("Running"), 1);
  EXPECT_EQ(cluster_->NextWake(), clock_.Now() + std::chrono::milliseconds(250));
  clock_.Advance(std::chrono::milliseconds(249));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Count("Running"), 1);
  clock_.Advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Count("Succeeded"), 1);
}

TEST_F(ClusterTest, AContainerThatEndsIsRestartedWithADelayThatDoubles) {
  Apply(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: crash}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}, annotations: {kumiko.dev/exit-code: "1"}}
    spec: {containers: [{name: main, image: x, command: [sleep, "0"]}]}
)");
  const auto restarts = [&] {
    std::int64_t sum = 0;
    for (const api::Pod& pod : Pods()) sum += pod.status.container_statuses.at(0).restart_count;
    return sum;
  };
  EXPECT_EQ(Count("Running"), 2);
  EXPECT_EQ(restarts(), 2) << "the first restart comes at once";
  std::int64_t expected = 2;
  for (const int seconds : {10, 20, 40, 80, 160, 300, 300}) {
    EXPECT_EQ(cluster_->NextWake(), clock_.Now() + std::chrono::seconds(seconds));
    clock_.Advance(std::chrono::seconds(seconds) - std::chrono::microseconds(1));
    ASSERT_TRUE(cluster_->RunUntilIdle());
    EXPECT_EQ(restarts(), expected);
    clock_.Advance(std::chrono::microseconds(1));
    ASSERT_TRUE(cluster_->RunUntilIdle());
    EXPECT_EQ(restarts(), expected += 2);
  }
  EXPECT_EQ(Pods().size(), 2u);
}

TEST_F(ClusterTest, ADeletedNamespaceTakesItsContents) {
  Apply(
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n---\napiVersion: v1\nkind: Pod\n"
      "metadata: {name: p, namespace: ml}\nspec: {containers: [{name: a, image: b}]}\n");
  EXPECT_EQ(Count("Running"), 1);
  ASSERT_TRUE(cluster_->DeleteObject({"Namespace", "", "ml"}));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_EQ(Objects("Pod"), 0u);
  EXPECT_EQ(cluster_->api().Get({"Namespace", "", "ml"}).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace kumiko::localcluster
