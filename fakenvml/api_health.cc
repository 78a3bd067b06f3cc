// Health: field values, ECC, remapped rows, utilisation, processes.
#include <algorithm>
#include <chrono>
#include <vector>

#include "fakenvml/library.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Gpu;
using fakenvml::GpuHealth;
using fakenvml::Library;
using fakenvml::OnDevice;
using fakenvml::OnGpu;
using fakenvml::Store;
using fakenvml::Target;

namespace {

constexpr unsigned kEccCorrected = 0;  // nvmlMemoryErrorType_t; 1 is uncorrected

GpuHealth HealthOf(unsigned gpu) {
  return Library::Get().state().control.Read([&](const fakenvml::Control& control) { return control.health[gpu]; });
}

unsigned IndexIn(const Gpu& gpu) {
  return static_cast<unsigned>(&gpu - &Library::Get().state().gpu(0));
}

void Answer(nvmlFieldValue_t& field, unsigned type, unsigned long long value) {
  field.nvmlReturn = NVML_SUCCESS;
  field.valueType = type;
  field.value.ullVal = value;  // smaller types lie in its first bytes
}

void ReadField(const GpuHealth& health, nvmlFieldValue_t& field) {
  switch (field.fieldId) {
    case NVML_FI_DEV_ECC_CURRENT:
    case NVML_FI_DEV_ECC_PENDING:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, 1);
    case NVML_FI_DEV_ECC_SBE_VOL_TOTAL:
    case NVML_FI_DEV_ECC_SBE_AGG_TOTAL:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, health.ecc_corrected);
    case NVML_FI_DEV_ECC_DBE_VOL_TOTAL:
    case NVML_FI_DEV_ECC_DBE_AGG_TOTAL:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, health.ecc_uncorrected);
    case NVML_FI_DEV_REMAPPED_COR:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, health.remapped_corrected);
    case NVML_FI_DEV_REMAPPED_UNC:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, health.remapped_uncorrected);
    case NVML_FI_DEV_REMAPPED_PENDING:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, health.remap_pending);
    case NVML_FI_DEV_REMAPPED_FAILURE:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, health.remap_failure);
    case NVML_FI_DEV_GET_GPU_RECOVERY_ACTION:
      return Answer(field, NVML_VALUE_TYPE_UNSIGNED_INT, health.recovery_action);
    default:
      field.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* fields) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (count <= 0 || fields == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const GpuHealth health = HealthOf(IndexIn(gpu));
    timespec now{};
    timespec_get(&now, TIME_UTC);
    for (int i = 0; i < count; ++i) {
      fields[i].timestamp = now.tv_sec * 1000000LL + now.tv_nsec / 1000;
      fields[i].latencyUsec = 0;
      ReadField(health, fields[i]);
    }
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  return OnGpu(__func__, device, [&](const Gpu&) {
    if (current == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *current = 1;
    return Store(pending, 1u);
  });
}

// `counter` (since the driver was loaded, or for ever) makes no difference here.
NVML_EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, unsigned type, unsigned counter,
                                                     unsigned long long* count) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (type > 1 || counter > 1) return NVML_ERROR_INVALID_ARGUMENT;
    const GpuHealth health = HealthOf(IndexIn(gpu));
    return Store<unsigned long long>(count, type == kEccCorrected ? health.ecc_corrected : health.ecc_uncorrected);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned* corrected, unsigned* uncorrected,
                                                   unsigned* pending, unsigned* failure) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (corrected == nullptr || uncorrected == nullptr || pending == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const GpuHealth health = HealthOf(IndexIn(gpu));
    *corrected = health.remapped_corrected;
    *uncorrected = health.remapped_uncorrected;
    *pending = health.remap_pending;
    return Store(failure, health.remap_failure);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    // In MIG mode a whole board has no such number.
    if (gpu.state.Copy().mig_mode != NVML_DEVICE_MIG_DISABLE) return NVML_ERROR_NOT_SUPPORTED;
    const GpuHealth health = HealthOf(IndexIn(gpu));
    return Store(utilization, nvmlUtilization_t{health.utilization_gpu, health.utilization_memory});
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                                 nvmlProcessInfo_t* processes) {
  return OnDevice(__func__, device, [&](const Target& target) {
    if (count == nullptr || (processes == nullptr && *count != 0)) return NVML_ERROR_INVALID_ARGUMENT;
    const auto found = Library::Get().state().control.Read([&](const fakenvml::Control& control) {
      std::vector<nvmlProcessInfo_t> rows;
      for (std::uint32_t i = 0; i < std::min(control.process_count, fakenvml::kMaxProcesses); ++i) {
        const fakenvml::ProcessRow& row = control.processes[i];
        if (row.gpu != target.gpu) continue;
        if (target.IsMig() && row.gpu_instance != target.gpu_instance) continue;
        rows.push_back({row.pid, row.memory_bytes, row.gpu_instance, row.compute_instance});
      }
      return rows;
    });
    const unsigned room = *count;
    *count = static_cast<unsigned>(found.size());
    if (room < found.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::ranges::copy(found, processes);
    return NVML_SUCCESS;
  });
}
