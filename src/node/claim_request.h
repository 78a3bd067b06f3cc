// What the kubelet asks for, and what it is answered, in our own types: the messages of gRPC stay in kubelet_server.cc.
// Source: spec node-driver §3.1.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace kumiko::node {

struct ClaimReference {
  std::string namespace_;
  std::string name;
  std::string uid;
};

struct PreparedDevice {
  std::vector<std::string> requests;  // without the name of a subrequest
  std::string pool;
  std::string device;
  std::vector<std::string> cdi_device_ids;
  bool operator==(const PreparedDevice&) const = default;
};

// By UID; one entry for each claim that was asked for.
using PrepareResults = std::map<std::string, Result<std::vector<PreparedDevice>>>;
using UnprepareResults = std::map<std::string, Status>;

// Called from several threads at once, for the same claim too: the kubelet repeats what it got no answer to.
struct ClaimHandler {
  // An error in place of the results fails the whole call.
  std::function<Result<PrepareResults>(const std::vector<ClaimReference>&)> prepare;
  std::function<UnprepareResults(const std::vector<ClaimReference>&)> unprepare;
};

}  // namespace kumiko::node
