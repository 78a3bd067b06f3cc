// What placing pods depends on, kept up to date by lists and watches: the objects, and the allocator's inventory and
// state made of them. The scheduler loop decides on it; `kumiko explain` and `top` look at it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/features.h"
#include "allocator/inventory.h"
#include "allocator/state.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "kube/typed.h"
#include "localcluster/node_fit.h"

namespace kumiko::localcluster {

// Owned by one thread.
class ClusterModel {
 public:
  // Decisions need the inventory only, which keeps what matters of a slice in a hundredth of its room; explaining them
  // needs the slices too.
  enum class Slices { kKept, kInInventory };

  // `api` is borrowed. `features` are those of the cluster's scheduler.
  explicit ClusterModel(kube::ApiClient& api,
                        const allocator::Features& features = allocator::DefaultFeatures(allocator::kNewestRelease),
                        Slices slices = Slices::kKept);

  struct Changes {
    bool any = false;
    bool published = false;             // of nodes, slices, classes and taint rules
    bool freed = false;                 // devices were given back, or room on a node
    std::vector<kube::ObjectKey> pods;  // that appeared, changed or went
  };
  // Takes in what happened since the last call; the first call lists everything. A server without DeviceTaintRules
  // has none. Errors: those of lists, and objects that cannot be read.
  Result<Changes> Sync();

  // Why what is known may be out of date, if it may.
  std::optional<Error> Trouble() const;

  const allocator::Inventory& inventory() const { return inventory_; }
  // Not const: decisions try things on it, and undo them.
  allocator::State& state() { return state_; }
  const allocator::State& state() const { return state_; }
  // Of pods that are bound and not finished.
  const NodeUses& uses() const { return uses_; }

  const kube::Informer<api::Pod>& pods() const { return pods_; }
  const kube::Informer<api::ResourceClaim>& claims() const { return claims_; }
  const kube::Informer<api::ResourceClaimTemplate>& templates() const { return templates_; }
  const kube::Informer<api::Node>& nodes() const { return nodes_; }
  // None with Slices::kInInventory.
  const kube::Informer<api::ResourceSlice>::Objects& slices() const { return kept_slices_; }

 private:
  Result<bool> SyncPublished();
  Result<bool> SyncSlices();
  bool Account(const kube::ObjectKey& claim);

  allocator::Inventory inventory_;
  allocator::State state_{inventory_};
  kube::Informer<api::Pod> pods_;
  kube::Informer<api::ResourceClaim> claims_;
  kube::Informer<api::ResourceClaimTemplate> templates_;
  kube::Informer<api::Node> nodes_;
  kube::TreeInformer slices_;
  Slices keeping_;
  kube::Informer<api::ResourceSlice>::Objects kept_slices_;
  kube::Informer<api::DeviceClass> classes_;
  kube::Informer<api::DeviceTaintRule> taint_rules_;
  NodeUses uses_;
  std::map<kube::ObjectKey, std::pair<std::string, api::AllocationResult>> accounted_;  // with the claim's uid
};

}  // namespace kumiko::localcluster
