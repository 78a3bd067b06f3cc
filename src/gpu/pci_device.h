// What the kernel says of a PCI device in sysfs: below which root port it hangs, next to which memory, and which nodes
// of /dev/dri are its own. Source: spec node-driver §1.4; KEP-4381's standard attributes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kumiko::gpu {

// NVML's "00000000:1A:00.0" as the kernel writes it: "0000:1a:00.0".
std::string PciAddress(std::string_view nvml_bus_id);

// `system_root` stands before /sys; usually "/". Nothing where the kernel does not say.
std::optional<std::string> PcieRoot(const std::string& system_root, const std::string& address);  // "pci0000:18"
std::optional<int> NumaNode(const std::string& system_root, const std::string& address);
// "card0", "renderD128", sorted.
std::vector<std::string> DrmNodes(const std::string& system_root, const std::string& address);

}  // namespace kumiko::gpu
