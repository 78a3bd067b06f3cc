// Which claim has which GPU. The API server does not refuse two claims that name one device, so the node does
// (spec engine-decisions E11).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "node/claim_journal.h"

namespace kumiko::node {

// Thread safe.
class DeviceOwners {
 public:
  // Gives the claim all devices of the entry, or none: kConflict, naming device and both claims, when another claim has
  // one of them. Admin access neither takes a device from anybody nor keeps it from others. What the claim has already
  // it may take again.
  Status Take(const ClaimEntry& entry);
  void Release(const ClaimEntry& entry);

 private:
  struct Owner {
    std::string uid;
    std::string description;
  };
  Guarded<std::map<std::string, Owner>> by_uuid_;
};

}  // namespace kumiko::node
