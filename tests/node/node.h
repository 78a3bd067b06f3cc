// A node for tests: simulated boards below a driver root, an API server in memory with the Node object, folders for the
// kubelet's sockets and for CDI files.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "localcluster/store.h"
#include "node/claim_request.h"
#include "node/driver_files.h"
#include "node/inventory.h"
#include "tests/fakenvml/driver.h"

namespace kumiko::node {

inline constexpr const char* kTwoBoards = R"(
driverVersion: 580.95.05
cudaVersion: "13.0"
topology: {numa: 2, pcieRoots: 2}
gpus:
- {model: H100, count: 2}
)";

class Node {
 public:
  explicit Node(std::string_view boards = kTwoBoards);

  DriverPlaces Places() const { return {driver_.root(), "/host/driver", driver_.root()}; }
  std::shared_ptr<const Inventory> GetInventory() const;

  // A claim of namespace ml that was given these devices of this node, one request each: "r0", "r1" and so on. More
  // members of status.allocation.devices may come in `more` (", \"config\": []"). Returns how the kubelet names it.
  ClaimReference Allocate(const std::string& name, const std::vector<std::string>& devices,
                          const std::string& more = "");
  // The same without an allocation.
  ClaimReference CreateClaim(const std::string& name, std::size_t requests = 1);
  void DeleteClaim(const std::string& name);

  localcluster::Store& api() { return api_; }
  const fakenvml::Driver& driver() const { return driver_; }
  std::string folder(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string CdiFile(const ClaimReference& claim) const;

 private:
  fakenvml::Driver driver_;
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
  RealClock clock_;
  localcluster::Store api_{clock_};
};

}  // namespace kumiko::node
