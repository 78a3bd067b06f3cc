#include "gpu/pci_device.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "gpu/driver_root.h"

namespace kumiko::gpu {
namespace {

namespace fs = std::filesystem;

std::string SysfsPath(const std::string& system_root, const std::string& address) {
  return InRoot(system_root, "/sys/bus/pci/devices/" + address);
}

}  // namespace

std::string PciAddress(std::string_view nvml_bus_id) {
  const std::size_t colon = nvml_bus_id.find(':');
  if (colon == 8 && nvml_bus_id.starts_with("0000")) nvml_bus_id.remove_prefix(4);
  return ToLower(nvml_bus_id);
}

std::optional<std::string> PcieRoot(const std::string& system_root, const std::string& address) {
  std::error_code error;
  // ../../../devices/pci0000:18/0000:18:01.0/0000:1a:00.0
  const std::string target = fs::read_symlink(SysfsPath(system_root, address), error).string();
  if (error || !target.ends_with("/" + address)) return std::nullopt;
  constexpr std::string_view kDevices = "devices/";
  const std::size_t devices = target.find(kDevices);
  if (devices == std::string::npos) return std::nullopt;
  const std::string_view below = std::string_view(target).substr(devices + kDevices.size());
  if (!below.starts_with("pci")) return std::nullopt;
  return std::string(below.substr(0, below.find('/')));
}

std::optional<int> NumaNode(const std::string& system_root, const std::string& address) {
  const auto text = ReadFile(SysfsPath(system_root, address) + "/numa_node");
  const auto number = text ? ParseInt64(Trim(*text)) : std::nullopt;
  if (!number || *number < 0) return std::nullopt;
  return static_cast<int>(*number);
}

std::vector<std::string> DrmNodes(const std::string& system_root, const std::string& address) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(SysfsPath(system_root, address) + "/drm", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("card") || name.starts_with("renderD")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace kumiko::gpu
