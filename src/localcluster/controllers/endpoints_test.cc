// Services and nodes on a small cluster: where pods are reached, and nodes that nobody stands behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::localcluster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EndpointsTest : public testing::ClusterFixture {
 protected:
  EndpointsTest() : ClusterFixture("kind: Cluster\nnodes:\n- {name: node-0}\n") {}

  std::vector<Json> All(const char* kind, const char* in = "default") {
    std::vector<Json> objects;
    const kube::ObjectList list = cluster_->api().List({kind, in, ""}).value();
    for (const auto& item : list.items) objects.push_back(*item.tree());
    return objects;
  }
  // "ADDRESS PORT ready" of each endpoint.
  std::vector<std::string> Endpoints() {
    std::vector<std::string> texts;
    for (const Json& slice : All("EndpointSlice")) {
      const Json* endpoints = FindPath(slice, {"endpoints"});
      if (endpoints == nullptr || !endpoints->is_array()) continue;
      for (const Json& endpoint : endpoints->get_array()) {
        texts.push_back(WriteJson(endpoint.at("addresses")) + " " + WriteJson(slice.at("ports").at(0).at("port")) +
                        (endpoint.at("conditions").at("ready") == Json(true) ? " ready" : ""));
      }
    }
    return texts;
  }
};

constexpr const char* kService = R"(
apiVersion: v1
kind: Service
metadata: {name: web, labels: {team: a}}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}
)";

TEST_F(EndpointsTest, AServiceWithoutPodsHasOneEmptySlice) {
  Apply(kService);
  ASSERT_THAT(All("EndpointSlice"), SizeIs(1));
  EXPECT_EQ(StringAt(All("EndpointSlice")[0], {"metadata", "labels", "kubernetes.io/service-name"}), "web");
  EXPECT_EQ(StringAt(All("EndpointSlice")[0], {"metadata", "labels", "team"}), "a");
  EXPECT_THAT(All("Endpoints"), SizeIs(1));
  EXPECT_THAT(Endpoints(), IsEmpty());
}

TEST_F(EndpointsTest, PodsAreReachedAtTheirPortsUntilTheyGo) {
  Apply(kService);
  Apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: web}}
spec: {containers: [{name: a, image: b, ports: [{name: http, containerPort: 8080}]}]}
)");
  const std::string address(StringAt(All("Pod")[0], {"status", "podIP"}));
  EXPECT_THAT(Endpoints(), ElementsAre("[\"" + address + "\"] 8080 ready"));
  EXPECT_EQ(StringAt(All("Endpoints")[0].at("subsets").at(0).at("addresses").at(0), {"ip"}), address);
  ASSERT_TRUE(cluster_->DeleteObject({"Pod", "default", "p"}));
  Settle();
  EXPECT_THAT(Endpoints(), IsEmpty());
  ASSERT_TRUE(cluster_->DeleteObject({"Service", "default", "web"}));
  Settle();
  EXPECT_THAT(All("EndpointSlice"), IsEmpty());
  EXPECT_THAT(All("Endpoints"), IsEmpty());
}

TEST_F(EndpointsTest, ANodeWithoutAKubeletRunsNothing) {
  Apply("apiVersion: v1\nkind: Node\nmetadata: {name: paper, labels: {topology.kubernetes.io/zone: z}}\n");
  Apply("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: paper, containers: [{name: a, image: b}]}\n");
  const Json pod = All("Pod")[0];
  EXPECT_EQ(StringAt(pod, {"status", "phase"}), "Pending");
  EXPECT_EQ(StringAt(pod, {"metadata", "labels", "topology.kubernetes.io/zone"}), "z");
  EXPECT_FALSE(cluster_->api().Get({"Lease", "kube-node-lease", "paper"}));
  EXPECT_TRUE(cluster_->api().Get({"Lease", "kube-node-lease", "node-0"}));
  for (const Json& node : All("Node", "")) {
    EXPECT_EQ(StringAt(node, {"metadata", "annotations", "node.alpha.kubernetes.io/ttl"}), "0");
  }
  std::vector<std::string> registered;
  for (const Json& event : All("Event")) {
    if (StringAt(event, {"reason"}) == "RegisteredNode") registered.emplace_back(StringAt(event, {"message"}));
  }
  EXPECT_THAT(registered, ElementsAre("Node node-0 event: Registered Node node-0 in Controller",
                                      "Node paper event: Registered Node paper in Controller"));
  ASSERT_TRUE(cluster_->DeleteObject({"Node", "", "paper"}));
  Settle();
  EXPECT_THAT(All("Pod"), IsEmpty()) << "pods of a node that is gone go";
}

}  // namespace
}  // namespace kumiko::localcluster
