// The views of `kumiko top`: nodes, boards, pods that hold devices, pods that wait (spec interface §2.1).
#pragma once

#include <string>

#include "base/time.h"
#include "cli/top/gpu_cluster.h"
#include "cli/top/view.h"
#include "report/style.h"

namespace kumiko::cli {

struct ViewChoice {
  std::string node;        // boards of this node only; empty: of all
  std::string namespace_;  // pods of this namespace only; empty: of all
  localcluster::LabelSelector selector;
};

View NodesView(const GpuCluster& cluster, const ViewChoice& choice, const report::Style& style, Time now);
View GpusView(const GpuCluster& cluster, const ViewChoice& choice, const report::Style& style);
View PodsView(const GpuCluster& cluster, const ViewChoice& choice, Time now);
View PendingView(const GpuCluster& cluster, const ViewChoice& choice, Time now);

}  // namespace kumiko::cli
