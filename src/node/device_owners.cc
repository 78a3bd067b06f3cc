#include "node/device_owners.h"

namespace kumiko::node {

Status DeviceOwners::Take(const ClaimEntry& entry) {
  return by_uuid_.With([&](std::map<std::string, Owner>& owners) -> Status {
    for (const GivenDevice& device : entry.devices) {
      const auto found = owners.find(device.uuid);
      if (device.admin_access || found == owners.end() || found->second.uid == entry.uid) continue;
      return Fail(
          Code::kConflict,
          "claim {}: requested device {} is already allocated to different claim {}: it can be prepared when that "
          "one ends; two schedulers that give out the same devices are the usual reason",
          entry.Describe(), device.device, found->second.description);
    }
    for (const GivenDevice& device : entry.devices) {
      if (!device.admin_access) owners[device.uuid] = {entry.uid, entry.Describe()};
    }
    return {};
  });
}

void DeviceOwners::Release(const ClaimEntry& entry) {
  by_uuid_.With([&](std::map<std::string, Owner>& owners) {
    for (const GivenDevice& device : entry.devices) {
      const auto found = owners.find(device.uuid);
      if (found != owners.end() && found->second.uid == entry.uid) owners.erase(found);
    }
  });
}

}  // namespace kumiko::node
