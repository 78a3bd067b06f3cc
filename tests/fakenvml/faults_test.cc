// What the control file breaks, and that it heals.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include "fakenvml/install/hang_mount.h"
#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Steady = std::chrono::steady_clock;

constexpr std::string_view kThree = "gpus: [{model: H100, count: 3, mig: dynamic}]";
// How long a call that hangs is watched, and how long one that does not may take on a busy machine.
constexpr milliseconds kWatch(150);
constexpr seconds kPatience(20);

nvmlReturn_t Uuid(const Driver& driver, nvmlDevice_t device) {
  std::array<char, 96> text{};
  return driver.Call("nvmlDeviceGetUUID", device, text.data(), 96u);
}

TEST(Faults, OfALostGpuAreItsOwn) {
  const Driver driver(kThree);
  const nvmlDevice_t sick = driver.Gpu(1);
  const nvmlDevice_t well = driver.Gpu(2);
  driver.Control("gpu 1 lost\n");
  EXPECT_EQ(Uuid(driver, sick), NVML_ERROR_GPU_IS_LOST);
  nvmlReturn_t activation = NVML_SUCCESS;
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", sick, 1u, &activation), NVML_ERROR_GPU_IS_LOST);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByIndex_v2", 1u, &found), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(Uuid(driver, well), NVML_SUCCESS);
  driver.Control("");
  EXPECT_EQ(Uuid(driver, sick), NVML_SUCCESS);
}

TEST(Faults, AreCodesOfChosenCalls) {
  const Driver driver(kThree);
  driver.Control("gpu 0 fail nvmlDeviceGetMemoryInfo 999\ngpu 1 fail * 3\n");
  nvmlMemory_t memory{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetMemoryInfo", driver.Gpu(0), &memory), NVML_ERROR_UNKNOWN);
  EXPECT_EQ(Uuid(driver, driver.Gpu(0)), NVML_SUCCESS);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByIndex_v2", 1u, &found), NVML_ERROR_NOT_SUPPORTED);
  std::filesystem::remove(driver.ControlPath());
  EXPECT_EQ(driver.Call("nvmlDeviceGetMemoryInfo", driver.Gpu(0), &memory), NVML_SUCCESS);
}

// A call that fails when a board was to be changed has changed nothing.
TEST(Faults, OfACreationLeaveNothingBehind) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  driver.Control("gpu 0 fail nvmlDeviceCreateGpuInstanceWithPlacement 999\n");
  nvmlGpuInstance_t instance = nullptr;
  EXPECT_EQ(driver.Create(driver.Gpu(0), kTwoSlices, {0, 2}, instance), NVML_ERROR_UNKNOWN);
  driver.Control("");
  EXPECT_EQ(driver.Create(driver.Gpu(0), kSevenSlices, {0, 8}, instance), NVML_SUCCESS);
}

TEST(Faults, AreToldByFieldsAndCounters) {
  const Driver driver(kThree);
  driver.Control(
      "gpu 2 recovery reboot\ngpu 2 ecc corrected 7 uncorrected 2\ngpu 2 remapped corrected 3 failure\n"
      "gpu 2 utilization 80 40\ngpu 2 process 4711 memory 1024\n");
  std::array<nvmlFieldValue_t, 3> fields{};
  fields[0].fieldId = NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
  fields[1].fieldId = NVML_FI_DEV_ECC_DBE_VOL_TOTAL;
  fields[2].fieldId = 9999;
  EXPECT_EQ(driver.Call("nvmlDeviceGetFieldValues", driver.Gpu(2), 3, fields.data()), NVML_SUCCESS);
  EXPECT_EQ(fields[0].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(fields[0].valueType, NVML_VALUE_TYPE_UNSIGNED_INT);
  EXPECT_EQ(fields[0].value.uiVal, NVML_GPU_RECOVERY_ACTION_NODE_REBOOT);
  EXPECT_EQ(fields[1].value.ullVal, 2u);
  EXPECT_EQ(fields[2].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.Call("nvmlDeviceGetFieldValues", driver.Gpu(0), 1, fields.data()), NVML_SUCCESS);
  EXPECT_EQ(fields[0].value.uiVal, NVML_GPU_RECOVERY_ACTION_NONE);
  EXPECT_EQ(driver.Call("nvmlDeviceGetFieldValues", driver.Gpu(0), 0, fields.data()), NVML_ERROR_INVALID_ARGUMENT);

  unsigned long long errors = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetTotalEccErrors", driver.Gpu(2), 0u, 0u, &errors), NVML_SUCCESS);
  EXPECT_EQ(errors, 7u);
  unsigned corrected = 0;
  unsigned uncorrected = 9;
  unsigned pending = 9;
  unsigned failure = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetRemappedRows", driver.Gpu(2), &corrected, &uncorrected, &pending, &failure),
            NVML_SUCCESS);
  EXPECT_EQ(corrected, 3u);
  EXPECT_EQ(uncorrected, 0u);
  EXPECT_EQ(pending, 0u);
  EXPECT_EQ(failure, 1u);

  struct {
    unsigned gpu = 0;
    unsigned memory = 0;
  } utilization;
  EXPECT_EQ(driver.Call("nvmlDeviceGetUtilizationRates", driver.Gpu(2), &utilization), NVML_SUCCESS);
  EXPECT_EQ(utilization.gpu, 80u);
  nvmlMemory_t memory{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetMemoryInfo", driver.Gpu(2), &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.used, 1024ull << 20);
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetComputeRunningProcesses_v3", driver.Gpu(2), &count,
                        static_cast<nvmlProcessInfo_t*>(nullptr)),
            NVML_ERROR_INSUFFICIENT_SIZE);
  ASSERT_EQ(count, 1u);
  nvmlProcessInfo_t process{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetComputeRunningProcesses_v3", driver.Gpu(2), &count, &process), NVML_SUCCESS);
  EXPECT_EQ(process.pid, 4711u);
  EXPECT_EQ(process.gpuInstanceId, NVML_NO_INSTANCE);
}

TEST(Faults, OfAProcessOnAnInstanceKeepItAlive) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  nvmlGpuInstance_t instance = nullptr;
  ASSERT_EQ(driver.Create(driver.Gpu(0), kTwoSlices, {0, 2}, instance), NVML_SUCCESS);
  driver.Control("gpu 0 process 4711 memory 10 gi 3 ci 0\n");
  EXPECT_EQ(driver.Destroy(instance), NVML_ERROR_IN_USE);
  driver.Control("");
  EXPECT_EQ(driver.Destroy(instance), NVML_SUCCESS);
}

TEST(Faults, WithAMistakeInTheFileChangeNothing) {
  const Driver driver(kThree);
  const nvmlDevice_t device = driver.Gpu(1);
  driver.Control("gpu 1 lost\n");
  ASSERT_EQ(Uuid(driver, device), NVML_ERROR_GPU_IS_LOST);
  testing::internal::CaptureStderr();
  driver.Control("gpu 1 loost\n");
  EXPECT_EQ(Uuid(driver, device), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(Uuid(driver, device), NVML_ERROR_GPU_IS_LOST);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("fakenvml.control: line 1: \"loost\" is nothing that a GPU can have"));
  EXPECT_EQ(said.find("loost"), said.rfind("loost")) << "told more than once";
  EXPECT_THAT(driver.Map()->control.Copy().error, HasSubstr("line 1"));
  driver.Control("");
  EXPECT_EQ(Uuid(driver, device), NVML_SUCCESS);
  EXPECT_STREQ(driver.Map()->control.Copy().error, "");
}

TEST(Hangs, OfOneCallOfOneGpuEndWithTheLine) {
  const Driver driver(kThree);
  const nvmlDevice_t sick = driver.Gpu(1);
  driver.Control("gpu 1 hang nvmlDeviceGetUUID\n");
  auto hung = std::async(std::launch::async, [&] { return Uuid(driver, sick); });
  EXPECT_EQ(hung.wait_for(kWatch), std::future_status::timeout);
  EXPECT_EQ(Uuid(driver, driver.Gpu(0)), NVML_SUCCESS);
  unsigned minor = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMinorNumber", sick, &minor), NVML_SUCCESS);
  driver.Control("");
  ASSERT_EQ(hung.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(hung.get(), NVML_SUCCESS);
}

TEST(Hangs, OfAProcessAreOfAllItsCalls) {
  const Driver driver(kThree);
  const nvmlDevice_t device = driver.Gpu(0);
  driver.Control("process " + std::to_string(getpid()) + " hang\n");
  auto one = std::async(std::launch::async, [&] { return Uuid(driver, device); });
  auto other = std::async(std::launch::async, [&] {
    unsigned count = 0;
    return driver.Call("nvmlDeviceGetCount_v2", &count);
  });
  EXPECT_EQ(one.wait_for(kWatch), std::future_status::timeout);
  EXPECT_EQ(other.wait_for(kWatch), std::future_status::timeout);
  driver.Control("process 1 hang\n");
  ASSERT_EQ(one.wait_for(kPatience), std::future_status::ready);
  ASSERT_EQ(other.wait_for(kPatience), std::future_status::ready);
}

// Neither a signal nor a healed file ends it; the process that asks is gone only by SIGKILL.
TEST(Hangs, ForGoodEndWithTheProcess) {
  const Driver driver(kThree);
  const nvmlDevice_t device = driver.Gpu(0);
  driver.Control("gpu 0 hang nvmlDeviceGetUUID for good\n");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Uuid(driver, device);
    _exit(0);
  }
  const auto ended = [&] {
    std::this_thread::yield();
    int status = 0;
    return waitpid(child, &status, WNOHANG) == child;
  };
  const auto watch = [&] {
    for (const auto until = Steady::now() + kWatch; Steady::now() < until;) {
      if (ended()) return true;
    }
    return false;
  };
  EXPECT_FALSE(watch());
  kill(child, SIGTERM);
  driver.Control("");
  EXPECT_FALSE(watch());
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

bool IsMounted(const std::string& folder) {
  struct stat inside{};
  struct stat outside{};
  return stat(folder.c_str(), &inside) == 0 && stat((folder + "/..").c_str(), &outside) == 0 &&
         inside.st_dev != outside.st_dev;
}

// Reads from a pipe until there was such a text.
void AwaitText(int pipe, const std::string& text) {
  std::string said;
  for (char next = 0; said.find(text) == std::string::npos && read(pipe, &next, 1) == 1;) said += next;
}

// 'D' is uninterruptible sleep.
char StateOf(pid_t process) {
  const auto text = ReadFile("/proc/" + std::to_string(process) + "/stat");
  return text ? (*text)[text->rfind(')') + 2] : '?';
}

// As of a driver that hangs in the kernel.
TEST(Hangs, ForGoodOutliveSigkillWhileTheMountIsServed) {
  if (geteuid() != 0 || access("/dev/fuse", R_OK | W_OK) != 0) GTEST_SKIP() << "needs root and /dev/fuse";
  const Driver driver(kThree);
  const nvmlDevice_t device = driver.Gpu(0);
  const std::string folder = HangFolder(driver.folder());
  std::array<int, 2> said{};
  ASSERT_EQ(pipe(said.data()), 0);
  const pid_t server = fork();
  if (server == 0) {
    dup2(said[1], STDOUT_FILENO);
    _exit(ServeHangs(folder) ? 0 : 77);
  }
  const auto is_up = [&] { return IsMounted(folder); };
  int status = 0;
  while (!is_up()) {
    if (waitpid(server, &status, WNOHANG) == server) GTEST_SKIP() << "nothing can be mounted here";
    std::this_thread::yield();
  }
  driver.Control("gpu 0 hang nvmlDeviceGetUUID for good\n");
  const pid_t victim = fork();
  if (victim == 0) {
    Uuid(driver, device);
    _exit(0);
  }
  // Before the file system has read its request, a signal would still take it back.
  AwaitText(said[0], "holds process " + std::to_string(victim) + "\n");
  kill(victim, SIGKILL);
  bool ended = false;
  for (const auto until = Steady::now() + kWatch; Steady::now() < until;) {
    ended = ended || waitpid(victim, &status, WNOHANG) == victim;
  }
  EXPECT_FALSE(ended);
  if (!ended) {
    EXPECT_EQ(StateOf(victim), 'D');
  }
  kill(server, SIGTERM);
  EXPECT_EQ(waitpid(server, &status, 0), server);
  if (!ended) {
    EXPECT_EQ(waitpid(victim, &status, 0), victim);
  }
  for (const int end : said) close(end);
}

// A board whose change hangs, or takes its time, can be looked at, and others can be changed.
TEST(Delays, HoldTheirBoardAndNoOther) {
  const Driver driver("gpus: [{model: A100-80, count: 2, mig: dynamic}]");
  driver.Control("gpu 0 hang nvmlDeviceCreateGpuInstanceWithPlacement\n");
  auto slow = std::async(std::launch::async, [&] {
    nvmlGpuInstance_t instance = nullptr;
    return driver.Create(driver.Gpu(0), kOneSlice, {0, 1}, instance);
  });
  EXPECT_EQ(slow.wait_for(kWatch), std::future_status::timeout);
  unsigned count = 9;
  std::array<nvmlGpuInstance_t, 7> instances{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstances", driver.Gpu(0), kOneSlice, instances.data(), &count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
  nvmlGpuInstance_t other = nullptr;
  EXPECT_EQ(driver.Create(driver.Gpu(1), kOneSlice, {0, 1}, other), NVML_SUCCESS);
  // Another change of the first board waits for its lock, though its own call does not hang.
  auto waiting =
      std::async(std::launch::async, [&] { return driver.Call("nvmlDeviceSetPersistenceMode", driver.Gpu(0), 1u); });
  EXPECT_EQ(waiting.wait_for(kWatch), std::future_status::timeout);
  driver.Control("");
  ASSERT_EQ(slow.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(slow.get(), NVML_SUCCESS);
  ASSERT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(waiting.get(), NVML_SUCCESS);
}

TEST(Delays, OfTheBoardFileAreReplacedByTheControlFile) {
  const Driver driver("delaysMs: {nvmlGpuInstanceDestroy: 300}\ngpus: [{model: A100-80, mig: dynamic}]");
  const auto destroy = [&] {
    nvmlGpuInstance_t instance = nullptr;
    EXPECT_EQ(driver.Create(driver.Gpu(0), kOneSlice, {0, 1}, instance), NVML_SUCCESS);
    const auto begin = Steady::now();
    EXPECT_EQ(driver.Destroy(instance), NVML_SUCCESS);
    return Steady::now() - begin;
  };
  EXPECT_GE(destroy(), milliseconds(300));
  driver.Control("gpu 0 delay nvmlGpuInstanceDestroy 600\n");
  EXPECT_GE(destroy(), milliseconds(600));
  // What cannot be done is refused without the delay: here, destroying an instance that still has a part.
  driver.Control("gpu 0 delay nvmlGpuInstanceDestroy 3600000\n");
  nvmlGpuInstance_t instance = nullptr;
  ASSERT_EQ(driver.Create(driver.Gpu(0), kOneSlice, {0, 1}, instance), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlGpuInstanceDestroy", instance), NVML_ERROR_IN_USE);
}

}  // namespace
}  // namespace kumiko::fakenvml
