// Finding devices and what they say of themselves.
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "fakenvml/function_names.h"
#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

constexpr std::string_view kTwoKinds = R"(
driverVersion: 570.86.15
cudaVersion: "12.4"
topology: {numa: 2, pcieRoots: 2, nvlink: true}
gpus:
- {model: H100, count: 2, pciBusIds: ["0000:1a:00.0", "0001:cb:00.0"]}
- {model: T4, firstMinor: 9}
)";

TEST(Devices, AreThoseOfTheBoardFile) {
  const Driver driver(kTwoKinds);
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  ASSERT_EQ(count, 3u);

  std::array<char, 80> text{};
  EXPECT_EQ(driver.Call("nvmlSystemGetDriverVersion", text.data(), 80u), NVML_SUCCESS);
  EXPECT_STREQ(text.data(), "570.86.15");
  int cuda = 0;
  EXPECT_EQ(driver.Call("nvmlSystemGetCudaDriverVersion", &cuda), NVML_SUCCESS);
  EXPECT_EQ(cuda, 12040);

  EXPECT_EQ(driver.Call("nvmlDeviceGetName", driver.Gpu(0), text.data(), 80u), NVML_SUCCESS);
  EXPECT_STREQ(text.data(), "NVIDIA H100 80GB HBM3");
  nvmlMemory_t memory{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetMemoryInfo", driver.Gpu(0), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, 81559ull << 20);
  EXPECT_EQ(memory.free, memory.total);
  unsigned minor = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMinorNumber", driver.Gpu(2), &minor), NVML_SUCCESS);
  EXPECT_EQ(minor, 9u);
  unsigned architecture = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetArchitecture", driver.Gpu(2), &architecture), NVML_SUCCESS);
  EXPECT_EQ(architecture, 6u);
  int major = 0;
  int minor_capability = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCudaComputeCapability", driver.Gpu(0), &major, &minor_capability), NVML_SUCCESS);
  EXPECT_EQ(std::pair(major, minor_capability), std::pair(9, 0));
  unsigned numa = 7;
  EXPECT_EQ(driver.Call("nvmlDeviceGetNumaNodeId", driver.Gpu(0), &numa), NVML_SUCCESS);
  EXPECT_EQ(numa, 0u);
}

TEST(Devices, AreFoundByUuidAndByPciAddressInEveryForm) {
  const Driver driver(kTwoKinds);
  const nvmlDevice_t second = driver.Gpu(1);
  const std::string uuid = driver.Uuid(second);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found), NVML_SUCCESS);
  EXPECT_EQ(found, second);
  for (const char* address : {"00000001:CB:00.0", "0001:cb:00.0", "1:cb:0"}) {
    found = nullptr;
    EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByPciBusId_v2", address, &found), NVML_SUCCESS) << address;
    EXPECT_EQ(found, second) << address;
  }
  for (const char* address : {"0000:cb:00.0", "0001:cb:00.1", "", "cb", "nonsense"}) {
    EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByPciBusId_v2", address, &found), NVML_ERROR_NOT_FOUND) << address;
  }
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByUUID", "GPU-0", &found), NVML_ERROR_NOT_FOUND);

  nvmlPciInfo_t pci{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetPciInfo_v3", second, &pci), NVML_SUCCESS);
  EXPECT_STREQ(pci.busId, "00000001:CB:00.0");
  EXPECT_EQ(pci.pciDeviceId, 0x233010DEu);
}

TEST(Devices, RefuseWrongCallersWithNvmlsCodes) {
  const Driver driver(kTwoKinds, Driver::Start::kLoaded);
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(driver.Call("nvmlShutdown"), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(driver.Call("nvmlInitWithFlags", 8u), NVML_ERROR_INVALID_ARGUMENT);

  ASSERT_EQ(driver.Call("nvmlInit_v2"), NVML_SUCCESS);
  ASSERT_EQ(driver.Call("nvmlInitWithFlags", NVML_INIT_FLAG_NO_GPUS), NVML_SUCCESS);
  const nvmlDevice_t device = driver.Gpu(0);
  std::array<char, 8> small{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetUUID", device, small.data(), 8u), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(driver.Call("nvmlDeviceGetUUID", device, static_cast<char*>(nullptr), 96u), NVML_ERROR_INVALID_ARGUMENT);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByIndex_v2", 3u, &found), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", static_cast<unsigned*>(nullptr)), NVML_ERROR_INVALID_ARGUMENT);
  for (const std::uint64_t garbage : {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{0x2b} << 40}) {
    EXPECT_EQ(driver.Call("nvmlDeviceGetMinorNumber", reinterpret_cast<nvmlDevice_t>(garbage), &count),
              NVML_ERROR_INVALID_ARGUMENT);
  }

  // Initialisations are counted.
  EXPECT_EQ(driver.Call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlShutdown"), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_ERROR_UNINITIALIZED);
}

TEST(Devices, CheckTheVersionsOfStructs) {
  const Driver driver("gpus: [{model: H100, addressingMode: ats}, {model: H100}]");
  nvmlDeviceAddressingMode_t mode{nvmlDeviceAddressingMode_v1 + 1, 0};
  EXPECT_EQ(driver.Call("nvmlDeviceGetAddressingMode", driver.Gpu(0), &mode), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  mode.version = nvmlDeviceAddressingMode_v1;
  EXPECT_EQ(driver.Call("nvmlDeviceGetAddressingMode", driver.Gpu(0), &mode), NVML_SUCCESS);
  EXPECT_EQ(mode.value, 2u);
  EXPECT_EQ(driver.Call("nvmlDeviceGetAddressingMode", driver.Gpu(1), &mode), NVML_ERROR_NOT_SUPPORTED);

  nvmlGpuFabricInfo_v3_t fabric{};
  for (const unsigned version : {0u, nvmlGpuFabricInfo_v2 + 1, nvmlGpuFabricInfo_v3 & 0xFFFFFF}) {
    fabric.version = version;
    EXPECT_EQ(driver.Call("nvmlDeviceGetGpuFabricInfoV", driver.Gpu(0), &fabric), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  }
  nvmlGpuInstanceProfileInfo_v2_t profile{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfoV", driver.Gpu(0), 0u, &profile),
            NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

TEST(Devices, OfWhichTheNodeCannotBeOpenedAreNotThere) {
  const Driver driver(kTwoKinds, Driver::Start::kLoaded);
  ASSERT_EQ(unlink((driver.root() + "/dev/nvidia0").c_str()), 0);
  ASSERT_EQ(driver.Call("nvmlInit_v2"), NVML_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 2u);
  unsigned minor = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMinorNumber", driver.Gpu(0), &minor), NVML_SUCCESS);
  EXPECT_EQ(minor, 1u);
  unsigned index = 7;
  EXPECT_EQ(driver.Call("nvmlDeviceGetIndex", driver.Gpu(0), &index), NVML_SUCCESS);
  EXPECT_EQ(index, 0u);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByPciBusId_v2", "0000:1a:00.0", &found), NVML_ERROR_NOT_FOUND);
}

TEST(Devices, OfAWrongNumberAreNotThere) {
  if (geteuid() != 0) GTEST_SKIP() << "device nodes are made by root";
  const Driver driver(kTwoKinds, Driver::Start::kLoaded);
  const std::string node = driver.root() + "/dev/nvidia1";
  ASSERT_EQ(unlink(node.c_str()), 0);
  if (mknod(node.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "device nodes cannot be made here";
  ASSERT_EQ(driver.Call("nvmlInit_v2"), NVML_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 2u);  // /dev/null in its place does not count
}

TEST(Devices, NoneAtAllFailInitialisationUnlessTheCallerDoesNotMind) {
  const Driver driver("gpus: []", Driver::Start::kLoaded);
  EXPECT_EQ(driver.Call("nvmlInit_v2"), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlInitWithFlags", NVML_INIT_FLAG_NO_GPUS), NVML_SUCCESS);
  unsigned count = 7;
  EXPECT_EQ(driver.Call("nvmlDeviceGetCount_v2", &count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

TEST(Devices, NeedAControlNodeAndAStateFile) {
  const Driver driver(kTwoKinds, Driver::Start::kLoaded);
  ASSERT_EQ(unlink((driver.root() + "/dev/nvidiactl").c_str()), 0);
  EXPECT_EQ(driver.Call("nvmlInit_v2"), NVML_ERROR_DRIVER_NOT_LOADED);
  ASSERT_EQ(unlink(FindStateFile(driver.folder())->c_str()), 0);
  EXPECT_EQ(driver.Call("nvmlInit_v2"), NVML_ERROR_DRIVER_NOT_LOADED);
}

TEST(Devices, TellFabricAndTopology) {
  const Driver driver(R"(
topology: {numa: 2, pcieRoots: 4, nvlink: true}
fabric: {clusterUuid: 7b968a6d-c8aa-45e1-9e07-e1e51be99c31, cliqueId: 3}
gpus: [{model: H100, count: 8}]
)");
  nvmlGpuFabricInfo_t fabric{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuFabricInfo", driver.Gpu(0), &fabric), NVML_SUCCESS);
  EXPECT_EQ(fabric.state, 3);
  EXPECT_EQ(fabric.cliqueId, 3u);
  EXPECT_EQ(fabric.clusterUuid[0], 0x7b);
  EXPECT_EQ(fabric.clusterUuid[15], 0x31);
  const auto level = [&](unsigned one, unsigned other) {
    unsigned found = 99;
    EXPECT_EQ(driver.Call("nvmlDeviceGetTopologyCommonAncestor", driver.Gpu(one), driver.Gpu(other), &found),
              NVML_SUCCESS);
    return found;
  };
  EXPECT_EQ(level(0, 1), 30u);  // one root
  EXPECT_EQ(level(0, 2), 40u);  // one NUMA node
  EXPECT_EQ(level(0, 4), 50u);
  unsigned active = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetNvLinkState", driver.Gpu(0), 17u, &active), NVML_SUCCESS);
  EXPECT_EQ(active, 1u);
  EXPECT_EQ(driver.Call("nvmlDeviceGetNvLinkState", driver.Gpu(0), 18u, &active), NVML_ERROR_INVALID_ARGUMENT);
  driver.Control("gpu 0 fabric in-progress\n");
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuFabricInfo", driver.Gpu(0), &fabric), NVML_SUCCESS);
  EXPECT_EQ(fabric.state, 2);
  EXPECT_EQ(fabric.cliqueId, 0u);
}

// The list that the control file is checked against is what the library has, no more and no less.
TEST(Functions, AreListed) {
  const std::string command = std::string("nm -D --defined-only ") + FAKENVML_DRIVER_FILES + "/libnvidia-ml.so.1";
  struct Close {
    void operator()(FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<FILE, Close> listing(popen(command.c_str(), "r"));
  ASSERT_NE(listing, nullptr);
  std::set<std::string> exported;
  std::array<char, 200> line{};
  while (fgets(line.data(), line.size(), listing.get()) != nullptr) {
    const std::string text(line.data());
    exported.insert(text.substr(text.rfind(' ') + 1, text.size() - text.rfind(' ') - 2));
  }
  EXPECT_EQ(exported, std::set<std::string>(kFunctionNames.begin(), kFunctionNames.end()));
  EXPECT_TRUE(std::ranges::all_of(kFunctionNames, [](auto name) { return name.size() < kFunctionNameSize; }));
}

}  // namespace
}  // namespace kumiko::fakenvml
