// The programs of a driver: nvidia-smi, and the MPS control daemon with its control program.
#include <gmock/gmock.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <memory>
#include <string>

#include "fakenvml/mps/mps_commands.h"
#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

struct Output {
  int status = -1;
  std::string text;  // of both streams
};

// A shell line with the installation's programs and library in reach.
Output Shell(const Driver& driver, const std::string& line) {
  const std::string command = "exec 2>&1; export LD_LIBRARY_PATH=" + driver.folder() + " PATH=" + driver.root() +
                              "/usr/bin:$PATH CUDA_MPS_PIPE_DIRECTORY=" + driver.root() +
                              "/pipe CUDA_MPS_LOG_DIRECTORY=" + driver.root() + "/log; " + line;
  FILE* pipe = popen(command.c_str(), "r");
  Output output;
  std::array<char, 4096> part{};
  while (pipe != nullptr && fgets(part.data(), part.size(), pipe) != nullptr) output.text += part.data();
  if (pipe != nullptr) output.status = WEXITSTATUS(pclose(pipe));
  return output;
}

constexpr std::string_view kCut = R"(
driverVersion: 575.57.08
gpus:
- {model: H100, uuids: [GPU-22222222-0000-0000-0000-000000000000], mig: [3g.40gb]}
- {model: T4, uuids: [GPU-33333333-0000-0000-0000-000000000000]}
)";

TEST(NvidiaSmi, ListsDevices) {
  const Driver driver(kCut);
  nvmlDevice_t mig = nullptr;
  ASSERT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", driver.Gpu(0), 0u, &mig), NVML_SUCCESS);
  const Output output = Shell(driver, "nvidia-smi -L");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.text,
            "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-22222222-0000-0000-0000-000000000000)\n"
            "  MIG 3g.40gb     Device  0: (UUID: " +
                driver.Uuid(mig) +
                ")\n"
                "GPU 1: Tesla T4 (UUID: GPU-33333333-0000-0000-0000-000000000000)\n");
}

TEST(NvidiaSmi, TellsProfilesInstancesAndModes) {
  const Driver driver(kCut);
  EXPECT_THAT(Shell(driver, "nvidia-smi mig -lgi").text, ContainsRegex("MIG 3g.40gb +9 +2 +4:4 "));
  EXPECT_THAT(Shell(driver, "nvidia-smi mig -lgip -i 0").text, ContainsRegex("MIG 1g.10gb +19 +4/7 +9.75 +No +16 "));
  EXPECT_EQ(Shell(driver, "nvidia-smi mig -lgip -i 1").status, NVML_ERROR_NOT_FOUND);
  const Output query = Shell(driver, "nvidia-smi -q -i GPU-22222222-0000-0000-0000-000000000000");
  EXPECT_THAT(query.text, ContainsRegex("Driver Version +: 575.57.08"));
  EXPECT_THAT(query.text, ContainsRegex("Current +: Enabled"));
  EXPECT_THAT(query.text, ContainsRegex("Total +: 81559 MiB"));
}

TEST(NvidiaSmi, SetsModesAsADriverCallsIt) {
  const Driver driver(kCut);
  const std::string uuid = " -i GPU-22222222-0000-0000-0000-000000000000";
  EXPECT_EQ(Shell(driver, "nvidia-smi" + uuid + " -c EXCLUSIVE_PROCESS").status, 0);
  EXPECT_EQ(Shell(driver, "nvidia-smi compute-policy" + uuid + " --set-timeslice 3").status, 0);
  const GpuState state = driver.Map()->gpu(0).state.Copy();
  EXPECT_EQ(state.compute_mode, 3u);
  EXPECT_EQ(state.timeslice, 3u);
  EXPECT_EQ(driver.Map()->gpu(1).state.Copy().timeslice, 0u);
  EXPECT_THAT(Shell(driver, "nvidia-smi compute-policy --list").text, HasSubstr("GPU 0: timeslice Long"));
}

TEST(NvidiaSmi, SaysWhatIsWrong) {
  const Driver driver(kCut);
  EXPECT_EQ(Shell(driver, "nvidia-smi -L -i 7").status, NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(Shell(driver, "nvidia-smi compute-policy --set-timeslice 4").status, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Shell(driver, "nvidia-smi --what").status, NVML_ERROR_INVALID_ARGUMENT);
  const Output no_library = Shell(driver, "LD_LIBRARY_PATH=/nowhere nvidia-smi -L");
  EXPECT_EQ(no_library.status, NVML_ERROR_LIBRARY_NOT_FOUND);
  EXPECT_THAT(no_library.text, HasSubstr("couldn't find libnvidia-ml.so"));
  driver.Control("gpu 0 lost\n");
  const Output lost = Shell(driver, "nvidia-smi -c 0 -i 0");
  EXPECT_EQ(lost.status, NVML_ERROR_GPU_IS_LOST);
  EXPECT_THAT(lost.text, HasSubstr("GPU is lost"));
}

// The library by LD_PRELOAD, from a folder that no loader looks into.
TEST(NvidiaSmi, TakesALibraryThatIsLoadedAlready) {
  const Driver driver(kCut);
  const Output output =
      Shell(driver, "unset LD_LIBRARY_PATH; LD_PRELOAD=" + driver.folder() + "/libnvidia-ml.so.1 nvidia-smi -L");
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("GPU 1: Tesla T4"));
}

TEST(MpsCommands, KeepAndTellLimits) {
  std::vector<unsigned> users;
  MpsDaemon daemon({"GPU-a", "MIG-b"}, [&](unsigned uid) {
    users.push_back(uid);
    return 4711;
  });
  EXPECT_EQ(daemon.Run("get_default_active_thread_percentage").text, "100.0\n");
  EXPECT_EQ(daemon.Run("set_default_active_thread_percentage 40").text, "40.0\n");
  EXPECT_EQ(daemon.Run("set_default_active_thread_percentage 12.5\n").text, "12.5\n");
  EXPECT_EQ(daemon.Run("get_default_device_pinned_mem_limit 1").text, "UNLIMITED\n");
  EXPECT_TRUE(daemon.Run("set_default_device_pinned_mem_limit MIG-b 5120M").ok);
  EXPECT_EQ(daemon.Run("get_default_device_pinned_mem_limit 1").text, "5120M\n");
  EXPECT_EQ(daemon.Run("get_default_device_pinned_mem_limit GPU-a").text, "UNLIMITED\n");
  EXPECT_EQ(daemon.Run("get_device_list").text, "GPU-a\nMIG-b\n");

  EXPECT_TRUE(daemon.Run("start_server -uid 1000").ok);
  EXPECT_EQ(users, std::vector<unsigned>{1000});
  EXPECT_EQ(daemon.Run("get_server_list").text, "4711\n");
  daemon.Run("set_default_active_thread_percentage 100");
  EXPECT_EQ(daemon.Run("get_active_thread_percentage 4711").text, "12.5\n");  // as it was when the server started
  EXPECT_EQ(daemon.Run("get_device_pinned_mem_limit 4711 MIG-b").text, "5120M\n");
  daemon.ServerEnded(4711);
  EXPECT_EQ(daemon.Run("get_server_list").text, "");
  EXPECT_FALSE(daemon.quit());
  daemon.Run("quit");
  EXPECT_TRUE(daemon.quit());
}

TEST(MpsCommands, RefuseWhatIsWrong) {
  MpsDaemon daemon({"GPU-a"}, [](unsigned) { return 0; });
  for (const char* line : {"set_default_active_thread_percentage 0", "set_default_active_thread_percentage 101",
                           "set_default_active_thread_percentage 100.5", "set_default_active_thread_percentage half",
                           "set_default_device_pinned_mem_limit GPU-b 1G", "set_default_device_pinned_mem_limit 1 1G",
                           "set_default_device_pinned_mem_limit 0 1", "set_default_device_pinned_mem_limit 0 0M",
                           "set_default_device_pinned_mem_limit 0", "start_server -uid 0", "start_server",
                           "get_active_thread_percentage 1", "nonsense"}) {
    const MpsAnswer answer = daemon.Run(line);
    EXPECT_FALSE(answer.ok) << line;
    EXPECT_FALSE(answer.text.empty()) << line;
  }
  EXPECT_EQ(daemon.Run("get_default_active_thread_percentage").text, "100.0\n");
  EXPECT_TRUE(daemon.Run("").ok);
}

TEST(MpsDaemon, AnswersThroughItsOwnPipeFolder) {
  const Driver driver(kCut);
  const std::string uuid = "GPU-33333333-0000-0000-0000-000000000000";
  const auto control = [&](const std::string& commands) {
    return Shell(driver, "printf '" + commands + "' | timeout 60 nvidia-cuda-mps-control");
  };
  EXPECT_EQ(control("get_server_list\\n").status, 1);
  EXPECT_THAT(control("get_server_list\\n").text, HasSubstr("Cannot find MPS control daemon"));

  ASSERT_EQ(Shell(driver, "CUDA_VISIBLE_DEVICES=" + uuid + " timeout 60 nvidia-cuda-mps-control -d").status, 0);
  EXPECT_EQ(control("set_default_active_thread_percentage 50\\nset_default_device_pinned_mem_limit " + uuid +
                    " 10240M\\nget_default_device_pinned_mem_limit 0\\n")
                .text,
            "50.0\n10240M\n");
  EXPECT_EQ(control("get_default_active_thread_percentage").text, "50.0\n");
  EXPECT_EQ(control("get_device_list\\n").text, uuid + "\n");
  EXPECT_EQ(control("set_default_device_pinned_mem_limit GPU-other 1G\\n").status, 1);
  const Output second = Shell(driver, "timeout 60 nvidia-cuda-mps-control -d");
  EXPECT_EQ(second.status, 1);
  EXPECT_THAT(second.text, HasSubstr("already running"));
  // Another folder is another daemon's.
  EXPECT_EQ(Shell(driver, "export CUDA_MPS_PIPE_DIRECTORY=" + driver.root() +
                              "/other; echo get_server_list | timeout 60 nvidia-cuda-mps-control")
                .status,
            1);
  EXPECT_THAT(control("start_server -uid 0\\nget_server_list\\n").text, ContainsRegex("^[0-9]+\n$"));
  EXPECT_EQ(control("quit\\n").status, 0);
  EXPECT_EQ(control("get_server_list\\n").status, 1);
}

// Deeper than the address of a socket may be long; and a daemon that was killed is followed by another.
TEST(MpsDaemon, WorksInDeepFoldersAndAfterAKill) {
  const Driver driver(kCut);
  const std::string deep = driver.root() + "/" + std::string(100, 'd');
  ASSERT_EQ(mkdir(deep.c_str(), 0755), 0);
  const std::string there = "export CUDA_MPS_PIPE_DIRECTORY=" + deep + "/pipe; ";
  ASSERT_EQ(Shell(driver, there + "timeout 60 nvidia-cuda-mps-control -d").status, 0);
  EXPECT_EQ(Shell(driver, there + "kill -9 $(cat " + deep + "/pipe/nvidia-cuda-mps-control.pid)").status, 0);
  // The lock is free when the killed one is gone.
  const Output again =
      Shell(driver, there + "flock -w 60 " + deep + "/pipe/control_lock true && timeout 60 nvidia-cuda-mps-control -d");
  EXPECT_EQ(again.status, 0) << again.text;
  const Output devices =
      Shell(driver, there + "printf 'get_device_list\\nquit\\n' | timeout 60 nvidia-cuda-mps-control");
  EXPECT_EQ(devices.text, "GPU-22222222-0000-0000-0000-000000000000\nGPU-33333333-0000-0000-0000-000000000000\n");
}

}  // namespace
}  // namespace kumiko::fakenvml
