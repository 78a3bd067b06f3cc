#include "tests/fakenvml/driver.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fakenvml/install/board_file.h"
#include "fakenvml/install/driver_root.h"

namespace kumiko::fakenvml {
namespace {

// A thousand small files: in memory where that is possible and programs may run from there.
void PreferMemory() {
  struct statvfs status{};
  if (statvfs("/dev/shm", &status) != 0 || (status.f_flag & (ST_NOEXEC | ST_RDONLY)) != 0) return;
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
}

TemporaryDirectory FreshFolder() {
  PreferMemory();
  auto folder = TemporaryDirectory::Create();
  if (!folder) ADD_FAILURE() << folder.error().message;
  return std::move(*folder);
}

}  // namespace

Driver::Driver(std::string_view boards, Start start) : root_(FreshFolder()) {
  const auto file = ReadBoardFile(boards, "boards.yaml", "");
  if (!file) {
    ADD_FAILURE() << file.error().message;
    return;
  }
  InstallOptions options;
  options.root = root_.path();
  options.programs = FAKENVML_DRIVER_FILES;
  options.device_nodes = DeviceNodes::kPlain;
  const Status installed = InstallDriver(*file, options);
  if (!installed) ADD_FAILURE() << installed.error().message;
  folder_ = root_.path() + "/" + options.library_folder;
  // Each installation has its own copy of the library, so each is loaded anew.
  library_ = dlopen((folder_ + "/libnvidia-ml.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    ADD_FAILURE() << dlerror();
    return;
  }
  if (start == Start::kInitialized) {
    EXPECT_EQ(Call("nvmlInit_v2"), NVML_SUCCESS);
  }
}

nvmlDevice_t Driver::Gpu(unsigned index) const {
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(Call("nvmlDeviceGetHandleByIndex_v2", index, &device), NVML_SUCCESS) << "GPU " << index;
  return device;
}

std::string Driver::Uuid(nvmlDevice_t device) const {
  std::array<char, NVML_DEVICE_UUID_V2_BUFFER_SIZE> uuid{};
  EXPECT_EQ(Call("nvmlDeviceGetUUID", device, uuid.data(), static_cast<unsigned>(uuid.size())), NVML_SUCCESS);
  return uuid.data();
}

nvmlReturn_t Driver::Create(nvmlDevice_t device, unsigned profile_id, nvmlGpuInstancePlacement_t placement,
                            nvmlGpuInstance_t& instance) const {
  const nvmlReturn_t made = Call("nvmlDeviceCreateGpuInstanceWithPlacement", device, profile_id,
                                 static_cast<const nvmlGpuInstancePlacement_t*>(&placement), &instance);
  if (made != NVML_SUCCESS) return made;
  for (unsigned index = 7; index-- > 0;) {
    nvmlComputeInstanceProfileInfo_t info{};
    if (Call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, index, 0u, &info) != NVML_SUCCESS) continue;
    if (info.instanceCount != 1) continue;
    nvmlComputeInstance_t compute = nullptr;
    return Call("nvmlGpuInstanceCreateComputeInstance", instance, info.id, &compute);
  }
  return NVML_ERROR_UNKNOWN;
}

nvmlReturn_t Driver::Destroy(nvmlGpuInstance_t instance) const {
  for (unsigned id = 0; id < kMaxComputeInstances; ++id) {
    nvmlComputeInstance_t compute = nullptr;
    if (Call("nvmlGpuInstanceGetComputeInstanceById", instance, id, &compute) != NVML_SUCCESS) continue;
    if (const nvmlReturn_t gone = Call("nvmlComputeInstanceDestroy", compute); gone != NVML_SUCCESS) return gone;
  }
  return Call("nvmlGpuInstanceDestroy", instance);
}

void Driver::Control(std::string_view text) const {
  const std::string draft = ControlPath() + ".new";
  std::ofstream(draft) << text;
  std::filesystem::rename(draft, ControlPath());
}

StateMap Driver::Map() const {
  std::string why;
  StateMap map = StateMap::Open(*FindStateFile(folder_), &why);
  EXPECT_TRUE(map) << why;
  return map;
}

}  // namespace kumiko::fakenvml
