#include "node/record_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/files.h"

namespace kumiko::node {
namespace {

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0u);
    table[i] = value;
  }
  return table;
}

std::uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeCrcTable();
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

void AppendNumber(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xFF);
}

std::uint32_t NumberAt(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return number;
}

std::string WithHeader(std::string_view payload) {
  std::string record;
  record.reserve(RecordLog::BytesOf(payload));
  AppendNumber(record, static_cast<std::uint32_t>(payload.size()));
  AppendNumber(record, Crc32c(record));
  AppendNumber(record, Crc32c(payload));
  record += payload;
  return record;
}

struct Content {
  std::vector<std::string> records;
  std::size_t whole_bytes = 0;        // where the last whole record ends
  std::optional<std::string> damage;  // what is wrong behind it, unless it was cut off
};

Content ReadRecords(std::string_view file, std::size_t header_bytes,
                    const std::function<bool(std::string_view)>& is_known) {
  Content content;
  const auto damaged = [&](const char* what) {
    content.damage = fmt::format("{} of record {} at byte {}", what, content.records.size() + 1, content.whole_bytes);
  };
  while (content.whole_bytes < file.size()) {
    const std::string_view rest = file.substr(content.whole_bytes);
    if (rest.size() < header_bytes) break;
    const std::size_t length = NumberAt(rest, 0);
    if (NumberAt(rest, 4) != Crc32c(rest.substr(0, 4)) || length > kMaxRecordBytes) {
      damaged("the length");
      break;
    }
    if (rest.size() - header_bytes < length) break;
    const std::string_view payload = rest.substr(header_bytes, length);
    if (NumberAt(rest, 8) != Crc32c(payload) || !is_known(payload)) {
      damaged("the content");
      break;
    }
    content.records.emplace_back(payload);
    content.whole_bytes += header_bytes + length;
  }
  return content;
}

}  // namespace

DiskCalls DiskCalls::OfTheSystem() {
  return {::write, ::fallocate};
}

RecordLog::RecordLog(std::string path, int file, std::size_t size, DiskCalls disk)
    : path_(std::move(path)), file_(file), size_(size), reserved_(size), disk_(std::move(disk)) {}

RecordLog::RecordLog(RecordLog&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      reserved_(other.reserved_),
      disk_(std::move(other.disk_)) {}

RecordLog& RecordLog::operator=(RecordLog&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(reserved_, other.reserved_);
  std::swap(disk_, other.disk_);
  return *this;
}

RecordLog::~RecordLog() {
  if (file_ >= 0) ::close(file_);
}

tl::unexpected<Error> RecordLog::FailErrno(int error) const {
  const Code code = error == EACCES || error == EPERM || error == EROFS ? Code::kPermission : Code::kUnavailable;
  return Fail(code, "{}: {}", path_, std::generic_category().message(error));
}

Result<RecordLog> RecordLog::OpenFile(const std::string& path, int flags, const DiskCalls& disk) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0600);
  RecordLog log(path, file, 0, disk);
  if (file < 0) return log.FailErrno(errno);
  return log;
}

Result<RecordLog::Opened> RecordLog::Open(const std::string& path,
                                          const std::function<bool(std::string_view)>& is_known, DiskCalls disk) {
  KU_TRY(RecordLog log, OpenFile(path, 0, disk));
  KU_TRY(const std::string file, ReadFile(path));
  Content content = ReadRecords(file, kHeaderBytes, is_known);
  if (!content.damage) {
    if (content.whole_bytes < file.size() && ::ftruncate(log.file_, static_cast<off_t>(content.whole_bytes)) != 0) {
      return log.FailErrno(errno);
    }
    log.size_ = log.reserved_ = content.whole_bytes;
    return Opened{std::move(log), std::move(content.records), std::nullopt};
  }
  KU_TRY(RecordLog replacement, log.BeginReplacement());
  for (const std::string& record : content.records) KU_TRY_OK(replacement.Append(record));
  const std::string aside = path + ".damaged";
  // A second name for the damaged file rather than a rename: a kill here must not leave the path without a file.
  ::unlink(aside.c_str());
  if (::link(path.c_str(), aside.c_str()) != 0) return log.FailErrno(errno);
  KU_TRY_OK(log.BecomeReplacement(std::move(replacement)));
  const std::string damage = fmt::format("{}: {} is damaged; {} records before it are kept, the file is now {}", path,
                                         *content.damage, content.records.size(), aside);
  return Opened{std::move(log), std::move(content.records), damage};
}

Status RecordLog::Append(std::string_view payload) {
  if (payload.empty() || payload.size() > kMaxRecordBytes) {
    return Fail(Code::kInternal, "{}: a record of {} bytes; 1 to {} are possible", path_, payload.size(),
                kMaxRecordBytes);
  }
  const std::string record = WithHeader(payload);
  std::size_t written = 0;
  while (written < record.size()) {
    const ssize_t count = disk_.write(file_, record.data() + written, record.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count == 0 ? ENOSPC : errno;
      // What cannot be taken back is removed when the file is opened again: a record that was cut off. Here it would
      // stand before the next record.
      if (written > 0 && ::ftruncate(file_, static_cast<off_t>(size_)) != 0) {
        ::close(std::exchange(file_, -1));
      }
      return FailErrno(error);
    }
    written += static_cast<std::size_t>(count);
  }
  size_ += record.size();
  return {};
}

Status RecordLog::Reserve(std::size_t bytes) {
  if (size_ + bytes <= reserved_) return {};
  constexpr std::size_t kStep = 64u << 10;
  const std::size_t end = (size_ + bytes + kStep - 1) / kStep * kStep;
  while (disk_.fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size_), static_cast<off_t>(end - size_)) != 0) {
    if (errno == EINTR) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) break;
    return FailErrno(errno);
  }
  reserved_ = end;
  return {};
}

Result<RecordLog> RecordLog::BeginReplacement() const {
  return OpenFile(path_ + ".next", O_TRUNC, disk_);
}

Status RecordLog::BecomeReplacement(RecordLog replacement) {
  if (::rename(replacement.path_.c_str(), path_.c_str()) != 0) return FailErrno(errno);
  replacement.path_ = path_;
  *this = std::move(replacement);
  return {};
}

}  // namespace kumiko::node
