// Events: sets, registering, waiting.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include "fakenvml/library.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Library;
using fakenvml::OnGpu;
using fakenvml::OnLibrary;
using fakenvml::Store;

namespace {

using Steady = std::chrono::steady_clock;

constexpr unsigned long long kSupportedEvents = nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError |
                                                nvmlEventTypeXidCriticalError | nvmlEventTypeGpuRecoveryAction;

struct EventSet {
  std::uint32_t serial = 0;  // 0: free
  std::uint64_t next = 0;    // number of the first event that this set has not looked at
  std::array<unsigned long long, fakenvml::kMaxGpus> wanted{};
  std::array<bool, fakenvml::kMaxGpus> told_lost{};
};

struct EventSets {
  std::mutex mutex;
  std::array<EventSet, 64> sets;
  std::uint32_t last_serial = 0;
};

EventSets& Sets() {
  static EventSets sets;
  return sets;
}

// The set of a handle; null when it was freed. The caller holds the mutex.
EventSet* FindSet(nvmlEventSet_t handle) {
  const auto parts = fakenvml::ReadHandle(handle);
  if (!parts || parts->kind != fakenvml::HandleKind::kEventSet || parts->index >= Sets().sets.size()) return nullptr;
  EventSet& set = Sets().sets[parts->index];
  return set.serial != 0 && (set.serial & fakenvml::kSerialMask) == parts->serial ? &set : nullptr;
}

// A GPU that is lost is told to each set once.
bool TellLost(EventSet& set, const fakenvml::StateFile& state) {
  const auto lost = state.control.Read([&](const fakenvml::Control& control) {
    std::array<bool, fakenvml::kMaxGpus> flags{};
    for (unsigned gpu = 0; gpu < state.gpu_count; ++gpu) flags[gpu] = control.health[gpu].lost != 0;
    return flags;
  });
  bool tell = false;
  for (unsigned gpu = 0; gpu < state.gpu_count; ++gpu) {
    tell |= lost[gpu] && set.wanted[gpu] != 0 && !set.told_lost[gpu];
  }
  set.told_lost = lost;
  return tell;
}

// The next event that the set has registered for.
std::optional<fakenvml::Event> TakeEvent(EventSet& set, const fakenvml::EventRing& ring) {
  const std::uint64_t end = ring.next.load(std::memory_order_acquire);
  // What a slow reader has let the ring overwrite is gone; the slot that may be written now is left out as well.
  if (end - set.next >= fakenvml::kMaxEvents) set.next = end - fakenvml::kMaxEvents + 1;
  while (set.next < end) {
    const fakenvml::Event event = ring.slots[set.next++ % fakenvml::kMaxEvents];
    if (event.gpu < set.wanted.size() && (set.wanted[event.gpu] & event.type) != 0) return event;
  }
  return std::nullopt;
}

// One look at what there is: an answer for the caller, or nothing yet.
std::optional<nvmlReturn_t> Look(nvmlEventSet_t handle, nvmlEventData_t& data) {
  Library& library = Library::Get();
  library.FollowControlFile();
  const std::lock_guard lock(Sets().mutex);
  EventSet* set = FindSet(handle);
  if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (TellLost(*set, library.state())) return NVML_ERROR_GPU_IS_LOST;
  const auto event = TakeEvent(*set, library.state().events);
  if (!event) return std::nullopt;
  data = nvmlEventData_t{fakenvml::DeviceHandle(event->gpu), event->type, event->data, event->gpu_instance,
                         event->compute_instance};
  return NVML_SUCCESS;
}

// Wakes when something changes in the library's folder, where the control file lies.
class FolderWatch {
 public:
  explicit FolderWatch(const std::string& folder) : file_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (file_ >= 0) inotify_add_watch(file_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_MODIFY | IN_DELETE);
  }
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  ~FolderWatch() {
    if (file_ >= 0) close(file_);
  }
  void Wait(std::chrono::milliseconds most) {
    pollfd wait = {file_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(most.count())) > 0) {
      std::array<char, 4096> changes;
      while (read(file_, changes.data(), changes.size()) > 0) {
      }
    }
  }

 private:
  int file_;
};

nvmlReturn_t WaitForEvent(Library& library, nvmlEventSet_t set, nvmlEventData_t& data, unsigned timeout_ms) {
  if (const auto answer = Look(set, data)) return *answer;
  if (timeout_ms == 0) return NVML_ERROR_TIMEOUT;
  FolderWatch watch(library.folder());
  const auto until = Steady::now() + std::chrono::milliseconds(timeout_ms);
  // The control file may also be carried out by another process, which nothing here wakes for in a container that does
  // not see the file: hence the bound.
  constexpr std::chrono::milliseconds kLookAgain(50);
  for (;;) {
    if (const auto answer = Look(set, data)) return *answer;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    if (left.count() <= 0) return NVML_ERROR_TIMEOUT;
    watch.Wait(std::min(left, kLookAgain));
  }
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  return OnLibrary(__func__, [&](Library& library) {
    if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const std::lock_guard lock(Sets().mutex);
    auto& sets = Sets().sets;
    const auto free = std::ranges::find(sets, 0u, &EventSet::serial);
    if (free == sets.end()) return NVML_ERROR_MEMORY;
    *free = EventSet{};
    free->serial = ++Sets().last_serial;
    free->next = library.state().events.next.load(std::memory_order_acquire);
    return Store(set, fakenvml::MakeHandle<nvmlEventSet_t>({fakenvml::HandleKind::kEventSet,
                                                            static_cast<std::uint32_t>(free - sets.begin()), 0, 0,
                                                            free->serial}));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long* types) {
  return OnGpu(__func__, device, [&](const fakenvml::Gpu&) { return Store(types, kSupportedEvents); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
  return fakenvml::OnDevice(__func__, device, [&](const fakenvml::Target& target) {
    if ((types & ~kSupportedEvents) != 0) return NVML_ERROR_NOT_SUPPORTED;
    const std::lock_guard lock(Sets().mutex);
    EventSet* found = FindSet(set);
    if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    found->wanted[target.gpu] |= types;
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data, unsigned timeout_ms) {
  return OnLibrary(__func__, [&](Library& library) {
    if (data == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return WaitForEvent(library, set, *data, timeout_ms);
  });
}

NVML_EXPORT nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  return OnLibrary(__func__, [&](Library&) {
    const std::lock_guard lock(Sets().mutex);
    EventSet* found = FindSet(set);
    if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    found->serial = 0;
    return NVML_SUCCESS;
  });
}
