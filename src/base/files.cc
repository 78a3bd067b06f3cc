#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/term.h"

namespace kumiko {
namespace {

namespace fs = std::filesystem;

// Closes when dropped.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

tl::unexpected<Error> FailErrno(int error, std::string_view path) {
  Code code = Code::kUnavailable;
  if (error == ENOENT || error == ENOTDIR) code = Code::kNotFound;
  if (error == EACCES || error == EPERM || error == EROFS) code = Code::kPermission;
  if (error == EISDIR || error == ENAMETOOLONG) code = Code::kInvalidArgument;
  std::string reason = std::generic_category().message(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return Fail(code, "{}: {}", EscapeControls(path), reason);
}

Result<std::string> ReadDescriptor(int number, const std::string& name, std::size_t max_bytes) {
  std::string content;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = ::read(number, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, name);
    if (count == 0) return content;
    if (content.size() + static_cast<std::size_t>(count) > max_bytes) {
      return Fail(Code::kInvalidArgument, "{}: larger than {} bytes", EscapeControls(name), max_bytes);
    }
    content.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Status WriteAll(int number, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(number, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, path);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return FailErrno(errno, path);
  return ReadDescriptor(file.number(), path, max_bytes);
}

Result<std::string> ReadStandardInput(std::size_t max_bytes) {
  return ReadDescriptor(STDIN_FILENO, "standard input", max_bytes);
}

Status WriteFileAtomically(const std::string& path, std::string_view content, unsigned mode, Durability durability) {
  // The rename replaces what a link points to, not the link.
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  const std::string target = resolved.empty() ? path : resolved.string();
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return Fail(Code::kInvalidArgument, "{}: not a regular file", EscapeControls(path));
  }

  std::string temporary = target + ".XXXXXX";
  Status written;
  {
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.number() < 0) return FailErrno(errno, path);
    written = WriteAll(file.number(), content, path);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const mode_t bits = exists ? (old.st_mode & 07777) : (mode & ~mask);
    if (written && ::fchmod(file.number(), bits) != 0) written = FailErrno(errno, path);
    if (written && durability == Durability::kMachine && ::fsync(file.number()) != 0) written = FailErrno(errno, path);
  }
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) written = FailErrno(errno, path);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (durability == Durability::kProcess) return {};
  const fs::path directory = fs::path(target).parent_path();
  const Descriptor parent(::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync directories; the file itself is complete either way.
  if (parent.number() >= 0 && ::fsync(parent.number()) != 0 && errno != EINVAL) return FailErrno(errno, path);
  return {};
}

Result<std::vector<std::string>> ListFiles(const std::string& directory, std::string_view extension) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code status;
    if (at->path().filename().string().ends_with(extension) && at->is_regular_file(status)) {
      paths.push_back(at->path().string());
    }
  }
  if (error) return FailErrno(error.value(), directory);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<TemporaryDirectory> TemporaryDirectory::Create() {
  const char* base = std::getenv("TMPDIR");
  // Socket paths end at 107 bytes, so a long $TMPDIR is no use.
  std::string path = base != nullptr && *base != '\0' && std::string_view(base).size() < 40 ? base : "/tmp";
  path += "/kumiko-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return FailErrno(errno, path);
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, std::string())) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace kumiko
