#include "localcluster/admission/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

using testing::HasSubstr;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

// A cluster of these objects.
ClusterReader Cluster(std::string_view objects) {
  auto all = std::make_shared<std::vector<std::shared_ptr<const Json>>>();
  const Json parsed = Parse(objects);
  for (const Json& object : parsed.as_array()) all->push_back(std::make_shared<const Json>(object));
  const auto list = [all](std::string_view kind) {
    std::vector<std::shared_ptr<const Json>> found;
    for (const auto& object : *all) {
      if (StringAt(*object, {"kind"}) == kind) found.push_back(object);
    }
    return found;
  };
  const auto get = [list](std::string_view kind, std::string_view name_space, std::string_view name) {
    for (const auto& object : list(kind)) {
      if (StringAt(*object, {"metadata", "namespace"}) == name_space &&
          StringAt(*object, {"metadata", "name"}) == name) {
        return object;
      }
    }
    return std::shared_ptr<const Json>();
  };
  return {get, list};
}

Json Pod(std::string_view spec) {
  Json pod = Parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ml"}})");
  pod.as_object()["spec"] = Parse(spec);
  return pod;
}

Json Admitted(Json pod, const ClusterReader& cluster) {
  const Admission admitted = Admit(pod, cluster, "abcde");
  EXPECT_TRUE(admitted) << admitted.error().message;
  return pod;
}

std::string Refusal(Json object, const ClusterReader& cluster) {
  const Admission admitted = Admit(object, cluster, "abcde");
  if (admitted) return "";
  EXPECT_EQ(admitted.error().reason, kube::StatusReason::kForbidden);
  return admitted.error().message;
}

constexpr std::string_view kAccount =
    R"([{"kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "ml"}},
        {"kind": "ServiceAccount", "metadata": {"name": "quiet", "namespace": "ml"},
         "automountServiceAccountToken": false, "imagePullSecrets": [{"name": "registry"}]}])";

TEST(Admission, AddsAllThatTheApiServerAddsToAPod) {
  const Json pod = Admitted(Pod(R"({"containers": [{"name": "c"}]})"), Cluster(kAccount));
  EXPECT_EQ(pod.at("spec"), Parse(R"({
      "containers": [{"name": "c", "volumeMounts": [{"name": "kube-api-access-abcde", "readOnly": true,
          "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}],
      "serviceAccountName": "default", "serviceAccount": "default", "priority": 0,
      "preemptionPolicy": "PreemptLowerPriority",
      "tolerations": [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
        {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
         "tolerationSeconds": 300}],
      "volumes": [{"name": "kube-api-access-abcde", "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"path": "namespace",
                                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}]}}]})"));
}

TEST(Admission, IsDoneWhenItIsDoneTwice) {
  const Json once =
      Admitted(Pod(R"({"containers": [{"name": "c"}], "initContainers": [{"name": "i"}]})"), Cluster(kAccount));
  EXPECT_EQ(Admitted(once, Cluster(kAccount)), once);
}

TEST(Admission, TheAccountAndThePodSayWhetherTheTokenIsMounted) {
  const Json quiet =
      Admitted(Pod(R"({"serviceAccountName": "quiet", "containers": [{"name": "c"}]})"), Cluster(kAccount));
  EXPECT_EQ(Find(quiet.at("spec"), "volumes"), nullptr);
  EXPECT_EQ(quiet.at_pointer("/spec/imagePullSecrets"), Parse(R"([{"name": "registry"}])"));
  const Json loud = Admitted(Pod(R"({"serviceAccountName": "quiet", "automountServiceAccountToken": true,
                                     "containers": [{"name": "c"}]})"),
                             Cluster(kAccount));
  EXPECT_NE(Find(loud.at("spec"), "volumes"), nullptr);
  EXPECT_EQ(Refusal(Pod(R"({"serviceAccountName": "robot"})"), Cluster(kAccount)),
            "pods \"p\" is forbidden: error looking up service account ml/robot: serviceaccount \"robot\" not found");
}

TEST(Admission, AVolumeAtThePathOfTheTokenStays) {
  const Json pod = Admitted(Pod(R"({"containers": [{"name": "c", "volumeMounts": [
      {"name": "mine", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}]})"),
                            Cluster(kAccount));
  EXPECT_EQ(Find(pod.at("spec"), "volumes"), nullptr);
}

TEST(Admission, OwnTolerationsOfFailedNodesStay) {
  const Json all = Admitted(Pod(R"({"tolerations": [{"operator": "Exists"}]})"), Cluster(kAccount));
  EXPECT_EQ(all.at_pointer("/spec/tolerations").as_array().size(), 1U);
  const Json one = Admitted(Pod(R"({"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                                     "effect": "NoExecute"}, {"key": "a", "effect": "NoSchedule"}]})"),
                            Cluster(kAccount));
  ASSERT_EQ(one.at_pointer("/spec/tolerations").as_array().size(), 3U);
  EXPECT_EQ(one.at_pointer("/spec/tolerations/2/key"), "node.kubernetes.io/unreachable");
}

TEST(Admission, ThePriorityIsThatOfTheClass) {
  const ClusterReader cluster = Cluster(R"([
      {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"},
      {"kind": "PriorityClass", "metadata": {"name": "usual"}, "value": 10, "globalDefault": true,
       "preemptionPolicy": "PreemptLowerPriority"}])");
  const Json high = Admitted(Pod(R"({"priorityClassName": "high"})"), cluster);
  EXPECT_EQ(high.at_pointer("/spec/priority"), 1000);
  EXPECT_EQ(high.at_pointer("/spec/preemptionPolicy"), "Never");
  const Json usual = Admitted(Pod("{}"), cluster);
  EXPECT_EQ(usual.at_pointer("/spec/priorityClassName"), "usual");
  EXPECT_EQ(usual.at_pointer("/spec/priority"), 10);
  const Json critical = Admitted(Pod(R"({"priorityClassName": "system-node-critical"})"), cluster);
  EXPECT_EQ(critical.at_pointer("/spec/priority"), 2000001000);
  EXPECT_EQ(Refusal(Pod(R"({"priorityClassName": "highest"})"), cluster),
            "pods \"p\" is forbidden: no PriorityClass with name highest was found");
  EXPECT_THAT(Refusal(Pod(R"({"priorityClassName": "high", "priority": 7})"), cluster),
              HasSubstr("the integer value of priority (7) must not be provided in pod spec"));
}

TEST(Admission, OnePriorityClassIsTheDefault) {
  const ClusterReader cluster =
      Cluster(R"([{"kind": "PriorityClass", "metadata": {"name": "usual"}, "globalDefault": true}])");
  Json second = Parse(R"({"kind": "PriorityClass", "metadata": {"name": "other"}, "globalDefault": true})");
  EXPECT_EQ(
      Refusal(second, cluster),
      "priorityclasses.scheduling.k8s.io \"other\" is forbidden: PriorityClass usual is already marked as default. "
      "Only one default can exist");
  second.as_object()["globalDefault"] = false;
  EXPECT_EQ(Refusal(second, cluster), "");
}

}  // namespace
}  // namespace kumiko::localcluster
