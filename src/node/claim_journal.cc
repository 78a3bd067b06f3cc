#include "node/claim_journal.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/log.h"

namespace kumiko::node {
namespace {

constexpr int kFormat = 1;
// What removing a claim appends, with room to spare.
constexpr std::size_t kRemovalBytes = 96;

std::string Header(const std::string& boot_id) {
  return WriteJson(JsonObject{{"format", kFormat}, {"boot", boot_id}});
}

Json Strings(const std::vector<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

std::string Encode(const ClaimEntry& entry) {
  JsonArray devices;
  for (const GivenDevice& device : entry.devices) {
    JsonObject object{{"requests", Strings(device.requests)},
                      {"pool", device.pool},
                      {"device", device.device},
                      {"uuid", device.uuid}};
    if (device.admin_access) object["admin"] = true;
    devices.emplace_back(std::move(object));
  }
  return WriteJson(JsonObject{{entry.completed ? "completed" : "intent", entry.uid},
                              {"namespace", entry.namespace_},
                              {"name", entry.name},
                              {"devices", std::move(devices)}});
}

std::string EncodeRemoval(const std::string& uid) {
  return WriteJson(JsonObject{{"removed", uid}});
}

GivenDevice DecodeDevice(const Json& object) {
  GivenDevice device;
  if (const Json* requests = Find(object, "requests"); requests != nullptr && requests->is_array()) {
    for (const Json& request : requests->get_array()) {
      if (request.is_string()) device.requests.emplace_back(request.get_string());
    }
  }
  device.pool = StringAt(object, {"pool"});
  device.device = StringAt(object, {"device"});
  device.uuid = StringAt(object, {"uuid"});
  const Json* admin = Find(object, "admin");
  device.admin_access = admin != nullptr && admin->is_bool() && admin->get_bool();
  return device;
}

ClaimEntry DecodeEntry(const Json& object) {
  const std::string_view completed = StringAt(object, {"completed"});
  ClaimEntry entry;
  entry.completed = !completed.empty();
  entry.uid = entry.completed ? completed : StringAt(object, {"intent"});
  entry.namespace_ = StringAt(object, {"namespace"});
  entry.name = StringAt(object, {"name"});
  if (const Json* devices = Find(object, "devices"); devices != nullptr && devices->is_array()) {
    for (const Json& device : devices->get_array()) entry.devices.push_back(DecodeDevice(device));
  }
  return entry;
}

bool IsKnown(std::string_view record) {
  const auto object = ParseJson(record);
  if (!object || !object->is_object()) return false;
  const Json* format = Find(*object, "format");
  if (format != nullptr) return format->is_int64() && format->get_int64() == kFormat;
  return Find(*object, "intent") != nullptr || Find(*object, "completed") != nullptr ||
         Find(*object, "removed") != nullptr;
}

// What the records add up to.
struct Replayed {
  std::string boot_id;
  std::map<std::string, ClaimEntry> entries;
};

Replayed Replay(const std::vector<std::string>& records) {
  Replayed replayed;
  for (const std::string& text : records) {
    const auto record = ParseJson(text);
    if (!record) continue;  // IsKnown has read it
    if (const auto boot = StringAt(*record, {"boot"}); !boot.empty()) {
      replayed.boot_id = boot;
    } else if (const auto removed = StringAt(*record, {"removed"}); !removed.empty()) {
      replayed.entries.erase(std::string(removed));
    } else {
      ClaimEntry entry = DecodeEntry(*record);
      replayed.entries[entry.uid] = std::move(entry);
    }
  }
  return replayed;
}

// A new file with these entries in place of `log`.
Status Rewrite(RecordLog& log, const std::string& boot_id, const std::map<std::string, ClaimEntry>& entries) {
  KU_TRY(RecordLog next, log.BeginReplacement());
  KU_TRY_OK(next.Append(Header(boot_id)));
  for (const auto& [uid, entry] : entries) KU_TRY_OK(next.Append(Encode(entry)));
  return log.BecomeReplacement(std::move(next));
}

}  // namespace

std::string ClaimEntry::Describe() const {
  return fmt::format("{}/{} ({})", namespace_, name, uid);
}

Result<ClaimJournal::Opened> ClaimJournal::Open(const std::string& path, const std::string& boot_id,
                                                JournalOptions options) {
  KU_TRY(RecordLog::Opened file, RecordLog::Open(path, IsKnown, options.disk));
  Opened opened;
  opened.damage = file.damage;
  Replayed replayed = Replay(file.records);
  if (replayed.boot_id.empty() || opened.damage) opened.origin = JournalOrigin::kLost;
  if (replayed.boot_id != boot_id) {
    if (!replayed.boot_id.empty()) opened.origin = JournalOrigin::kOtherBoot;
    replayed.entries.clear();
    KU_TRY_OK(Rewrite(file.log, boot_id, replayed.entries));
  }
  opened.journal = std::make_unique<ClaimJournal>(Private{}, std::move(file.log), std::move(replayed.entries), boot_id,
                                                  std::move(options));
  return opened;
}

ClaimJournal::ClaimJournal(Private /*unused*/, RecordLog log, std::map<std::string, ClaimEntry> entries,
                           std::string boot_id, JournalOptions options)
    : boot_id_(std::move(boot_id)),
      options_(std::move(options)),
      log_(std::move(log)),
      entries_(std::move(entries)),
      compact_at_(std::max(options_.compact_above_bytes, 2 * log_.bytes())),
      compaction_([this](const std::stop_token& stop) { CompactWhenNeeded(stop); }) {}

std::optional<ClaimEntry> ClaimJournal::Find(const std::string& uid) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(uid);
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ClaimEntry> ClaimJournal::All() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ClaimEntry> all;
  for (const auto& [uid, entry] : entries_) all.push_back(entry);
  return all;
}

std::size_t ClaimJournal::bytes() const {
  const std::scoped_lock lock(mutex_);
  return log_.bytes();
}

Status ClaimJournal::Put(const ClaimEntry& entry) {
  std::string record = Encode(entry);
  const std::scoped_lock lock(mutex_);
  if (!entry.completed) {
    // The intent, its completion, and then the end of every claim.
    const std::size_t room = 2 * (RecordLog::BytesOf(record) + 8) + kRemovalBytes * (entries_.size() + 1);
    KU_TRY_OK(log_.Reserve(room));
  }
  KU_TRY_OK(Append(std::move(record)));
  entries_[entry.uid] = entry;
  return {};
}

Status ClaimJournal::Remove(const std::string& uid) {
  const std::scoped_lock lock(mutex_);
  if (!entries_.contains(uid)) return {};
  KU_TRY_OK(Append(EncodeRemoval(uid)));
  entries_.erase(uid);
  return {};
}

Status ClaimJournal::Append(std::string payload) {
  KU_TRY_OK(log_.Append(payload));
  if (since_snapshot_) since_snapshot_->push_back(std::move(payload));
  if (log_.bytes() > compact_at_) changed_.notify_all();
  return {};
}

void ClaimJournal::AwaitCompaction() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return log_.bytes() <= compact_at_ && !since_snapshot_; });
}

void ClaimJournal::CompactWhenNeeded(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return log_.bytes() > compact_at_; })) {
    if (const Status compacted = Compact(lock); !compacted) {
      // The long file goes on; it is tried again when it has doubled.
      Log(LogLevel::kWarning, "cannot shorten the journal", {{"error", compacted.error().message}});
      compact_at_ = 2 * log_.bytes();
    } else {
      compact_at_ = std::max(options_.compact_above_bytes, 2 * log_.bytes());
    }
    since_snapshot_.reset();
    changed_.notify_all();
  }
}

Status ClaimJournal::Compact(std::unique_lock<std::mutex>& lock) {
  std::vector<std::string> records{Header(boot_id_)};
  for (const auto& [uid, entry] : entries_) records.push_back(Encode(entry));
  since_snapshot_.emplace();
  lock.unlock();
  auto next = log_.BeginReplacement();
  Status written;
  for (std::size_t i = 0; next && written && i < records.size(); ++i) written = next->Append(records[i]);
  lock.lock();
  if (!next) return tl::unexpected<Error>(next.error());
  KU_TRY_OK(written);
  // Claims that are here now must be able to go though the disk is full.
  KU_TRY_OK(next->Reserve(kRemovalBytes * (entries_.size() + 1)));
  for (const std::string& record : *since_snapshot_) KU_TRY_OK(next->Append(record));
  return log_.BecomeReplacement(*std::move(next));
}

}  // namespace kumiko::node
