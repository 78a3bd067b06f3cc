#include "fakenvml/state_map.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string_view>

namespace kumiko::fakenvml {
namespace {

// Part of the driver's libraries by its name, so that whoever mounts these into a container mounts it as well.
constexpr std::string_view kStateFileStem = "libnvidia-fakeboards.so.";

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

bool HasOurLayout(const StateFile& state, std::size_t size) {
  return state.magic == kStateMagic && state.layout == kStateLayout && state.gpu_count <= kMaxGpus &&
         state.file_size == size && StateFile::SizeFor(state.gpu_count) == size;
}

}  // namespace

StateMap StateMap::Open(const std::string& path, std::string* why) {
  StateMap map;
  const auto refuse = [&](const std::string& reason) {
    if (why != nullptr) *why = path + ": " + reason;
    return StateMap();
  };
  map.access_ = Access::kReadWrite;
  int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    map.access_ = Access::kReadOnly;
    file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (file < 0) return refuse(strerror(errno));
  struct stat status{};
  const bool large_enough = fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= sizeof(StateFile);
  void* memory = MAP_FAILED;
  if (large_enough) {
    map.size_ = static_cast<std::size_t>(status.st_size);
    const int protection = map.access_ == Access::kReadWrite ? PROT_READ | PROT_WRITE : PROT_READ;
    memory = mmap(nullptr, map.size_, protection, MAP_SHARED, file, 0);
  }
  close(file);
  if (!large_enough) return refuse("too short for a state file; run fakenvml install again");
  if (memory == MAP_FAILED) return refuse(strerror(errno));
  map.state_ = static_cast<StateFile*>(memory);
  if (!HasOurLayout(*map.state_, map.size_)) return refuse("not of this version; run fakenvml install again");
  return map;
}

StateMap& StateMap::operator=(StateMap&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(size_, other.size_);
  std::swap(access_, other.access_);
  return *this;
}

StateMap::~StateMap() {
  if (state_ != nullptr) munmap(state_, size_);
}

SharedLock::SharedLock(pthread_mutex_t& mutex) : mutex_(mutex) {
  if (pthread_mutex_lock(&mutex_) == EOWNERDEAD) pthread_mutex_consistent(&mutex_);
}

SharedLock::~SharedLock() {
  pthread_mutex_unlock(&mutex_);
}

bool InitializeSharedMutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) != 0) return false;
  const bool done = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                    pthread_mutex_init(&mutex, &attributes) == 0;
  pthread_mutexattr_destroy(&attributes);
  return done;
}

std::string DriverRoot(const std::string& library_folder, unsigned depth) {
  std::string root = library_folder;
  for (; depth > 0; --depth) {
    const std::size_t slash = root.rfind('/');
    if (slash == std::string::npos) return "";
    root.erase(slash);
  }
  return root;
}

std::string OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&OwnFolder), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::unique_ptr<char, decltype(&free)> resolved(realpath(info.dli_fname, nullptr), &free);
  if (resolved == nullptr) return "";
  std::string folder(resolved.get());
  return folder.substr(0, folder.rfind('/'));
}

std::string StateFilePath(const std::string& folder, const std::string& driver_version) {
  return folder + "/" + std::string(kStateFileStem) + driver_version;
}

std::optional<std::string> FindStateFile(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> listing(opendir(folder.empty() ? "/" : folder.c_str()));
  if (listing == nullptr) return std::nullopt;
  while (const dirent* entry = readdir(listing.get())) {
    if (std::string_view(entry->d_name).starts_with(kStateFileStem)) return folder + "/" + entry->d_name;
  }
  return std::nullopt;
}

std::string ControlFilePath(const std::string& folder) {
  return folder + "/fakenvml.control";
}
std::string HangFolder(const std::string& folder) {
  return folder + "/fakenvml.hang";
}

}  // namespace kumiko::fakenvml
