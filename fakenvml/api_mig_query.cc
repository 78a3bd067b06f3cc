// MIG: modes, profiles, placements and the instances that are there.
#include <algorithm>

#include "fakenvml/device_text.h"
#include "fakenvml/instances.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Gpu;
using fakenvml::GpuState;
using fakenvml::InstanceTarget;
using fakenvml::Library;
using fakenvml::OnDevice;
using fakenvml::OnGpu;
using fakenvml::ProfileRow;
using fakenvml::Store;
using fakenvml::Target;

namespace {

bool HasMig(const Gpu& gpu) {
  return gpu.board.memory_slices != 0;
}

// Instances can be asked for only while the board is in MIG mode.
nvmlReturn_t CheckMigMode(const Gpu& gpu, const GpuState& state) {
  return HasMig(gpu) && state.mig_mode == NVML_DEVICE_MIG_ENABLE ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

// The profile of an index, or why there is none.
nvmlReturn_t ProfileAt(const Gpu& gpu, unsigned index, const ProfileRow*& profile) {
  if (index >= NVML_GPU_INSTANCE_PROFILE_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
  profile = HasMig(gpu) ? fakenvml::FindProfileByIndex(gpu.board, index) : nullptr;
  return profile == nullptr ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

// All structs of profiles have these members.
template <class Info>
void FillProfile(const ProfileRow& profile, Info& info) {
  info.id = profile.id;
  info.sliceCount = profile.compute_slices;
  info.instanceCount = profile.max_instances;
  info.multiprocessorCount = profile.multiprocessors;
  info.copyEngineCount = profile.copy_engines;
  info.decoderCount = profile.decoders;
  info.encoderCount = profile.encoders;
  info.jpegCount = profile.jpeg_engines;
  info.ofaCount = profile.ofa_engines;
  info.memorySizeMB = profile.memory_mib;
}
template <class Info>
nvmlReturn_t FillNamedProfile(const ProfileRow& profile, Info& info) {
  FillProfile(profile, info);
  return fakenvml::CopyText("MIG " + std::string(profile.name), info.name, sizeof info.name);
}

nvmlReturn_t ComputeProfileAt(const InstanceTarget& target, unsigned index, unsigned engine_profile,
                              nvmlComputeInstanceProfileInfo_t& info) {
  if (index >= NVML_COMPUTE_INSTANCE_PROFILE_COUNT || engine_profile != 0) return NVML_ERROR_INVALID_ARGUMENT;
  const ProfileRow& profile = target.profile();
  const auto compute = fakenvml::FindComputeProfile(profile, index);
  if (!compute) return NVML_ERROR_NOT_SUPPORTED;
  info = {compute->id,      compute->slices,  compute->max_instances, compute->multiprocessors, profile.copy_engines,
          profile.decoders, profile.encoders, profile.jpeg_engines,   profile.ofa_engines};
  return NVML_SUCCESS;
}

unsigned GpuIndexOf(const Gpu& gpu) {
  return static_cast<unsigned>(&gpu - &Library::Get().state().gpu(0));
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (current == nullptr || pending == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (!HasMig(gpu)) return NVML_ERROR_NOT_SUPPORTED;
    const GpuState state = gpu.state.Copy();
    *current = state.mig_mode;
    *pending = state.mig_pending;
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    const bool enabled = CheckMigMode(gpu, gpu.state.Copy()) == NVML_SUCCESS;
    return Store(count, enabled ? gpu.board.max_mig_devices : 0u);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t* mig) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (mig == nullptr || index >= gpu.board.max_mig_devices) return NVML_ERROR_INVALID_ARGUMENT;
    const GpuState state = gpu.state.Copy();
    if (const nvmlReturn_t mode = CheckMigMode(gpu, state); mode != NVML_SUCCESS) return mode;
    const auto slot = fakenvml::NthMigDevice(state, index);
    const unsigned gpu_index = GpuIndexOf(gpu);
    if (!slot || !Library::Get().CanReach(gpu_index, slot->gpu_instance, slot->compute_instance)) {
      return NVML_ERROR_NOT_FOUND;
    }
    const std::uint32_t serial = state.instances[slot->gpu_instance].compute[slot->compute_instance].serial;
    return Store(mig, fakenvml::MigDeviceHandle(gpu_index, slot->gpu_instance, slot->compute_instance, serial));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned* is_mig) {
  return OnDevice(__func__, device, [&](const Target& target) { return Store(is_mig, target.IsMig() ? 1u : 0u); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t mig, nvmlDevice_t* device) {
  return OnDevice(__func__, mig, [&](const Target& target) {
    if (!target.IsMig()) return NVML_ERROR_INVALID_ARGUMENT;
    return Store(device, fakenvml::DeviceHandle(target.gpu));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned* id) {
  return OnDevice(__func__, device, [&](const Target& target) {
    return target.IsMig() ? Store(id, target.gpu_instance) : NVML_ERROR_NOT_SUPPORTED;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned* id) {
  return OnDevice(__func__, device, [&](const Target& target) {
    return target.IsMig() ? Store(id, target.compute_instance) : NVML_ERROR_NOT_SUPPORTED;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned index,
                                                             nvmlGpuInstanceProfileInfo_t* info) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    const ProfileRow* profile = nullptr;
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (const nvmlReturn_t found = ProfileAt(gpu, index, profile); found != NVML_SUCCESS) return found;
    FillProfile(*profile, *info);
    info->isP2pSupported = 0;
    return NVML_SUCCESS;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned index,
                                                              nvmlGpuInstanceProfileInfo_v2_t* info) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    const ProfileRow* profile = nullptr;
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != nvmlGpuInstanceProfileInfo_v2 && info->version != nvmlGpuInstanceProfileInfo_v3) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (const nvmlReturn_t found = ProfileAt(gpu, index, profile); found != NVML_SUCCESS) return found;
    if (info->version == nvmlGpuInstanceProfileInfo_v3) {
      auto& third = *reinterpret_cast<nvmlGpuInstanceProfileInfo_v3_t*>(info);
      third.capabilities = 0;
      return FillNamedProfile(*profile, third);
    }
    info->isP2pSupported = 0;
    return FillNamedProfile(*profile, *info);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned profile_id,
                                                                       nvmlGpuInstancePlacement_t* placements,
                                                                       unsigned* count) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (!HasMig(gpu)) return NVML_ERROR_NOT_SUPPORTED;
    const ProfileRow* profile = fakenvml::FindProfileById(gpu.board, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    for (std::uint32_t i = 0; placements != nullptr && i < profile->placement_count; ++i) {
      placements[i] = {profile->placement_starts[i], profile->placement_size};
    }
    return Store(count, profile->placement_count);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceRemainingCapacity(nvmlDevice_t device, unsigned profile_id,
                                                                   unsigned* count) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    const GpuState state = gpu.state.Copy();
    if (const nvmlReturn_t mode = CheckMigMode(gpu, state); mode != NVML_SUCCESS) return mode;
    const ProfileRow* profile = fakenvml::FindProfileById(gpu.board, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return Store(count, fakenvml::RemainingCapacity(gpu.board, state, *profile));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned profile_id,
                                                   nvmlGpuInstance_t* instances, unsigned* count) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    if (instances == nullptr || count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const GpuState state = gpu.state.Copy();
    if (const nvmlReturn_t mode = CheckMigMode(gpu, state); mode != NVML_SUCCESS) return mode;
    const ProfileRow* profile = fakenvml::FindProfileById(gpu.board, profile_id);
    if (profile == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned found = 0;
    for (std::uint32_t id = 0; id < fakenvml::kMaxInstances; ++id) {
      const fakenvml::GpuInstance& instance = state.instances[id];
      if (instance.serial == 0 || gpu.board.profiles[instance.profile].id != profile_id) continue;
      instances[found++] = fakenvml::GpuInstanceHandle(GpuIndexOf(gpu), id, instance.serial);
    }
    return Store(count, found);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned id, nvmlGpuInstance_t* instance) {
  return OnGpu(__func__, device, [&](const Gpu& gpu) {
    const GpuState state = gpu.state.Copy();
    if (const nvmlReturn_t mode = CheckMigMode(gpu, state); mode != NVML_SUCCESS) return mode;
    if (id >= fakenvml::kMaxInstances || state.instances[id].serial == 0) return NVML_ERROR_NOT_FOUND;
    return Store(instance, fakenvml::GpuInstanceHandle(GpuIndexOf(gpu), id, state.instances[id].serial));
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t handle, nvmlGpuInstanceInfo_t* info) {
  return OnInstance(__func__, fakenvml::HandleKind::kGpuInstance, handle, [&](const InstanceTarget& target) {
    return Store(info, nvmlGpuInstanceInfo_t{fakenvml::DeviceHandle(target.gpu),
                                             target.gpu_instance,
                                             target.profile().id,
                                             {target.instance.start, target.instance.size}});
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t handle, unsigned index,
                                                                      unsigned engine_profile,
                                                                      nvmlComputeInstanceProfileInfo_t* info) {
  return OnInstance(__func__, fakenvml::HandleKind::kGpuInstance, handle, [&](const InstanceTarget& target) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return ComputeProfileAt(target, index, engine_profile, *info);
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfoV(nvmlGpuInstance_t handle, unsigned index,
                                                                       unsigned engine_profile,
                                                                       nvmlComputeInstanceProfileInfo_v2_t* info) {
  return OnInstance(__func__, fakenvml::HandleKind::kGpuInstance, handle, [&](const InstanceTarget& target) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != nvmlComputeInstanceProfileInfo_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const nvmlReturn_t found = ComputeProfileAt(target, index, engine_profile, info->info);
    if (found != NVML_SUCCESS) return found;
    const std::string name = "MIG " + fakenvml::ProfileText(target.profile(), info->info.sliceCount);
    return fakenvml::CopyText(name, info->name, sizeof info->name);
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t handle, unsigned profile_id,
                                                            nvmlComputeInstance_t* instances, unsigned* count) {
  return OnInstance(__func__, fakenvml::HandleKind::kGpuInstance, handle, [&](const InstanceTarget& target) {
    if (instances == nullptr || count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const auto wanted = fakenvml::FindComputeProfile(target.profile(), profile_id);
    if (!wanted) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned found = 0;
    for (std::uint32_t id = 0; id < fakenvml::kMaxComputeInstances; ++id) {
      const fakenvml::ComputeInstance& compute = target.instance.compute[id];
      if (compute.serial == 0 || compute.slices != wanted->slices) continue;
      instances[found++] = fakenvml::ComputeInstanceHandle(target.gpu, target.gpu_instance, id, compute.serial);
    }
    return Store(count, found);
  });
}

NVML_EXPORT nvmlReturn_t nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t handle, unsigned id,
                                                               nvmlComputeInstance_t* instance) {
  return OnInstance(__func__, fakenvml::HandleKind::kGpuInstance, handle, [&](const InstanceTarget& target) {
    if (id >= fakenvml::kMaxComputeInstances || target.instance.compute[id].serial == 0) return NVML_ERROR_NOT_FOUND;
    return Store(instance, fakenvml::ComputeInstanceHandle(target.gpu, target.gpu_instance, id,
                                                           target.instance.compute[id].serial));
  });
}

NVML_EXPORT nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t handle, nvmlComputeInstanceInfo_t* info) {
  return OnInstance(__func__, fakenvml::HandleKind::kComputeInstance, handle, [&](const InstanceTarget& target) {
    const fakenvml::ComputeInstance& compute = target.instance.compute[target.compute_instance];
    nvmlComputeInstanceInfo_t found{};
    found.device = fakenvml::MigDeviceHandle(target.gpu, target.gpu_instance, target.compute_instance, compute.serial);
    found.gpuInstance = fakenvml::GpuInstanceHandle(target.gpu, target.gpu_instance, target.instance.serial);
    found.id = target.compute_instance;
    for (unsigned index = 0; index < NVML_COMPUTE_INSTANCE_PROFILE_COUNT; ++index) {
      const auto profile = fakenvml::FindComputeProfile(target.profile(), index);
      if (profile && profile->slices == compute.slices) found.profileId = profile->id;
    }
    found.placement = {compute.start, compute.slices};
    return Store(info, found);
  });
}
