#include "cli/explain_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "api/resource/types.h"
#include "base/yaml.h"
#include "kube/typed.h"
#include "localcluster/testing/cluster_fixture.h"

namespace kumiko::cli {
namespace {

constexpr const char* kWholeGpus = R"(
kind: Cluster
nodes:
- name: gpu-04
  gpus: [{model: H100, count: 8}]
- name: gpu-09
  gpus: [{model: H100, count: 8}]
- name: old
  count: 3
  gpus: [{model: A100-80, count: 8}]
)";

constexpr const char* kOneBoard = R"(
kind: Cluster
nodes:
- name: node-2
  gpus: [{model: A100-40, count: 1, mig: dynamic}]
)";

// A pod of the given namespace with one claim of its own, asked for by `request`.
std::string Pod(const std::string& name, const std::string& request, const std::string& pod_spec = "") {
  return "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
         "-gpus, namespace: ml}\nspec: {devices: {requests: [{name: gpus, exactly: {" + request +
         "}}]}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: ml}\nspec: {restartPolicy: Never, " + pod_spec +
         "containers: [{name: main, image: x, resources: {claims: [{name: gpus}]}}], resourceClaims: [{name: gpus, "
         "resourceClaimName: " +
         name + "-gpus}]}\n---\n";
}

class ExplainTest : public localcluster::testing::ClusterFixture {
 protected:
  void Start(const std::string& cluster_file) {
    ClusterFixture::Start(cluster_file);
    Apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n");
  }

  // What the command writes, stdout and stderr. The resourceVersion depends on how the cluster came about.
  std::string Explain(const std::string& kind, const std::string& name, ExplainOptions options = {}) {
    options.kind = kind;
    options.name = name;
    std::ostringstream out;
    std::ostringstream err;
    code_ = RunExplain(options, cluster_->api(), "ml", clock_, {}, out, err);
    std::string text = out.str() + err.str();
    const std::size_t version = text.find(", resourceVersion ");
    if (version != std::string::npos) text = text.substr(0, version) + "\n";
    return text;
  }

  ExitCode code_ = ExitCode::kDone;
};

const std::string kEightH100 =
    R"(deviceClassName: gpu.nvidia.com, count: 8, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100 80GB HBM3"'}}])";

TEST_F(ExplainTest, FewerFreeThanAskedFor) {
  Start(kWholeGpus);
  Apply(Pod("a", "deviceClassName: gpu.nvidia.com, count: 4", "nodeSelector: {kubernetes.io/hostname: gpu-04}, "));
  Apply(Pod("b", "deviceClassName: gpu.nvidia.com, count: 1", "nodeSelector: {kubernetes.io/hostname: gpu-09}, "));
  Apply(Pod("train", kEightH100));
  EXPECT_EQ(Explain("pod", "train"),
            R"(ml/train is waiting for room: no node has 8 free H100 80GB HBM3 GPUs; the nearest has 7.

Asked    8 × gpu.nvidia.com where device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100 80GB HBM3", on one node (claim train-gpus, request gpus)
Place    none of 5 nodes
         3   productName is NVIDIA A100-SXM4-80GB, needs NVIDIA H100 80GB HBM3   old-0, old-1, old-2
         1   free GPUs: 4 of 8 needed                                            gpu-04
         1   free GPUs: 7 of 8 needed                                            gpu-09
Change   ● ask for 7 instead of 8   starts now on gpu-09
         ● wait for ml/b to end     starts then on gpu-09
When     no estimate: ml/b declares no end
Seen     0.0 s ago
)");
}

TEST_F(ExplainTest, ADeviceThatIsTainted) {
  Start(kWholeGpus);
  Apply(R"(apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: xid}
spec: {deviceSelector: {pool: gpu-09, device: gpu-3}, taint: {key: example.com/xid, value: "79", effect: NoSchedule}}
---
)" + Pod("a", "deviceClassName: gpu.nvidia.com, count: 4", "nodeSelector: {kubernetes.io/hostname: gpu-04}, "));
  Apply(Pod("train", kEightH100));
  EXPECT_EQ(Explain("pod", "train"),
            R"(ml/train is waiting for room: no node has 8 free H100 80GB HBM3 GPUs; the nearest has 7.

Asked    8 × gpu.nvidia.com where device.attributes["gpu.nvidia.com"].productName == "NVIDIA H100 80GB HBM3", on one node (claim train-gpus, request gpus)
Place    none of 5 nodes
         3   productName is NVIDIA A100-SXM4-80GB, needs NVIDIA H100 80GB HBM3   old-0, old-1, old-2
         1   gpu-3: taint example.com/xid=79 not tolerated, 7 of 8 free          gpu-09
         1   free GPUs: 4 of 8 needed                                            gpu-04
Change   ● ask for 4 instead of 8                                 starts now on gpu-04
         ● tolerate taint example.com/xid                         starts now on gpu-09
         ● wait for ml/a to end                                   starts then on gpu-04
         ● wait until taint example.com/xid is gone from gpu-09   starts there
When     no estimate: ml/a declares no end
Seen     0.0 s ago
)");
}

TEST_F(ExplainTest, ASelectorThatExcludesAll) {
  Start(kOneBoard);
  Apply(Pod(
      "nb",
      R"(deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].migProfile == "1g.5gb"'}}])"));
  EXPECT_EQ(
      Explain("claim", "nb-gpus"),
      R"(ml/nb-gpus can never start as written: its selector is true for none of 25 devices, because no device has the attribute it reads.

Asked    1 × mig.nvidia.com where device.attributes["gpu.nvidia.com"].migProfile == "1g.5gb"
Place    none of 25 devices (node-2)
         25  attribute migProfile does not exist; did you mean profile?
Change   ● migProfile → profile                                                           starts now on node-2
         ● drop the selector device.attributes["gpu.nvidia.com"].migProfile == "1g.5gb"   starts now on node-2
         ○ wait for others to end                                                         does not help: it fits nowhere even with every device free
When     no estimate: it does not depend on waiting
Seen     0.0 s ago
)");
}

TEST_F(ExplainTest, MoreThanAnyNodeHas) {
  Start(kWholeGpus);
  Apply(Pod("big", "deviceClassName: gpu.nvidia.com, count: 9"));
  EXPECT_EQ(Explain("pod", "big"),
            R"(ml/big can never start in this cluster: it needs 9 GPUs on one node, and no node has more than 8.

Asked    9 × gpu.nvidia.com, on one node (claim big-gpus, request gpus)
Place    none of 5 nodes
         5   GPUs: 8 of 9 needed
Change   ● ask for 8 instead of 9   starts now on gpu-04
         ○ wait for others to end   does not help: it fits nowhere even with every device free
When     no estimate: it does not depend on waiting
Seen     0.0 s ago
)");
}

// A request for one part of the profile.
std::string Part(const std::string& profile) {
  return R"(deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == ")" +
         profile + R"("'}}])";
}

TEST_F(ExplainTest, FreeSlotsThatAreNotSideBySide) {
  Start(kOneBoard);
  for (int i = 0; i < 7; ++i) Apply(Pod("nb-" + std::to_string(i), Part("1g.5gb")));
  // Slots 1, 2 and 5 become free; slot 7 is.
  for (int i = 0; i < 7; ++i) {
    const std::string name = "nb-" + std::to_string(i);
    const auto claim = kube::Get<api::ResourceClaim>(cluster_->api(), "ml", name + "-gpus");
    ASSERT_TRUE(claim && claim->status.allocation);
    const std::string& device = claim->status.allocation->devices.results.front().device;
    if (device.ends_with("-1") || device.ends_with("-2") || device.ends_with("-5")) {
      ASSERT_TRUE(cluster_->DeleteObject({"Pod", "ml", name}));
      ASSERT_TRUE(cluster_->DeleteObject({"ResourceClaim", "ml", name + "-gpus"}));
    }
  }
  ASSERT_TRUE(cluster_->RunUntilIdle());
  Apply(Pod("t-0", Part("3g.20gb")));
  EXPECT_EQ(
      Explain("pod", "t-0"),
      R"(ml/t-0 is waiting for room: 4 of 8 slots are free, but nowhere four side by side, as a 3g.20gb part needs.

Asked    1 × mig.nvidia.com where device.attributes["gpu.nvidia.com"].profile == "3g.20gb" (claim t-0-gpus, request gpus)
Place    none of 1 board (node-2)
         1   free slots 4, none four wide
Nearest  gpu-0   │1g│·····│1g│1g│··│1g│▒▒│   2 of the 4 slots free; ml/nb-0 holds 1g.5gb, ml/nb-6 holds 1g.5gb
Change   ● drop the selector device.attributes["gpu.nvidia.com"].profile == "3g.20gb"   starts now on node-2
         ● wait for ml/nb-2 and ml/nb-5 to end                                          starts then on node-2
When     no estimate: ml/nb-2 declares no end
Seen     0.0 s ago
)");
}

TEST_F(ExplainTest, SaysWhenADeclaredEndMakesRoom) {
  Start(kOneBoard);
  Apply(Pod("a", Part("7g.40gb")));
  ASSERT_TRUE(cluster_->DeleteObject({"Pod", "ml", "a"}));
  Apply(R"(apiVersion: v1
kind: Pod
metadata: {name: short, namespace: ml, annotations: {kumiko.dev/run-for: 10m}}
spec: {restartPolicy: Never, containers: [{name: main, image: x, resources: {claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: a-gpus}]}
)");
  Apply(Pod("b", Part("7g.40gb")));
  EXPECT_THAT(Explain("pod", "b"), testing::HasSubstr("When     about 10m (declared end of ml/short on node-2)\n"));
  EXPECT_THAT(Explain("pod", "b"), testing::HasSubstr("● wait for ml/short to end"));
  clock_.Advance(std::chrono::minutes(10));
  ASSERT_TRUE(cluster_->RunUntilIdle());
  EXPECT_THAT(Explain("pod", "b"), testing::HasSubstr("ml/b runs on node-2"));
}

TEST_F(ExplainTest, TooLittleCpuAndALabelThatNoNodeHas) {
  Start(kWholeGpus);
  Apply(
      "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: cpus, namespace: ml}\nspec: {devices: "
      "{requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com}}]}}\n---\napiVersion: v1\nkind: Pod\n"
      "metadata: {name: cpus, namespace: ml}\nspec: {containers: [{name: main, image: x, resources: {requests: "
      "{cpu: 5k}, claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: cpus}]}\n");
  EXPECT_EQ(Explain("pod", "cpus"),
            R"(ml/cpus can never start in this cluster: no node has 5000 cpu for it; the nearest has 96.

Asked    1 × gpu.nvidia.com (claim cpus, request a)
         5000 cpu
Place    none of 5 nodes
         5   too little cpu: 96 left, needs 5000, although devices are free
Change   ● ask for 96 cpu instead of 5000   starts now on gpu-04
         ○ wait for others to end           does not help: it fits nowhere even with every device free
When     no estimate: it does not depend on waiting
Seen     0.0 s ago
)");
  Apply(Pod("label", "deviceClassName: gpu.nvidia.com", "nodeSelector: {zone: b}, "));
  EXPECT_EQ(Explain("pod", "label"), R"(ml/label can never start as written: no node has the label zone=b.

Asked    1 × gpu.nvidia.com (claim label-gpus, request gpus)
         label zone=b
Place    none of 5 nodes
         5   label zone does not exist, needs b
Change   ● drop zone=b from nodeSelector   starts now on gpu-04
         ○ wait for others to end          does not help: it fits nowhere even with every device free
When     no estimate: it does not depend on waiting
Seen     0.0 s ago
)");
}

TEST_F(ExplainTest, AnAffinityThatNoNodeMatches) {
  Start(kWholeGpus);
  Apply(Pod("aff", "deviceClassName: gpu.nvidia.com",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}}, "));
  const std::string text = Explain("pod", "aff");
  EXPECT_THAT(text, testing::StartsWith("ml/aff can never start as written: no node matches its node affinity.\n"));
  EXPECT_THAT(text, testing::HasSubstr("         5   does not match the pod's node affinity\n"));
  EXPECT_THAT(text, testing::HasSubstr("● drop the required node affinity   starts now on gpu-04\n"));
}

TEST_F(ExplainTest, WhatRunsAndWhatDoesNotExist) {
  Start(kWholeGpus);
  Apply(Pod("train", "deviceClassName: gpu.nvidia.com"));
  EXPECT_EQ(Explain("pod", "train"), R"(ml/train runs on gpu-04 with 1 device, for 0s.

Asked    1 × gpu.nvidia.com (claim train-gpus, request gpus)
Holds    gpu-0 on gpu-04: NVIDIA H100 80GB HBM3, 79.6 GiB, uuid GPU-59678602-1bb0-42f1-8ff0-6160cf43592f, PCIe root pci0000:10
Seen     0.0 s ago
)");
  EXPECT_EQ(Explain("claim", "train-gpus"), R"(ml/train-gpus runs for train.

Asked    1 × gpu.nvidia.com
Holds    gpu-0 on gpu-04: NVIDIA H100 80GB HBM3, 79.6 GiB, uuid GPU-59678602-1bb0-42f1-8ff0-6160cf43592f, PCIe root pci0000:10
Seen     0.0 s ago
)");
  EXPECT_EQ(Explain("pod", "trian"), "pod ml/trian does not exist; did you mean train?\n");
  EXPECT_EQ(Explain("node", "gpu-04"), "kind node cannot be explained; write pod or claim\n");
}

}  // namespace
}  // namespace kumiko::cli
