#include "localcluster/component_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "kube/retry.h"
#include "localcluster/binding.h"

namespace kumiko::localcluster {
namespace {

using ::testing::ElementsAre;

constexpr const char* kPod = R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default", "labels": {"a": "b"}},
    "spec": {"containers": [{"name": "c", "image": "i"}]}})";
const kube::ObjectKey kPodKey{"Pod", "default", "p"};

class ComponentClientTest : public ::testing::Test {
 protected:
  Json Get(const kube::ObjectKey& key) { return *store_.Get(key).value(); }
  // "kubelet status" of each entry of metadata.managedFields.
  std::vector<std::string> Owners(const kube::ObjectKey& key) {
    std::vector<std::string> owners;
    const Json object = Get(key);
    const Json* entries = FindPath(object, {"metadata", "managedFields"});
    if (entries == nullptr) return owners;
    for (const Json& entry : entries->as_array()) {
      owners.push_back(std::string(StringAt(entry, {"manager"})) + " " + std::string(StringAt(entry, {"subresource"})));
    }
    return owners;
  }

  ManualClock clock_{Time{1'700'000'000'000'000}};
  Store store_{clock_};
  ComponentClient controllers_{store_, clock_, "kube-controller-manager"};
  ComponentClient kubelets_{store_, clock_, "kubelet"};
};

TEST_F(ComponentClientTest, WritersOwnWhatTheyWrite) {
  ASSERT_TRUE(controllers_.Create(ParseJson(kPod).value()));
  EXPECT_THAT(Owners(kPodKey), ElementsAre("kube-controller-manager "));
  clock_.Advance(std::chrono::seconds(1));
  const Json status = JsonObject{{"status", JsonObject{{"phase", "Running"}}}};
  ASSERT_TRUE(kubelets_.Patch(kPodKey, status, kube::Subresource::kStatus));
  EXPECT_THAT(Owners(kPodKey), ElementsAre("kube-controller-manager ", "kubelet status"));
  // The same again is no write, though it would be a later one.
  const Json before = Get(kPodKey);
  clock_.Advance(std::chrono::seconds(5));
  ASSERT_TRUE(kubelets_.Patch(kPodKey, status, kube::Subresource::kStatus));
  EXPECT_EQ(Get(kPodKey), before);
}

TEST_F(ComponentClientTest, NobodyOwnsWhatTheServerAdds) {
  ASSERT_TRUE(controllers_.Create(ParseJson(R"({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
      "spec": {"ports": [{"port": 80}], "selector": {"a": "b"}}})")
                                      .value()));
  ASSERT_TRUE(controllers_.Create(
      ParseJson(R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}})").value()));
  const auto fields = [&](const kube::ObjectKey& key, std::string_view member) {
    const Json object = Get(key);
    const Json* owned = FindPath(object.at("metadata").at("managedFields").at(0), {"fieldsV1", "f:spec", member});
    return owned != nullptr;
  };
  EXPECT_TRUE(fields({"Service", "default", "s"}, "f:selector"));
  for (const char* assigned : {"f:clusterIP", "f:clusterIPs", "f:ipFamilies", "f:ipFamilyPolicy"}) {
    EXPECT_FALSE(fields({"Service", "default", "s"}, assigned)) << assigned;
  }
  EXPECT_FALSE(fields({"Namespace", "", "n"}, "f:finalizers"));
}

TEST_F(ComponentClientTest, ABindingIsOneWriteThatNobodyOwns) {
  ASSERT_TRUE(store_.Create(ParseJson(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n",
      "labels": {"topology.kubernetes.io/zone": "z", "other": "o"}}})")
                                .value()));
  ASSERT_TRUE(controllers_.Create(ParseJson(kPod).value()));
  const std::uint64_t before = store_.Revision();
  ASSERT_TRUE(BindPod(store_, {kPodKey, "", "n"}, clock_.Now()));
  EXPECT_EQ(store_.Revision(), before + 1);
  const Json pod = Get(kPodKey);
  EXPECT_EQ(StringAt(pod, {"spec", "nodeName"}), "n");
  EXPECT_EQ(*FindPath(pod, {"metadata", "labels"}), Json({{"a", "b"}, {"topology.kubernetes.io/zone", "z"}}));
  EXPECT_EQ(StringAt(pod.at("status").at("conditions").at(0), {"type"}), "PodScheduled");
  EXPECT_THAT(Owners(kPodKey), ElementsAre("kube-controller-manager "));
  const auto again = BindPod(store_, {kPodKey, "", "n"}, clock_.Now());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, kube::StatusReason::kConflict);
}

}  // namespace
}  // namespace kumiko::localcluster
