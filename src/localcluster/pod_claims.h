// The claims of a pod as the scheduler sees them (spec dra-allocator §5, claim lookup and PreFilter).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/inventory.h"
#include "api/core/types.h"
#include "api/resource/types.h"
#include "localcluster/cluster_model.h"

namespace kumiko::localcluster {

struct PodClaims {
  enum class State {
    kReady,    // every claim exists; `claims` lists them
    kWaiting,  // a claim is about to be made: nothing to tell anyone
    kBlocked,  // `reason` says what a person must mend
  };
  State state = State::kReady;
  std::string reason;
  std::vector<std::shared_ptr<const api::ResourceClaim>> claims;  // in the order of the pod's entries, each once
};

PodClaims FindClaims(const api::Pod& pod, const ClusterModel& model);

// What a person must mend before the claim can be allocated: a device class that does not exist.
std::optional<std::string> MissingClass(const api::ResourceClaim& claim, const allocator::Inventory& inventory);

}  // namespace kumiko::localcluster
