// Several processes on one state file: changes one after the other, readers that never see half a change, writers that
// are killed.
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "fakenvml/device_text.h"
#include "fakenvml/placement.h"
#include "tests/fakenvml/driver.h"

namespace kumiko::fakenvml {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kTwoBoards = "gpus: [{model: A100-80, count: 2, mig: dynamic}]";

pid_t Fork(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  EXPECT_GE(child, 0);
  return child;
}

int Join(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// What must hold of a board at any moment, whoever was killed at it. "" when it does.
std::string Inconsistency(const Board& board, const GpuState& state) {
  std::vector<bool> taken(board.memory_slices);
  for (std::uint32_t id = 0; id < kMaxInstances; ++id) {
    const GpuInstance& instance = state.instances[id];
    if (instance.serial == 0) {
      for (const ComputeInstance& part : instance.compute) {
        if (part.serial != 0) return "a compute instance without a GPU instance";
      }
      continue;
    }
    if (instance.profile >= board.profile_count) return "no such profile";
    const ProfileRow& profile = board.profiles[instance.profile];
    if (instance.size != profile.placement_size) return "a size that is not the profile's";
    if (InstanceId(board, instance.start, instance.size) != id) return "an id that is not of the place";
    if (instance.serial > state.last_serial) return "a serial number from the future";
    for (std::uint32_t slice = instance.start; slice < instance.start + instance.size; ++slice) {
      if (slice >= taken.size() || taken[slice]) return "slices that overlap";
      taken[slice] = true;
    }
    for (const ComputeInstance& part : instance.compute) {
      if (part.serial == 0) continue;
      if (part.serial <= instance.serial) return "a part older than the whole";
      if (part.uuid != MigUuidOf(board, part.serial)) return "a UUID of another part";
    }
  }
  return "";
}

// Makes and destroys instances at random, for ever or until something is wrong.
void Churn(const Driver& driver, std::uint64_t seed, unsigned gpus) {
  Random random(seed);
  for (;;) {
    const nvmlDevice_t device = driver.Gpu(static_cast<unsigned>(random.Below(gpus)));
    const unsigned profile = random.Below(2) == 0 ? kOneSlice : kTwoSlices;
    const unsigned size = profile == kOneSlice ? 1 : 2;
    nvmlGpuInstance_t instance = nullptr;
    const auto start = static_cast<unsigned>(random.Below(3)) * 2;
    driver.Create(device, profile, {start, size}, instance);
    std::array<nvmlGpuInstance_t, 16> there{};
    unsigned count = 0;
    driver.Call("nvmlDeviceGetGpuInstances", device, profile, there.data(), &count);
    if (count > 0) driver.Destroy(there[random.Below(count)]);
  }
}

// Of board 0, by profile 1g.
nvmlGpuInstance_t LastInstance(const Driver& driver) {
  std::array<nvmlGpuInstance_t, 16> there{};
  unsigned count = 0;
  EXPECT_EQ(driver.Call("nvmlDeviceGetGpuInstances", driver.Gpu(0), kOneSlice, there.data(), &count), NVML_SUCCESS);
  return count == 0 ? nullptr : there[count - 1];
}

TEST(Processes, ShareABoardsSlices) {
  const Driver driver(kTwoBoards);
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    children.push_back(Fork([&] {
      int made = 0;
      for (int i = 0; i < 7; ++i) {
        nvmlGpuInstance_t instance = nullptr;
        if (driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kOneSlice, &instance) == NVML_SUCCESS) ++made;
      }
      _exit(made);
    }));
  }
  int made = 0;
  for (const pid_t child : children) made += WEXITSTATUS(Join(child));
  EXPECT_EQ(made, 7);
  const StateMap map = driver.Map();
  EXPECT_EQ(Inconsistency(map->gpu(0).board, map->gpu(0).state.Copy()), "");
}

// Begin and end of a change by each of two processes.
struct Interval {
  std::atomic<std::int64_t> begin = 0;
  std::atomic<std::int64_t> end = 0;
};

TEST(Processes, ChangeABoardOneAfterTheOther) {
  const Driver driver(kTwoBoards);
  driver.Control("gpu * delay nvmlDeviceCreateGpuInstance 400\n");
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const intervals = static_cast<Interval*>(memory);  // zero, as atomics of 0 are
  std::vector<pid_t> children;
  for (const unsigned index : {0u, 1u}) {
    children.push_back(Fork([&, index] {
      nvmlGpuInstance_t instance = nullptr;
      intervals[index].begin = Steady::now().time_since_epoch().count();
      EXPECT_EQ(driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kOneSlice, &instance), NVML_SUCCESS);
      intervals[index].end = Steady::now().time_since_epoch().count();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(Join(child), 0);
  const auto first = std::min(intervals[0].begin.load(), intervals[1].begin.load());
  const auto last = std::max(intervals[0].end.load(), intervals[1].end.load());
  EXPECT_GE(std::chrono::nanoseconds(last - first), milliseconds(800));
  munmap(memory, 4096);
}

TEST(Processes, SeeWholeStatesOnly) {
  const Driver driver(kTwoBoards);
  const pid_t writer = Fork([&] { Churn(driver, 7, 1); });
  const StateMap map = driver.Map();
  const Gpu& gpu = map->gpu(0);
  std::uint64_t looks = 0;
  const std::uint64_t first = gpu.state.sequence.load();
  for (const auto until = Steady::now() + milliseconds(700); Steady::now() < until; ++looks) {
    const std::string wrong = Inconsistency(gpu.board, gpu.state.Copy());
    ASSERT_EQ(wrong, "") << "after " << looks << " looks";
  }
  const std::uint64_t changes = gpu.state.sequence.load() - first;
  EXPECT_GT(changes, 100u);
  EXPECT_GT(looks, 1000u);
  // A writer that stands still, wherever it is, holds no reader up.
  kill(writer, SIGSTOP);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Inconsistency(gpu.board, gpu.state.Copy()), "");
  kill(writer, SIGKILL);
  Join(writer);
}

TEST(Processes, MayBeKilledAnywhere) {
  const Driver driver(kTwoBoards);
  const StateMap map = driver.Map();
  Random random(11);
  const int rounds = getenv("KUMIKO_LONG") != nullptr ? 2000 : 100;
  std::uint64_t changes = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t before = map->gpu(0).state.sequence.load() + map->gpu(1).state.sequence.load();
    const pid_t writer = Fork([&] { Churn(driver, static_cast<std::uint64_t>(round), 2); });
    const auto until = Steady::now() + std::chrono::microseconds(500 + random.Below(4000));
    while (Steady::now() < until) std::this_thread::yield();
    kill(writer, SIGKILL);
    Join(writer);
    for (const unsigned gpu : {0u, 1u}) {
      const GpuState state = map->gpu(gpu).state.Copy();
      ASSERT_EQ(Inconsistency(map->gpu(gpu).board, state), "") << "round " << round;
      // Its locks are free for the next one: a change goes through.
      ASSERT_EQ(driver.Call("nvmlDeviceSetPersistenceMode", driver.Gpu(gpu), static_cast<unsigned>(round % 2)),
                NVML_SUCCESS);
    }
    changes += map->gpu(0).state.sequence.load() + map->gpu(1).state.sequence.load() - before;
  }
  EXPECT_GT(changes, static_cast<std::uint64_t>(rounds) * 4);
}

// Stops the traced child and lets it do `count` instructions, or all that are left; how many it did.
std::uint64_t Step(pid_t child, std::uint64_t count) {
  std::uint64_t done = 0;
  int status = 0;
  while (done < count && ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0) {
    if (waitpid(child, &status, 0) != child || WIFEXITED(status)) return done;
    ++done;
  }
  return done;
}

// Not at random times but at chosen instructions, of the whole of one change.
TEST(Processes, MayBeKilledAtAnyInstructionOfAChange) {
  const Driver driver(kTwoBoards);
  const StateMap map = driver.Map();
  const Gpu& gpu = map->gpu(0);
  const auto start = [&] {
    const pid_t child = fork();
    if (child == 0) {
      nvmlGpuInstance_t instance = nullptr;
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
      raise(SIGSTOP);
      driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kOneSlice, &instance);
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return std::pair(child, WIFSTOPPED(status));
  };
  const auto [first, is_traced] = start();
  if (!is_traced) GTEST_SKIP() << "processes cannot be traced here";
  const std::uint64_t all = Step(first, UINT64_MAX);
  ASSERT_EQ(gpu.state.sequence.load(), 2u);
  const std::uint64_t rounds = getenv("KUMIKO_LONG") != nullptr ? 500 : 40;
  std::uint64_t finished = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::uint64_t sequence = gpu.state.sequence.load();
    const pid_t child = start().first;
    Step(child, all * round / rounds);
    kill(child, SIGKILL);
    Join(child);
    const GpuState state = gpu.state.Copy();
    ASSERT_EQ(Inconsistency(gpu.board, state), "") << "round " << round;
    // The change is there or is not.
    const auto made = std::ranges::count_if(state.instances, [](const GpuInstance& i) { return i.serial != 0; });
    ASSERT_EQ(made, 1 + static_cast<std::ptrdiff_t>(gpu.state.sequence.load() > sequence));
    if (made == 2) {
      ++finished;
      ASSERT_EQ(driver.Call("nvmlGpuInstanceDestroy", LastInstance(driver)), NVML_SUCCESS);
    }
  }
  RecordProperty("instructions", std::to_string(all));
  EXPECT_GT(finished, 0);
  EXPECT_LT(finished, rounds);
}

// A process that takes its time with one board keeps nobody from another; killed at it, it lets go of its own.
TEST(Processes, HoldTheirBoardUntilTheyAreKilled) {
  const Driver driver(kTwoBoards);
  driver.Control("gpu 0 hang nvmlDeviceCreateGpuInstance\n");
  const StateMap map = driver.Map();
  const pid_t child = Fork([&] {
    nvmlGpuInstance_t instance = nullptr;
    driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kOneSlice, &instance);
  });
  const auto held = [&] {
    const int result = pthread_mutex_trylock(&map->gpu(0).operation);
    if (result == 0) pthread_mutex_unlock(&map->gpu(0).operation);
    return result == EBUSY;
  };
  while (!held()) std::this_thread::yield();
  nvmlGpuInstance_t other = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(1), kOneSlice, &other), NVML_SUCCESS);
  EXPECT_TRUE(held());
  kill(child, SIGKILL);
  Join(child);
  driver.Control("");
  nvmlGpuInstance_t instance = nullptr;
  EXPECT_EQ(driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kSevenSlices, &instance), NVML_SUCCESS);
}

// What a container has: the state file may be read and not written.
TEST(Processes, ThatMayOnlyReadChangeNothing) {
  const Driver driver(kTwoBoards, Driver::Start::kLoaded);
  ASSERT_EQ(chmod(driver.root().c_str(), 0755), 0);
  ASSERT_EQ(chmod(FindStateFile(driver.folder())->c_str(), 0444), 0);
  const pid_t child = Fork([&] {
    constexpr unsigned kNobody = 65534;
    if (geteuid() == 0) {
      ASSERT_EQ(setresuid(kNobody, kNobody, kNobody), 0);
    }
    // The nodes of --plain-devices are the installer's own; a container would have real ones.
    ASSERT_EQ(driver.Call("nvmlInit_v2"), NVML_SUCCESS);
    nvmlGpuInstance_t instance = nullptr;
    EXPECT_EQ(driver.Call("nvmlDeviceCreateGpuInstance", driver.Gpu(0), kOneSlice, &instance),
              NVML_ERROR_NO_PERMISSION);
    EXPECT_FALSE(driver.Uuid(driver.Gpu(0)).empty());
  });
  EXPECT_EQ(Join(child), 0);
}

}  // namespace
}  // namespace kumiko::fakenvml
