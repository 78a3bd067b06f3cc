// Decisions per second on a big cluster of partitionable GPUs: a pod's claims come, a node is chosen among all, its
// devices are committed, and an earlier pod goes. Prints a table; fails when a bar is missed.
//   allocator_cluster [--nodes 5000] [--seed N] [--decisions N] [--write-case FILE]
// --write-case: the cluster as it is after the fill, as one case for the reference (tests/allocator/oracle).
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/decision_cache.h"
#include "allocator/place.h"
#include "api/codec.h"
#include "base/random.h"
#include "base/text.h"
#include "gpu/device_classes.h"
#include "gpu/layout.h"
#include "gpu/slices.h"

namespace kumiko {
namespace {

constexpr double kMaxGrowthMiB = 400;
constexpr double kMinDecisions = 20'000;
constexpr double kMaxP99Us = 1000;
constexpr int kBoards = 8;
constexpr std::int64_t kSlotsPerBoard = 8;
const std::vector<std::string> kProfiles = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb"};

struct Arguments {
  int nodes = 5000;
  std::uint64_t seed = 1;
  int decisions = 200'000;
  std::string case_file;
};

// Resident memory of this process in MiB.
double ResidentMiB() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// CPU time of the process, so that a busy machine does not count. It has one thread, which never waits.
double MicrosSince(std::clock_t start) {
  return 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double Percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string NodeName(int node) {
  return fmt::format("node-{:05}", node);
}

std::vector<api::ResourceSlice> SlicesOf(int node, std::string_view driver_version) {
  std::vector<gpu::BoardInstance> boards;
  const auto* model = *gpu::FindModel("H100-80");
  for (int minor = 0; minor < kBoards; ++minor) {
    gpu::BoardInstance board;
    board.minor = minor;
    board.uuid = fmt::format("GPU-{:08x}-4d2c-9b1e-0000-{:012x}", node, minor);
    board.model = *model;
    board.mig = gpu::MigMode::kDynamic;
    board.pci_bus_id = fmt::format("0000:{:02x}:00.0", 0x1a + minor * 0x10);
    board.pcie_root = fmt::format("pci0000:{:02x}", 0x18 + minor / 2 * 0x20);
    board.numa_node = minor / 4;
    board.driver_version = driver_version;
    boards.push_back(std::move(board));
  }
  auto slices = *gpu::BuildSlices({.node_name = NodeName(node), .node_uid = NodeName(node)}, boards);
  int part = 0;
  for (auto& slice : slices) {
    for (auto& device : slice.spec.devices) {
      auto& uuid = device.attributes["uuid"];
      if (!uuid.string_value) uuid.string_value = fmt::format("MIG-{:08x}-7c1f-5a3d-0000-{:012x}", node, part++);
    }
  }
  return slices;
}

api::DeviceRequest Request(std::string name, const char* device_class, std::int64_t count,
                           const std::string& selector) {
  api::DeviceSubRequest exactly;
  exactly.device_class_name = device_class;
  exactly.allocation_mode = api::kExactCount;
  exactly.count = count;
  if (!selector.empty()) exactly.selectors.push_back({api::CelDeviceSelector{selector}});
  return {.name = std::move(name), .exactly = std::move(exactly), .first_available = {}};
}

// One pod's claim: 60 % a partition in one of four profiles, 30 % a whole GPU, 10 % two GPUs of one NUMA node.
api::ResourceClaim DrawClaim(Random& random, std::int64_t serial) {
  api::ResourceClaim claim;
  claim.metadata.name = fmt::format("claim-{}", serial);
  claim.metadata.namespace_ = "team";
  const auto draw = random.Below(100);
  auto& devices = claim.spec.devices;
  if (draw < 60) {
    devices.requests.push_back(Request(fmt::format("part-{}", serial), gpu::kMigClass, 1,
                                       fmt::format("device.attributes[\"{}\"].profile == \"{}\"", gpu::kGpuDriver,
                                                   kProfiles[random.Below(kProfiles.size())])));
  } else {
    devices.requests.push_back(Request(fmt::format("gpu-{}", serial), gpu::kGpuClass, draw < 90 ? 1 : 2, ""));
    if (draw >= 90) {
      devices.constraints.push_back(
          {.requests = {}, .match_attribute = "resource.kubernetes.io/numaNode", .distinct_attribute = std::nullopt});
    }
  }
  return claim;
}

std::vector<std::string> SelectorsOf(const api::ResourceClaim& claim) {
  std::vector<std::string> selectors;
  const auto& exactly = *claim.spec.devices.requests.front().exactly;
  for (const auto& device_class : gpu::DeviceClasses()) {
    if (device_class.metadata.name != exactly.device_class_name) continue;
    for (const auto& selector : device_class.spec.selectors) selectors.push_back(selector.cel->expression);
  }
  for (const auto& selector : exactly.selectors) selectors.push_back(selector.cel->expression);
  return selectors;
}

struct Pod {
  api::ResourceClaim claim;
  std::vector<api::AllocationResult> results;
  std::int64_t slots = 0;
};

// Checks allocations from the published slots alone.
class Books {
 public:
  // What is wrong with the pod's devices; empty when they are right.
  std::string Take(const Pod& pod) {
    const auto& request = pod.claim.spec.devices.requests.front();
    const auto& devices = pod.results.front().devices.results;
    if (devices.size() != static_cast<std::size_t>(request.exactly->count)) return "wrong number of devices";
    std::set<std::string> numa;
    for (const auto& device : devices) {
      if (!request.exactly->selectors.empty()) {
        const auto& text = request.exactly->selectors.front().cel->expression;
        const auto profile = text.substr(text.rfind("== \"") + 4);
        auto in_name = "-" + profile.substr(0, profile.size() - 1) + "-";
        std::erase(in_name, '.');
        if (device.device.find(in_name) == std::string::npos) return "device " + device.device + " is no " + profile;
      } else if (device.device.find("mig") != std::string::npos) {
        return "device " + device.device + " is no whole GPU";
      }
      const auto board = std::string(gpu::BoardOf(device.device));
      numa.insert(device.pool + std::to_string((board.back() - '0') / 4));
      auto& used = used_[device.pool + "/" + board];
      const auto mask = MaskOf(device.device);
      if ((used & mask) != 0) return fmt::format("{} of {} overlaps what runs there", device.device, device.pool);
      used |= mask;
    }
    if (!pod.claim.spec.devices.constraints.empty() && numa.size() != 1) return "two NUMA nodes";
    return "";
  }
  void Release(const Pod& pod) {
    for (const auto& device : pod.results.front().devices.results) {
      used_[device.pool + "/" + std::string(gpu::BoardOf(device.device))] &= ~MaskOf(device.device);
    }
  }
  void Know(const api::Device& device) {
    const auto range = gpu::SlotsOf(device);
    masks_[device.name] = range ? ((std::uint64_t{1} << range->size) - 1) << range->start : 0xff;
  }
  std::int64_t SlotsOf(const Pod& pod) const {
    std::int64_t slots = 0;
    for (const auto& device : pod.results.front().devices.results) slots += std::popcount(MaskOf(device.device));
    return slots;
  }

 private:
  std::uint64_t MaskOf(const std::string& device) const { return masks_.at(device); }

  std::map<std::string, std::uint64_t> masks_;  // by device name, the same on every node
  std::map<std::string, std::uint64_t> used_;   // by pool and board
};

class Run {
 public:
  explicit Run(const Arguments& arguments) : arguments_(arguments), random_(arguments.seed) {
    options_.demand = &demand_;
  }

  int Main() {
    const auto before = ResidentMiB();
    const auto publish = std::clock();
    std::int64_t devices = 0;
    for (const auto& device_class : gpu::DeviceClasses()) inventory_.UpsertClass(device_class);
    for (int node = 0; node < arguments_.nodes; ++node) {
      for (const auto& slice : SlicesOf(node, "580.95.05")) {
        inventory_.UpsertSlice(slice);
        devices += static_cast<std::int64_t>(slice.spec.devices.size());
        if (node == 0) {
          for (const auto& device : slice.spec.devices) books_.Know(device);
        }
      }
    }
    fmt::print("{} nodes, {} devices, published in {:.1f} s\n", arguments_.nodes, devices, MicrosSince(publish) / 1e6);
    const auto fill = std::clock();
    const auto half = std::int64_t{arguments_.nodes} * kBoards * kSlotsPerBoard / 2;
    while (used_ < half) {
      if (!Place()) return Failed("a pod does not fit a cluster that is not half full");
    }
    fmt::print("half full with {} pods in {:.1f} s\n", pods_.size(), MicrosSince(fill) / 1e6);
    if (!arguments_.case_file.empty()) WriteCase();

    std::vector<double> times;
    for (int i = 0; i < arguments_.decisions; ++i) {
      const auto claim = DrawClaim(random_, serial_++);
      const auto selectors = SelectorsOf(claim);
      const auto victim = static_cast<std::size_t>(random_.Below(pods_.size()));
      const auto begin = std::clock();
      demand_.Arrive(selectors);
      const auto* pointer = &claim;
      auto placement = allocator::Place(inventory_, state_, std::span(&pointer, 1), options_);
      if (placement.kind != allocator::Outcome::Kind::kFits) return Failed("a pod does not fit: " + placement.error);
      for (const auto& result : placement.results) state_.Add(result);
      for (const auto& result : pods_[victim].results) state_.Remove(result);
      state_.Commit();
      times.push_back(MicrosSince(begin));
      books_.Release(pods_[victim]);
      pods_[victim] = {.claim = claim, .results = std::move(placement.results), .slots = 0};
      if (const auto wrong = books_.Take(pods_[victim]); !wrong.empty()) return Failed(wrong);
    }
    const auto grown = ResidentMiB() - before;
    double sum = 0;
    for (const auto time : times) sum += time;
    const auto rate = static_cast<double>(times.size()) / sum * 1e6;

    std::vector<double> updates;
    for (int i = 0; i < 1000; ++i) {
      const auto node = static_cast<int>(random_.Below(static_cast<std::uint64_t>(arguments_.nodes)));
      const auto slices = SlicesOf(node, i % 2 == 0 ? "580.95.06" : "580.95.05");
      for (const auto& slice : slices) {
        const auto begin = std::clock();
        inventory_.UpsertSlice(slice);
        state_.cache().ClusterOf(inventory_).boards.Update(state_, &demand_);
        updates.push_back(MicrosSince(begin));
      }
    }

    const auto p99 = Percentile(times, 0.99);
    const auto update_p99 = Percentile(updates, 0.99);
    fmt::print("{:<44}{:>12}{:>12}\n", "", "measured", "bar");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "decisions per second", rate, ">= 20000");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "decision, P50 in microseconds", Percentile(times, 0.5), "");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "decision, P99 in microseconds", p99, "<= 1000");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "decision, longest in microseconds", Percentile(times, 1), "");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "update of one slice, P99 in microseconds", update_p99, "<= 1000");
    fmt::print("{:<44}{:>12.0f}{:>12}\n", "growth of the process in MiB", grown, "<= 400");
    fmt::print("{:<44}{:>12}\n", "decisions checked valid", times.size());
    return rate >= kMinDecisions && p99 <= kMaxP99Us && update_p99 <= kMaxP99Us && grown <= kMaxGrowthMiB ? 0 : 1;
  }

 private:
  static int Failed(const std::string& why) {
    fmt::print(stderr, "allocator_cluster: {}\n", why);
    return 1;
  }

  bool Place() {
    Pod pod{.claim = DrawClaim(random_, serial_++), .results = {}, .slots = 0};
    demand_.Arrive(SelectorsOf(pod.claim));
    const auto* pointer = &pod.claim;
    auto placement = allocator::Place(inventory_, state_, std::span(&pointer, 1), options_);
    if (placement.kind != allocator::Outcome::Kind::kFits) return false;
    for (const auto& result : placement.results) state_.Add(result);
    state_.Commit();
    pod.results = std::move(placement.results);
    if (const auto wrong = books_.Take(pod); !wrong.empty()) return Failed(wrong) == 0;
    used_ += books_.SlotsOf(pod);
    pods_.push_back(std::move(pod));
    return true;
  }

  void WriteCase() {
    std::ofstream file(arguments_.case_file);
    file << "{\"name\":\"cluster\",\"classes\":[";
    std::string separator;
    for (const auto& device_class : gpu::DeviceClasses()) {
      file << separator << WriteJson(api::Encode(device_class));
      separator = ",";
    }
    file << "],\"slices\":[";
    separator.clear();
    for (int node = 0; node < arguments_.nodes; ++node) {
      for (const auto& slice : SlicesOf(node, "580.95.05")) {
        file << separator << WriteJson(api::Encode(slice));
        separator = ",";
      }
    }
    file << "],\"nodes\":[";
    separator.clear();
    for (int node = 0; node < arguments_.nodes; ++node) {
      file << separator << fmt::format(R"({{"metadata":{{"name":"{}"}}}})", NodeName(node));
      separator = ",";
    }
    file << "],\"allocated\":{\"devices\":[";
    separator.clear();
    for (const auto& pod : pods_) {
      for (const auto& device : pod.results.front().devices.results) {
        file << separator << fmt::format(R"({{"driver":"{}","pool":"{}","device":"{}"}})", device.driver, device.pool, device.device);
        separator = ",";
      }
    }
    Random random(arguments_.seed);
    file << "]},\"claims\":[" << WriteJson(api::Encode(DrawClaim(random, 0)))
         << "],\"features\":{\"PrioritizedList\":true,\"PartitionableDevices\":true,\"DeviceTaints\":true,"
            "\"AdminAccess\":true}}\n";
  }

  Arguments arguments_;
  Random random_;
  allocator::Inventory inventory_;
  allocator::State state_{inventory_};
  allocator::Demand demand_;
  allocator::Options options_;
  Books books_;
  std::vector<Pod> pods_;
  std::int64_t serial_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace
}  // namespace kumiko

int main(int count, char** values) {
  kumiko::Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    const std::string value = values[i + 1];
    if (name == "--nodes") arguments.nodes = std::stoi(value);
    if (name == "--seed") arguments.seed = std::stoull(value);
    if (name == "--decisions") arguments.decisions = std::stoi(value);
    if (name == "--write-case") arguments.case_file = value;
  }
  return kumiko::Run(arguments).Main();
}
