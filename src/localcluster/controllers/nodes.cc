// What nodes are given: the annotation that says how long kubelets may keep Secrets and ConfigMaps that they have read,
// and the event that they are known. Source: pkg/controller/ttl and pkg/controller/nodelifecycle of Kubernetes 1.37.
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <limits>
#include <map>
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

constexpr EventSource kSource{"node-controller"};

class NodeController {
 public:
  explicit NodeController(Workloads& workloads)
      : api_(workloads.api), clock_(workloads.clock), events_(workloads.events), nodes_(workloads.api) {}

  Result<bool> Step() {
    KU_TRY(const auto changed, nodes_.Sync());
    for (const kube::ObjectKey& key : changed) {
      work_.Add(key);
      Register(key);
    }
    const std::size_t count = nodes_.objects().size();
    while (count > kRanges[range_].most) ++range_;
    while (count < kRanges[range_].least) --range_;
    // A node that is far from its time is told when it changes next.
    return work_.Run("nodes", clock_.Now(), [this](const kube::ObjectKey& key, StepResult& result) {
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
  // A node of another uid is another node.
  void Register(const kube::ObjectKey& key) {
    const auto node = nodes_.Find("", key.name);
    if (node == nullptr) {
      known_.erase(key.name);
      return;
    }
    std::string& uid = known_[key.name];
    if (uid == node->metadata.uid) return;
    uid = node->metadata.uid;
    // One that was there before this process has been told of.
    if (node->metadata.annotations.contains(kAnnotation)) return;
    events_.Normal(kSource, SubjectOf(*node), "RegisteredNode",
                   fmt::format("Node {0} event: Registered Node {0} in Controller", key.name));
  }

  kube::ApiClient& api_;
  const Clock& clock_;
  EventRecorder& events_;
  kube::Informer<api::Node> nodes_;
  std::map<std::string, std::string> known_;  // uids by name
  std::size_t range_ = 0;
  WorkList work_;
};

}  // namespace

Controller MakeNodeController(Workloads& workloads) {
  auto controller = std::make_shared<NodeController>(workloads);
  return {"nodes", [controller] { return controller->Step(); }, {}};
}

}  // namespace kumiko::localcluster
