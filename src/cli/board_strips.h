// The strip of each board, from its slices and what is held of it. Works for any board that publishes memory slots as
// counters or capacities (gpu/layout.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "allocator/device_id.h"
#include "api/resource/types.h"
#include "base/result.h"
#include "gpu/layout.h"
#include "kube/api_client.h"
#include "report/strip.h"

namespace kumiko::cli {

struct HeldDevice {
  allocator::DeviceId id;
  gpu::DeviceShape shape;
  std::vector<std::string> pods;
};

class BoardStrips {
 public:
  static Result<BoardStrips> Read(kube::ApiClient& api);

  // Parts in use with their profile, a whole GPU with its pod; a free slot that no device of the board can take any
  // more, by the counters that are left, is marked unreachable.
  report::Strip Of(const std::string& node, const std::string& board, const std::vector<HeldDevice>& held) const;

 private:
  std::map<std::string, std::vector<api::ResourceSlice>> pools_;  // by pool name, which is the node's
};

}  // namespace kumiko::cli
