// The same cluster and the same work with whole GPUs only: what placement without partitions would have done. Its
// result comes from a second run of the allocator, not from an estimate.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/api_client.h"
#include "localcluster/cluster_file.h"

namespace kumiko::cli {

// Every board undivided and for one claim at a time.
localcluster::ClusterFile WithWholeGpus(localcluster::ClusterFile cluster);

// A ResourceClaim or ResourceClaimTemplate of the stored version whose every request is for whole GPUs (class
// gpu.nvidia.com): what its selectors say of the model stays, what they say of a partition (profile, type, parentUUID)
// goes, and so do constraints on the parent. Other kinds come back unchanged.
Result<Json> ForWholeGpus(const Json& object);

// The work of a cluster as a person would apply it: every object that nothing else made, rewritten by ForWholeGpus,
// without status, node and the fields that the API server fills in.
Result<std::vector<Json>> WorkForWholeGpus(kube::ApiClient& api);

}  // namespace kumiko::cli
