// What the simulated library keeps in a process, and the gate that every call passes: is the library initialised, does
// the handle mean something, what does the control file say.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "fakenvml/handles.h"
#include "fakenvml/state_map.h"
#include "gpu/nvml_abi.h"

// Marks what the library exports.
#define NVML_EXPORT extern "C" __attribute__((visibility("default")))

namespace kumiko::fakenvml {

// A device that a call is about: a whole GPU, or a MIG device on it.
struct Target {
  unsigned gpu = 0;  // index in the state file
  std::uint32_t gpu_instance = NVML_NO_INSTANCE;
  std::uint32_t compute_instance = NVML_NO_INSTANCE;
  bool IsMig() const { return gpu_instance != NVML_NO_INSTANCE; }
};

class Library {
 public:
  static Library& Get();

  nvmlReturn_t Init(unsigned flags);
  nvmlReturn_t Shutdown();

  // The gate. `gpu` below 0: the call is about no GPU. Waits as long as the control file asks for.
  enum class Delays { kPay, kSkip };
  nvmlReturn_t Enter(const char* function, int gpu, Delays delays = Delays::kPay);
  // Looks at the control file and carries it out when it has changed since any process looked.
  void FollowControlFile();

  bool initialized() const { return users_.load(std::memory_order_acquire) > 0; }
  StateFile& state() { return *map_; }
  // Changes need the state file mapped for writing; in a container it is not.
  bool CanWrite() const { return map_.access() == Access::kReadWrite; }
  const std::string& folder() const { return folder_; }

  // GPUs that this process can open, in the order of the state file.
  unsigned visible_count() const { return visible_count_; }
  unsigned VisibleGpu(unsigned index) const { return visible_[index]; }
  bool IsVisible(unsigned gpu) const;
  // The index by which this process knows the GPU.
  unsigned IndexOf(unsigned gpu) const;
  // Whether this process can open the capability nodes of an instance.
  bool CanReach(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) const;

 private:
  bool CanOpen(const std::string& node, unsigned major, unsigned minor) const;

  std::mutex mutex_;  // of Init, Shutdown and seen_
  std::atomic<int> users_ = 0;
  StateMap map_;
  std::string folder_;  // of the library
  std::string root_;    // of the driver
  std::array<unsigned, kMaxGpus> visible_{};
  unsigned visible_count_ = 0;
  FileIdentity seen_{};
};

// The device that a handle means; NVML_ERROR_NOT_FOUND when its instance is gone.
nvmlReturn_t Resolve(nvmlDevice_t handle, Target& target);
nvmlDevice_t DeviceHandle(unsigned gpu);
nvmlDevice_t MigDeviceHandle(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance,
                             std::uint32_t serial);

// Passes the gate for a call on a device and then runs `body(target)`.
template <class Body>
nvmlReturn_t OnDevice(const char* function, nvmlDevice_t handle, Body body) {
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  const auto parts = ReadHandle(handle);
  if (!parts || parts->index >= library.state().gpu_count) return NVML_ERROR_INVALID_ARGUMENT;
  if (const nvmlReturn_t entered = library.Enter(function, static_cast<int>(parts->index)); entered != NVML_SUCCESS) {
    return entered;
  }
  Target target;
  if (const nvmlReturn_t resolved = Resolve(handle, target); resolved != NVML_SUCCESS) return resolved;
  return body(target);
}

// The same for what only whole GPUs have.
template <class Body>
nvmlReturn_t OnGpu(const char* function, nvmlDevice_t handle, Body body) {
  return OnDevice(function, handle, [&](const Target& target) {
    return target.IsMig() ? NVML_ERROR_INVALID_ARGUMENT : body(Library::Get().state().gpu(target.gpu));
  });
}

// And for calls about nothing in particular.
template <class Body>
nvmlReturn_t OnLibrary(const char* function, Body body) {
  Library& library = Library::Get();
  const nvmlReturn_t entered = library.Enter(function, -1);
  return entered == NVML_SUCCESS ? body(library) : entered;
}

// Copies `text` with its end into the caller's buffer.
nvmlReturn_t CopyText(std::string_view text, char* buffer, unsigned length);
nvmlPciInfo_t PciInfoOf(const Board& board);
template <class T>
nvmlReturn_t Store(T* where, T value) {
  if (where == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *where = value;
  return NVML_SUCCESS;
}

}  // namespace kumiko::fakenvml
