// Settings of a board: persistence, compute mode, time slice.
#include "fakenvml/instances.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Gpu;
using fakenvml::GpuState;
using fakenvml::OnGpu;
using fakenvml::Store;

namespace {

constexpr unsigned kMaxComputeMode = 3;  // default, (exclusive thread), prohibited, exclusive process
constexpr unsigned kMaxTimeslice = 3;

nvmlReturn_t Set(const char* function, nvmlDevice_t device, std::uint32_t GpuState::* setting, unsigned value,
                 unsigned most) {
  const auto parts = fakenvml::ReadHandle(device);
  if (!parts || parts->kind != fakenvml::HandleKind::kDevice || value > most) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(function, parts->index, [&](const fakenvml::Board&, GpuState& state) {
    state.*setting = value;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t Get(const char* function, nvmlDevice_t device, std::uint32_t GpuState::* setting, unsigned* value) {
  return OnGpu(function, device, [&](const Gpu& gpu) { return Store(value, gpu.state.Copy().*setting); });
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, unsigned* mode) {
  return Get(__func__, device, &GpuState::persistence_mode, mode);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t device, unsigned mode) {
  return Set(__func__, device, &GpuState::persistence_mode, mode, 1);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, unsigned* mode) {
  return Get(__func__, device, &GpuState::compute_mode, mode);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceSetComputeMode(nvmlDevice_t device, unsigned mode) {
  return Set(__func__, device, &GpuState::compute_mode, mode, kMaxComputeMode);
}

// NVML has no public call for the time slice: these two are for our nvidia-smi.
NVML_EXPORT nvmlReturn_t nvmlFakeGetTimeslice(nvmlDevice_t device, unsigned* timeslice) {
  return Get(__func__, device, &GpuState::timeslice, timeslice);
}

NVML_EXPORT nvmlReturn_t nvmlFakeSetTimeslice(nvmlDevice_t device, unsigned timeslice) {
  return Set(__func__, device, &GpuState::timeslice, timeslice, kMaxTimeslice);
}
