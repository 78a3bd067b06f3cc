// The result that `kumiko up` prints: what runs where, and what whole-GPU placement of the same pods would have done.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "localcluster/cluster.h"
#include "localcluster/cluster_file.h"
#include "report/placement_page.h"

namespace kumiko::cli {

// The state of `cluster` now. Reads the store; any thread.
Result<report::PlacementPage> PageOf(localcluster::Cluster& cluster);

// The same pods on the same boards undivided, in a second cluster with the same options: a second run of the allocator.
Result<report::WholeGpuRun> RunOnWholeGpus(localcluster::Cluster& cluster, const localcluster::ClusterFile& file,
                                           const localcluster::ClusterOptions& options);

}  // namespace kumiko::cli
