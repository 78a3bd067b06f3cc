#include "fakenvml/smi/listings.h"

#include <stdio.h>

#include <array>
#include <string_view>

namespace kumiko::fakenvml {
namespace {

constexpr std::array kTimeslices = {"Default", "Short", "Medium", "Long"};
constexpr std::array kComputeModes = {"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"};

unsigned IndexOf(const Calls& nvml, nvmlDevice_t gpu) {
  unsigned index = 0;
  nvml("nvmlDeviceGetIndex", gpu, &index);
  return index;
}

// "3g.40gb" of "NVIDIA H100 80GB HBM3 MIG 3g.40gb".
std::string ProfileOf(const std::string& name) {
  const std::size_t at = name.rfind(" MIG ");
  return at == std::string::npos ? name : name.substr(at + 5);
}

void Field(int depth, std::string_view name, const std::string& value) {
  const std::string indent(static_cast<std::size_t>(depth) * 4, ' ');
  printf("%-50s: %s\n", (indent + std::string(name)).c_str(), value.c_str());
}

const char* Enabled(unsigned mode) {
  return mode == 0 ? "Disabled" : "Enabled";
}

void PrintMemory(const char* title, const nvmlMemory_t& memory) {
  printf("    %s\n", title);
  const auto mib = [](unsigned long long bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  Field(2, "Total", mib(memory.total));
  Field(2, "Used", mib(memory.used));
  Field(2, "Free", mib(memory.free));
}

void PrintGpu(const Calls& nvml, nvmlDevice_t gpu) {
  printf("\nGPU %s\n", nvml.BusId(gpu).c_str());
  Field(1, "Product Name", nvml.Name(gpu));
  unsigned mode = 0;
  nvml("nvmlDeviceGetPersistenceMode", gpu, &mode);
  Field(1, "Persistence Mode", Enabled(mode));
  unsigned pending = 0;
  const bool has_mig = nvml("nvmlDeviceGetMigMode", gpu, &mode, &pending) == NVML_SUCCESS;
  printf("    MIG Mode\n");
  Field(2, "Current", has_mig ? Enabled(mode) : "N/A");
  Field(2, "Pending", has_mig ? Enabled(pending) : "N/A");
  Field(1, "GPU UUID", nvml.Uuid(gpu));
  unsigned minor = 0;
  nvml("nvmlDeviceGetMinorNumber", gpu, &minor);
  Field(1, "Minor Number", std::to_string(minor));
  nvmlMemory_t memory{};
  nvml("nvmlDeviceGetMemoryInfo", gpu, &memory);
  PrintMemory("FB Memory Usage", memory);
  if (nvml("nvmlDeviceGetComputeMode", gpu, &mode) == NVML_SUCCESS && mode < kComputeModes.size()) {
    Field(1, "Compute Mode", kComputeModes[mode]);
  }
  nvmlFieldValue_t recovery{};
  recovery.fieldId = NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
  if (nvml("nvmlDeviceGetFieldValues", gpu, 1, &recovery) == NVML_SUCCESS) {
    constexpr std::array kActions = {
        "None", "Reset", "Reboot", "Drain P2P", "Drain and Reset", "Recover IMEX Domain", "Bus Reset", "System Reboot"};
    if (recovery.value.uiVal < kActions.size()) Field(1, "GPU Recovery Action", kActions[recovery.value.uiVal]);
  }
}

constexpr int kTableWidth = 79;
void Rule() {
  printf("+%s+\n", std::string(kTableWidth, '-').c_str());
}
void Row(const char* text) {
  printf("|%-*s|\n", kTableWidth, text);
}

void PrintProfile(const Calls& nvml, nvmlDevice_t gpu, unsigned index) {
  nvmlGpuInstanceProfileInfo_v2_t info{};
  info.version = nvmlGpuInstanceProfileInfo_v2;
  if (nvml("nvmlDeviceGetGpuInstanceProfileInfoV", gpu, index, &info) != NVML_SUCCESS) return;
  unsigned free = 0;
  nvml("nvmlDeviceGetGpuInstanceRemainingCapacity", gpu, info.id, &free);
  const double gib = static_cast<double>(info.memorySizeMB) / 1024;
  std::array<char, 200> line{};
  snprintf(line.data(), line.size(), " %3u   %-17s %3u    %2u/%-2u    %8.2f     %-3s   %4u   %3u   %3u",
           IndexOf(nvml, gpu), info.name, info.id, free, info.instanceCount, gib, "No", info.multiprocessorCount,
           info.decoderCount, info.encoderCount);
  Row(line.data());
  snprintf(line.data(), line.size(), "%62u   %3u   %3u", info.copyEngineCount, info.jpegCount, info.ofaCount);
  Row(line.data());
}

}  // namespace

void ListDevices(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus) {
  for (const nvmlDevice_t gpu : gpus) {
    printf("GPU %u: %s (UUID: %s)\n", IndexOf(nvml, gpu), nvml.Name(gpu).c_str(), nvml.Uuid(gpu).c_str());
    unsigned number = 0;
    for (const nvmlDevice_t device : nvml.MigDevices(gpu)) {
      printf("  MIG %-11s Device %2u: (UUID: %s)\n", ProfileOf(nvml.Name(device)).c_str(), number++,
             nvml.Uuid(device).c_str());
    }
  }
}

void PrintQuery(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus) {
  printf("\n==============NVSMI LOG==============\n\n");
  Field(0, "Driver Version", nvml.DriverVersion());
  int cuda = 0;
  nvml("nvmlSystemGetCudaDriverVersion", &cuda);
  Field(0, "CUDA Version", std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10));
  printf("\n");
  Field(0, "Attached GPUs", std::to_string(gpus.size()));
  for (const nvmlDevice_t gpu : gpus) PrintGpu(nvml, gpu);
}

nvmlReturn_t ListProfiles(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus) {
  bool any = false;
  Rule();
  Row(" GPU instance profiles:");
  Row(" GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC");
  Row("                                Free/Total   GiB              CE    JPEG  OFA");
  Rule();
  for (const nvmlDevice_t gpu : gpus) {
    unsigned mode = 0;
    unsigned pending = 0;
    if (nvml("nvmlDeviceGetMigMode", gpu, &mode, &pending) != NVML_SUCCESS || mode == 0) continue;
    any = true;
    for (unsigned index = 0; index < NVML_GPU_INSTANCE_PROFILE_COUNT; ++index) PrintProfile(nvml, gpu, index);
  }
  Rule();
  return any ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t ListInstances(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus) {
  bool any = false;
  Rule();
  Row(" GPU instances:");
  Row(" GPU   Name               Profile   Instance   Placement");
  Row("                          ID        ID         Start:Size");
  Rule();
  for (const nvmlDevice_t gpu : gpus) {
    for (unsigned id = 0; id < 15; ++id) {
      nvmlGpuInstance_t instance = nullptr;
      if (nvml("nvmlDeviceGetGpuInstanceById", gpu, id, &instance) != NVML_SUCCESS) continue;
      nvmlGpuInstanceInfo_t info{};
      if (nvml("nvmlGpuInstanceGetInfo", instance, &info) != NVML_SUCCESS) continue;
      nvmlGpuInstanceProfileInfo_v2_t profile{};
      for (unsigned index = 0; index < NVML_GPU_INSTANCE_PROFILE_COUNT; ++index) {
        nvmlGpuInstanceProfileInfo_v2_t candidate{};
        candidate.version = nvmlGpuInstanceProfileInfo_v2;
        if (nvml("nvmlDeviceGetGpuInstanceProfileInfoV", gpu, index, &candidate) == NVML_SUCCESS &&
            candidate.id == info.profileId) {
          profile = candidate;
        }
      }
      any = true;
      std::array<char, 200> line{};
      snprintf(line.data(), line.size(), " %3u   %-17s %5u %10u       %5u:%u", IndexOf(nvml, gpu), profile.name,
               info.profileId, info.id, info.placement.start, info.placement.size);
      Row(line.data());
    }
  }
  Rule();
  if (!any) printf("No GPU instances found: Not Found\n");
  return any ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

void ListTimeslices(const Calls& nvml, const std::vector<nvmlDevice_t>& gpus) {
  for (const nvmlDevice_t gpu : gpus) {
    unsigned timeslice = 0;
    if (nvml("nvmlFakeGetTimeslice", gpu, &timeslice) != NVML_SUCCESS || timeslice >= kTimeslices.size()) continue;
    printf("GPU %u: timeslice %s\n", IndexOf(nvml, gpu), kTimeslices[timeslice]);
  }
}

}  // namespace kumiko::fakenvml
