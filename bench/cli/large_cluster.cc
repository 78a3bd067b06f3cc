// Times `kumiko explain` and `kumiko top` on a large cluster in this process: reading all objects, and drawing.
//
//   cli_large_cluster NODES off|dynamic      eight H100 a node, as whole GPUs or in MIG mode
//
// One node in eight is filled; a pod that wants more GPUs than a node has is explained.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>

#include "base/clock.h"
#include "base/yaml.h"
#include "cli/explain_command.h"
#include "cli/top_command.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {
namespace {

std::string Pods(int nodes) {
  const std::string claim =
      "apiVersion: resource.k8s.io/v1\nkind: {}\nmetadata: {{name: {}}}\nspec: {}{{devices: {{requests: [{{name: gpus, "
      "exactly: {{deviceClassName: gpu.nvidia.com, count: {}}}}}]}}}}{}\n---\n";
  std::string text =
      fmt::format(fmt::runtime(claim), "ResourceClaimTemplate", "eight", "{spec: ", 8, "}") +
      fmt::format(fmt::runtime(claim), "ResourceClaim", "nine", "", 9, "");
  const std::string pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec: {{containers: [{{name: main, image: x}}], "
      "resourceClaims: [{{name: gpus, {}}}]}}\n---\n";
  for (int i = 0; i < nodes / 8; ++i) {
    text += fmt::format(fmt::runtime(pod), fmt::format("train-{}", i), "resourceClaimTemplateName: eight");
  }
  return text + fmt::format(fmt::runtime(pod), "big", "resourceClaimName: nine");
}

template <class Run>
void Time(const char* what, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = run(out, err);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  fmt::print("{:<14} {:8.0f} ms  {:>9} bytes  exit {}  {}\n", what, took.count(), out.str().size(),
             static_cast<int>(code), err.str());
  std::fflush(stdout);
}

int Measure(int nodes, const std::string& mig) {
  const std::string text = fmt::format(
      "kind: Cluster\nnodes:\n- name: node\n  count: {}\n  gpus: [{{model: H100, count: 8, mig: {}}}]\n", nodes, mig);
  const auto file = localcluster::ParseClusterFile("large", text);
  const RealClock clock;
  auto cluster = file ? localcluster::Cluster::Create(*file, {}, clock)
                      : Result<std::unique_ptr<localcluster::Cluster>>(tl::unexpected<Error>(file.error()));
  const auto documents = ParseYamlDocuments(Pods(nodes), "pods");
  if (!cluster || !documents || !(*cluster)->Apply(*documents) || !(*cluster)->RunUntilIdle()) {
    fmt::print("the cluster does not come up\n");
    return 2;
  }
  kube::ApiClient& api = (*cluster)->api();
  const auto top = [&](const char* view) {
    Time(fmt::format("top {}", view).c_str(), [&](std::ostream& out, std::ostream& err) {
      TopOptions options;
      options.what = view;
      return RunTop(options, api, "default", clock, [] { return report::Style(); }, out, err);
    });
  };
  const auto explain = [&](const char* kind, const char* name) {
    Time(fmt::format("explain {}", kind).c_str(), [&](std::ostream& out, std::ostream& err) {
      ExplainOptions options;
      options.kind = kind;
      options.name = name;
      return RunExplain(options, api, "default", clock, {}, out, err);
    });
  };
  explain("pod", "big");
  explain("claim", "nine");
  explain("pod", "train-0");
  for (const char* view : {"nodes", "gpus", "pods", "pending"}) top(view);
  return 0;
}

}  // namespace
}  // namespace kumiko::cli

int main(int argc, char** argv) {
  const std::string mig = argc > 2 ? argv[2] : "off";
  return kumiko::cli::Measure(argc > 1 ? std::stoi(argv[1]) : 5'000, mig);
}
