// The controllers together, on a small cluster without GPUs: what kubectl shows of workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/apps/types.h"
#include "api/batch/types.h"
#include "kube/typed.h"
#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::localcluster {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kThreeNodes = R"(
kind: Cluster
nodes:
- {name: node, count: 2}
- name: tainted
  taints: [{key: only, value: special, effect: NoSchedule}]
)";

class WorkloadsTest : public testing::ClusterFixture {
 protected:
  WorkloadsTest() : ClusterFixture(kThreeNodes) {}

  void Patch(const char* kind, const char* name, const std::string& patch) {
    const auto patched =
        cluster_->api().Patch({kind, "default", name}, ParseJson(patch).value(), kube::Subresource::kNone);
    ASSERT_TRUE(patched) << patched.error().message;
    Settle();
  }

  Json Get(const char* kind, const char* name, const char* in = "default") {
    const auto object = cluster_->api().Get({kind, in, name});
    EXPECT_TRUE(object) << object.error().message;
    return object ? **object : Json(JsonObject());
  }
  // A member of the status, as text.
  std::string StatusOf(const char* kind, const char* name, std::string_view member) {
    const Json object = Get(kind, name);
    const Json* found = FindPath(object, {"status", member});
    return found == nullptr ? "" : found->is_string() ? std::string(found->get_string()) : WriteJson(*found);
  }
  // "Available=True MinimumReplicasAvailable", each condition.
  std::vector<std::string> Conditions(const char* kind, const char* name) {
    std::vector<std::string> texts;
    const Json object = Get(kind, name);
    const Json* list = FindPath(object, {"status", "conditions"});
    if (list == nullptr) return texts;
    for (const Json& condition : list->as_array()) {
      texts.push_back(std::string(StringAt(condition, {"type"})) + "=" + std::string(StringAt(condition, {"status"})) +
                      " " + std::string(StringAt(condition, {"reason"})));
    }
    return texts;
  }
  std::vector<std::string> Names(const char* kind) {
    std::vector<std::string> names;
    const kube::ObjectList list = cluster_->api().List({kind, "default", ""}).value();
    for (const auto& object : list.items) {
      names.emplace_back(StringAt(object.outline(), {"metadata", "name"}));
    }
    return names;
  }
  std::vector<api::Pod> Pods() { return kube::List<api::Pod>(cluster_->api(), "default").value(); }
  std::vector<api::ReplicaSet> Sets() { return kube::List<api::ReplicaSet>(cluster_->api(), "default").value(); }
  // "reason: message" of the events about an object.
  std::vector<std::string> Events(const std::string& about) {
    std::vector<std::string> texts;
    const kube::ObjectList list = cluster_->api().List({"Event", "default", ""}).value();
    for (const auto& item : list.items) {
      const auto event = item.tree();
      if (StringAt(*event, {"involvedObject", "name"}) != about) continue;
      texts.push_back(std::string(StringAt(*event, {"reason"})) + ": " + std::string(StringAt(*event, {"message"})));
    }
    return texts;
  }
};

std::string Workload(const std::string& kind, const std::string& spec, const std::string& pod = "") {
  return "apiVersion: apps/v1\nkind: " + kind +
         "\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, " + spec +
         "template: {metadata: {labels: {app: web}}, spec: {" + pod + "containers: [{name: main, image: nginx}]}}}\n";
}

constexpr const char* kNewImage =
    R"({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "new"}]}}}})";

TEST_F(WorkloadsTest, ADeploymentRollsOutAndSaysSo) {
  Apply(Workload("Deployment", "replicas: 3, "));
  EXPECT_THAT(Conditions("Deployment", "web"),
              ElementsAre("Available=True MinimumReplicasAvailable", "Progressing=True NewReplicaSetAvailable"));
  ASSERT_THAT(Sets(), SizeIs(1));
  const api::ReplicaSet first = Sets()[0];
  EXPECT_EQ(first.metadata.annotations.at("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(first.metadata.annotations.at("deployment.kubernetes.io/desired-replicas"), "3");
  EXPECT_EQ(first.metadata.annotations.at("deployment.kubernetes.io/max-replicas"), "4");
  EXPECT_EQ(first.metadata.name, "web-" + first.metadata.labels.at("pod-template-hash"));
  EXPECT_EQ(WriteJson(*FindPath(Get("Deployment", "web"), {"metadata", "generation"})), "1")
      << "counting revisions is no change of what is wanted";
  for (const char* member : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
    EXPECT_EQ(StatusOf("Deployment", "web", member), "3") << member;
  }
  EXPECT_EQ(StatusOf("Deployment", "web", "unavailableReplicas"), "");
  EXPECT_THAT(Events("web"),
              ElementsAre("ScalingReplicaSet: Scaled up replica set " + first.metadata.name + " from 0 to 3"));

  Patch("Deployment", "web", kNewImage);
  EXPECT_THAT(Sets(), SizeIs(2));
  EXPECT_THAT(Pods(), SizeIs(3));
  EXPECT_EQ(StringAt(Get("Deployment", "web"), {"metadata", "annotations", "deployment.kubernetes.io/revision"}), "2");

  // As `kubectl rollout undo` does: the earlier template again makes its set the newest revision.
  Patch("Deployment", "web",
        R"({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "nginx"}]}}}})");
  const auto set = kube::Get<api::ReplicaSet>(cluster_->api(), "default", first.metadata.name);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->spec.replicas, 3);
  EXPECT_EQ(set->metadata.annotations.at("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(set->metadata.annotations.at("deployment.kubernetes.io/revision-history"), "1");
}

TEST_F(WorkloadsTest, ARolloutKeepsWithinItsLimitsAndStuckOnesTimeOut) {
  Apply(Workload("Deployment",
                 "replicas: 4, minReadySeconds: 5, progressDeadlineSeconds: 60, "
                 "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, "));
  Pass(seconds(5));
  EXPECT_EQ(StatusOf("Deployment", "web", "availableReplicas"), "4");
  Patch("Deployment", "web", kNewImage);
  EXPECT_THAT(Pods(), SizeIs(5)) << "one more, and none goes until it has been ready for 5 s";
  EXPECT_EQ(StatusOf("Deployment", "web", "updatedReplicas"), "1");
  Pass(seconds(5));
  EXPECT_EQ(StatusOf("Deployment", "web", "updatedReplicas"), "2");
  for (int i = 0; i < 3; ++i) Pass(seconds(5));
  EXPECT_EQ(StatusOf("Deployment", "web", "updatedReplicas"), "4");
  EXPECT_THAT(Pods(), SizeIs(4));

  Patch("Deployment", "web", R"({"spec": {"template": {"spec": {"nodeSelector": {"no": "node"}}}}})");
  Pass(seconds(59));
  EXPECT_THAT(Conditions("Deployment", "web"), IsSupersetOf({"Progressing=True ReplicaSetUpdated"}));
  Pass(seconds(3));
  EXPECT_THAT(Conditions("Deployment", "web"), IsSupersetOf({"Progressing=False ProgressDeadlineExceeded"}));
}

TEST_F(WorkloadsTest, APausedDeploymentScalesButDoesNotRoll) {
  Apply(Workload("Deployment", "replicas: 2, "));
  Patch("Deployment", "web", R"({"spec": {"paused": true}})");
  EXPECT_THAT(Conditions("Deployment", "web"), IsSupersetOf({"Progressing=Unknown DeploymentPaused"}));
  Patch("Deployment", "web", kNewImage);
  Patch("Deployment", "web", R"({"spec": {"replicas": 5}})");
  EXPECT_THAT(Sets(), SizeIs(1));
  EXPECT_THAT(Pods(), SizeIs(5));
  Patch("Deployment", "web", R"({"spec": {"paused": false}})");
  EXPECT_THAT(Sets(), SizeIs(2));
  EXPECT_EQ(StatusOf("Deployment", "web", "updatedReplicas"), "5");
}

TEST_F(WorkloadsTest, OldReplicaSetsAreKeptAsFarAsWanted) {
  Apply(Workload("Deployment", "replicas: 1, revisionHistoryLimit: 1, "));
  for (const char* image : {"a", "b", "c"}) {
    Patch("Deployment", "web",
          R"({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": ")" + std::string(image) +
              R"("}]}}}})");
  }
  EXPECT_THAT(Sets(), SizeIs(2));
}

TEST_F(WorkloadsTest, RecreatingWaitsForOldPodsToGo) {
  Apply(Workload("Deployment", "replicas: 2, strategy: {type: Recreate}, "));
  const std::string before = Pods()[0].metadata.name;
  Patch("Deployment", "web", kNewImage);
  EXPECT_THAT(Pods(), SizeIs(2));
  EXPECT_NE(Pods()[0].metadata.name, before);
  EXPECT_EQ(StatusOf("Deployment", "web", "updatedReplicas"), "2");
}

TEST_F(WorkloadsTest, AReplicaSetAdoptsAndReleasesPods) {
  Apply(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, labels: {app: web}}\nspec: {containers: [{name: a, image: "
      "b}]}\n");
  Apply(Workload("ReplicaSet", "replicas: 2, "));
  EXPECT_THAT(Pods(), SizeIs(2));
  EXPECT_EQ(StringAt(FindPath(Get("Pod", "lone"), {"metadata", "ownerReferences"})->as_array().at(0), {"name"}), "web");
  Patch("Pod", "lone", R"({"metadata": {"labels": {"app": "other"}}})");
  EXPECT_THAT(Pods(), SizeIs(3));
  EXPECT_EQ(FindPath(Get("Pod", "lone"), {"metadata", "ownerReferences"}), nullptr);
  EXPECT_EQ(StatusOf("ReplicaSet", "web", "readyReplicas"), "2");
}

TEST_F(WorkloadsTest, TheCheapestPodsGoFirst) {
  Apply(Workload("ReplicaSet", "replicas: 3, "));
  const std::string cheap = Names("Pod")[1];
  Patch("Pod", cheap.c_str(), R"({"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "-1"}}})");
  Patch("ReplicaSet", "web", R"({"spec": {"replicas": 2}})");
  EXPECT_THAT(Names("Pod"), ::testing::Not(::testing::Contains(cheap)));
  EXPECT_THAT(Events("web"), IsSupersetOf({"SuccessfulDelete: Deleted pod: " + cheap}));
}

TEST_F(WorkloadsTest, AStatefulSetKeepsNamesAndRollsDownToItsPartition) {
  Apply(Workload("StatefulSet", "serviceName: web, replicas: 3, "));
  EXPECT_THAT(Names("Pod"), ElementsAre("web-0", "web-1", "web-2"));
  EXPECT_EQ(StatusOf("StatefulSet", "web", "availableReplicas"), "3");
  const Json pod = Get("Pod", "web-1");
  EXPECT_EQ(StringAt(pod, {"metadata", "labels", "apps.kubernetes.io/pod-index"}), "1");
  EXPECT_EQ(StringAt(pod, {"spec", "hostname"}), "web-1");
  EXPECT_THAT(Names("ControllerRevision"), SizeIs(1));

  Patch("StatefulSet", "web", R"({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}}})");
  Patch("StatefulSet", "web", kNewImage);
  const auto image = [&](const char* name) {
    return kube::Get<api::Pod>(cluster_->api(), "default", name)->spec.containers[0].image;
  };
  EXPECT_EQ(image("web-2"), "new");
  EXPECT_EQ(image("web-1"), "nginx");
  EXPECT_EQ(StatusOf("StatefulSet", "web", "updatedReplicas"), "1");
  EXPECT_EQ(StatusOf("StatefulSet", "web", "currentReplicas"), "2");
  Patch("StatefulSet", "web", R"({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})");
  EXPECT_EQ(image("web-0"), "new");
  EXPECT_EQ(StatusOf("StatefulSet", "web", "currentRevision"), StatusOf("StatefulSet", "web", "updateRevision"));
  Patch("StatefulSet", "web", R"({"spec": {"replicas": 1}})");
  EXPECT_THAT(Names("Pod"), ElementsAre("web-0"));
}

TEST_F(WorkloadsTest, AnOrderedStatefulSetWaitsForEachPod) {
  Apply(Workload("StatefulSet", "serviceName: web, replicas: 3, minReadySeconds: 10, "));
  EXPECT_THAT(Names("Pod"), ElementsAre("web-0"));
  Pass(seconds(10));
  EXPECT_THAT(Names("Pod"), ElementsAre("web-0", "web-1"));
  Pass(seconds(10));
  EXPECT_THAT(Names("Pod"), SizeIs(3));
}

TEST_F(WorkloadsTest, ADaemonSetHasOnePodOnEachNodeThatItFits) {
  Apply(Workload("DaemonSet", ""));
  std::vector<std::string> nodes;
  for (const api::Pod& pod : Pods()) nodes.push_back(pod.spec.node_name);
  EXPECT_THAT(nodes, UnorderedElementsAre("node-0", "node-1"));
  EXPECT_EQ(StatusOf("DaemonSet", "web", "desiredNumberScheduled"), "2");
  EXPECT_EQ(StatusOf("DaemonSet", "web", "numberAvailable"), "2");
  Patch("DaemonSet", "web", R"({"spec": {"template": {"spec": {"tolerations": [{"operator": "Exists"}]}}}})");
  EXPECT_THAT(Pods(), SizeIs(3));
  EXPECT_EQ(StatusOf("DaemonSet", "web", "updatedNumberScheduled"), "3");
  EXPECT_THAT(Names("ControllerRevision"), SizeIs(2));
}

std::string Job(const std::string& spec, const std::string& command) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: job}\nspec: {" + spec +
         "template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: " + command +
         "}]}}}\n";
}

TEST_F(WorkloadsTest, AJobTellsHowItWent) {
  Apply(Job("completions: 2, ", "[sleep, \"5\"]"));
  EXPECT_EQ(StatusOf("Job", "job", "active"), "1");
  EXPECT_EQ(StatusOf("Job", "job", "ready"), "1");
  Pass(seconds(5));
  EXPECT_EQ(StatusOf("Job", "job", "succeeded"), "1");
  Pass(seconds(5));
  EXPECT_THAT(Conditions("Job", "job"),
              ElementsAre("SuccessCriteriaMet=True CompletionsReached", "Complete=True CompletionsReached"));
  EXPECT_EQ(StatusOf("Job", "job", "uncountedTerminatedPods"), "{}");
  EXPECT_EQ(StatusOf("Job", "job", "completionTime"), "2026-01-01T00:00:10Z");
  EXPECT_THAT(Events("job"), IsSupersetOf({"Completed: Job completed"}));
  for (const api::Pod& pod : Pods()) EXPECT_TRUE(pod.metadata.finalizers.empty());
}

TEST_F(WorkloadsTest, AJobGivesUpAfterItsLimitAndWaitsLongerBetweenTries) {
  Apply(Job("backoffLimit: 2, ", "[\"false\"]"));
  EXPECT_EQ(StatusOf("Job", "job", "failed"), "1");
  Pass(seconds(9));
  EXPECT_EQ(StatusOf("Job", "job", "failed"), "1");
  Pass(seconds(1));
  EXPECT_EQ(StatusOf("Job", "job", "failed"), "2");
  Pass(seconds(20));
  EXPECT_EQ(StatusOf("Job", "job", "failed"), "3");
  EXPECT_THAT(Conditions("Job", "job"),
              ElementsAre("FailureTarget=True BackoffLimitExceeded", "Failed=True BackoffLimitExceeded"));
}

TEST_F(WorkloadsTest, AnIndexedJobRunsEachIndex) {
  Apply(Job("completions: 3, parallelism: 3, completionMode: Indexed, ttlSecondsAfterFinished: 30, ",
            "[sh, -c, \"echo $JOB_COMPLETION_INDEX\"]"));
  EXPECT_EQ(StatusOf("Job", "job", "completedIndexes"), "0-2");
  std::vector<std::string> indexes;
  for (const api::Pod& pod : Pods()) {
    indexes.push_back(pod.metadata.annotations.at("batch.kubernetes.io/job-completion-index"));
    EXPECT_THAT(pod.metadata.name, HasSubstr("job-" + indexes.back() + "-"));
  }
  EXPECT_THAT(indexes, UnorderedElementsAre("0", "1", "2"));
  Pass(seconds(30));
  EXPECT_THAT(Names("Job"), SizeIs(0));
  EXPECT_THAT(Pods(), SizeIs(0));
}

TEST_F(WorkloadsTest, ASuspendedJobStopsAndGoesOn) {
  Apply(Job("", "[sleep, \"60\"]"));
  Patch("Job", "job", R"({"spec": {"suspend": true}})");
  EXPECT_THAT(Pods(), SizeIs(0));
  EXPECT_THAT(Conditions("Job", "job"), ElementsAre("Suspended=True JobSuspended"));
  EXPECT_EQ(StatusOf("Job", "job", "failed"), "") << "stopping is no failure";
  Patch("Job", "job", R"({"spec": {"suspend": false}})");
  EXPECT_EQ(StatusOf("Job", "job", "active"), "1");
  EXPECT_THAT(Conditions("Job", "job"), ElementsAre("Suspended=False JobResumed"));
}

TEST_F(WorkloadsTest, ACronJobStartsJobsByItsSchedule) {
  Apply(R"(
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "*/5 * * * *"
  successfulJobsHistoryLimit: 2
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b, command: ["true"]}]}}}}
)");
  EXPECT_THAT(Names("Job"), SizeIs(0));
  EXPECT_EQ(cluster_->NextWake(), clock_.Now() + seconds(300));
  Pass(seconds(300));
  // 2026-01-01T00:05:00Z in minutes since 1970.
  EXPECT_THAT(Names("Job"), ElementsAre("tick-29453765"));
  EXPECT_EQ(StatusOf("CronJob", "tick", "lastScheduleTime"), "2026-01-01T00:05:00Z");
  EXPECT_EQ(StatusOf("CronJob", "tick", "active"), "");
  for (int i = 0; i < 3; ++i) Pass(seconds(300));
  EXPECT_THAT(Names("Job"), ElementsAre("tick-29453775", "tick-29453780"));
  Patch("CronJob", "tick", R"({"spec": {"suspend": true}})");
  Pass(seconds(300));
  EXPECT_THAT(Names("Job"), SizeIs(2));
}

TEST_F(WorkloadsTest, ABudgetCountsHealthyPods) {
  Apply(Workload("Deployment", "replicas: 4, ") + R"(---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb}
spec: {maxUnavailable: 25%, selector: {matchLabels: {app: web}}}
)");
  EXPECT_EQ(StatusOf("PodDisruptionBudget", "pdb", "expectedPods"), "4");
  EXPECT_EQ(StatusOf("PodDisruptionBudget", "pdb", "desiredHealthy"), "3");
  EXPECT_EQ(StatusOf("PodDisruptionBudget", "pdb", "currentHealthy"), "4");
  EXPECT_EQ(StatusOf("PodDisruptionBudget", "pdb", "disruptionsAllowed"), "1");
  EXPECT_THAT(Conditions("PodDisruptionBudget", "pdb"), ElementsAre("DisruptionAllowed=True SufficientPods"));
}

TEST_F(WorkloadsTest, APodsWayIsToldByEvents) {
  Apply("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: b}]}\n");
  const std::string node = Pods()[0].spec.node_name;
  EXPECT_THAT(Events("p"), ElementsAre("Scheduled: Successfully assigned default/p to " + node,
                                       HasSubstr("Pulled: Container image \"b\" already present"),
                                       "Created: Container created", "Started: Container started"));
  ASSERT_TRUE(cluster_->DeleteObject({"Pod", "default", "p"}));
  Settle();
  EXPECT_THAT(Events("p"), IsSupersetOf({"Killing: Stopping container a"}));
  Pass(std::chrono::hours(1));
  EXPECT_THAT(Events("p"), SizeIs(0));
}

TEST_F(WorkloadsTest, EveryNamespaceHasItsAccountAndCertificate) {
  cluster_->SetRootCertificate("PEM");
  Apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n");
  for (const char* in : {"default", "kube-system", "kube-public", "kube-node-lease", "ml"}) {
    EXPECT_EQ(StringAt(Get("ConfigMap", "kube-root-ca.crt", in), {"data", "ca.crt"}), "PEM");
    EXPECT_EQ(StringAt(Get("ServiceAccount", "default", in), {"metadata", "name"}), "default");
  }
  EXPECT_EQ(StringAt(Get("Lease", "node-0", "kube-node-lease"), {"spec", "holderIdentity"}), "node-0");
  ASSERT_TRUE(cluster_->DeleteObject({"Namespace", "", "ml"}));
  Settle();
  EXPECT_FALSE(cluster_->api().Get({"Namespace", "", "ml"}));
}

}  // namespace
}  // namespace kumiko::localcluster
