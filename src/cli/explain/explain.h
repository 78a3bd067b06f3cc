// The explanation of a pod or a claim, from one snapshot of the cluster.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "localcluster/cluster_model.h"
#include "report/explanation.h"

namespace kumiko::cli {

// `now` is the time of the snapshot. Errors: kNotFound, with a name that was perhaps meant.
Result<report::Explanation> ExplainPod(const localcluster::ClusterModel& model, const std::string& namespace_,
                                       const std::string& name, Time now);
Result<report::Explanation> ExplainClaim(const localcluster::ClusterModel& model, const std::string& namespace_,
                                         const std::string& name, Time now);

}  // namespace kumiko::cli
