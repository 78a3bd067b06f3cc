// Reading and writing files, with errors that name the file and the reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kumiko {

inline constexpr std::size_t kMaxFileBytes = 256u << 20;

// The whole file. Errors: kNotFound, kPermission, kInvalidArgument (a directory, or larger than `max_bytes`),
// kUnavailable (reading failed).
Result<std::string> ReadFile(const std::string& path, std::size_t max_bytes = kMaxFileBytes);
Result<std::string> ReadStandardInput(std::size_t max_bytes = kMaxFileBytes);

// What a written file outlives: a crash of the machine, or only the end of the process, which costs no wait for the
// disk.
enum class Durability { kMachine, kProcess };

// Readers see the old or the new content, never a part; after a crash too, of what `durability` names. A file that
// exists keeps its mode; a new one gets `mode`, lowered by the umask.
Status WriteFileAtomically(const std::string& path, std::string_view content, unsigned mode = 0644,
                           Durability durability = Durability::kMachine);

// Paths of the regular files in `directory` (not below it) whose name ends with `extension` (".yaml"; "" for all), in
// the order of their bytes.
Result<std::vector<std::string>> ListFiles(const std::string& directory, std::string_view extension);

// A fresh directory under $TMPDIR or /tmp, with a path short enough for unix sockets; removed with its content when
// dropped.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> Create();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept;
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kumiko
