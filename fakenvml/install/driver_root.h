// Laying out a simulated driver: its files below a root folder, as a driver's installation and a running kernel module
// would leave them.
//
//   ROOT/usr/lib/.../libnvidia-ml.so.1, .so.580.95.05     the simulated library; libcuda.so.580.95.05 is empty
//   ROOT/usr/lib/.../libnvidia-fakeboards.so.580.95.05    the state file
//   ROOT/usr/lib/.../fakenvml.control                     what goes wrong; absent at first
//   ROOT/usr/bin/nvidia-smi, nvidia-cuda-mps-control, nvidia-cuda-mps-server
//   ROOT/dev/nvidia0 ..., nvidiactl, nvidia-uvm, nvidia-caps/nvidia-cap1 ...
//   ROOT/proc/devices, ROOT/proc/driver/nvidia/capabilities/..., ROOT/proc/driver/nvidia-caps/mig-minors
//   ROOT/sys/bus/pci/devices/0000:1a:00.0 -> ../../../devices/pci0000:16/..., with numa_node
#pragma once

#include <string>

#include "base/result.h"
#include "fakenvml/install/board_file.h"

namespace kumiko::fakenvml {

enum class DeviceNodes {
  kReal,   // character devices; needs root
  kPlain,  // ordinary files, which the library then takes for devices
};

struct InstallOptions {
  std::string root;
  std::string library_folder = "usr/lib/x86_64-linux-gnu";  // below the root
  std::string programs;                                     // the folder with the built library and programs
  DeviceNodes device_nodes = DeviceNodes::kReal;
};

// Replaces an installation that is there: its instances and control file are gone, and processes that use it keep what
// they have. Errors name the file.
Status InstallDriver(const BoardFile& boards, const InstallOptions& options);

}  // namespace kumiko::fakenvml
