#include "fakenvml/install/driver_root.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "fakenvml/capabilities.h"
#include "fakenvml/device_text.h"
#include "fakenvml/install/state_image.h"
#include "fakenvml/state_map.h"

namespace kumiko::fakenvml {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kModesetMinor = 254;
constexpr unsigned kUvmMajor = 510;

Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Fail(Code::kUnavailable, "{}: {}", folder.string(), error.message());
  return {};
}

// A thousand of these make an installation: none is worth waiting for a disk, as WriteFileAtomically does.
Status WriteText(const fs::path& path, std::string_view text) {
  KU_TRY_OK(MakeFolder(path.parent_path()));
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return Fail(Code::kUnavailable, "{}: cannot be written", path.string());
  return {};
}

Status MakeLink(const fs::path& path, const fs::path& target) {
  KU_TRY_OK(MakeFolder(path.parent_path()));
  std::error_code error;
  fs::remove(path, error);
  fs::create_symlink(target, path, error);
  if (error) return Fail(Code::kUnavailable, "{}: {}", path.string(), error.message());
  return {};
}

// Beside the old file and then into its place: a process that runs or maps the old one keeps it.
Status CopyFile(const fs::path& from, const fs::path& to, unsigned mode) {
  KU_TRY_OK(MakeFolder(to.parent_path()));
  const fs::path draft = to.string() + ".new";
  std::error_code error;
  fs::copy_file(from, draft, fs::copy_options::overwrite_existing, error);
  if (error) return Fail(Code::kUnavailable, "copying {} to {}: {}", from.string(), draft.string(), error.message());
  if (chmod(draft.c_str(), mode) != 0) {
    return Fail(Code::kUnavailable, "{}: {}", draft.string(), std::strerror(errno));
  }
  fs::rename(draft, to, error);
  if (error) return Fail(Code::kUnavailable, "{}: {}", to.string(), error.message());
  return {};
}

// The first of two major numbers in a row that no driver of this machine has: opening a node then finds nobody behind.
unsigned FreeMajor() {
  std::set<unsigned> taken;
  if (const auto text = ReadFile("/proc/devices")) {
    for (const std::string_view line : Split(*text, '\n')) {
      unsigned major = 0;
      if (std::sscanf(std::string(line).c_str(), "%u", &major) == 1) taken.insert(major);
    }
  }
  unsigned major = 236;
  while (taken.contains(major) || taken.contains(major + 1)) ++major;
  return major;
}

class Installer {
 public:
  Installer(const BoardFile& boards, const InstallOptions& options) : boards_(boards), options_(options) {}

  Status Run() {
    libraries_ = fs::path(options_.root) / options_.library_folder;
    capability_major_ = FreeMajor();
    KU_TRY_OK(ClearOld());
    KU_TRY_OK(InstallDevices());
    KU_TRY_OK(InstallProc());
    KU_TRY_OK(InstallSys());
    KU_TRY_OK(InstallPrograms());
    StateOptions state;
    state.root_depth = static_cast<unsigned>(std::ranges::count(options_.library_folder, '/') + 1);
    state.plain_devices = options_.device_nodes == DeviceNodes::kPlain;
    state.capability_major = capability_major_;
    return WriteStateFile(StateFilePath(libraries_.string(), boards_.driver_version), boards_, state);
  }

 private:
  // What an earlier installation with other boards would leave: its nodes and tables. Nothing else below the root.
  Status ClearOld() const {
    std::error_code error;
    for (const std::string_view folder :
         {"dev/nvidia-caps", "proc/driver/nvidia", "proc/driver/nvidia-caps", "sys/bus/pci/devices", "sys/devices"}) {
      fs::remove_all(fs::path(options_.root) / folder, error);
      if (error) return Fail(Code::kUnavailable, "{}/{}: {}", options_.root, folder, error.message());
    }
    for (unsigned minor = 0; minor < kControlMinor - 1; ++minor) {
      fs::remove(fs::path(options_.root) / ("dev/nvidia" + std::to_string(minor)), error);
    }
    fs::remove(ControlFilePath(libraries_.string()), error);
    while (const auto state = FindStateFile(libraries_.string())) {
      if (!fs::remove(*state, error)) return Fail(Code::kUnavailable, "{}: {}", *state, error.message());
    }
    return {};
  }

  Status MakeNode(const std::string& name, unsigned major, unsigned minor, unsigned mode) const {
    const fs::path path = fs::path(options_.root) / "dev" / name;
    KU_TRY_OK(MakeFolder(path.parent_path()));
    std::error_code error;
    fs::remove(path, error);
    if (options_.device_nodes == DeviceNodes::kPlain) {
      KU_TRY_OK(WriteText(path, ""));
      fs::permissions(path, static_cast<fs::perms>(mode), error);
      return {};
    }
    if (mknod(path.c_str(), S_IFCHR | mode, makedev(major, minor)) != 0 || chmod(path.c_str(), mode) != 0) {
      return Fail(Code::kPermission, "{}: {}; making device nodes needs root, or give --plain-devices", path.string(),
                  std::strerror(errno));
    }
    return {};
  }

  Status InstallDevices() const {
    KU_TRY_OK(MakeNode("nvidiactl", kGpuMajor, kControlMinor, 0666));
    KU_TRY_OK(MakeNode("nvidia-modeset", kGpuMajor, kModesetMinor, 0666));
    KU_TRY_OK(MakeNode("nvidia-uvm", kUvmMajor, 0, 0666));
    KU_TRY_OK(MakeNode("nvidia-uvm-tools", kUvmMajor, 1, 0666));
    KU_TRY_OK(MakeCapability(kMigConfigMinor, 0400));
    KU_TRY_OK(MakeCapability(kMigMonitorMinor, 0444));
    for (const BoardSetup& setup : boards_.boards) {
      const unsigned minor = setup.board.minor;
      KU_TRY_OK(MakeNode("nvidia" + std::to_string(minor), kGpuMajor, minor, 0666));
      if (setup.board.memory_slices == 0) continue;
      for (std::uint32_t gi = 0; gi < kMaxInstances; ++gi) {
        KU_TRY_OK(MakeCapability(GpuInstanceCapability(minor, gi), 0444));
        for (std::uint32_t ci = 0; ci < kMaxComputeInstances; ++ci) {
          KU_TRY_OK(MakeCapability(ComputeInstanceCapability(minor, gi, ci), 0444));
        }
      }
    }
    return {};
  }
  Status MakeCapability(unsigned minor, unsigned mode) const {
    return MakeNode("nvidia-caps/nvidia-cap" + std::to_string(minor), capability_major_, minor, mode);
  }

  Status WriteAccess(const fs::path& path, unsigned minor, unsigned mode) const {
    return WriteText(path, fmt::format("DeviceFileMinor: {}\nDeviceFileMode: {}\nDeviceFileModify: 1\n", minor, mode));
  }

  Status InstallProc() const {
    const fs::path proc = fs::path(options_.root) / "proc";
    KU_TRY_OK(WriteText(proc / "devices",
                        fmt::format("Character devices:\n{0} nvidia\n{0} nvidia-modeset\n{0} nvidiactl\n{1} "
                                    "nvidia-caps\n{2} nvidia-caps-imex-channels\n{3} nvidia-uvm\n\nBlock devices:\n",
                                    kGpuMajor, capability_major_, capability_major_ + 1, kUvmMajor)));
    KU_TRY_OK(WriteText(proc / "driver/nvidia/version",
                        fmt::format("NVRM version: simulated kernel module  {}\n", boards_.driver_version)));
    const fs::path capabilities = proc / "driver/nvidia/capabilities";
    KU_TRY_OK(WriteAccess(capabilities / "mig/config", kMigConfigMinor, 0400));
    KU_TRY_OK(WriteAccess(capabilities / "mig/monitor", kMigMonitorMinor, 0444));
    std::string minors = fmt::format("config {}\nmonitor {}\n", kMigConfigMinor, kMigMonitorMinor);
    for (const BoardSetup& setup : boards_.boards) KU_TRY_OK(InstallProcOf(setup.board, proc, minors));
    return WriteText(proc / "driver/nvidia-caps/mig-minors", minors);
  }

  Status InstallProcOf(const Board& board, const fs::path& proc, std::string& minors) const {
    KU_TRY_OK(WriteText(proc / "driver/nvidia/gpus" / ToLower(PciBusIdText(board, 4)) / "information",
                        fmt::format("Model: \t\t {}\nGPU UUID: \t {}\nBus Location: \t {}\nDevice Minor: \t {}\n",
                                    board.name, board.uuid, ToLower(PciBusIdText(board, 4)), board.minor)));
    if (board.memory_slices == 0) return {};
    for (std::uint32_t gi = 0; gi < kMaxInstances; ++gi) {
      const fs::path folder = proc / fmt::format("driver/nvidia/capabilities/gpu{}/mig/gi{}", board.minor, gi);
      const unsigned capability = GpuInstanceCapability(board.minor, gi);
      KU_TRY_OK(WriteAccess(folder / "access", capability, 0444));
      minors += fmt::format("gpu{}/gi{}/access {}\n", board.minor, gi, capability);
      for (std::uint32_t ci = 0; ci < kMaxComputeInstances; ++ci) {
        const unsigned part = ComputeInstanceCapability(board.minor, gi, ci);
        KU_TRY_OK(WriteAccess(folder / fmt::format("ci{}", ci) / "access", part, 0444));
        minors += fmt::format("gpu{}/gi{}/ci{}/access {}\n", board.minor, gi, ci, part);
      }
    }
    return {};
  }

  // Without a topology there is no sysfs, as in a virtual machine that hides it.
  Status InstallSys() const {
    const fs::path sys = fs::path(options_.root) / "sys";
    for (const BoardSetup& setup : boards_.boards) {
      const Board& board = setup.board;
      if (board.pcie_root < 0) continue;
      const std::string address = ToLower(PciBusIdText(board, 4));
      const std::string folder =
          fmt::format("devices/pci{:04x}:{:02x}/{}", board.pci_domain, 0x10 + 2 * board.pcie_root, address);
      KU_TRY_OK(WriteText(sys / folder / "numa_node", fmt::format("{}\n", board.numa_node)));
      KU_TRY_OK(WriteText(sys / folder / "vendor", fmt::format("0x{:04x}\n", board.pci_id & 0xFFFF)));
      KU_TRY_OK(WriteText(sys / folder / "device", fmt::format("0x{:04x}\n", board.pci_id >> 16)));
      KU_TRY_OK(WriteText(sys / folder / "class", "0x030200\n"));
      KU_TRY_OK(MakeLink(sys / "bus/pci/devices" / address, fs::path("../../..") / folder));
    }
    return {};
  }

  Status InstallPrograms() const {
    const fs::path programs = options_.programs;
    for (const std::string_view library : {"libnvidia-ml.so", "libcuda.so"}) {
      const std::string versioned = fmt::format("{}.{}", library, boards_.driver_version);
      KU_TRY_OK(CopyFile(programs / fmt::format("{}.1", library), libraries_ / versioned, 0755));
      KU_TRY_OK(MakeLink(libraries_ / fmt::format("{}.1", library), versioned));
    }
    for (const std::string_view program : {"nvidia-smi", "nvidia-cuda-mps-control", "nvidia-cuda-mps-server"}) {
      if (!fs::exists(programs / program)) continue;
      KU_TRY_OK(CopyFile(programs / program, fs::path(options_.root) / "usr/bin" / program, 0755));
    }
    return {};
  }

  const BoardFile& boards_;
  const InstallOptions& options_;
  fs::path libraries_;
  unsigned capability_major_ = 0;
};

}  // namespace

Status InstallDriver(const BoardFile& boards, const InstallOptions& options) {
  // Everything below sys/ and proc/driver/nvidia of the root is replaced: never of the machine's own.
  std::error_code error;
  if (options.root.empty() || fs::weakly_canonical(options.root, error) == "/") {
    return Fail(Code::kInvalidArgument, "--root is a folder of its own, never the machine's root");
  }
  return Installer(boards, options).Run();
}

}  // namespace kumiko::fakenvml
