// What a container needs of the NVIDIA driver beside its GPUs: libraries, programs, firmware, sockets and control
// nodes, found below the driver root and put into CDI edits. Source: spec node-driver §3.5.
#pragma once

#include <string>

#include "base/result.h"
#include "gpu/slices.h"
#include "node/cdi.h"

namespace kumiko::node {

struct DriverPlaces {
  std::string driver_root;        // as this process sees it
  std::string host_driver_root;   // as the container runtime sees it; the same in a process of the host
  std::string system_root = "/";  // before /proc, /sys and /run
};

// Of every claim: control nodes, files of the driver whose version is `driver_version`, NVIDIA_VISIBLE_DEVICES=void so
// that an older runtime hook adds nothing. What is missing is left out. Fails with kNotFound without a driver library.
//
// A library is mounted under its own name and under those of its links that programs load it by (libcuda.so.1), so a
// container finds it without a hook where its loader searches the same folder as the host's.
Result<CdiEdits> CommonEdits(const DriverPlaces& places, const std::string& driver_version);

// Of one whole GPU: its node and those of its display engine.
CdiEdits GpuEdits(const DriverPlaces& places, const gpu::BoardInstance& board);

}  // namespace kumiko::node
