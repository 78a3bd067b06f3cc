#include "node/driver_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "gpu/driver_root.h"
#include "gpu/pci_device.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kReadWriteForAll = 0666;
constexpr unsigned kNvidiaMajor = 195;  // registered; what /proc/devices says goes first

const std::vector<std::string> kFileOptions = {"ro", "nosuid", "nodev", "rbind", "rprivate"};
const std::vector<std::string> kSocketOptions = {"nosuid", "nodev", "rbind", "rprivate", "noexec"};

constexpr std::array kPrograms = {
    "nvidia-smi",  "nvidia-debugdump", "nvidia-persistenced", "nvidia-cuda-mps-control", "nvidia-cuda-mps-server",
    "nvidia-imex", "nvidia-imex-ctl"};

std::string WithoutSlashAtEnd(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// Knows a path in its three forms: as this process sees it, as the runtime sees it, and in the container.
class Root {
 public:
  Root(std::string own, std::string host)
      : own_(WithoutSlashAtEnd(std::move(own))), host_(WithoutSlashAtEnd(std::move(host))) {}

  std::string Own(std::string_view path) const { return gpu::InRoot(own_, path); }
  std::string Host(std::string_view path) const { return gpu::InRoot(host_, path); }
  // Of a path as this process sees it.
  std::string Inside(const std::string& own_path) const { return own_path.substr(own_.size()); }

 private:
  std::string own_;
  std::string host_;
};

// Major numbers of character devices by driver, of /proc/devices.
std::map<std::string, unsigned, std::less<>> ReadMajors(const std::string& system_root) {
  std::map<std::string, unsigned, std::less<>> majors;
  const auto text = ReadFile(gpu::InRoot(system_root, "/proc/devices"));
  if (!text) return majors;
  bool characters = false;
  for (const std::string_view line : Split(*text, '\n')) {
    const std::string_view entry = Trim(line);
    if (entry.ends_with(':')) {
      characters = entry.starts_with("Character");
      continue;
    }
    const std::size_t blank = entry.find(' ');
    const auto major = ParseInt64(entry.substr(0, blank));
    if (!characters || !major || blank == std::string_view::npos) continue;
    majors.emplace(Trim(entry.substr(blank)), static_cast<unsigned>(*major));
  }
  return majors;
}

struct DeviceNumber {
  unsigned major = 0;
  unsigned minor = 0;
};

// The number of the node at `path` when it is a character device.
std::optional<DeviceNumber> NumberOf(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISCHR(status.st_mode)) return std::nullopt;
  return DeviceNumber{gnu_dev_major(status.st_rdev), gnu_dev_minor(status.st_rdev)};
}

Root DeviceRootOf(const DriverPlaces& places) {
  const bool own = gpu::DeviceRoot(places.driver_root) == places.driver_root;
  return own ? Root(places.driver_root, places.host_driver_root) : Root("/", "/");
}

CdiDeviceNode Node(const Root& root, const std::string& path, DeviceNumber number) {
  return {path, root.Host(path), number.major, number.minor, kReadWriteForAll};
}

void AddControlNodes(CdiEdits& edits, const DriverPlaces& places) {
  const Root root = DeviceRootOf(places);
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}) {
    if (const auto number = NumberOf(root.Own(path))) edits.device_nodes.push_back(Node(root, path, *number));
  }
}

void AddFile(CdiEdits& edits, const Root& root, const std::string& own_path, const std::string& container_path) {
  edits.mounts.push_back({root.Host(root.Inside(own_path)), container_path, kFileOptions});
}

// "libcuda.so.1": the names that programs are linked with. "libcuda.so" too, which many open by hand.
bool IsLoadName(std::string_view name) {
  if (name == "libcuda.so") return true;
  const std::size_t so = name.find(".so.");
  return so != std::string_view::npos && ParseInt64(name.substr(so + 4)).has_value();
}

// The files NAME.so.<version> of a folder, each also by the links to it.
void AddLibraries(CdiEdits& edits, const Root& root, const std::string& folder, std::string_view version) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  const std::string suffix = fmt::format(".so.{}", version);
  for (const std::string& name : names) {
    const bool own_name = name.ends_with(suffix);
    if (!own_name && !IsLoadName(name)) continue;
    const std::string inside = root.Inside(folder + "/" + name);
    const auto file = gpu::ResolveInRoot(root.Own(""), inside);
    if (file && file->ends_with(suffix)) AddFile(edits, root, *file, inside);
  }
}

void AddPrograms(CdiEdits& edits, const Root& root, const std::string& driver_root) {
  for (const char* name : kPrograms) {
    const auto inside = gpu::FindDriverProgram(driver_root, name);
    if (!inside) continue;
    if (const auto file = gpu::ResolveInRoot(driver_root, *inside)) AddFile(edits, root, *file, *inside);
  }
}

std::vector<std::string> FirmwareFolders(const std::string& system_root) {
  std::vector<std::string> folders;
  const auto custom = ReadFile(gpu::InRoot(system_root, "/sys/module/firmware_class/parameters/path"));
  if (custom && !Trim(*custom).empty()) folders.emplace_back(Trim(*custom));
  struct utsname kernel{};
  const std::string release = ::uname(&kernel) == 0 ? std::string("/") + kernel.release : "";
  for (const char* folder : {"/lib/firmware/updates", "/lib/firmware"}) {
    if (!release.empty()) folders.push_back(folder + release);
    folders.emplace_back(folder);
  }
  return folders;
}

void AddFirmware(CdiEdits& edits, const Root& root, const DriverPlaces& places, const std::string& version) {
  for (const std::string& folder : FirmwareFolders(places.system_root)) {
    const std::string inside = fmt::format("{}/nvidia/{}", folder, version);
    const auto files = ListFiles(root.Own(inside), ".bin");
    if (!files) continue;
    for (const std::string& file : *files) {
      if (fs::path(file).filename().string().starts_with("gsp")) AddFile(edits, root, file, root.Inside(file));
    }
    return;
  }
}

bool IsSocket(const std::string& path) {
  std::error_code error;
  return fs::is_socket(path, error);
}

void AddSockets(CdiEdits& edits, const Root& root) {
  for (const char* name : {"nvidia-persistenced/socket", "nvidia-fabricmanager/socket"}) {
    for (const char* folder : {"/run/", "/var/run/"}) {
      const std::string path = std::string(folder) + name;
      if (!IsSocket(root.Own(path))) continue;
      edits.mounts.push_back({root.Host(path), path, kSocketOptions});
      break;
    }
  }
}

}  // namespace

Result<CdiEdits> CommonEdits(const DriverPlaces& places, const std::string& driver_version) {
  const Root root(places.driver_root, places.host_driver_root);
  KU_TRY(const std::string library, gpu::FindDriverLibrary(places.driver_root));
  const std::string folder = fs::path(library).parent_path().string();

  CdiEdits edits;
  edits.env = {"NVIDIA_CTK_LIBCUDA_DIR=" + root.Inside(folder), "NVIDIA_VISIBLE_DEVICES=void"};
  AddControlNodes(edits, places);
  AddLibraries(edits, root, folder, driver_version);
  AddLibraries(edits, root, folder + "/vdpau", driver_version);
  AddPrograms(edits, root, places.driver_root);
  AddFirmware(edits, root, places, driver_version);
  AddSockets(edits, root);
  return edits;
}

CdiEdits GpuEdits(const DriverPlaces& places, const gpu::BoardInstance& board) {
  const Root root = DeviceRootOf(places);
  CdiEdits edits;
  const std::string path = fmt::format("/dev/nvidia{}", board.minor);
  auto number = NumberOf(root.Own(path));
  if (!number) {
    // The node is made by whoever uses the GPU first.
    const auto majors = ReadMajors(places.system_root);
    auto found = majors.find("nvidia");
    if (found == majors.end()) found = majors.find("nvidia-frontend");
    number = DeviceNumber{found == majors.end() ? kNvidiaMajor : found->second, static_cast<unsigned>(board.minor)};
  }
  edits.device_nodes.push_back(Node(root, path, *number));
  for (const std::string& name : gpu::DrmNodes(places.system_root, board.pci_bus_id)) {
    const std::string drm = "/dev/dri/" + name;
    if (const auto drm_number = NumberOf(root.Own(drm))) edits.device_nodes.push_back(Node(root, drm, *drm_number));
  }
  return edits;
}

}  // namespace kumiko::node
