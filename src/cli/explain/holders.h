// Who holds which device, and until when, as far as anybody has said.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "base/time.h"
#include "localcluster/cluster_model.h"

namespace kumiko::cli {

struct Holder {
  std::string name;  // "dev/nb-4", "dev/nb-4 and 2 more" that share a claim, "claim dev/nb" that no pod uses
  std::vector<allocator::DeviceId> devices;
  std::optional<Time> ends;  // declared by the annotation kumiko.dev/run-for of a pod that runs
};

class Holders {
 public:
  explicit Holders(const localcluster::ClusterModel& model);

  // In the order of names.
  const std::vector<Holder>& all() const { return holders_; }
  // Null when nobody holds the device, or only with admin access.
  const Holder* Of(const allocator::DeviceId& device) const;

 private:
  std::vector<Holder> holders_;
  std::map<allocator::DeviceId, std::size_t> of_device_;
};

}  // namespace kumiko::cli
