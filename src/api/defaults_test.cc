#include "api/defaults.h"

#include <gtest/gtest.h>

#include "api/kinds.h"

namespace kumiko::api {
namespace {

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

Json Defaulted(std::string_view text) {
  Json object = Parse(text);
  SetDefaults(object);
  return object;
}

Json At(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* found = FindPath(object, path);
  return found == nullptr ? Json() : *found;
}

// What a real API server 1.37 answers to these manifests, but for uids, times and addresses.
struct Completed {
  const char* name;
  const char* manifest;
  const char* expected;
};

class CompleteObjects : public testing::TestWithParam<Completed> {};

TEST_P(CompleteObjects, AreThoseOfTheApiServer) {
  EXPECT_EQ(Defaulted(GetParam().manifest), Parse(GetParam().expected)) << WriteJson(Defaulted(GetParam().manifest));
}

INSTANTIATE_TEST_SUITE_P(
    All, CompleteObjects,
    testing::Values(
        Completed{"Pod",
                  R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                      "spec": {"containers": [{"name": "c", "image": "nginx", "ports": [{"containerPort": 80}],
                                               "resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}}]}})",
                  R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                      "spec": {"containers": [{"name": "c", "image": "nginx", "imagePullPolicy": "Always",
                          "ports": [{"containerPort": 80, "protocol": "TCP"}],
                          "resources": {"limits": {"cpu": "500m", "memory": "1Gi"},
                                        "requests": {"cpu": "500m", "memory": "1Gi"}},
                          "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
                        "dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "restartPolicy": "Always",
                        "schedulerName": "default-scheduler", "securityContext": {},
                        "terminationGracePeriodSeconds": 30},
                      "status": {"phase": "Pending", "qosClass": "Guaranteed"}})"},
        Completed{"Deployment",
                  R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {}},
                      "spec": {"selector": {"matchLabels": {"a": "b"}},
                               "template": {"metadata": {"labels": {"a": "b"}},
                                            "spec": {"hostNetwork": false, "initContainers": [],
                                                     "containers": [{"name": "c", "image": "r:5000/i@sha256:0"}]}}}})",
                  R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
                      "spec": {"progressDeadlineSeconds": 600, "replicas": 1, "revisionHistoryLimit": 10,
                               "selector": {"matchLabels": {"a": "b"}},
                               "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"},
                                            "type": "RollingUpdate"},
                               "template": {"metadata": {"labels": {"a": "b"}},
                                 "spec": {"containers": [{"name": "c", "image": "r:5000/i@sha256:0",
                                     "imagePullPolicy": "IfNotPresent", "resources": {},
                                     "terminationMessagePath": "/dev/termination-log",
                                     "terminationMessagePolicy": "File"}],
                                   "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
                                   "schedulerName": "default-scheduler", "securityContext": {},
                                   "terminationGracePeriodSeconds": 30}}},
                      "status": {}})"},
        Completed{"Service",
                  R"({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
                      "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}, {"port": 81, "targetPort": "http"}]}})",
                  R"({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
                      "spec": {"internalTrafficPolicy": "Cluster", "selector": {"a": "b"}, "sessionAffinity": "None",
                               "type": "ClusterIP",
                               "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80},
                                         {"port": 81, "protocol": "TCP", "targetPort": "http"}]},
                      "status": {"loadBalancer": {}}})"},
        Completed{"Secret",
                  R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "eA=="},
                      "stringData": {"user": "admin"}})",
                  R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
                      "data": {"a": "eA==", "user": "YWRtaW4="}, "type": "Opaque"})"},
        Completed{"Event", R"({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "reason": "r"})",
                  R"({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "eventTime": null,
                      "firstTimestamp": null, "involvedObject": {}, "lastTimestamp": null, "reason": "r",
                      "reportingComponent": "", "reportingInstance": "", "source": {}})"}),
    [](const auto& row) { return row.param.name; });

TEST(Defaults, KeepZerosThatSomebodyChose) {
  const Json deployment = Defaulted(R"({"apiVersion": "apps/v1", "kind": "Deployment",
      "spec": {"replicas": 0, "revisionHistoryLimit": 0, "strategy": {"type": "Recreate"}}})");
  EXPECT_EQ(At(deployment, {"spec", "replicas"}), Json(0));
  EXPECT_EQ(At(deployment, {"spec", "revisionHistoryLimit"}), Json(0));
  EXPECT_EQ(At(deployment, {"spec", "strategy"}), Parse(R"({"type": "Recreate"})"));
}

TEST(Defaults, OfVolumesProbesAndEnvironment) {
  const Json pod = Defaulted(R"({"apiVersion": "v1", "kind": "Pod", "spec": {
      "serviceAccount": "robot", "hostNetwork": true,
      "volumes": [{"name": "a"}, {"name": "b", "secret": {"secretName": "s"}}, {"name": "c", "hostPath": {"path": "/"}}],
      "containers": [{"name": "c", "image": "i:1", "ports": [{"containerPort": 8080}],
                      "env": [{"name": "A", "value": ""}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
                      "livenessProbe": {"httpGet": {"port": 80}, "timeoutSeconds": 5}}]}})");
  EXPECT_EQ(At(pod, {"spec", "volumes"}), Parse(R"([{"name": "a", "emptyDir": {}},
      {"name": "b", "secret": {"secretName": "s", "defaultMode": 420}},
      {"name": "c", "hostPath": {"path": "/", "type": ""}}])"));
  EXPECT_EQ(At(pod, {"spec", "serviceAccountName"}), Json("robot"));
  const Json container = At(pod, {"spec", "containers"}).at(0);
  EXPECT_EQ(container.at("env"), Parse(R"([{"name": "A"},
      {"name": "B", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "x"}}}])"));
  EXPECT_EQ(container.at("livenessProbe"),
            Parse(R"({"failureThreshold": 3, "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
                      "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 5})"));
  EXPECT_EQ(container.at("ports"), Parse(R"([{"containerPort": 8080, "hostPort": 8080, "protocol": "TCP"}])"));
  EXPECT_EQ(container.at("imagePullPolicy"), Json("IfNotPresent"));
  EXPECT_EQ(At(pod, {"status", "qosClass"}), Json("BestEffort"));
}

TEST(Defaults, OfJobsAndCronJobs) {
  const Json job = Defaulted(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
      "spec": {"parallelism": 3, "template": {"metadata": {"labels": {"a": "b"}}}}})");
  EXPECT_EQ(At(job, {"spec", "completions"}), Json());
  EXPECT_EQ(At(job, {"spec", "backoffLimit"}), Json(6));
  EXPECT_EQ(At(job, {"spec", "podReplacementPolicy"}), Json("TerminatingOrFailed"));
  EXPECT_EQ(At(job, {"metadata", "labels"}), Parse(R"({"a": "b"})"));
  const Json cron_job =
      Defaulted(R"({"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "* * * * *"}})");
  EXPECT_EQ(At(cron_job, {"spec", "concurrencyPolicy"}), Json("Allow"));
  EXPECT_EQ(At(cron_job, {"spec", "jobTemplate", "spec", "backoffLimit"}), Json());
  EXPECT_EQ(At(cron_job, {"spec", "jobTemplate", "spec", "template", "spec", "restartPolicy"}), Json("Always"));
}

TEST(Defaults, LeaveWrongTypesAndUnknownMembersAlone) {
  const Json pod = Defaulted(R"({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": "none", "mystery": 1}})");
  EXPECT_EQ(At(pod, {"spec", "containers"}), Json("none"));
  EXPECT_EQ(At(pod, {"spec", "mystery"}), Json(1));
  EXPECT_EQ(Defaulted(R"({"apiVersion": "v1", "kind": "Pod", "spec": 1})").at("spec"), Json(1));
}

TEST(Defaults, AreWrittenOnce) {
  for (const KindInfo& info : AllKinds()) {
    Json object = JsonObject{{"apiVersion", info.ApiVersion()}, {"kind", info.kind}};
    SetDefaults(object);
    const Json once = object;
    SetDefaults(object);
    EXPECT_EQ(object, once) << info.kind;
    EXPECT_NE(FindPath(object, {"metadata"}), nullptr) << info.kind << " has no form";
  }
}

}  // namespace
}  // namespace kumiko::api
