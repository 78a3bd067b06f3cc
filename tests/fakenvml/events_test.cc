// Events: who gets which, in which order, how soon.
#include <chrono>
#include <future>
#include <set>

#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

constexpr unsigned long long kXid = nvmlEventTypeXidCriticalError;

nvmlEventSet_t MakeSet(const Driver& driver, std::initializer_list<unsigned> gpus, unsigned long long types = kXid) {
  nvmlEventSet_t set = nullptr;
  EXPECT_EQ(driver.Call("nvmlEventSetCreate", &set), NVML_SUCCESS);
  for (const unsigned gpu : gpus) {
    EXPECT_EQ(driver.Call("nvmlDeviceRegisterEvents", driver.Gpu(gpu), types, set), NVML_SUCCESS);
  }
  return set;
}

nvmlReturn_t Wait(const Driver& driver, nvmlEventSet_t set, nvmlEventData_t& data, unsigned ms = 0) {
  data = {};
  return driver.Call("nvmlEventSetWait_v2", set, &data, ms);
}

constexpr std::string_view kFour = "gpus: [{model: H100, count: 4}]";

TEST(Events, ReachTheSetsThatRegisteredForThem) {
  const Driver driver(kFour);
  const nvmlEventSet_t both = MakeSet(driver, {1, 2});
  const nvmlEventSet_t one = MakeSet(driver, {2});
  nvmlEventData_t data{};
  EXPECT_EQ(Wait(driver, both, data), NVML_ERROR_TIMEOUT);
  driver.Control(
      "event 1 gpu 1 xid 48\nevent 2 gpu 3 xid 79\nevent 3 gpu 2 xid 94 gi 1 ci 0\nevent 4 gpu 2 ecc-double\n");
  ASSERT_EQ(Wait(driver, both, data), NVML_SUCCESS);
  EXPECT_EQ(data.device, driver.Gpu(1));
  EXPECT_EQ(data.eventType, kXid);
  EXPECT_EQ(data.eventData, 48u);
  EXPECT_EQ(data.gpuInstanceId, NVML_NO_INSTANCE);
  ASSERT_EQ(Wait(driver, both, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 94u);
  EXPECT_EQ(data.gpuInstanceId, 1u);
  EXPECT_EQ(data.computeInstanceId, 0u);
  EXPECT_EQ(Wait(driver, both, data), NVML_ERROR_TIMEOUT);
  ASSERT_EQ(Wait(driver, one, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 94u);
  EXPECT_EQ(Wait(driver, one, data), NVML_ERROR_TIMEOUT);
  // A set that comes later gets nothing of what was.
  EXPECT_EQ(Wait(driver, MakeSet(driver, {1, 2}), data), NVML_ERROR_TIMEOUT);
}

TEST(Events, HappenOnceThoughTheFileIsWrittenAgain) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0});
  nvmlEventData_t data{};
  driver.Control("event 1 gpu 0 xid 13\n");
  ASSERT_EQ(Wait(driver, set, data), NVML_SUCCESS);
  driver.Control("event 1 gpu 0 xid 13\nevent 2 gpu 0 xid 31\n");
  ASSERT_EQ(Wait(driver, set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 31u);
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_TIMEOUT);
  driver.Control("gpu 1 lost\nevent 2 gpu 0 xid 31\n");
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_TIMEOUT);
}

TEST(Events, WakeWhoeverWaits) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0});
  nvmlEventData_t data{};
  auto waiting = std::async(std::launch::async, [&] { return Wait(driver, set, data, 60000); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  driver.Control("event 1 gpu 0 xid 79\n");
  ASSERT_EQ(waiting.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(waiting.get(), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 79u);
}

TEST(Events, TimeOutWhenTheyShould) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0});
  nvmlEventData_t data{};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Wait(driver, set, data, 120), NVML_ERROR_TIMEOUT);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(120));
}

TEST(Events, ComeAfterWhatTheyTellOf) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0}, kXid | nvmlEventTypeGpuRecoveryAction);
  nvmlEventData_t data{};
  driver.Control("gpu 0 recovery reset\nevent 1 gpu 0 recovery\n");
  ASSERT_EQ(Wait(driver, set, data), NVML_SUCCESS);
  EXPECT_EQ(data.eventType, nvmlEventTypeGpuRecoveryAction);
  EXPECT_EQ(data.eventData, NVML_GPU_RECOVERY_ACTION_GPU_RESET);
}

TEST(Events, OfAStormArriveUpToTheRingsSize) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0});
  driver.Control("event 1 gpu 0 xid 13 times 4000\n");
  nvmlEventData_t data{};
  unsigned got = 0;
  while (Wait(driver, set, data) == NVML_SUCCESS) ++got;
  EXPECT_EQ(got, 4000u);
  driver.Control("event 2 gpu 0 xid 13 times 20000\nevent 3 gpu 0 xid 79\n");
  got = 0;
  std::set<unsigned long long> xids;
  while (Wait(driver, set, data) == NVML_SUCCESS) {
    ++got;
    xids.insert(data.eventData);
  }
  EXPECT_EQ(got, kMaxEvents - 1);  // the oldest are lost to a reader this slow, the latest is not
  EXPECT_TRUE(xids.contains(79));
}

TEST(Events, SayOnceThatAGpuIsLost) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {0, 1});
  nvmlEventData_t data{};
  driver.Control("gpu 1 lost\nevent 1 gpu 0 xid 13\n");
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(Wait(driver, set, data), NVML_SUCCESS);
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_TIMEOUT);
  driver.Control("");
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_TIMEOUT);
  driver.Control("gpu 1 lost\n");
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_GPU_IS_LOST);
}

TEST(Events, AreRefusedToWrongCallers) {
  const Driver driver(kFour);
  const nvmlEventSet_t set = MakeSet(driver, {});
  nvmlEventData_t data{};
  EXPECT_EQ(driver.Call("nvmlDeviceRegisterEvents", driver.Gpu(0), 0x4ull, set), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.Call("nvmlDeviceRegisterEvents", driver.Gpu(0), kXid, static_cast<nvmlEventSet_t>(nullptr)),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlEventSetFree", set), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlEventSetFree", set), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Wait(driver, set, data), NVML_ERROR_INVALID_ARGUMENT);
  unsigned long long types = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetSupportedEventTypes", driver.Gpu(0), &types), NVML_SUCCESS);
  EXPECT_EQ(types & (0x1 | 0x2 | 0x8), 0xBu);
}

TEST(Reload, TakesInstancesAwayAndMigModeWithIt) {
  const Driver driver("gpus: [{model: H100, mig: [3g.40gb]}, {model: A100-80, mig: [3g.40gb]}]");
  driver.Control("event 1 reload\n");
  for (const unsigned gpu : {0u, 1u}) {
    unsigned mode = 9;
    unsigned pending = 9;
    EXPECT_EQ(driver.Call("nvmlDeviceGetMigMode", driver.Gpu(gpu), &mode, &pending), NVML_SUCCESS);
    EXPECT_EQ(mode, gpu);  // of Ampere it outlives the driver
    for (const GpuInstance& instance : driver.Map()->gpu(gpu).state.Copy().instances) EXPECT_EQ(instance.serial, 0u);
  }
}

}  // namespace
}  // namespace kumiko::fakenvml
