#include "localcluster/update_rules.h"

#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

struct Change {
  const char* name;
  const char* before;
  const char* pointer;
  const char* value;
  const char* expected;  // "" when the change is allowed
};

class UpdateRules : public testing::TestWithParam<Change> {};

// The answers are those of kube-apiserver 1.37.2 to `kubectl patch`.
TEST_P(UpdateRules, AreThoseOfTheApiServer) {
  const Json before = ParseJson(GetParam().before).value();
  Json after = before;
  boost::system::error_code error;
  Json* place = after.find_pointer(GetParam().pointer, error);
  ASSERT_NE(place, nullptr);
  *place = ParseJson(GetParam().value).value();
  EXPECT_EQ(api::Describe(CheckUpdate(before, after)), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, UpdateRules,
    testing::Values(
        Change{"DeploymentSelector", R"({"kind": "Deployment", "spec": {"selector": {"matchLabels": {"app": "x"}}}})",
               "/spec/selector/matchLabels/app", R"("y")",
               R"(spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable)"},
        Change{"DeploymentReplicas", R"({"kind": "Deployment", "spec": {"replicas": 1}})", "/spec/replicas", "2", ""},
        Change{"JobCompletions", R"({"kind": "Job", "spec": {"completions": 1}})", "/spec/completions", "3",
               "spec.completions: Invalid value: 3: field is immutable"},
        Change{"StatefulSetService", R"({"kind": "StatefulSet", "spec": {"serviceName": "a"}})", "/spec/serviceName",
               R"("b")", R"(spec.serviceName: Invalid value: "b": field is immutable)"},
        Change{"SecretType", R"({"kind": "Secret", "type": "Opaque"})", "/type", R"("x/y")",
               R"(type: Invalid value: "x/y": field is immutable)"},
        Change{"ImmutableData", R"({"kind": "ConfigMap", "immutable": true, "data": {"a": "b"}})", "/data/a", R"("c")",
               "data: Forbidden: field is immutable when `immutable` is set"},
        Change{"Immutable", R"({"kind": "Secret", "immutable": true})", "/immutable", "false",
               "immutable: Forbidden: field is immutable when `immutable` is set"},
        Change{"ServiceAddress", R"({"kind": "Service", "spec": {"clusterIPs": ["10.96.0.1"]}})", "/spec/clusterIPs/0",
               R"("10.96.0.2")", R"(spec.clusterIPs[0]: Invalid value: ["10.96.0.2"]: may not change once set)"},
        Change{"PriorityValue", R"({"kind": "PriorityClass", "value": 5})", "/value", "7",
               "value: Forbidden: may not be changed in an update."},
        Change{"FinalizerOfWhatGoes",
               R"({"kind": "ConfigMap", "metadata": {"deletionTimestamp": "t", "finalizers": ["a/b"]}})",
               "/metadata/finalizers", R"(["a/b", "a/c"])",
               R"(metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, )"
               R"(found new finalizers []string{"a/c"})"},
        Change{"Finalizer", R"({"kind": "ConfigMap", "metadata": {"finalizers": ["a/b"]}})", "/metadata/finalizers",
               R"(["a/b", "a/c"])", ""},
        Change{"RoleReference",
               R"({"kind": "RoleBinding", "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                                                      "name": "a"}})",
               "/roleRef/name", R"("b")",
               R"(roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: field is )"
               "immutable"},
        Change{"PodImage", R"({"kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}]}})",
               "/spec/containers/0/image", R"("j")", ""},
        Change{"PodContainers", R"({"kind": "Pod", "spec": {"containers": [{"name": "c"}]}})", "/spec/containers",
               R"([{"name": "c"}, {"name": "d"}])",
               "spec.containers: Forbidden: pod updates may not add or remove containers"},
        Change{"PodGrace", R"({"kind": "Pod", "spec": {"terminationGracePeriodSeconds": 30}})",
               "/spec/terminationGracePeriodSeconds", "5",
               "spec: Forbidden: pod updates may not change fields other than "
               "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
               "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
               "(allow it to be set to 1 if it was previously negative)\n"
               "@@ -4,7 +4,7 @@\n  \"Containers\": null,\n  \"EphemeralContainers\": null,\n  \"RestartPolicy\": "
               "\"\",\n- \"TerminationGracePeriodSeconds\": 30,\n+ \"TerminationGracePeriodSeconds\": 5,\n  "
               "\"ActiveDeadlineSeconds\": null,\n  \"DNSPolicy\": \"\",\n  \"NodeSelector\": null,\n"},
        Change{"ClaimSpec", R"({"kind": "ResourceClaim", "spec": {"devices": 1}})", "/spec/devices", "2",
               "spec: Invalid value: null: field is immutable"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace kumiko::localcluster
