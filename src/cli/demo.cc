#include "cli/demo.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/cluster_view.h"
#include "cli/whole_gpus.h"
#include "report/text.h"

namespace kumiko::cli {
namespace {

// "13 of 14 pods run, 1 failed, 2 succeeded"; what nothing is said of does not exist.
std::string PodsOf(const report::PlacementPage& page) {
  const bool finished = !page.failed.empty() || page.pods_succeeded > 0;
  std::string text = page.totals.pods == 0 && finished
                         ? "no pod runs"
                         : fmt::format("{} of {}", page.totals.pods_running,
                                       report::Counted(page.totals.pods, "pod runs", "pods run"));
  if (!page.failed.empty()) text += fmt::format(", {} failed", page.failed.size());
  if (page.pods_succeeded > 0) text += fmt::format(", {} succeeded", page.pods_succeeded);
  return text;
}

}  // namespace

Result<report::PlacementPage> PageOf(localcluster::Cluster& cluster) {
  KU_TRY(report::PlacementPage page, ViewOf(cluster.api()));
  KU_TRY(const kube::ObjectList nodes, cluster.api().List({"Node", "", ""}));
  page.title = fmt::format("{} on {} with {}", PodsOf(page),
                           report::Counted(static_cast<std::int64_t>(nodes.items.size()), "node", "nodes"),
                           report::Counted(page.totals.gpus, "GPU", "GPUs"));
  return page;
}

Result<report::WholeGpuRun> RunOnWholeGpus(localcluster::Cluster& cluster, const localcluster::ClusterFile& file,
                                           const localcluster::ClusterOptions& options) {
  KU_TRY(const WorkByOwner work_of_owners, WorkOf(cluster.api()));
  KU_TRY(const std::vector<Json> work, WorkForWholeGpus(cluster.api()));
  const ManualClock clock(cluster.clock().Now());
  KU_TRY(const auto whole, localcluster::Cluster::Create(WithWholeGpus(file), options, clock), "whole-GPU run");
  const auto problems = whole->store().ApplyAll(work);
  if (!problems.empty()) {
    const auto& first = problems.front();
    return Fail(Code::kInternal, "whole-GPU run: {} {}: {}: {}", StringAt(work[first.manifest], {"kind"}),
                StringAt(work[first.manifest], {"metadata", "name"}), first.path, first.message);
  }
  KU_TRY_OK(whole->RunUntilIdle(), "whole-GPU run");
  KU_TRY(report::PlacementPage page, ViewOf(whole->api(), work_of_owners));
  return report::WholeGpuRun{page.totals, std::move(page.waiting)};
}

}  // namespace kumiko::cli
