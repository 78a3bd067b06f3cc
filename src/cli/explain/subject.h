// What is explained: a pod with its claims, or a claim by itself.
#pragma once

#include <memory>
#include <vector>

#include "api/core/types.h"
#include "api/resource/types.h"
#include "localcluster/cluster_model.h"

namespace kumiko::cli {

struct Subject {
  const localcluster::ClusterModel* model = nullptr;
  const api::Pod* pod = nullptr;  // null: the claim by itself, which any node may serve
  std::vector<std::shared_ptr<const api::ResourceClaim>> claims;

  // Those that have no devices yet.
  std::vector<const api::ResourceClaim*> Wanted() const {
    std::vector<const api::ResourceClaim*> wanted;
    for (const auto& claim : claims) {
      if (!claim->status.allocation) wanted.push_back(claim.get());
    }
    return wanted;
  }
};

// The claims of a pod that exist, each once, whatever is wrong with the others.
std::vector<std::shared_ptr<const api::ResourceClaim>> ClaimsOf(const localcluster::ClusterModel& model,
                                                                const api::Pod& pod);

}  // namespace kumiko::cli
