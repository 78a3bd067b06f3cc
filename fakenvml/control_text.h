// The control file: what goes wrong on the simulated boards, as lines of text beside the library.
//
//   gpu 3 lost                                  calls on it answer NVML_ERROR_GPU_IS_LOST
//   gpu 3 fail nvmlDeviceGetMemoryInfo 999      calls of a function answer a code
//   gpu * delay nvmlGpuInstanceDestroy 1000     calls of a function take so many milliseconds more
//   gpu 3 hang nvmlDeviceGetUUID                calls of a function wait until the line is gone
//   process 4711 hang                           every call of a process (* for all) waits
//   gpu 3 hang nvmlDeviceGetUUID for good       waits for ever, with signals blocked; see fakenvml/README.md
//   gpu 3 recovery reset                        field 230: none, reset, reboot, drain-p2p, drain-and-reset, imex,
//                                               bus-reset, system-reboot
//   gpu 3 ecc corrected 5 uncorrected 1
//   gpu 3 remapped corrected 1 uncorrected 2 pending failure
//   gpu 3 utilization 80 40                     percent of compute and of memory
//   gpu 3 fabric in-progress                    not-supported, not-started, in-progress, completed
//   gpu 3 process 4711 memory 1024 gi 1 ci 0    a process that uses so many MiB of a board or instance
//   event 1 gpu 3 xid 79 [gi 1 ci 0] [times 5]
//   event 2 gpu 3 ecc-single | ecc-double | recovery
//   event 3 gpu 3 reset                         the board forgets its instances; a pending MIG mode takes effect
//   event 4 reload                              the driver was loaded again: the same for all boards, and later boards
//                                               than Ampere leave MIG mode
//
// Statements hold while they stand in the file: a fault is cleared by taking its line out. Events happen once: each has
// a number, and those up to the highest number seen before are passed over. `#` begins a comment. GPUs are named by
// index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fakenvml/state.h"

namespace kumiko::fakenvml {

struct EventStatement {
  enum class Kind { kEvent, kReset, kReload };
  std::uint64_t number = 0;
  Kind kind = Kind::kEvent;
  Event event{};
  std::uint32_t times = 1;
};

struct ControlText {
  Control control{};  // identity and last_event are the caller's
  std::vector<EventStatement> events;
  std::string error;  // "line 3: ...", and then nothing else holds; empty when all was understood
};

// `gpu_count`: boards of the installation.
ControlText ParseControl(std::string_view text, unsigned gpu_count);

// Whether the library exports a function of this name.
bool IsFunction(std::string_view name);

}  // namespace kumiko::fakenvml
