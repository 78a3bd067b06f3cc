#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/yaml.h"
#include "cli/explain/explain.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {
namespace {

std::string RandomCluster() {
  std::string text = "kind: Cluster\nnodes:\n";
  const int groups = *rc::gen::inRange(1, 4);
  for (int i = 0; i < groups; ++i) {
    const std::string model = *rc::gen::elementOf(std::vector<std::string>{"A100-40", "H100", "T4"});
    const std::string mig = model == "T4" ? "off" : *rc::gen::elementOf(std::vector<std::string>{"off", "dynamic"});
    text += "- name: g" + std::to_string(i) + "\n  count: " + std::to_string(*rc::gen::inRange(1, 4)) +
            "\n  labels: {zone: " + *rc::gen::elementOf(std::vector<std::string>{"a", "b"}) + "}\n";
    if (*rc::gen::inRange(0, 4) == 0) text += "  taints: [{key: example.com/own, effect: NoSchedule}]\n";
    text +=
        "  gpus: [{model: " + model + ", count: " + std::to_string(*rc::gen::inRange(1, 4)) + ", mig: " + mig + "}]\n";
  }
  return text;
}

// Pods that ask for whole GPUs, parts and things that do not exist; some of a zone, some with much cpu.
std::string RandomPods(int pods) {
  static const std::vector<std::string> kRequests = {
      "deviceClassName: gpu.nvidia.com, count: 1",
      "deviceClassName: gpu.nvidia.com, count: 2",
      "deviceClassName: gpu.nvidia.com, count: 5",
      "deviceClassName: gpu.nvidia.com, allocationMode: All",
      R"(deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == "3g.20gb"'}}])",
      R"(deviceClassName: mig.nvidia.com, count: 3, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].profile == "1g.10gb"'}}])",
      R"(deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].migProfile == "1g.5gb"'}}])",
      R"(deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"'}}])"};
  std::string text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n---\n";
  for (int i = 0; i < pods; ++i) {
    const std::string name = "p" + std::to_string(i);
    std::string spec;
    if (*rc::gen::inRange(0, 3) == 0)
      spec += "nodeSelector: {zone: " + *rc::gen::elementOf(std::vector<std::string>{"a", "b", "c"}) + "}, ";
    const std::string cpu = *rc::gen::elementOf(std::vector<std::string>{"1", "60", "5000"});
    text += "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
            ", namespace: ml}\nspec: {devices: {requests: [{name: a, exactly: {" + *rc::gen::elementOf(kRequests) +
            "}}";
    if (*rc::gen::inRange(0, 3) == 0) text += ", {name: b, exactly: {" + *rc::gen::elementOf(kRequests) + "}}";
    text += "]}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: ml}\nspec: {" + spec +
            "containers: [{name: main, image: x, resources: {requests: {cpu: \"" + cpu +
            "\"}, claims: [{name: c}]}}], resourceClaims: [{name: c, resourceClaimName: " + name + "}]}\n---\n";
  }
  return text;
}

void ExpectPartition(const report::Explanation& explanation) {
  if (!explanation.place) return;
  std::size_t sum = 0;
  for (const report::PlaceRow& row : explanation.place->rows) {
    sum += row.count;
    RC_ASSERT(!row.code.empty());
    RC_ASSERT(!row.text.empty());
    RC_ASSERT(row.names.empty() || row.names.size() == row.count);
  }
  RC_ASSERT(sum == explanation.place->total);
}

RC_GTEST_PROP(ExplainProperty, RowsOfPlaceAddUpToAllNodesOrDevices, ()) {
  const ManualClock clock{Time{1'767'225'600'000'000}};
  const auto file = localcluster::ParseClusterFile("random", RandomCluster());
  RC_ASSERT(file.has_value());
  const auto cluster = localcluster::Cluster::Create(*file, {}, clock);
  RC_ASSERT(cluster.has_value());
  const int pods = *rc::gen::inRange(1, 8);
  const auto documents = ParseYamlDocuments(RandomPods(pods), "pods");
  RC_ASSERT(documents.has_value());
  RC_ASSERT((*cluster)->Apply(*documents).has_value());
  RC_ASSERT((*cluster)->RunUntilIdle().has_value());
  localcluster::ClusterModel model((*cluster)->api());
  RC_ASSERT(model.Sync().has_value());
  for (int i = 0; i < pods; ++i) {
    const std::string name = "p" + std::to_string(i);
    const auto pod = ExplainPod(model, "ml", name, clock.Now());
    RC_ASSERT(pod.has_value());
    ExpectPartition(*pod);
    const bool waits = model.pods().Find("ml", name)->spec.node_name.empty();
    RC_ASSERT(waits == (pod->verdict != report::Verdict::kRuns && pod->verdict != report::Verdict::kStarting));
    const auto claim = ExplainClaim(model, "ml", name, clock.Now());
    RC_ASSERT(claim.has_value());
    ExpectPartition(*claim);
  }
}

}  // namespace
}  // namespace kumiko::cli
