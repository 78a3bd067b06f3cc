// Which claims are prepared on this node and what was given to them, kept so that a process killed at any instruction
// finds it again. An entry is written as an intent before anything is done for its claim, completed afterwards, removed
// when all is undone. Entries die with the boot of the machine, as the containers do.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "node/record_log.h"

namespace kumiko::node {

// A device that was given to a claim.
struct GivenDevice {
  std::vector<std::string> requests;  // without the name of a subrequest
  std::string pool;
  std::string device;  // "gpu-0"
  std::string uuid;    // of the GPU
  bool admin_access = false;
  bool operator==(const GivenDevice&) const = default;
};

struct ClaimEntry {
  std::string uid;
  std::string namespace_;
  std::string name;
  bool completed = false;  // false: an intent; what it names may be done in part
  std::vector<GivenDevice> devices;

  // "ml/train-0 (UID)"
  std::string Describe() const;
  bool operator==(const ClaimEntry&) const = default;
};

struct JournalOptions {
  DiskCalls disk = DiskCalls::OfTheSystem();
  // The file is rewritten, in a thread of its own, when it is larger than this and more than twice what its entries
  // need.
  std::size_t compact_above_bytes = 256u << 10;
};

// Thread safe. Each change is one short append, however many claims there are.
class ClaimJournal {
  struct Private {};

 public:
  struct Opened;
  // `boot_id` of the running system: entries of another boot are void. Errors: those of file access; damage is none.
  static Result<Opened> Open(const std::string& path, const std::string& boot_id, JournalOptions options = {});
  ClaimJournal(Private, RecordLog log, std::map<std::string, ClaimEntry> entries, std::string boot_id,
               JournalOptions options);

  std::optional<ClaimEntry> Find(const std::string& uid) const;
  std::vector<ClaimEntry> All() const;  // by uid

  // Adds or replaces. An intent is refused with kUnavailable unless the disk has room for all that follows it, so that
  // completing and removing need no more space. A file that was left half written is refused too.
  Status Put(const ClaimEntry& entry);
  // Removing what is not there changes nothing.
  Status Remove(const std::string& uid);

  // Bytes of the file now.
  std::size_t bytes() const;
  // Waits for a rewrite under way.
  void AwaitCompaction();

 private:
  Status Append(std::string payload);
  void CompactWhenNeeded(const std::stop_token& stop);
  Status Compact(std::unique_lock<std::mutex>& lock);

  const std::string boot_id_;
  const JournalOptions options_;
  mutable std::mutex mutex_;  // of all below; not held while a replacement is written
  RecordLog log_;
  std::map<std::string, ClaimEntry> entries_;
  std::optional<std::vector<std::string>> since_snapshot_;  // records since a replacement was begun
  std::size_t compact_at_ = 0;
  std::condition_variable_any changed_;
  std::jthread compaction_;  // last: it ends first
};

// What a journal knows when it is opened.
enum class JournalOrigin {
  kThisBoot,   // all that is prepared
  kOtherBoot,  // nothing is prepared, since the machine was started anew
  kLost,       // claims may be prepared that it does not know: there was no file, or a damaged one
};

struct ClaimJournal::Opened {
  std::unique_ptr<ClaimJournal> journal;
  JournalOrigin origin = JournalOrigin::kThisBoot;
  std::optional<std::string> damage;
};

}  // namespace kumiko::node
