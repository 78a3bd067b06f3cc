// A file of records that survives kill -9 at any instruction: records are only appended, each with its length and a
// checksum, and what a process wrote before it was killed is in the page cache. Nothing is synced to the disk: a reboot
// voids what the node driver keeps here (DESIGN §4).
//
//   record:  length u32 | checksum of the length u32 | checksum of the payload u32 | payload        little endian,
//   CRC-32C
//
// The length has a checksum of its own, so that a record cut off by a kill is told from one that something damaged.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko::node {

inline constexpr std::size_t kMaxRecordBytes = 1u << 20;

// The calls that need space on the disk, so that tests can take it away. Signatures and errors as those of Linux.
struct DiskCalls {
  std::function<ssize_t(int, const void*, std::size_t)> write;
  std::function<int(int, int, off_t, off_t)> fallocate;
  static DiskCalls OfTheSystem();
};

// Used by one thread at a time.
class RecordLog {
 public:
  struct Opened;
  // Reads the file, or creates it. A record that a kill cut off is removed. Damage elsewhere, or a record that
  // `is_known` does not know: the file is set aside as PATH.damaged, and a new one begins with the records before.
  // Errors: those of file access.
  static Result<Opened> Open(const std::string& path, const std::function<bool(std::string_view)>& is_known,
                             DiskCalls disk = DiskCalls::OfTheSystem());

  RecordLog(RecordLog&& other) noexcept;
  RecordLog& operator=(RecordLog&& other) noexcept;
  ~RecordLog();

  // The record is there as a whole, or not at all and an error says why; kUnavailable when the disk is full.
  Status Append(std::string_view payload);
  // Makes sure that `bytes` more will fit, headers included. Where the file system cannot promise that, does nothing.
  Status Reserve(std::size_t bytes);
  std::size_t bytes() const { return size_; }

  // A file beside this one that is to take its place: written without disturbing who appends, then exchanged by
  // BecomeReplacement, a rename.
  Result<RecordLog> BeginReplacement() const;
  Status BecomeReplacement(RecordLog replacement);

  // Bytes of a record on the disk.
  static std::size_t BytesOf(std::string_view payload) { return kHeaderBytes + payload.size(); }

 private:
  static constexpr std::size_t kHeaderBytes = 12;
  RecordLog(std::string path, int file, std::size_t size, DiskCalls disk);
  static Result<RecordLog> OpenFile(const std::string& path, int flags, const DiskCalls& disk);
  tl::unexpected<Error> FailErrno(int error) const;

  std::string path_;
  int file_ = -1;
  std::size_t size_ = 0;      // of whole records
  std::size_t reserved_ = 0;  // the file has blocks up to here
  DiskCalls disk_;
};

struct RecordLog::Opened {
  RecordLog log;
  std::vector<std::string> records;
  std::optional<std::string> damage;  // what was damaged, and where the file is now
};

}  // namespace kumiko::node
