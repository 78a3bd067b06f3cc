#include "fakenvml/library.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>

#include "fakenvml/capabilities.h"
#include "fakenvml/control_apply.h"
#include "fakenvml/device_text.h"

namespace kumiko::fakenvml {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// Sleeps for so long; signals that arrive meanwhile do not shorten it.
void Pause(milliseconds time) {
  const auto until = Steady::now() + time;
  for (auto left = until - Steady::now(); left.count() > 0; left = until - Steady::now()) {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    const timespec wait = {ns / 1000000000, ns % 1000000000};
    ppoll(nullptr, 0, &wait, nullptr);
  }
}

// A thread in the kernel's uninterruptible sleep takes no signal. Where `fakenvml hang-mount` serves the file, opening
// it is that very sleep: not even SIGKILL ends the process.
void HangForGood(const std::string& folder) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const int file = open((HangFolder(folder) + "/forever").c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
  for (;;) Pause(milliseconds(3600 * 1000));
}

bool Matches(const Rule& rule, const char* function, int gpu, int pid) {
  return (rule.gpu < 0 || rule.gpu == gpu) && (rule.pid == 0 || rule.pid == pid) &&
         (rule.function[0] == '\0' || strncmp(rule.function, function, kFunctionNameSize) == 0);
}

// What the rules say about one call.
struct Verdict {
  bool hang = false;
  bool for_good = false;
  bool lost = false;
  bool has_delay = false;
  std::uint32_t delay_ms = 0;
  std::uint32_t failure = 0;
};

void Judge(const Rule* rules, std::uint32_t count, const char* function, int gpu, int pid, Verdict& verdict) {
  for (std::uint32_t i = 0; i < std::min(count, kMaxRules); ++i) {
    const Rule& rule = rules[i];
    if (!Matches(rule, function, gpu, pid)) continue;
    switch (rule.kind) {
      case RuleKind::kFail:
        if (verdict.failure == 0) verdict.failure = rule.value;
        break;
      case RuleKind::kDelay:
        if (!verdict.has_delay) verdict.delay_ms = rule.value;
        verdict.has_delay = true;
        break;
      case RuleKind::kHang:
        verdict.hang = true;
        break;
      case RuleKind::kHangForGood:
        verdict.hang = verdict.for_good = true;
        break;
    }
  }
}

Verdict JudgeCall(const StateFile& state, const char* function, int gpu) {
  const int pid = getpid();
  Verdict verdict = state.control.Read([&](const Control& control) {
    Verdict found;
    Judge(control.rules, control.rule_count, function, gpu, pid, found);
    if (gpu >= 0) found.lost = control.health[gpu].lost != 0;
    return found;
  });
  Judge(state.delays, state.delay_count, function, gpu, pid, verdict);
  return verdict;
}

}  // namespace

Library& Library::Get() {
  // Never destroyed: threads may still be inside when the process exits.
  static Library* const library = std::make_unique<Library>().release();
  return *library;
}

nvmlReturn_t Library::Init(unsigned flags) {
  const std::lock_guard lock(mutex_);
  if (users_ > 0) {
    ++users_;
    return NVML_SUCCESS;
  }
  folder_ = OwnFolder();
  const auto path = FindStateFile(folder_);
  if (!path) return NVML_ERROR_DRIVER_NOT_LOADED;
  map_ = StateMap::Open(*path);
  if (!map_) return NVML_ERROR_DRIVER_NOT_LOADED;
  root_ = DriverRoot(folder_, map_->root_depth);
  if (!CanOpen("/dev/nvidiactl", kGpuMajor, kControlMinor)) return NVML_ERROR_DRIVER_NOT_LOADED;
  visible_count_ = 0;
  for (unsigned gpu = 0; gpu < map_->gpu_count; ++gpu) {
    const unsigned minor = map_->gpu(gpu).board.minor;
    if (CanOpen("/dev/nvidia" + std::to_string(minor), kGpuMajor, minor)) visible_[visible_count_++] = gpu;
  }
  if (visible_count_ == 0 && (flags & NVML_INIT_FLAG_NO_GPUS) == 0) return NVML_ERROR_NOT_FOUND;
  seen_ = {-1ull, 0, 0};
  ++users_;
  return NVML_SUCCESS;
}

nvmlReturn_t Library::Shutdown() {
  const std::lock_guard lock(mutex_);
  if (users_ == 0) return NVML_ERROR_UNINITIALIZED;
  --users_;  // the file stays mapped: a call of another thread may still be inside
  return NVML_SUCCESS;
}

// A node counts as reachable when a driver would have answered: opening succeeds, or finds no driver behind the right
// number, which is as far as a simulation gets. The device cgroup of a container answers EPERM instead.
bool Library::CanOpen(const std::string& node, unsigned major, unsigned minor) const {
  const std::string path = root_ + node;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool is_node = S_ISCHR(status.st_mode) && status.st_rdev == makedev(major, minor);
  if (!is_node && !(map_->plain_devices != 0 && S_ISREG(status.st_mode))) return false;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENXIO;
  close(file);
  return true;
}

bool Library::IsVisible(unsigned gpu) const {
  return std::find(visible_.begin(), visible_.begin() + visible_count_, gpu) != visible_.begin() + visible_count_;
}

unsigned Library::IndexOf(unsigned gpu) const {
  return static_cast<unsigned>(std::find(visible_.begin(), visible_.begin() + visible_count_, gpu) - visible_.begin());
}

bool Library::CanReach(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) const {
  const unsigned minor = map_->gpu(gpu).board.minor;
  const auto can_open = [&](unsigned capability) {
    return CanOpen("/dev/nvidia-caps/nvidia-cap" + std::to_string(capability), map_->capability_major, capability);
  };
  return can_open(GpuInstanceCapability(minor, gpu_instance)) &&
         can_open(ComputeInstanceCapability(minor, gpu_instance, compute_instance));
}

nvmlReturn_t Library::Enter(const char* function, int gpu, Delays delays) {
  if (!initialized()) return NVML_ERROR_UNINITIALIZED;
  FollowControlFile();
  Verdict verdict = JudgeCall(*map_, function, gpu);
  while (verdict.hang) {
    if (verdict.for_good) HangForGood(folder_);
    Pause(milliseconds(10));
    FollowControlFile();
    verdict = JudgeCall(*map_, function, gpu);
  }
  if (verdict.lost) return NVML_ERROR_GPU_IS_LOST;
  if (verdict.delay_ms > 0 && delays == Delays::kPay) Pause(milliseconds(verdict.delay_ms));
  return static_cast<nvmlReturn_t>(verdict.failure);
}

void Library::FollowControlFile() {
  if (!CanWrite()) return;
  const FileIdentity now = IdentityOf(ControlFilePath(folder_));
  {
    const std::lock_guard lock(mutex_);
    if (now == seen_) return;
  }
  ApplyControlFile(*map_, ControlFilePath(folder_));
  // Only now: a call beside this one must not go by the rules that stood before.
  const std::lock_guard lock(mutex_);
  seen_ = now;
}

nvmlReturn_t Resolve(nvmlDevice_t handle, Target& target) {
  Library& library = Library::Get();
  const auto parts = ReadHandle(handle);
  if (!parts || !library.IsVisible(parts->index)) return NVML_ERROR_INVALID_ARGUMENT;
  target = Target{parts->index};
  if (parts->kind == HandleKind::kDevice) return NVML_SUCCESS;
  if (parts->kind != HandleKind::kMigDevice || parts->gpu_instance >= kMaxInstances ||
      parts->compute_instance >= kMaxComputeInstances) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const std::uint32_t serial = library.state().gpu(parts->index).state.Read([&](const GpuState& state) {
    return state.instances[parts->gpu_instance].compute[parts->compute_instance].serial;
  });
  if (serial == 0 || (serial & kSerialMask) != parts->serial) return NVML_ERROR_NOT_FOUND;
  target.gpu_instance = parts->gpu_instance;
  target.compute_instance = parts->compute_instance;
  return NVML_SUCCESS;
}

nvmlDevice_t DeviceHandle(unsigned gpu) {
  return MakeHandle<nvmlDevice_t>({HandleKind::kDevice, gpu, 0, 0, 0});
}

nvmlDevice_t MigDeviceHandle(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance,
                             std::uint32_t serial) {
  return MakeHandle<nvmlDevice_t>({HandleKind::kMigDevice, gpu, gpu_instance, compute_instance, serial});
}

nvmlReturn_t CopyText(std::string_view text, char* buffer, unsigned length) {
  if (buffer == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (length < text.size() + 1) return NVML_ERROR_INSUFFICIENT_SIZE;
  text.copy(buffer, text.size());
  buffer[text.size()] = '\0';
  return NVML_SUCCESS;
}

nvmlPciInfo_t PciInfoOf(const Board& board) {
  nvmlPciInfo_t info{};
  CopyText(PciBusIdText(board, 4), info.busIdLegacy, sizeof info.busIdLegacy);
  CopyText(PciBusIdText(board, 8), info.busId, sizeof info.busId);
  info.domain = board.pci_domain;
  info.bus = board.pci_bus;
  info.device = board.pci_device;
  info.pciDeviceId = board.pci_id;
  info.pciSubSystemId = board.pci_subsystem_id;
  return info;
}

}  // namespace kumiko::fakenvml
