#include "node/claim_preparer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/meta/object_meta.h"
#include "base/log.h"
#include "kube/typed.h"
#include "node/claim_configs.h"

namespace kumiko::node {
namespace {

std::string ParentRequest(const std::string& request) {
  return request.substr(0, request.find('/'));
}

std::vector<PreparedDevice> AnswerOf(const ClaimEntry& entry) {
  std::vector<PreparedDevice> devices;
  for (const GivenDevice& device : entry.devices) {
    devices.push_back({device.requests, device.pool, device.device, {CdiDeviceId(entry.uid, device.device)}});
  }
  return devices;
}

std::vector<std::string> UuidsOf(const ClaimEntry& entry) {
  std::vector<std::string> uuids;
  for (const GivenDevice& device : entry.devices) uuids.push_back(device.uuid);
  return uuids;
}

tl::unexpected<Error> StillBusy(const std::string& claim, const char* with) {
  return Fail(Code::kDeadline, "claim {}: still waiting for an earlier call with {}; the next call joins it", claim,
              with);
}

std::string Describe(const ClaimReference& claim) {
  return fmt::format("{}/{} ({})", claim.namespace_, claim.name, claim.uid);
}

}  // namespace

ClaimPreparer::ClaimPreparer(kube::ApiClient& api, ClaimJournal& journal, PreparerOptions options, JournalOrigin origin)
    : api_(api),
      journal_(journal),
      options_(std::move(options)),
      cdi_(options_.cdi_root),
      journal_lost_(origin == JournalOrigin::kLost) {
  if (origin == JournalOrigin::kOtherBoot) RemoveAllFiles();
  for (const ClaimEntry& entry : journal_.All()) {
    if (entry.completed) {
      if (const Status taken = owners_.Take(entry); !taken) {
        Log(LogLevel::kError, "two claims of the journal have one device", {{"error", taken.error().message}});
      }
    } else if (const Status undone = Undo(entry); !undone) {
      // It stays an intent; the kubelet asks again for the claim or for its end.
      Log(LogLevel::kError, "cannot undo what was begun",
          {{"claim", entry.Describe()}, {"error", undone.error().message}});
    }
  }
}

void ClaimPreparer::RemoveAllFiles() {
  const auto uids = cdi_.Claims();
  if (!uids) {
    Log(LogLevel::kWarning, "cannot look for files of an earlier boot", {{"error", uids.error().message}});
    return;
  }
  for (const std::string& uid : *uids) {
    if (const Status removed = cdi_.Remove(uid); !removed) {
      Log(LogLevel::kWarning, "a file of an earlier boot stays", {{"error", removed.error().message}});
    }
  }
}

void ClaimPreparer::SetInventory(std::shared_ptr<const Inventory> inventory) {
  supply_.With([&](Supply& supply) { supply.inventory = std::move(inventory); });
}

void ClaimPreparer::SetWhyNot(std::string why_not) {
  supply_.With([&](Supply& supply) { supply.why_not = std::move(why_not); });
}

Result<std::shared_ptr<const Inventory>> ClaimPreparer::GetInventory() const {
  return supply_.With([](const Supply& supply) -> Result<std::shared_ptr<const Inventory>> {
    if (supply.inventory != nullptr) return supply.inventory;
    return Fail(Code::kUnavailable, "the NVIDIA driver of this node cannot be used yet: {}", supply.why_not);
  });
}

Result<PrepareResults> ClaimPreparer::Prepare(const std::vector<ClaimReference>& claims) {
  PrepareResults results;
  for (const ClaimReference& reference : claims) {
    const auto hold = claims_.Take({reference.uid}, options_.patience);
    if (!hold) {
      results[reference.uid] = StillBusy(Describe(reference), "this claim");
      continue;
    }
    const auto entry = journal_.Find(reference.uid);
    if (entry && entry->completed) {
      results[reference.uid] = AnswerAgain(*entry);
      continue;
    }
    KU_TRY(const api::ResourceClaim claim, ReadClaim(reference));
    results[reference.uid] = PrepareOne(claim);
  }
  return results;
}

UnprepareResults ClaimPreparer::Unprepare(const std::vector<ClaimReference>& claims) {
  UnprepareResults results;
  for (const ClaimReference& reference : claims) results[reference.uid] = UnprepareOne(reference);
  return results;
}

Result<api::ResourceClaim> ClaimPreparer::ReadClaim(const ClaimReference& reference) {
  KU_TRY(api::ResourceClaim claim, kube::Get<api::ResourceClaim>(api_, reference.namespace_, reference.name),
         "claim {}", Describe(reference));
  if (claim.metadata.uid != reference.uid) {
    return Fail(Code::kNotFound, "claim {} got replaced: the one of this name now is {}", Describe(reference),
                claim.metadata.uid);
  }
  if (!claim.status.allocation) return Fail(Code::kInvalidArgument, "claim {} is not allocated", Describe(reference));
  return claim;
}

Result<std::vector<PreparedDevice>> ClaimPreparer::PrepareOne(const api::ResourceClaim& claim) {
  const std::string name = fmt::format("claim {} ({})", api::QualifiedName(claim.metadata), claim.metadata.uid);
  KU_TRY(const std::shared_ptr<const Inventory> inventory, GetInventory(), "{}", name);
  KU_TRY_OK(FindLostClaims(*inventory), "{}", name);
  KU_TRY(ClaimEntry entry, EntryFor(claim, *inventory), "{}", name);
  const auto hold = gpus_.Take(UuidsOf(entry), options_.patience);
  if (!hold) return StillBusy(entry.Describe(), "its GPUs");
  KU_TRY_OK(owners_.Take(entry));
  if (const Status ready = MakeReady(entry, *inventory); !ready) {
    if (const Status undone = Undo(entry); !undone) {
      Log(LogLevel::kError, "cannot undo a failed prepare",
          {{"claim", entry.Describe()}, {"error", undone.error().message}});
    }
    return tl::unexpected<Error>(ready.error());
  }
  Log(LogLevel::kInfo, "prepared", {{"claim", entry.Describe()}, {"devices", entry.devices.size()}});
  return AnswerOf(entry);
}

Result<ClaimEntry> ClaimPreparer::EntryFor(const api::ResourceClaim& claim, const Inventory& inventory) const {
  const api::DeviceAllocationResult& allocation = claim.status.allocation->devices;
  // None of the gates is there yet, so a configuration that asks for sharing is refused, naming its gate.
  KU_TRY(const std::vector<ConfigGroup> groups, GroupByConfig(allocation, gpu::kGpuDriver, SharingGates()));
  ClaimEntry entry{claim.metadata.uid, claim.metadata.namespace_, claim.metadata.name, false, {}};
  for (const ConfigGroup& group : groups) {
    for (const std::size_t index : group.results) {
      const api::DeviceRequestAllocationResult& result = allocation.results[index];
      const gpu::BoardInstance* board = inventory.FindWhole(result.device);
      if (result.pool != options_.node_name || board == nullptr) {
        return Fail(Code::kNotFound,
                    "request {}: this node, {}, has no device {} in pool {}: the allocation is of another node or of "
                    "GPUs that are no longer there",
                    result.request, options_.node_name, result.device, result.pool);
      }
      if (result.share_id) {
        return Fail(Code::kInvalidArgument, "request {}: shares of {} are not given out by this driver", result.request,
                    result.device);
      }
      GivenDevice device{{ParentRequest(result.request)},
                         result.pool,
                         result.device,
                         board->uuid,
                         result.admin_access.value_or(false)};
      // A device that two requests of a claim name is one device in its containers.
      const auto same = std::ranges::find(entry.devices, device.device, &GivenDevice::device);
      if (same == entry.devices.end()) {
        entry.devices.push_back(std::move(device));
      } else {
        if (std::ranges::find(same->requests, device.requests.front()) == same->requests.end()) {
          same->requests.push_back(device.requests.front());
        }
        same->admin_access = same->admin_access && device.admin_access;
      }
    }
  }
  if (entry.devices.empty()) {
    return Fail(Code::kInvalidArgument, "the allocation has no device of {}", gpu::kGpuDriver);
  }
  return entry;
}

Status ClaimPreparer::MakeReady(ClaimEntry& entry, const Inventory& inventory) {
  KU_TRY_OK(journal_.Put(entry), "claim {}", entry.Describe());
  KU_TRY_OK(WriteCdiFile(entry, inventory), "claim {}", entry.Describe());
  entry.completed = true;
  return journal_.Put(entry);
}

Status ClaimPreparer::WriteCdiFile(const ClaimEntry& entry, const Inventory& inventory) const {
  std::vector<CdiDevice> devices;
  for (const GivenDevice& device : entry.devices) {
    const gpu::BoardInstance* board = inventory.FindWhole(device.device);
    if (board == nullptr || board->uuid != device.uuid) {
      return Fail(Code::kNotFound, "device {} ({}) is no longer on this node", device.device, device.uuid);
    }
    devices.push_back({CdiDeviceName(entry.uid, device.device), GpuEdits(inventory.places, *board)});
  }
  return cdi_.Write(entry.uid, WriteCdi(devices, inventory.common_edits));
}

Result<std::vector<PreparedDevice>> ClaimPreparer::AnswerAgain(const ClaimEntry& entry) const {
  // Somebody may have cleared the folder, which is often one that a reboot or an installer empties.
  if (!cdi_.Has(entry.uid)) {
    KU_TRY(const std::shared_ptr<const Inventory> inventory, GetInventory(), "claim {}", entry.Describe());
    KU_TRY_OK(WriteCdiFile(entry, *inventory), "claim {}", entry.Describe());
  }
  return AnswerOf(entry);
}

Status ClaimPreparer::UnprepareOne(const ClaimReference& reference) {
  const auto hold = claims_.Take({reference.uid}, options_.patience);
  if (!hold) return StillBusy(Describe(reference), "this claim");
  const auto entry = journal_.Find(reference.uid);
  if (!entry) return cdi_.Remove(reference.uid);
  const auto gpus = gpus_.Take(UuidsOf(*entry), options_.patience);
  if (!gpus) return StillBusy(entry->Describe(), "its GPUs");
  KU_TRY_OK(Undo(*entry), "claim {}", entry->Describe());
  Log(LogLevel::kInfo, "unprepared", {{"claim", entry->Describe()}});
  return {};
}

Status ClaimPreparer::Undo(const ClaimEntry& entry) {
  KU_TRY_OK(cdi_.Remove(entry.uid));
  KU_TRY_OK(journal_.Remove(entry.uid));
  owners_.Release(entry);
  return {};
}

Status ClaimPreparer::FindLostClaims(const Inventory& inventory) {
  if (!journal_lost_.With([](const bool lost) { return lost; })) return {};
  KU_TRY(const std::vector<std::string> uids, cdi_.Claims());
  std::map<std::string, const api::ResourceClaim*> unknown;
  for (const std::string& uid : uids) {
    if (!journal_.Find(uid)) unknown.emplace(uid, nullptr);
  }
  std::vector<api::ResourceClaim> claims;
  if (!unknown.empty()) {
    KU_TRY(claims, kube::List<api::ResourceClaim>(api_), "looking for claims that the lost journal held");
  }
  for (const api::ResourceClaim& claim : claims) {
    const auto found = unknown.find(claim.metadata.uid);
    if (found != unknown.end() && claim.status.allocation) found->second = &claim;
  }
  for (const auto& [uid, claim] : unknown) TakeOver(uid, claim, inventory);
  journal_lost_.With([](bool& lost) { lost = false; });
  return {};
}

void ClaimPreparer::TakeOver(const std::string& uid, const api::ResourceClaim* claim, const Inventory& inventory) {
  // A claim that is being worked on is known to whoever does it, this call included.
  const auto hold = claims_.Take({uid}, std::chrono::milliseconds(0));
  if (!hold || journal_.Find(uid) || !cdi_.Has(uid)) return;
  const auto take = [&]() -> Status {
    if (claim == nullptr) return cdi_.Remove(uid);
    KU_TRY(ClaimEntry entry, EntryFor(*claim, inventory));
    entry.completed = true;
    KU_TRY_OK(owners_.Take(entry));
    KU_TRY_OK(journal_.Put(entry));
    Log(LogLevel::kWarning, "found a prepared claim that the journal had lost", {{"claim", entry.Describe()}});
    return {};
  };
  if (const Status taken = take(); !taken) {
    Log(LogLevel::kError, "cannot take over what another journal prepared",
        {{"claim", uid}, {"error", taken.error().message}});
  }
}

}  // namespace kumiko::node
