#include "cli/top_command.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/json.h"
#include "base/yaml.h"
#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::cli {
namespace {

constexpr const char* kCluster = R"(
kind: Cluster
nodes:
- name: mig
  gpus: [{model: A100-40, count: 2, mig: dynamic}]
- name: old
  labels: {zone: b}
  gpus: [{model: T4, count: 2}]
)";

constexpr const char* kWork = R"(
apiVersion: v1
kind: Namespace
metadata: {name: ml}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: part, namespace: ml}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == "3g.20gb"'}}]}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: whole, namespace: ml}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].architecture == "Turing"'}}]}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: many, namespace: ml}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com, count: 3}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: nb, namespace: ml, labels: {kai.scheduler/queue: research}}
spec: {containers: [{name: main, image: x, resources: {claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: part}]}
---
apiVersion: v1
kind: Pod
metadata: {name: infer, namespace: ml}
spec: {containers: [{name: main, image: x, resources: {claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: whole}]}
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml}
spec: {containers: [{name: main, image: x, resources: {claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: many}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: xid}
spec: {deviceSelector: {pool: old, device: gpu-1}, taint: {key: example.com/xid, value: "79", effect: NoSchedule}}
)";

class TopTest : public localcluster::testing::ClusterFixture {
 protected:
  TopTest() : ClusterFixture(kCluster) {
    Apply(kWork);
    clock_.Advance(std::chrono::seconds(90));
  }

  std::string Top(const std::string& what, TopOptions options = {}) {
    options.what = what;
    std::ostringstream out;
    std::ostringstream err;
    code_ = RunTop(options, cluster_->api(), "ml", clock_, [] { return report::Style(); }, out, err);
    return out.str() + err.str();
  }

  ExitCode code_ = ExitCode::kDone;
};

TEST_F(TopTest, NodesWithTheirBoards) {
  EXPECT_EQ(Top("nodes"), R"(2 nodes, 4 GPUs   allocated 1.5 (38 %)   used <unknown>   waiting 1 pod   unhealthy 1
NODE   GPUS   ALLOC   STRIPS                 WAIT-FIT   HEALTH
mig    2      0.5     [....3---][........]   0/12       ok
old    2      1.0     [========][!!!!!!!!]   0/0        GPU 1 example.com/xid=79
)");
}

TEST_F(TopTest, BoardsWithWhoHoldsThem) {
  EXPECT_EQ(Top("gpus"), R"(NODE   GPU     MODEL                   STRIP                       USE         HELD-BY
mig    gpu-0   NVIDIA A100-SXM4-40GB   │···········│3g.20gb    │   <unknown>   ml/nb
mig    gpu-1   NVIDIA A100-SXM4-40GB   │·······················│   <unknown>   <none>
old    gpu-0   Tesla T4                │█ ml/infer             │   <unknown>   ml/infer
old    gpu-1   Tesla T4                │! example.com/xid=79   │   <unknown>   <none>
)");
}

TEST_F(TopTest, PodsThatHoldDevices) {
  EXPECT_EQ(Top("pods"), R"(NAMESPACE   NAME    QUEUE      GPUS   USE         MEM        SINCE
ml          infer   <none>     1      <unknown>   16 GiB     90s
ml          nb      research   0.50   <unknown>   19.5 GiB   90s
)");
}

TEST_F(TopTest, PodsThatWait) {
  EXPECT_EQ(Top("pending"), R"(POS   NAMESPACE   NAME    QUEUE    ASKS      WAITING   REASON
1     ml          train   <none>   3 × GPU   90s       it needs 3 GPUs on one node, and no node has more than 2
)");
}

TEST_F(TopTest, RowsAndHeadersAsAskedFor) {
  TopOptions options;
  options.headers = false;
  options.selector = "zone=b";
  EXPECT_EQ(Top("nodes", options),
            "old    2      1.0     [========][!!!!!!!!]   0/0        GPU 1 example.com/xid=79\n");
  options.selector = "zone=c";
  EXPECT_EQ(Top("pending", options), "No waiting pods found in ml namespace.\n");
  options.selector = "zone in";
  Top("nodes", options);
  EXPECT_EQ(code_, ExitCode::kBadInput);
  options.selector = "";
  options.output = Output::kName;
  EXPECT_EQ(Top("pods", options), "pod/infer\npod/nb\n");
}

TEST_F(TopTest, JsonHasNumbersWithTheirUnits) {
  TopOptions options;
  options.output = Output::kJson;
  const auto json = ParseJson(Top("nodes", options));
  ASSERT_TRUE(json) << json.error().message;
  const JsonArray& items = json->at("items").as_array();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(StringAt(items[0], {"kind"}), "NodeView");
  EXPECT_EQ(items[0].at("allocatedMilliGpu").as_int64(), 500);
  EXPECT_EQ(StringAt(*json, {"snapshot", "time"}), "2026-01-01T00:01:30.000000Z");
}

}  // namespace
}  // namespace kumiko::cli
