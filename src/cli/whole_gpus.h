// The same cluster and the same work with whole GPUs only: what placement without partitions would have done. Its
// result comes from a second run of the allocator, not from an estimate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/resource/types.h"
#include "base/json.h"
#include "base/result.h"
#include "kube/api_client.h"
#include "localcluster/cluster_file.h"

namespace kumiko::cli {

// Every board undivided and for one claim at a time.
localcluster::ClusterFile WithWholeGpus(localcluster::ClusterFile cluster);

// What each GPU of a cluster publishes, undivided or in parts.
class GpuOffers {
 public:
  static Result<GpuOffers> Of(kube::ApiClient& api);
  GpuOffers(GpuOffers&&) noexcept;
  GpuOffers& operator=(GpuOffers&&) noexcept;
  ~GpuOffers();

  // Selectors that choose, among whole GPUs, those that offer what the request chooses: the boards with such a part. Of
  // no use (nullopt) when none does.
  Result<std::optional<std::vector<std::string>>> SelectorsFor(const api::DeviceSubRequest& request) const;

 private:
  struct State;
  GpuOffers();
  std::unique_ptr<State> state_;
};

// A ResourceClaim or ResourceClaimTemplate of the stored version whose every request is for whole GPUs (class
// gpu.nvidia.com) that offer what it asked for: a part of an A100 becomes an A100. Constraints on the parent of parts
// go. Other kinds come back unchanged.
Result<Json> ForWholeGpus(const Json& object, const GpuOffers& offers);

// The work of a cluster as a person would apply it: every object that nothing else made, rewritten by ForWholeGpus,
// without status, node and the fields that the API server fills in.
Result<std::vector<Json>> WorkForWholeGpus(kube::ApiClient& api);

}  // namespace kumiko::cli
