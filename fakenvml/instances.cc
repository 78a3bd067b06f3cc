#include "fakenvml/instances.h"

#include <algorithm>

namespace kumiko::fakenvml {

nvmlReturn_t CheckInstance(const HandleParts& parts, const GpuState& state) {
  if (parts.gpu_instance >= kMaxInstances || parts.compute_instance >= kMaxComputeInstances) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const GpuInstance& instance = state.instances[parts.gpu_instance];
  const std::uint32_t serial =
      parts.kind == HandleKind::kComputeInstance ? instance.compute[parts.compute_instance].serial : instance.serial;
  return serial != 0 && (serial & kSerialMask) == parts.serial ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

nvmlGpuInstance_t GpuInstanceHandle(unsigned gpu, std::uint32_t id, std::uint32_t serial) {
  return MakeHandle<nvmlGpuInstance_t>({HandleKind::kGpuInstance, gpu, id, 0, serial});
}

nvmlComputeInstance_t ComputeInstanceHandle(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t id,
                                            std::uint32_t serial) {
  return MakeHandle<nvmlComputeInstance_t>({HandleKind::kComputeInstance, gpu, gpu_instance, id, serial});
}

bool IsUsed(unsigned gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  return Library::Get().state().control.Read([&](const Control& control) {
    const ProcessRow* end = control.processes + std::min(control.process_count, kMaxProcesses);
    return std::any_of(control.processes, end, [&](const ProcessRow& process) {
      return process.gpu == gpu && (gpu_instance == NVML_NO_INSTANCE || process.gpu_instance == gpu_instance) &&
             (compute_instance == NVML_NO_INSTANCE || process.compute_instance == compute_instance);
    });
  });
}

}  // namespace kumiko::fakenvml
