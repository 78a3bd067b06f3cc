// MIG: changing the mode, making instances and taking them away.
#include <algorithm>
#include <optional>

#include "fakenvml/device_text.h"
#include "fakenvml/instances.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Board;
using fakenvml::ComputeInstance;
using fakenvml::GpuInstance;
using fakenvml::GpuState;
using fakenvml::HandleKind;
using fakenvml::HandleParts;
using fakenvml::kMaxComputeInstances;

namespace {

std::optional<HandleParts> PartsOf(auto handle, HandleKind kind) {
  auto parts = fakenvml::ReadHandle(handle);
  if (!parts || parts->kind != kind) return std::nullopt;
  return parts;
}

bool HasInstances(const GpuState& state) {
  return std::ranges::any_of(state.instances, [](const GpuInstance& instance) { return instance.serial != 0; });
}

// The mode of Ampere boards waits for a reset of the board, which this call does not make; of later boards it changes
// at once, unless somebody uses the board.
nvmlReturn_t SetMigMode(unsigned gpu, const Board& board, GpuState& state, unsigned mode, nvmlReturn_t& activation) {
  if (board.memory_slices == 0) return NVML_ERROR_NOT_SUPPORTED;
  activation = NVML_SUCCESS;
  if (state.mig_mode == mode) {
    state.mig_pending = mode;
  } else if (HasInstances(state) || fakenvml::IsUsed(gpu, NVML_NO_INSTANCE, NVML_NO_INSTANCE)) {
    activation = NVML_ERROR_IN_USE;
  } else if (board.mig_needs_reset != 0) {
    state.mig_pending = mode;
    activation = NVML_ERROR_RESET_REQUIRED;
  } else {
    state.mig_mode = state.mig_pending = mode;
  }
  return NVML_SUCCESS;
}

// At `start`, or where there is room.
nvmlReturn_t CreateInstance(const Board& board, GpuState& state, unsigned profile_id,
                            const nvmlGpuInstancePlacement_t* placement, std::uint32_t& id) {
  if (state.mig_mode != NVML_DEVICE_MIG_ENABLE) return NVML_ERROR_NOT_SUPPORTED;
  const fakenvml::ProfileRow* profile = fakenvml::FindProfileById(board, profile_id);
  if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  std::uint32_t start = 0;
  if (placement != nullptr) {
    if (placement->size != profile->placement_size) return NVML_ERROR_INVALID_ARGUMENT;
    start = placement->start;
    const nvmlReturn_t fits = fakenvml::CheckPlacement(board, state, *profile, start);
    if (fits != NVML_SUCCESS) return fits;
  } else {
    const auto found = fakenvml::FindPlacement(board, state, *profile);
    if (!found) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    start = *found;
  }
  id = fakenvml::InstanceId(board, start, profile->placement_size);
  GpuInstance& instance = state.instances[id];
  instance = {};
  instance.serial = ++state.last_serial;
  instance.profile = static_cast<std::uint32_t>(profile - board.profiles);
  instance.start = start;
  instance.size = profile->placement_size;
  return NVML_SUCCESS;
}

nvmlReturn_t CreateGpuInstance(const char* function, nvmlDevice_t device, unsigned profile_id,
                               const nvmlGpuInstancePlacement_t* placement, nvmlGpuInstance_t* instance) {
  const auto parts = PartsOf(device, HandleKind::kDevice);
  if (!parts || instance == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(function, parts->index, [&](const Board& board, GpuState& state) {
    std::uint32_t id = 0;
    const nvmlReturn_t result = CreateInstance(board, state, profile_id, placement, id);
    if (result == NVML_SUCCESS) {
      *instance = fakenvml::GpuInstanceHandle(parts->index, id, state.instances[id].serial);
    }
    return result;
  });
}

nvmlReturn_t CreateComputeInstance(const Board& board, GpuState& state, const HandleParts& parts, unsigned profile_id,
                                   std::uint32_t& id) {
  if (const nvmlReturn_t there = fakenvml::CheckInstance(parts, state); there != NVML_SUCCESS) return there;
  GpuInstance& instance = state.instances[parts.gpu_instance];
  const fakenvml::ProfileRow& gpu_profile = board.profiles[instance.profile % fakenvml::kMaxProfiles];
  const auto profile = fakenvml::FindComputeProfile(gpu_profile, profile_id);
  if (!profile) return NVML_ERROR_INVALID_ARGUMENT;
  const auto start = fakenvml::FindComputePlacement(gpu_profile, instance, profile->slices);
  const auto free = std::ranges::find(instance.compute, 0u, &ComputeInstance::serial);
  if (!start || free == std::end(instance.compute)) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  id = static_cast<std::uint32_t>(free - std::begin(instance.compute));
  const std::uint32_t serial = ++state.last_serial;
  *free = ComputeInstance{serial, profile->slices, *start, fakenvml::MigUuidOf(board, serial)};
  return NVML_SUCCESS;
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceSetMigMode(nvmlDevice_t device, unsigned mode, nvmlReturn_t* activation_status) {
  const auto parts = PartsOf(device, HandleKind::kDevice);
  if (!parts || activation_status == nullptr || mode > NVML_DEVICE_MIG_ENABLE) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(__func__, parts->index, [&](const Board& board, GpuState& state) {
    return SetMigMode(parts->index, board, state, mode, *activation_status);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceCreateGpuInstance(nvmlDevice_t device, unsigned profile_id,
                                                     nvmlGpuInstance_t* instance) {
  return CreateGpuInstance(__func__, device, profile_id, nullptr, instance);
}

NVML_EXPORT nvmlReturn_t nvmlDeviceCreateGpuInstanceWithPlacement(nvmlDevice_t device, unsigned profile_id,
                                                                  const nvmlGpuInstancePlacement_t* placement,
                                                                  nvmlGpuInstance_t* instance) {
  if (placement == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return CreateGpuInstance(__func__, device, profile_id, placement, instance);
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceDestroy(nvmlGpuInstance_t handle) {
  const auto parts = PartsOf(handle, HandleKind::kGpuInstance);
  if (!parts) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(__func__, parts->index, [&](const Board&, GpuState& state) {
    if (const nvmlReturn_t there = fakenvml::CheckInstance(*parts, state); there != NVML_SUCCESS) return there;
    GpuInstance& instance = state.instances[parts->gpu_instance];
    const bool has_compute =
        std::ranges::any_of(instance.compute, [](const ComputeInstance& compute) { return compute.serial != 0; });
    if (has_compute || fakenvml::IsUsed(parts->index, parts->gpu_instance, NVML_NO_INSTANCE)) return NVML_ERROR_IN_USE;
    instance = {};
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceCreateComputeInstance(nvmlGpuInstance_t handle, unsigned profile_id,
                                                              nvmlComputeInstance_t* instance) {
  const auto parts = PartsOf(handle, HandleKind::kGpuInstance);
  if (!parts || instance == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(__func__, parts->index, [&](const Board& board, GpuState& state) {
    std::uint32_t id = 0;
    const nvmlReturn_t result = CreateComputeInstance(board, state, *parts, profile_id, id);
    if (result == NVML_SUCCESS) {
      const std::uint32_t serial = state.instances[parts->gpu_instance].compute[id].serial;
      *instance = fakenvml::ComputeInstanceHandle(parts->index, parts->gpu_instance, id, serial);
    }
    return result;
  });
}

NVML_EXPORT nvmlReturn_t nvmlComputeInstanceDestroy(nvmlComputeInstance_t handle) {
  const auto parts = PartsOf(handle, HandleKind::kComputeInstance);
  if (!parts) return NVML_ERROR_INVALID_ARGUMENT;
  return fakenvml::ChangeGpu(__func__, parts->index, [&](const Board&, GpuState& state) {
    if (const nvmlReturn_t there = fakenvml::CheckInstance(*parts, state); there != NVML_SUCCESS) return there;
    if (fakenvml::IsUsed(parts->index, parts->gpu_instance, parts->compute_instance)) return NVML_ERROR_IN_USE;
    state.instances[parts->gpu_instance].compute[parts->compute_instance] = {};
    return NVML_SUCCESS;
  });
}
