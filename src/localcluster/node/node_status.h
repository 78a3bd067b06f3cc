// What simulated nodes tell of themselves: addresses, conditions, versions, images; and their Leases.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/time.h"
#include "localcluster/cluster_file.h"

namespace kumiko::localcluster {

// The Kubernetes release that nodes say they run.
inline constexpr const char* kKubeletVersion = "v1.37.2";

// The Node object of the simulated node that stands at `index` in the cluster file.
Json NodeTree(const SimulatedNode& node, std::size_t index, Time now);

// Its Lease in kube-node-lease, held for `seconds`.
Json NodeLease(const std::string& node, const std::string& node_uid, std::int64_t seconds, Time now);

}  // namespace kumiko::localcluster
