// Makes claims ready for their pods and undoes it: whole GPUs, by a CDI file for each claim. Source: spec node-driver
// §3.3, §3.4; engine-decisions E11.
//
//   journal: intent  ->  CDI file  ->  journal: completed  ->  answer          prepare
//   CDI file removed  ->  journal: removed  ->  answer                         unprepare
//
// A process killed between two steps leaves an intent or a completed entry behind, and either can be prepared and
// unprepared again.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "api/resource/types.h"
#include "base/guarded.h"
#include "kube/api_client.h"
#include "node/cdi.h"
#include "node/claim_journal.h"
#include "node/claim_request.h"
#include "node/device_owners.h"
#include "node/inventory.h"
#include "node/key_locks.h"

namespace kumiko::node {

struct PreparerOptions {
  std::string node_name;
  std::string cdi_root;
  // How long a call waits for an earlier one about the same claim or GPU. The kubelet gives up after 45 s.
  std::chrono::milliseconds patience = std::chrono::seconds(40);
};

// Thread safe. One call at a time for a claim, and for a GPU; others run beside it. No lock is held over a call to the
// API server.
class ClaimPreparer {
 public:
  // `api` and `journal` must outlive it. What the journal holds of an earlier process is taken over; intents among it
  // are undone. Of a boot before this one nothing is left to be kept. With the journal lost, claims that are prepared
  // are looked up by their CDI files, with the API server's help, before anything new is prepared.
  ClaimPreparer(kube::ApiClient& api, ClaimJournal& journal, PreparerOptions options, JournalOrigin origin);

  // From now on these GPUs can be prepared. Until the first call prepare fails, with `why_not` in its message.
  void SetInventory(std::shared_ptr<const Inventory> inventory);
  void SetWhyNot(std::string why_not);

  // A claim that cannot be read, is not allocated or was made anew fails the whole call; other failures are the claim's
  // own. A claim that is prepared already is answered without the API server.
  Result<PrepareResults> Prepare(const std::vector<ClaimReference>& claims);
  // Needs neither the API server nor a driver. A claim that is not prepared has nothing to undo.
  UnprepareResults Unprepare(const std::vector<ClaimReference>& claims);

 private:
  struct Supply {
    std::shared_ptr<const Inventory> inventory;
    std::string why_not = "it has not been looked for yet";
  };

  void RemoveAllFiles();
  Result<std::shared_ptr<const Inventory>> GetInventory() const;
  Result<api::ResourceClaim> ReadClaim(const ClaimReference& reference);
  Result<ClaimEntry> EntryFor(const api::ResourceClaim& claim, const Inventory& inventory) const;
  Result<std::vector<PreparedDevice>> PrepareOne(const api::ResourceClaim& claim);
  Status MakeReady(ClaimEntry& entry, const Inventory& inventory);
  Status WriteCdiFile(const ClaimEntry& entry, const Inventory& inventory) const;
  Result<std::vector<PreparedDevice>> AnswerAgain(const ClaimEntry& entry) const;
  Status UnprepareOne(const ClaimReference& reference);
  Status Undo(const ClaimEntry& entry);
  Status FindLostClaims(const Inventory& inventory);
  void TakeOver(const std::string& uid, const api::ResourceClaim* claim, const Inventory& inventory);

  kube::ApiClient& api_;
  ClaimJournal& journal_;
  PreparerOptions options_;
  CdiFolder cdi_;
  DeviceOwners owners_;
  KeyLocks claims_;
  KeyLocks gpus_;
  Guarded<Supply> supply_;
  Guarded<bool> journal_lost_;
};

}  // namespace kumiko::node
