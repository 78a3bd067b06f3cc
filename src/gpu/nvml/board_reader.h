// The boards of this machine as NVML and sysfs tell them, in the form that slices.h publishes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/nvml/library.h"
#include "gpu/slices.h"

namespace kumiko::gpu {

struct FoundBoards {
  std::vector<BoardInstance> boards;  // by minor
  // A sentence for each GPU that cannot be offered: why, and what to do. Displays are left out without a word.
  std::vector<std::string> left_out;
};

// `system_root` stands before /sys. One GPU's failure leaves out that GPU alone. Errors: those of NvmlError, of calls
// about the machine as a whole.
Result<FoundBoards> ReadBoards(const Nvml& nvml, const std::string& system_root);

}  // namespace kumiko::gpu
