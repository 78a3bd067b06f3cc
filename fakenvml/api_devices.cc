// Finding devices, and what they are.
#include <string>

#include "fakenvml/device_text.h"
#include "fakenvml/library.h"
#include "fakenvml/placement.h"

namespace fakenvml = kumiko::fakenvml;
using fakenvml::Board;
using fakenvml::CopyText;
using fakenvml::GpuState;
using fakenvml::Library;
using fakenvml::OnDevice;
using fakenvml::OnGpu;
using fakenvml::OnLibrary;
using fakenvml::Store;
using fakenvml::Target;

namespace {

const Board& BoardOf(const Target& target) {
  return Library::Get().state().gpu(target.gpu).board;
}

fakenvml::GpuInstance InstanceOf(const Target& target) {
  return Library::Get().state().gpu(target.gpu).state.Read([&](const GpuState& state) {
    return state.instances[target.gpu_instance];
  });
}

const fakenvml::ProfileRow& ProfileOf(const Target& target, const fakenvml::GpuInstance& instance) {
  return BoardOf(target).profiles[instance.profile % fakenvml::kMaxProfiles];
}

// The handle of the MIG device with this UUID; null when there is none that this process may use.
nvmlDevice_t FindMigDevice(Library& library, std::string_view uuid) {
  for (unsigned i = 0; i < library.visible_count(); ++i) {
    const unsigned gpu = library.VisibleGpu(i);
    const GpuState state = library.state().gpu(gpu).state.Copy();
    for (unsigned n = 0; const auto slot = fakenvml::NthMigDevice(state, n); ++n) {
      const auto& compute = state.instances[slot->gpu_instance].compute[slot->compute_instance];
      if (fakenvml::MigUuidText(compute.uuid) != uuid) continue;
      if (!library.CanReach(gpu, slot->gpu_instance, slot->compute_instance)) return nullptr;
      return fakenvml::MigDeviceHandle(gpu, slot->gpu_instance, slot->compute_instance, compute.serial);
    }
  }
  return nullptr;
}

}  // namespace

NVML_EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  return OnLibrary(__func__, [&](Library& library) { return Store(count, library.visible_count()); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  if (index >= library.visible_count()) {
    const nvmlReturn_t entered = library.Enter(__func__, -1);
    return entered == NVML_SUCCESS ? NVML_ERROR_INVALID_ARGUMENT : entered;
  }
  const nvmlDevice_t found = fakenvml::DeviceHandle(library.VisibleGpu(index));
  return OnDevice(__func__, found, [&](const Target&) { return Store(device, found); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (uuid == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  nvmlDevice_t found = nullptr;
  for (unsigned i = 0; i < library.visible_count(); ++i) {
    if (library.state().gpu(library.VisibleGpu(i)).board.uuid == std::string_view(uuid)) {
      found = fakenvml::DeviceHandle(library.VisibleGpu(i));
    }
  }
  if (found == nullptr) found = FindMigDevice(library, uuid);
  if (found == nullptr) return OnLibrary(__func__, [](Library&) { return NVML_ERROR_NOT_FOUND; });
  return OnDevice(__func__, found, [&](const Target&) { return Store(device, found); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  if (bus_id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  Library& library = Library::Get();
  if (!library.initialized()) return NVML_ERROR_UNINITIALIZED;
  for (unsigned i = 0; i < library.visible_count(); ++i) {
    const unsigned gpu = library.VisibleGpu(i);
    if (!fakenvml::IsPciBusId(library.state().gpu(gpu).board, bus_id)) continue;
    const nvmlDevice_t found = fakenvml::DeviceHandle(gpu);
    return OnDevice(__func__, found, [&](const Target&) { return Store(device, found); });
  }
  return OnLibrary(__func__, [](Library&) { return NVML_ERROR_NOT_FOUND; });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  return OnDevice(__func__, device, [&](const Target& target) {
    if (!target.IsMig()) return CopyText(BoardOf(target).uuid, uuid, length);
    return CopyText(fakenvml::MigUuidText(InstanceOf(target).compute[target.compute_instance].uuid), uuid, length);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  return OnDevice(__func__, device, [&](const Target& target) {
    std::string text = BoardOf(target).name;
    if (target.IsMig()) {
      const fakenvml::GpuInstance instance = InstanceOf(target);
      const std::uint32_t slices = instance.compute[target.compute_instance].slices;
      text += " MIG " + fakenvml::ProfileText(ProfileOf(target, instance), slices);
    }
    return CopyText(text, name, length);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  return OnDevice(__func__, device, [&](const Target& target) {
    Library& library = Library::Get();
    if (!target.IsMig()) return Store(index, library.IndexOf(target.gpu));
    const GpuState state = library.state().gpu(target.gpu).state.Copy();
    for (unsigned n = 0; const auto slot = fakenvml::NthMigDevice(state, n); ++n) {
      if (slot->gpu_instance == target.gpu_instance && slot->compute_instance == target.compute_instance) {
        return Store(index, n);
      }
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* minor) {
  return OnGpu(__func__, device, [&](const fakenvml::Gpu& gpu) { return Store(minor, gpu.board.minor); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return OnDevice(__func__, device,
                  [&](const Target& target) { return Store(pci, fakenvml::PciInfoOf(BoardOf(target))); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, unsigned* brand) {
  return OnDevice(__func__, device, [&](const Target& target) { return Store(brand, BoardOf(target).brand); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned* architecture) {
  return OnDevice(__func__, device,
                  [&](const Target& target) { return Store(architecture, BoardOf(target).architecture); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  return OnDevice(__func__, device, [&](const Target& target) {
    if (minor == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *minor = static_cast<int>(BoardOf(target).compute_minor);
    return Store(major, static_cast<int>(BoardOf(target).compute_major));
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return OnDevice(__func__, device, [&](const Target& target) {
    nvmlMemory_t info{};
    info.total = BoardOf(target).memory_bytes;
    if (target.IsMig()) info.total = ProfileOf(target, InstanceOf(target)).memory_mib << 20;
    info.used = Library::Get().state().control.Read([&](const fakenvml::Control& control) {
      std::uint64_t used = 0;
      for (std::uint32_t i = 0; i < control.process_count && i < fakenvml::kMaxProcesses; ++i) {
        const fakenvml::ProcessRow& process = control.processes[i];
        const bool counts = !target.IsMig() || process.gpu_instance == target.gpu_instance;
        if (process.gpu == target.gpu && counts) used += process.memory_bytes;
      }
      return used;
    });
    if (info.used > info.total) info.used = info.total;
    info.free = info.total - info.used;
    return Store(memory, info);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, unsigned* mode) {
  return OnGpu(__func__, device, [&](const fakenvml::Gpu& gpu) { return Store(mode, gpu.board.virtualization); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t* mode) {
  return OnGpu(__func__, device, [&](const fakenvml::Gpu& gpu) {
    if (mode == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (mode->version != nvmlDeviceAddressingMode_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (gpu.board.addressing_mode == fakenvml::kNoAddressingMode) return NVML_ERROR_NOT_SUPPORTED;
    return Store(&mode->value, gpu.board.addressing_mode);
  });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetModuleId(nvmlDevice_t device, unsigned* module_id) {
  return OnGpu(__func__, device, [&](const fakenvml::Gpu& gpu) { return Store(module_id, gpu.board.module_id); });
}

NVML_EXPORT nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  return OnDevice(__func__, device, [&](const Target& target) {
    if (!target.IsMig()) return NVML_ERROR_NOT_SUPPORTED;
    const fakenvml::GpuInstance instance = InstanceOf(target);
    const fakenvml::ProfileRow& profile = ProfileOf(target, instance);
    const std::uint32_t slices = instance.compute[target.compute_instance].slices;
    nvmlDeviceAttributes_t info{};
    for (unsigned index = 0; index < NVML_COMPUTE_INSTANCE_PROFILE_COUNT; ++index) {
      const auto compute = fakenvml::FindComputeProfile(profile, index);
      if (compute && compute->slices == slices) info.multiprocessorCount = compute->multiprocessors;
    }
    info.sharedCopyEngineCount = profile.copy_engines;
    info.sharedDecoderCount = profile.decoders;
    info.sharedEncoderCount = profile.encoders;
    info.sharedJpegCount = profile.jpeg_engines;
    info.sharedOfaCount = profile.ofa_engines;
    info.gpuInstanceSliceCount = profile.compute_slices;
    info.computeInstanceSliceCount = slices;
    info.memorySizeMB = profile.memory_mib;
    return Store(attributes, info);
  });
}
