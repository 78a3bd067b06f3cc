// Mapping the state file into a process, and the locks in it. Used by the library, the tool and nvidia-smi.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

enum class Access { kReadOnly, kReadWrite };

// The state file of one installation, mapped. Empty when it is not there or not of our layout.
class StateMap {
 public:
  StateMap() = default;
  // Tries to map for writing, else for reading only. `why` says what is wrong when nothing is mapped.
  static StateMap Open(const std::string& path, std::string* why = nullptr);
  StateMap(StateMap&& other) noexcept { *this = std::move(other); }
  StateMap& operator=(StateMap&& other) noexcept;
  ~StateMap();

  explicit operator bool() const { return state_ != nullptr; }
  StateFile* operator->() const { return state_; }
  StateFile& operator*() const { return *state_; }
  Access access() const { return access_; }

 private:
  StateFile* state_ = nullptr;
  std::size_t size_ = 0;
  Access access_ = Access::kReadOnly;
};

// A mutex of the state file. A holder that died has left a whole state behind (state.h), so its lock is simply taken
// over.
class SharedLock {
 public:
  explicit SharedLock(pthread_mutex_t& mutex);
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;
  ~SharedLock();

 private:
  pthread_mutex_t& mutex_;
};

// For a new state file: a mutex that processes share and that outlives its holder.
bool InitializeSharedMutex(pthread_mutex_t& mutex);

// "/dev/nvidia0" and the like below the driver root; the root is the library's folder less `depth` names.
std::string DriverRoot(const std::string& library_folder, unsigned depth);
// Where this library or program lies, links resolved; empty when that cannot be told.
std::string OwnFolder();
// The state file in that folder: the one whose name matches the pattern of driver libraries, and the control file.
std::string StateFilePath(const std::string& folder, const std::string& driver_version);
std::optional<std::string> FindStateFile(const std::string& folder);
std::string ControlFilePath(const std::string& folder);
// Where `fakenvml hang-mount` mounts.
std::string HangFolder(const std::string& folder);

}  // namespace kumiko::fakenvml
