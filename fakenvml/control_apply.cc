#include "fakenvml/control_apply.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "fakenvml/control_text.h"
#include "fakenvml/state_map.h"
#include "gpu/nvml_abi.h"

namespace kumiko::fakenvml {
namespace {

constexpr std::size_t kMaxControlBytes = 1u << 20;

FileIdentity IdentityOf(const struct stat& status) {
  return {status.st_ino, status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec, status.st_size};
}

// The file and which one it was, as one: it may be replaced at any time.
std::optional<std::string> ReadControl(const std::string& path, FileIdentity& identity) {
  identity = {};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  struct stat status{};
  std::optional<std::string> text;
  if (fstat(file, &status) == 0) identity = IdentityOf(status);
  if (static_cast<std::size_t>(status.st_size) <= kMaxControlBytes) {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t got = read(file, text->data(), text->size());
    text->resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

void PushEvent(EventRing& ring, const Event& event) {
  const std::uint64_t number = ring.next.load(std::memory_order_relaxed);
  ring.slots[number % kMaxEvents] = event;
  ring.next.store(number + 1, std::memory_order_release);
}

// A reset takes instances and what was set on the board away and brings a pending MIG mode; a driver that is loaded
// again leaves MIG mode where it does not outlive the driver.
void ResetGpu(Gpu& gpu, bool keeps_mig_mode) {
  const GpuState before = gpu.state.Copy();
  GpuState after{};
  after.mig_mode = keeps_mig_mode ? before.mig_pending : NVML_DEVICE_MIG_DISABLE;
  after.mig_pending = after.mig_mode;
  after.last_serial = before.last_serial;
  gpu.state.Publish(after);
}

void CarryOut(StateFile& state, const EventStatement& statement) {
  switch (statement.kind) {
    case EventStatement::Kind::kEvent: {
      Event event = statement.event;
      if (event.type == nvmlEventTypeGpuRecoveryAction) {
        event.data = state.control.Copy().health[event.gpu].recovery_action;
      }
      for (std::uint32_t i = 0; i < statement.times; ++i) PushEvent(state.events, event);
      break;
    }
    case EventStatement::Kind::kReset:
      ResetGpu(state.gpu(statement.event.gpu), true);
      break;
    case EventStatement::Kind::kReload:
      for (unsigned i = 0; i < state.gpu_count; ++i) {
        ResetGpu(state.gpu(i), state.gpu(i).board.mig_needs_reset != 0);
      }
      break;
  }
}

void Refuse(StateFile& state, const std::string& path, Control& control, const FileIdentity& identity,
            std::string_view why) {
  control.identity = identity;
  memset(control.error, 0, sizeof control.error);
  why.copy(control.error, sizeof control.error - 1);
  state.control.Publish(control);
  fprintf(stderr, "fakenvml: %s: %.*s; what stood before still holds\n", path.c_str(), static_cast<int>(why.size()),
          why.data());
}

}  // namespace

FileIdentity IdentityOf(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? IdentityOf(status) : FileIdentity{};
}

void ApplyControlFile(StateFile& state, const std::string& path) {
  const SharedLock lock(state.writer);
  const auto held = std::make_unique<Control>(state.control.Copy());
  FileIdentity identity;
  const auto text = ReadControl(path, identity);
  if (identity == held->identity) return;
  if (!text) return Refuse(state, path, *held, identity, "larger than a control file may be");
  const auto parsed = std::make_unique<ControlText>(ParseControl(*text, state.gpu_count));
  if (!parsed->error.empty()) return Refuse(state, path, *held, identity, parsed->error);

  // First what holds, so that whoever learns of an event finds the state that goes with it; then the events; last the
  // mark that all is done.
  Control& next = parsed->control;
  next.identity = held->identity;
  next.last_event = held->last_event;
  state.control.Publish(next);
  for (const EventStatement& statement : parsed->events) {
    if (statement.number <= held->last_event) continue;
    CarryOut(state, statement);
    next.last_event = statement.number;
  }
  next.identity = identity;
  state.control.Publish(next);
}

}  // namespace kumiko::fakenvml
