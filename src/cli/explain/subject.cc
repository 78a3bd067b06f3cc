#include "cli/explain/subject.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kumiko::cli {

std::vector<std::shared_ptr<const api::ResourceClaim>> ClaimsOf(const localcluster::ClusterModel& model,
                                                                const api::Pod& pod) {
  std::vector<std::shared_ptr<const api::ResourceClaim>> claims;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    std::string name = entry.resource_claim_name.value_or("");
    for (const api::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
      if (status.name == entry.name && status.resource_claim_name) name = *status.resource_claim_name;
    }
    auto claim = model.claims().Find(pod.metadata.namespace_, name);
    if (claim != nullptr && std::find(claims.begin(), claims.end(), claim) == claims.end()) {
      claims.push_back(std::move(claim));
    }
  }
  return claims;
}

}  // namespace kumiko::cli
