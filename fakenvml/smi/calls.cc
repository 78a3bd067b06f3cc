#include "fakenvml/smi/calls.h"

#include <array>

namespace kumiko::fakenvml {

std::string Calls::Line(const char* function, nvmlDevice_t device) const {
  std::array<char, 128> text{};
  const nvmlReturn_t result = (*this)(function, device, text.data(), static_cast<unsigned>(text.size()));
  return result == NVML_SUCCESS ? text.data() : std::string("[") + Text(result) + "]";
}

std::string Calls::BusId(nvmlDevice_t device) const {
  nvmlPciInfo_t pci{};
  return (*this)("nvmlDeviceGetPciInfo_v3", device, &pci) == NVML_SUCCESS ? pci.busId : "";
}

std::string Calls::DriverVersion() const {
  std::array<char, 80> text{};
  (*this)("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size()));
  return text.data();
}

std::vector<nvmlDevice_t> Calls::Gpus() const {
  unsigned count = 0;
  (*this)("nvmlDeviceGetCount_v2", &count);
  std::vector<nvmlDevice_t> gpus;
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t gpu = nullptr;
    if ((*this)("nvmlDeviceGetHandleByIndex_v2", i, &gpu) == NVML_SUCCESS) gpus.push_back(gpu);
  }
  return gpus;
}

std::vector<nvmlDevice_t> Calls::MigDevices(nvmlDevice_t gpu) const {
  unsigned most = 0;
  (*this)("nvmlDeviceGetMaxMigDeviceCount", gpu, &most);
  std::vector<nvmlDevice_t> devices;
  for (unsigned i = 0; i < most; ++i) {
    nvmlDevice_t device = nullptr;
    if ((*this)("nvmlDeviceGetMigDeviceHandleByIndex", gpu, i, &device) == NVML_SUCCESS) devices.push_back(device);
  }
  return devices;
}

}  // namespace kumiko::fakenvml
