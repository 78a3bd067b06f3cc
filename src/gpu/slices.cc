#include "gpu/slices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "gpu/geometry.h"

namespace kumiko::gpu {
namespace {

constexpr std::size_t kMaxDevices = 128;
// With taints or consumed counters in any device of the slice.
constexpr std::size_t kMaxDevicesWithExtras = 64;
constexpr std::size_t kMaxCounterSets = 8;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

api::DeviceAttribute Text(std::string value) {
  api::DeviceAttribute attribute;
  attribute.string_value = std::move(value);
  return attribute;
}
api::DeviceAttribute Version(std::string_view value) {
  api::DeviceAttribute attribute;
  attribute.version_value = ToSemver(value);
  return attribute;
}
api::DeviceAttribute Number(std::int64_t value) {
  api::DeviceAttribute attribute;
  attribute.int_value = value;
  return attribute;
}

// The capacity names of spec node-driver §1.5 and, in kebab case, the counters of §1.7.
struct NamedNumber {
  const char* capacity;
  const char* counter;
  std::int64_t value;
};
std::vector<NamedNumber> NumbersOf(const Engines& engines, std::int64_t memory_bytes) {
  return {{"memory", "memory", memory_bytes},
          {"multiprocessors", "multiprocessors", engines.multiprocessors},
          {"copyEngines", "copy-engines", engines.copy_engines},
          {"decoders", "decoders", engines.decoders},
          {"encoders", "encoders", engines.encoders},
          {"jpegEngines", "jpeg-engines", engines.jpeg_engines},
          {"ofaEngines", "ofa-engines", engines.ofa_engines}};
}

void AddCapacities(api::Device& device, const Engines& engines, std::int64_t memory_bytes) {
  for (const NamedNumber& number : NumbersOf(engines, memory_bytes)) {
    device.capacity[number.capacity].value = Quantity::FromBytesBinary(number.value);
  }
}

std::map<std::string, api::Counter> Counters(const Engines& engines, std::int64_t memory_bytes,
                                             const Placement& placement) {
  std::map<std::string, api::Counter> counters;
  for (const NamedNumber& number : NumbersOf(engines, memory_bytes)) {
    counters[number.counter].value = Quantity::FromBytesBinary(number.value);
  }
  for (int slot = placement.start; slot < placement.end(); ++slot) {
    counters[fmt::format("memory-slice-{}", slot)].value = Quantity::FromInt(1);
  }
  return counters;
}

std::string CounterSetName(int minor) {
  return fmt::format("gpu-{}-counter-set", minor);
}

// What a whole GPU and its partitions have in common.
api::Device DeviceOf(const BoardInstance& board, std::string name, const char* type) {
  api::Device device;
  device.name = std::move(name);
  auto& attributes = device.attributes;
  attributes["type"] = Text(type);
  attributes["productName"] = Text(board.model.product_name);
  attributes["brand"] = Text(board.model.brand);
  attributes["architecture"] = Text(board.model.architecture);
  attributes["cudaComputeCapability"] = Version(board.model.compute_capability);
  attributes["driverVersion"] = Version(board.driver_version);
  attributes["cudaDriverVersion"] =
      Version(fmt::format("{}.{}", board.cuda_driver_version / 1000, board.cuda_driver_version % 1000 / 10));
  attributes["resource.kubernetes.io/pciBusID"] = Text(board.pci_bus_id);
  if (board.pcie_root) attributes["resource.kubernetes.io/pcieRoot"] = Text(*board.pcie_root);
  if (board.numa_node) attributes["resource.kubernetes.io/numaNode"] = Number(*board.numa_node);
  if (board.addressing_mode) attributes["addressingMode"] = Text(*board.addressing_mode);
  return device;
}

api::CapacityRequestPolicy RangePolicy(Quantity default_value, Quantity min, Quantity max, Quantity step) {
  api::CapacityRequestPolicy policy;
  policy.default_value = std::move(default_value);
  policy.valid_range = {std::move(min), std::move(max), std::move(step)};
  return policy;
}

void Share(api::Device& device, const Sharing& sharing) {
  if (sharing.kind == Sharing::Kind::kDisabled) return;
  device.allow_multiple_allocations = true;
  const auto memory = device.capacity.find("memory");
  if (memory == device.capacity.end()) return;
  const Quantity whole = Quantity::FromBytesBinary(memory->second.value.Value() / kMiB * kMiB);
  const Quantity step = Quantity::FromBytesBinary(kMiB);
  const bool by_memory = sharing.kind == Sharing::Kind::kMemory;
  memory->second.value = whole;
  memory->second.request_policy =
      RangePolicy(by_memory ? whole : Quantity(), by_memory ? step : Quantity(), whole, step);
  if (sharing.kind == Sharing::Kind::kShares) {
    const Quantity one = Quantity::FromInt(1);
    const Quantity all = Quantity::FromInt(sharing.shares);
    device.capacity["shares"] = {all, RangePolicy(one, one, all, one)};
  }
}

api::Device WholeGpu(const BoardInstance& board) {
  api::Device device = DeviceOf(board, DeviceName(board.minor), "gpu");
  device.attributes["uuid"] = Text(board.uuid);
  return device;
}

api::Device Partition(const BoardInstance& board, const Profile& profile, const Placement& placement) {
  api::Device device = DeviceOf(board, DeviceName(board.minor, profile, placement), "mig");
  device.attributes["profile"] = Text(profile.name);
  device.attributes["parentUUID"] = Text(board.uuid);
  AddCapacities(device, profile.engines, profile.memory_bytes);
  return device;
}

// Plain rules: the whole GPU, or the instances that exist, smallest first.
std::vector<api::Device> PlainDevices(const BoardInstance& board) {
  std::vector<api::Device> devices;
  if (board.mig == MigMode::kOff) {
    devices.push_back(WholeGpu(board));
    // Without a number of its own where a GPU uses the memory of its processor.
    if (board.model.memory_bytes > 0) {
      devices.back().capacity["memory"].value = Quantity::FromBytesBinary(board.model.memory_bytes);
    }
  } else {
    std::vector<const MigInstance*> instances;
    for (const MigInstance& instance : board.instances) instances.push_back(&instance);
    std::ranges::sort(instances, {}, [](const MigInstance* instance) {
      return std::tuple(instance->placement.size, instance->profile.compute_slices, instance->profile.gi_profile_id,
                        instance->placement.start);
    });
    for (const MigInstance* instance : instances) {
      api::Device device = Partition(board, instance->profile, instance->placement);
      device.attributes["uuid"] = Text(instance->uuid);
      for (int slot = instance->placement.start; slot < instance->placement.end(); ++slot) {
        device.capacity[fmt::format("memorySlice{}", slot)].value = Quantity::FromInt(1);
      }
      devices.push_back(std::move(device));
    }
  }
  for (api::Device& device : devices) Share(device, board.sharing);
  return devices;
}

struct DynamicBoard {
  api::CounterSet counter_set;
  std::vector<api::Device> devices;
};

Result<DynamicBoard> BuildDynamicBoard(const BoardInstance& board) {
  KU_TRY(const std::vector<Profile> profiles, UsableProfiles(board.model), "{}", DeviceName(board.minor));
  const BoardMaximum maximum = MaximumOf(profiles);
  const auto whole = Counters(maximum.engines, maximum.memory_bytes, {0, maximum.slots});
  DynamicBoard result{{CounterSetName(board.minor), whole}, {}};
  for (const Slot& slot : SlotsByPreference(profiles)) {
    api::Device device = Partition(board, *slot.profile, slot.placement);
    device.consumes_counters.push_back(
        {CounterSetName(board.minor), Counters(slot.profile->engines, slot.profile->memory_bytes, slot.placement), {}});
    result.devices.push_back(std::move(device));
  }
  // An Ampere board in MIG mode cannot run anything whole; its full profile takes that part.
  if (!board.model.NeedsMigModeForParts()) {
    api::Device device = WholeGpu(board);
    AddCapacities(device, maximum.engines, maximum.memory_bytes);
    device.consumes_counters.push_back({CounterSetName(board.minor), whole, {}});
    result.devices.push_back(std::move(device));
  }
  for (api::Device& device : result.devices) Share(device, board.sharing);
  return result;
}

bool HasExtras(const api::Device& device) {
  return !device.taints.empty() || !device.consumes_counters.empty();
}

// The devices in as few slices as the API allows.
std::vector<std::vector<api::Device>> SplitDevices(std::vector<api::Device> devices) {
  const std::size_t limit = std::ranges::any_of(devices, HasExtras) ? kMaxDevicesWithExtras : kMaxDevices;
  std::vector<std::vector<api::Device>> pieces;
  for (api::Device& device : devices) {
    if (pieces.empty() || pieces.back().size() == limit) pieces.emplace_back();
    pieces.back().push_back(std::move(device));
  }
  return pieces;
}

// Names end as an API server's generated names do, but the same pool has the same names in every run.
std::string Suffix(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  Random random(hash);
  return RandomSuffix(random);
}

// Index, pool and owner, once it is known how many slices there are.
void Complete(std::vector<api::ResourceSlice>& slices, const PoolOptions& pool) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    api::ResourceSlice& slice = slices[i];
    slice.metadata.generate_name = fmt::format("{:05x}-{}-{}-", i, kGpuDriver, pool.node_name);
    slice.metadata.name =
        slice.metadata.generate_name + Suffix(fmt::format("{}/{}", slice.metadata.generate_name, pool.generation));
    slice.metadata.owner_references.push_back(
        {.api_version = "v1", .kind = "Node", .name = pool.node_name, .uid = pool.node_uid, .controller = true});
    slice.spec.driver = kGpuDriver;
    slice.spec.node_name = pool.node_name;
    slice.spec.pool = {pool.node_name, pool.generation, static_cast<std::int64_t>(slices.size())};
  }
}

}  // namespace

std::string DeviceName(int minor) {
  return fmt::format("gpu-{}", minor);
}

std::string DeviceName(int minor, const Profile& profile, const Placement& placement) {
  std::string label;
  for (const char c : ToLower(profile.name)) {
    if (c == '.') continue;
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    label += allowed ? c : '-';
  }
  while (label.ends_with('-')) label.pop_back();
  while (label.starts_with('-')) label.erase(0, 1);
  return fmt::format("gpu-{}-mig-{}-{}-{}", minor, label, profile.gi_profile_id, placement.start);
}

std::string ToSemver(std::string_view version) {
  std::string semver;
  const std::vector<std::string_view> parts = Split(version, '.');
  for (std::size_t i = 0; i < 3; ++i) {
    std::string_view part = i < parts.size() ? parts[i] : "0";
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if (i > 0) semver += '.';
    semver += part.empty() ? "0" : part;
  }
  return semver;
}

Result<std::vector<api::ResourceSlice>> BuildSlices(const PoolOptions& pool, const std::vector<BoardInstance>& boards) {
  std::vector<const BoardInstance*> by_minor;
  for (const BoardInstance& board : boards) by_minor.push_back(&board);
  std::ranges::stable_sort(by_minor, {}, &BoardInstance::minor);
  const bool dynamic =
      std::ranges::any_of(boards, [](const BoardInstance& board) { return board.mig == MigMode::kDynamic; });

  std::vector<api::ResourceSlice> counter_slices;
  std::vector<api::ResourceSlice> device_slices;
  const auto add_devices = [&](std::vector<api::Device> devices) {
    for (std::vector<api::Device>& piece : SplitDevices(std::move(devices))) {
      device_slices.emplace_back().spec.devices = std::move(piece);
    }
  };
  std::vector<api::Device> plain;
  for (const BoardInstance* board : by_minor) {
    if (board->mig == MigMode::kDynamic) {
      KU_TRY(DynamicBoard parts, BuildDynamicBoard(*board), "node {}", pool.node_name);
      if (counter_slices.empty() || counter_slices.back().spec.shared_counters.size() == kMaxCounterSets) {
        counter_slices.emplace_back();
      }
      counter_slices.back().spec.shared_counters.push_back(std::move(parts.counter_set));
      add_devices(std::move(parts.devices));
    } else if (dynamic) {
      add_devices(PlainDevices(*board));
    } else {
      std::ranges::move(PlainDevices(*board), std::back_inserter(plain));
    }
  }
  add_devices(std::move(plain));

  std::vector<api::ResourceSlice> slices = std::move(counter_slices);
  std::ranges::move(device_slices, std::back_inserter(slices));
  if (slices.empty()) slices.emplace_back();
  Complete(slices, pool);
  return slices;
}

}  // namespace kumiko::gpu
