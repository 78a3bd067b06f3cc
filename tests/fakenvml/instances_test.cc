// MIG: what the profiles are, where they go, what may stand together.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

struct ProfileCase {
  unsigned index = 0;
  unsigned id = 0;
  const char* name = "";
  unsigned multiprocessors = 0;
  unsigned most = 0;
  unsigned size = 0;
  std::vector<unsigned> starts;
};

// What NVIDIA's guide and listings of hardware say (spec node-driver §5.1); not read from our tables.
const std::vector<ProfileCase> kA100 = {{0, 19, "1g.10gb", 14, 7, 1, {0, 1, 2, 3, 4, 5, 6}},
                                        {7, 20, "1g.10gb+me", 14, 1, 1, {0, 1, 2, 3, 4, 5, 6}},
                                        {9, 15, "1g.20gb", 14, 4, 2, {0, 2, 4, 6}},
                                        {1, 14, "2g.20gb", 28, 3, 2, {0, 2, 4}},
                                        {2, 9, "3g.40gb", 42, 2, 4, {0, 4}},
                                        {3, 5, "4g.40gb", 56, 1, 4, {0}},
                                        {4, 0, "7g.80gb", 98, 1, 8, {0}}};
const std::vector<ProfileCase> kH100 = {{0, 19, "1g.10gb", 16, 7, 1, {0, 1, 2, 3, 4, 5, 6}},
                                        {7, 20, "1g.10gb+me", 16, 1, 1, {0, 1, 2, 3, 4, 5, 6}},
                                        {9, 15, "1g.20gb", 26, 4, 2, {0, 2, 4, 6}},
                                        {1, 14, "2g.20gb", 32, 3, 2, {0, 2, 4}},
                                        {2, 9, "3g.40gb", 60, 2, 4, {0, 4}},
                                        {3, 5, "4g.40gb", 64, 1, 4, {0}},
                                        {4, 0, "7g.80gb", 132, 1, 8, {0}}};
const std::vector<ProfileCase> kRtxPro = {{0, 14, "1g.24gb", 46, 4, 3, {0, 3, 6, 9}},
                                          {15, 65, "1g.24gb+me.all", 46, 1, 3, {0, 3, 6, 9}},
                                          {1, 5, "2g.48gb", 94, 2, 6, {0, 6}},
                                          {3, 0, "4g.96gb", 188, 1, 12, {0}}};

void EnableMig(const Driver& driver, nvmlDevice_t device) {
  nvmlReturn_t activation = NVML_ERROR_UNKNOWN;
  ASSERT_EQ(driver.Call("nvmlDeviceSetMigMode", device, NVML_DEVICE_MIG_ENABLE, &activation), NVML_SUCCESS);
  ASSERT_EQ(activation, NVML_SUCCESS);
}

std::vector<unsigned> StartsOf(const Driver& driver, nvmlDevice_t device, unsigned profile_id, unsigned size) {
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", device, profile_id,
                        static_cast<nvmlGpuInstancePlacement_t*>(nullptr), &count),
            NVML_SUCCESS);
  std::vector<nvmlGpuInstancePlacement_t> placements(count);
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", device, profile_id, placements.data(), &count),
            NVML_SUCCESS);
  std::vector<unsigned> starts;
  for (const nvmlGpuInstancePlacement_t& placement : placements) {
    EXPECT_EQ(placement.size, size);
    starts.push_back(placement.start);
  }
  return starts;
}

// Fills an empty board with one profile, checks each instance and what follows when it is full, and empties it again.
void CheckProfile(const Driver& driver, nvmlDevice_t device, const ProfileCase& profile) {
  SCOPED_TRACE(profile.name);
  nvmlGpuInstanceProfileInfo_t info{};
  ASSERT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfo", device, profile.index, &info), NVML_SUCCESS);
  EXPECT_EQ(info.id, profile.id);
  EXPECT_EQ(info.multiprocessorCount, profile.multiprocessors);
  EXPECT_EQ(info.instanceCount, profile.most);
  EXPECT_EQ(StartsOf(driver, device, profile.id, profile.size), profile.starts);

  std::vector<nvmlGpuInstance_t> made;
  for (const unsigned start : profile.starts) {
    nvmlGpuInstance_t instance = nullptr;
    const nvmlReturn_t result = driver.Create(device, profile.id, {start, profile.size}, instance);
    if (made.size() == profile.most) {
      EXPECT_EQ(result, NVML_ERROR_INSUFFICIENT_RESOURCES);
      continue;
    }
    ASSERT_EQ(result, NVML_SUCCESS) << "at " << start;
    nvmlGpuInstanceInfo_t there{};
    EXPECT_EQ(driver.Call("nvmlGpuInstanceGetInfo", instance, &there), NVML_SUCCESS);
    EXPECT_EQ(there.profileId, profile.id);
    EXPECT_EQ(there.placement.start, start);
    nvmlGpuInstance_t again = nullptr;
    EXPECT_EQ(driver.Create(device, profile.id, {start, profile.size}, again), NVML_ERROR_INSUFFICIENT_RESOURCES);
    nvmlDevice_t mig = nullptr;
    EXPECT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", device, static_cast<unsigned>(made.size()), &mig),
              NVML_SUCCESS);
    std::array<char, 96> name{};
    EXPECT_EQ(driver.Call("nvmlDeviceGetName", mig, name.data(), 96u), NVML_SUCCESS);
    EXPECT_TRUE(std::string(name.data()).ends_with(std::string(" MIG ") + profile.name)) << name.data();
    nvmlMemory_t memory{};
    EXPECT_EQ(driver.Call("nvmlDeviceGetMemoryInfo", mig, &memory), NVML_SUCCESS);
    EXPECT_EQ(memory.total, info.memorySizeMB << 20);
    made.push_back(instance);
  }
  EXPECT_EQ(made.size(), profile.most);
  for (const nvmlGpuInstance_t instance : made) EXPECT_EQ(driver.Destroy(instance), NVML_SUCCESS);
}

TEST(Instances, OfEveryProfileFillAnA100) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  for (const ProfileCase& profile : kA100) CheckProfile(driver, driver.Gpu(0), profile);
}

TEST(Instances, OfEveryProfileFillAnH100) {
  const Driver driver("gpus: [{model: H100, mig: dynamic}]");
  EnableMig(driver, driver.Gpu(0));
  for (const ProfileCase& profile : kH100) CheckProfile(driver, driver.Gpu(0), profile);
}

TEST(Instances, OfEveryProfileFillABoardOfTwelveSlices) {
  const Driver driver("gpus: [{model: rtx-pro-6000-se}]");
  EnableMig(driver, driver.Gpu(0));
  for (const ProfileCase& profile : kRtxPro) CheckProfile(driver, driver.Gpu(0), profile);
}

// Every pair of (profile, placement): a driver takes it exactly when the memory slices are apart and engines last.
TEST(Instances, StandTogetherWhenTheirSlicesAreApart) {
  const Driver driver("gpus: [{model: H100, mig: dynamic}]");
  const nvmlDevice_t device = driver.Gpu(0);
  EnableMig(driver, device);
  int pairs = 0;
  for (const ProfileCase& first : kH100) {
    for (const unsigned first_start : first.starts) {
      nvmlGpuInstance_t one = nullptr;
      ASSERT_EQ(driver.Create(device, first.id, {first_start, first.size}, one), NVML_SUCCESS);
      for (const ProfileCase& second : kH100) {
        for (const unsigned start : second.starts) {
          const bool apart = start >= first_start + first.size || first_start >= start + second.size;
          const bool media_twice = first.index == 7 && second.index == 7;  // one OFA engine
          nvmlGpuInstance_t other = nullptr;
          const nvmlReturn_t result = driver.Create(device, second.id, {start, second.size}, other);
          const bool fits = apart && !media_twice;
          ASSERT_EQ(result, fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_RESOURCES)
              << first.name << " at " << first_start << ", " << second.name << " at " << start;
          if (fits) {
            ASSERT_EQ(driver.Destroy(other), NVML_SUCCESS);
          }
          ++pairs;
        }
      }
      ASSERT_EQ(driver.Destroy(one), NVML_SUCCESS);
    }
  }
  EXPECT_EQ(pairs, 25 * 25);
}

TEST(Instances, HaveTheIdsThatHardwareGives) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  const std::map<std::pair<unsigned, unsigned>, unsigned> expected = {
      {{kThreeSlices, 4}, 2}, {{kTwoSlices, 0}, 3}, {{kOneSlice, 2}, 9}, {{kOneSlice, 3}, 10}};
  for (const auto& [place, id] : expected) {
    const auto& [profile, start] = place;
    const unsigned size = profile == kThreeSlices ? 4 : profile == kTwoSlices ? 2 : 1;
    nvmlGpuInstance_t instance = nullptr;
    ASSERT_EQ(driver.Create(driver.Gpu(0), profile, {start, size}, instance), NVML_SUCCESS);
    nvmlGpuInstanceInfo_t info{};
    EXPECT_EQ(driver.Call("nvmlGpuInstanceGetInfo", instance, &info), NVML_SUCCESS);
    EXPECT_EQ(info.id, id);
    nvmlGpuInstance_t found = nullptr;
    EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceById", driver.Gpu(0), id, &found), NVML_SUCCESS);
    EXPECT_EQ(found, instance);
  }
  std::array<nvmlGpuInstance_t, 7> ones{};
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstances", driver.Gpu(0), kOneSlice, ones.data(), &count), NVML_SUCCESS);
  EXPECT_EQ(count, 2u);
}

TEST(Instances, AreRefusedForWrongArguments) {
  const Driver driver("gpus: [{model: H100, mig: dynamic}, {model: H100}, {model: T4}]");
  const nvmlDevice_t device = driver.Gpu(0);
  nvmlGpuInstance_t instance = nullptr;
  EXPECT_EQ(driver.Create(device, kOneSlice, {0, 1}, instance), NVML_ERROR_NOT_SUPPORTED);  // MIG mode is off
  EnableMig(driver, device);
  EXPECT_EQ(driver.Create(device, kOneSlice, {7, 1}, instance), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Create(device, kOneSlice, {0, 2}, instance), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Create(device, 3, {0, 1}, instance), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlDeviceCreateGpuInstanceWithPlacement", device, kOneSlice,
                        static_cast<const nvmlGpuInstancePlacement_t*>(nullptr), &instance),
            NVML_ERROR_INVALID_ARGUMENT);

  nvmlGpuInstanceProfileInfo_t info{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfo", device, 18u, &info), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfo", device, 17u, &info), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfo", driver.Gpu(2), 0u, &info), NVML_ERROR_NOT_SUPPORTED);
  // Before MIG mode is on the profiles can be read all the same.
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceProfileInfo", driver.Gpu(1), 0u, &info), NVML_SUCCESS);
  nvmlReturn_t activation = NVML_SUCCESS;
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", driver.Gpu(2), 1u, &activation), NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", driver.Gpu(1), 2u, &activation), NVML_ERROR_INVALID_ARGUMENT);
  nvmlDevice_t mig = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", device, 0u, &mig), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", device, 7u, &mig), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstanceById", device, 7u, &instance), NVML_ERROR_NOT_FOUND);
}

TEST(Instances, LeaveHandlesBehindThatNameNothingElse) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  const nvmlDevice_t device = driver.Gpu(0);
  nvmlGpuInstance_t first = nullptr;
  ASSERT_EQ(driver.Create(device, kTwoSlices, {2, 2}, first), NVML_SUCCESS);
  nvmlDevice_t mig = nullptr;
  ASSERT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", device, 0u, &mig), NVML_SUCCESS);
  const std::string uuid = driver.Uuid(mig);
  EXPECT_TRUE(uuid.starts_with("MIG-"));
  EXPECT_EQ(uuid.size(), 40u);
  nvmlDevice_t found = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found), NVML_SUCCESS);
  EXPECT_EQ(found, mig);

  ASSERT_EQ(driver.Destroy(first), NVML_SUCCESS);
  nvmlGpuInstance_t second = nullptr;
  ASSERT_EQ(driver.Create(device, kTwoSlices, {2, 2}, second), NVML_SUCCESS);  // the same ids
  EXPECT_NE(second, first);
  nvmlGpuInstanceInfo_t info{};
  EXPECT_EQ(driver.Call("nvmlGpuInstanceGetInfo", first, &info), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlGpuInstanceDestroy", first), NVML_ERROR_NOT_FOUND);
  std::array<char, 96> text{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetUUID", mig, text.data(), 96u), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found), NVML_ERROR_NOT_FOUND);
}

TEST(Instances, AreDividedIntoComputeInstances) {
  const Driver driver("gpus: [{model: A100-80, mig: dynamic}]");
  const nvmlDevice_t device = driver.Gpu(0);
  nvmlGpuInstance_t instance = nullptr;
  ASSERT_EQ(driver.Call("nvmlDeviceCreateGpuInstance", device, kThreeSlices, &instance), NVML_SUCCESS);
  nvmlComputeInstanceProfileInfo_t info{};
  EXPECT_EQ(driver.Call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, 1u, 0u, &info), NVML_SUCCESS);
  EXPECT_EQ(info.sliceCount, 2u);
  EXPECT_EQ(info.multiprocessorCount, 28u);
  EXPECT_EQ(driver.Call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, 3u, 0u, &info),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.Call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, 9u, 0u, &info),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(driver.Call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, 0u, 1u, &info),
            NVML_ERROR_INVALID_ARGUMENT);

  nvmlComputeInstance_t two = nullptr;
  nvmlComputeInstance_t one = nullptr;
  ASSERT_EQ(driver.Call("nvmlGpuInstanceCreateComputeInstance", instance, 1u, &two), NVML_SUCCESS);
  ASSERT_EQ(driver.Call("nvmlGpuInstanceCreateComputeInstance", instance, 0u, &one), NVML_SUCCESS);
  nvmlComputeInstance_t more = nullptr;
  EXPECT_EQ(driver.Call("nvmlGpuInstanceCreateComputeInstance", instance, 0u, &more),
            NVML_ERROR_INSUFFICIENT_RESOURCES);
  nvmlComputeInstanceInfo_t there{};
  ASSERT_EQ(driver.Call("nvmlComputeInstanceGetInfo_v2", one, &there), NVML_SUCCESS);
  EXPECT_EQ(there.gpuInstance, instance);
  EXPECT_EQ(there.placement.start, 2u);
  std::array<char, 96> name{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetName", there.device, name.data(), 96u), NVML_SUCCESS);
  EXPECT_STREQ(name.data(), "NVIDIA A100-SXM4-80GB MIG 1c.3g.40gb");
  nvmlDeviceAttributes_t attributes{};
  EXPECT_EQ(driver.Call("nvmlDeviceGetAttributes_v2", there.device, &attributes), NVML_SUCCESS);
  EXPECT_EQ(attributes.multiprocessorCount, 14u);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 3u);
  EXPECT_EQ(driver.Call("nvmlDeviceGetAttributes_v2", device, &attributes), NVML_ERROR_NOT_SUPPORTED);

  EXPECT_EQ(driver.Call("nvmlGpuInstanceDestroy", instance), NVML_ERROR_IN_USE);
  EXPECT_EQ(driver.Destroy(instance), NVML_SUCCESS);
}

TEST(MigMode, OfAmpereWaitsForAReset) {
  const Driver driver("gpus: [{model: A100-80}]");
  nvmlReturn_t activation = NVML_SUCCESS;
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", driver.Gpu(0), 1u, &activation), NVML_SUCCESS);
  EXPECT_EQ(activation, NVML_ERROR_RESET_REQUIRED);
  unsigned current = 9;
  unsigned pending = 9;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigMode", driver.Gpu(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(std::pair(current, pending), std::pair(0u, 1u));
  driver.Control("event 1 gpu 0 reset\n");
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigMode", driver.Gpu(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(std::pair(current, pending), std::pair(1u, 1u));
}

TEST(MigMode, StaysWhileTheBoardIsUsed) {
  const Driver driver("gpus: [{model: H100}]");
  const nvmlDevice_t device = driver.Gpu(0);
  EnableMig(driver, device);
  nvmlGpuInstance_t instance = nullptr;
  ASSERT_EQ(driver.Create(device, kTwoSlices, {4, 2}, instance), NVML_SUCCESS);
  nvmlReturn_t activation = NVML_SUCCESS;
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", device, 0u, &activation), NVML_SUCCESS);
  EXPECT_EQ(activation, NVML_ERROR_IN_USE);
  ASSERT_EQ(driver.Destroy(instance), NVML_SUCCESS);
  EXPECT_EQ(driver.Call("nvmlDeviceSetMigMode", device, 0u, &activation), NVML_SUCCESS);
  EXPECT_EQ(activation, NVML_SUCCESS);
  unsigned count = 9;
  EXPECT_EQ(driver.Call("nvmlDeviceGetMaxMigDeviceCount", device, &count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

// A container has the nodes of its own instance only.
TEST(MigDevices, AreSeenWhereTheirCapabilityNodesAre) {
  const Driver driver("gpus: [{model: H100, mig: [3g.40gb, 3g.40gb]}]");
  nvmlDevice_t mig = nullptr;
  ASSERT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", driver.Gpu(0), 0u, &mig), NVML_SUCCESS);
  const std::string uuid = driver.Uuid(mig);
  unsigned id = 99;
  ASSERT_EQ(driver.Call("nvmlDeviceGetGpuInstanceId", mig, &id), NVML_SUCCESS);
  ASSERT_EQ(id, 1u);
  // gpu0/gi1/access is 12 (a driver's mig-minors table).
  ASSERT_EQ(unlink((driver.root() + "/dev/nvidia-caps/nvidia-cap12").c_str()), 0);
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", driver.Gpu(0), 0u, &mig), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &mig), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(driver.Call("nvmlDeviceGetMigDeviceHandleByIndex", driver.Gpu(0), 1u, &mig), NVML_SUCCESS);
}

}  // namespace
}  // namespace kumiko::fakenvml
