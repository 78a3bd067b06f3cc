#include "api/core/pod_dump.h"

#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

// The answers are those of kube-apiserver 1.37.2 to patches of a pod.
TEST(PodDump, ADiffNamesTheMembersOfTheServersStructs) {
  const Json before = ParseJson(R"({"containers": [{"name": "main", "image": "i", "imagePullPolicy": "Always",
      "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "resources": {},
      "ports": [{"containerPort": 7401, "protocol": "TCP"}]}],
      "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "serviceAccount": "default",
      "serviceAccountName": "default"})")
                          .value();
  Json after = before;
  after.as_object()["hostNetwork"] = true;
  after.at_pointer("/containers/0/ports/0").as_object()["hostPort"] = 7401;
  EXPECT_EQ(DiffInGo(PodSpecInGo(before), PodSpecInGo(after)), R"(@@ -11,7 +11,7 @@
    "Ports": [
     {
      "Name": "",
-     "HostPort": 0,
+     "HostPort": 7401,
      "ContainerPort": 7401,
      "Protocol": "TCP",
      "HostIP": ""
@@ -52,7 +52,7 @@
  "DeprecatedServiceAccount": "default",
  "AutomountServiceAccountToken": null,
  "NodeName": "",
- "HostNetwork": false,
+ "HostNetwork": true,
  "HostPID": false,
  "HostIPC": false,
  "ShareProcessNamespace": null,
)");
  EXPECT_EQ(DiffInGo(PodSpecInGo(before), PodSpecInGo(before)), "");
}

TEST(PodDump, ATemplateHasItsLabelsAndSpec) {
  const Json dumped = PodTemplateInGo(ParseJson(R"({"metadata": {"labels": {"b": "2", "a": "1"}},
      "spec": {"volumes": [{"name": "v", "emptyDir": {}}], "containers": [{"name": "c"}]}})")
                                          .value());
  const std::string text = WriteJson(dumped);
  EXPECT_TRUE(text.starts_with(R"({"labels":{"a":"1","b":"2"},"Spec":{"Volumes":[{"Name":"v","HostPath":null,)"
                               R"("EmptyDir":{"Medium":"","SizeLimit":null,"Mode":null},)"))
      << text;
  EXPECT_NE(text.find(R"("Containers":[{"Name":"c","Image":"","Command":null)"), std::string::npos) << text;
}

}  // namespace
}  // namespace kumiko::api
