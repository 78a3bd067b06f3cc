// The annotation of nodes that says how long kubelets may keep Secrets and ConfigMaps that they have read.
// Source: pkg/controller/ttl of Kubernetes 1.37.
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "api/core/types.h"
#include "kube/typed.h"
#include "localcluster/controllers/controllers.h"
#include "localcluster/controllers/work_list.h"

namespace kumiko::localcluster {
namespace {

constexpr const char* kAnnotation = "node.alpha.kubernetes.io/ttl";

// Clusters of so many nodes: the ranges overlap, so that one node more or less does not change them all.
struct Range {
  std::size_t least;
  std::size_t most;
  int seconds;
};
constexpr std::array<Range, 5> kRanges = {{{0, 100, 0},
                                           {90, 500, 15},
                                           {450, 1000, 30},
                                           {900, 2000, 60},
                                           {1800, std::numeric_limits<std::size_t>::max(), 300}}};

class NodeTtlController {
 public:
  explicit NodeTtlController(Workloads& workloads)
      : api_(workloads.api), clock_(workloads.clock), nodes_(workloads.api) {}

  Result<bool> Step() {
    KU_TRY(const auto changed, nodes_.Sync());
    for (const kube::ObjectKey& key : changed) work_.Add(key);
    const std::size_t count = nodes_.objects().size();
    while (count > kRanges[range_].most) ++range_;
    while (count < kRanges[range_].least) --range_;
    // A node that is far from its time is told when it changes next.
    return work_.Run("nodettl", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
      const auto node = nodes_.Find("", key.name);
      if (node == nullptr) return;
      const std::string wanted = std::to_string(kRanges[range_].seconds);
      const auto found = node->metadata.annotations.find(kAnnotation);
      if (found != node->metadata.annotations.end() && found->second == wanted) return;
      const Json patch = JsonObject{{"metadata", JsonObject{{"annotations", JsonObject{{kAnnotation, wanted}}}}}};
      result.Note(api_.Patch(key, patch, kube::Subresource::kNone));
    });
  }

 private:
  kube::ApiClient& api_;
  const Clock& clock_;
  kube::Informer<api::Node> nodes_;
  std::size_t range_ = 0;
  WorkList work_;
};

}  // namespace

Controller MakeNodeTtlController(Workloads& workloads) {
  auto controller = std::make_shared<NodeTtlController>(workloads);
  return {"nodettl", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
