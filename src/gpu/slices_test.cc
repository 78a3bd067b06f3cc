#include "gpu/slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/codec.h"
#include "base/files.h"
#include "base/json.h"
#include "gpu/geometry.h"

namespace kumiko::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PoolOptions kPool{.node_name = "node-0", .node_uid = "uid-0", .generation = 1};

BoardInstance MakeBoard(int minor, const char* model, MigMode mig) {
  BoardInstance board;
  board.minor = minor;
  board.uuid = fmt::format("GPU-{}", minor);
  board.model = **FindModel(model);
  board.mig = mig;
  board.pci_bus_id = fmt::format("0000:{:02x}:00.0", 0x1a + minor);
  return board;
}

BoardInstance CutBoard(int minor, const char* model, const std::vector<std::string>& profiles) {
  BoardInstance board = MakeBoard(minor, model, MigMode::kStatic);
  const auto placed = PlaceStatic(board.model, profiles);
  for (const PlacedProfile& each : *placed) {
    board.instances.push_back({each.profile, each.placement, fmt::format("MIG-{}-{}", minor, each.placement.start)});
  }
  return board;
}

const api::Device& Find(const std::vector<api::ResourceSlice>& slices, const std::string& name) {
  for (const api::ResourceSlice& slice : slices) {
    for (const api::Device& device : slice.spec.devices) {
      if (device.name == name) return device;
    }
  }
  ADD_FAILURE() << "no device " << name;
  static const api::Device none;
  return none;
}

std::map<std::string, std::string> Text(const std::map<std::string, api::Counter>& counters) {
  std::map<std::string, std::string> text;
  for (const auto& [name, counter] : counters) text[name] = counter.value.ToString();
  return text;
}

std::map<std::string, std::string> Text(const std::map<std::string, api::DeviceCapacity>& capacity) {
  std::map<std::string, std::string> text;
  for (const auto& [name, value] : capacity) text[name] = value.value.ToString();
  return text;
}

using Map = std::map<std::string, std::string>;

TEST(Slices, PlainLayoutEqualsTheReference) {
  const char* buses[] = {"1a", "1b", "4a", "4b", "8a", "8b", "ca", "cb"};
  std::vector<BoardInstance> boards;
  for (int minor = 0; minor < 8; ++minor) {
    BoardInstance board = MakeBoard(minor, "H100", MigMode::kOff);
    board.uuid = fmt::format("GPU-01000100-0000-0000-0000-00000000000{}", minor);
    board.pci_bus_id = fmt::format("0000:{}:00.0", buses[minor]);
    board.cuda_driver_version = 12040;
    board.model.memory_bytes = std::int64_t{80} << 30;  // what the mock behind the recording says
    boards.push_back(board);
  }
  const auto slices = BuildSlices(kPool, boards);
  ASSERT_TRUE(slices.has_value()) << slices.error().message;
  ASSERT_EQ(slices->size(), 1u);
  api::ResourceSlice slice = slices->front();
  EXPECT_EQ(slice.metadata.generate_name, "00000-gpu.nvidia.com-node-0-");

  const auto text =
      ReadFile(std::string(KUMIKO_SOURCE_DIR) + "/tests/data/reference-slices/upstream-plain-h100x8.json");
  ASSERT_TRUE(text.has_value());
  auto reference = api::Decode<api::ResourceSlice>(ParseJson(*text)->get_array().front());
  ASSERT_TRUE(reference.has_value()) << reference.error().message;
  std::ranges::sort(reference->spec.devices, {}, &api::Device::name);
  std::ranges::sort(slice.spec.devices, {}, &api::Device::name);
  const Json ours = api::Encode(slice);
  const Json theirs = api::Encode(*reference);
  EXPECT_EQ(ours.at("spec"), theirs.at("spec")) << WriteJson(ours.at("spec")) << '\n' << WriteJson(theirs.at("spec"));
}

TEST(Slices, DynamicLayoutIsTheOneOfTheSpecification) {
  BoardInstance board = MakeBoard(0, "H100", MigMode::kDynamic);
  board.numa_node = 0;
  board.pcie_root = "pci0000:18";
  const auto slices = BuildSlices(kPool, {board});
  ASSERT_TRUE(slices.has_value()) << slices.error().message;
  ASSERT_EQ(slices->size(), 2u);
  const api::ResourceSlice& first = slices->front();
  EXPECT_TRUE(first.spec.devices.empty());
  ASSERT_EQ(first.spec.shared_counters.size(), 1u);
  EXPECT_EQ(first.spec.shared_counters.front().name, "gpu-0-counter-set");
  EXPECT_EQ(Text(first.spec.shared_counters.front().counters), (Map{{"memory", "81152Mi"},
                                                                    {"multiprocessors", "132"},
                                                                    {"copy-engines", "8"},
                                                                    {"decoders", "7"},
                                                                    {"encoders", "0"},
                                                                    {"jpeg-engines", "7"},
                                                                    {"ofa-engines", "1"},
                                                                    {"memory-slice-0", "1"},
                                                                    {"memory-slice-1", "1"},
                                                                    {"memory-slice-2", "1"},
                                                                    {"memory-slice-3", "1"},
                                                                    {"memory-slice-4", "1"},
                                                                    {"memory-slice-5", "1"},
                                                                    {"memory-slice-6", "1"},
                                                                    {"memory-slice-7", "1"}}));
  EXPECT_EQ(first.spec.pool.resource_slice_count, 2);
  EXPECT_EQ(first.spec.pool.name, "node-0");
  EXPECT_EQ(first.spec.node_name, "node-0");
  ASSERT_EQ(first.metadata.owner_references.size(), 1u);
  EXPECT_EQ(first.metadata.owner_references.front().kind, "Node");
  EXPECT_EQ(first.metadata.owner_references.front().uid, "uid-0");
  EXPECT_TRUE(first.metadata.owner_references.front().controller);
  EXPECT_THAT((*slices)[1].metadata.name, ::testing::StartsWith("00001-gpu.nvidia.com-node-0-"));
  EXPECT_EQ((*slices)[1].metadata.name.size(), std::string("00001-gpu.nvidia.com-node-0-").size() + 5);

  EXPECT_EQ((*slices)[1].spec.devices.size(), 26u);
  EXPECT_EQ((*slices)[1].spec.devices.back().name, "gpu-0");
  const api::Device& part = Find(*slices, "gpu-0-mig-1g20gb-15-6");
  EXPECT_EQ(Text(part.capacity), (Map{{"memory", "20096Mi"},
                                      {"multiprocessors", "26"},
                                      {"copyEngines", "1"},
                                      {"decoders", "1"},
                                      {"encoders", "0"},
                                      {"jpegEngines", "1"},
                                      {"ofaEngines", "0"}}));
  ASSERT_EQ(part.consumes_counters.size(), 1u);
  EXPECT_EQ(Text(part.consumes_counters.front().counters), (Map{{"memory", "20096Mi"},
                                                                {"multiprocessors", "26"},
                                                                {"copy-engines", "1"},
                                                                {"decoders", "1"},
                                                                {"encoders", "0"},
                                                                {"jpeg-engines", "1"},
                                                                {"ofa-engines", "0"},
                                                                {"memory-slice-6", "1"},
                                                                {"memory-slice-7", "1"}}));
  EXPECT_EQ(part.attributes.at("type").string_value, "mig");
  EXPECT_EQ(part.attributes.at("profile").string_value, "1g.20gb");
  EXPECT_EQ(part.attributes.at("parentUUID").string_value, "GPU-0");
  EXPECT_EQ(part.attributes.count("uuid"), 0u);
  EXPECT_EQ(part.attributes.at("driverVersion").version_value, "580.95.5");
  EXPECT_EQ(part.attributes.at("cudaDriverVersion").version_value, "13.0.0");
  EXPECT_EQ(part.attributes.at("cudaComputeCapability").version_value, "9.0.0");
  EXPECT_EQ(part.attributes.at("resource.kubernetes.io/numaNode").int_value, 0);
  EXPECT_EQ(part.attributes.at("resource.kubernetes.io/pcieRoot").string_value, "pci0000:18");

  const api::Device& whole = Find(*slices, "gpu-0");
  EXPECT_EQ(whole.capacity.at("memory").value.ToString(), "81152Mi");
  EXPECT_EQ(Text(whole.consumes_counters.front().counters), Text(first.spec.shared_counters.front().counters));
}

TEST(Slices, AmpereInMigModeOffersPartsOnly) {
  const auto slices = BuildSlices(kPool, {MakeBoard(0, "A100-80", MigMode::kDynamic)});
  ASSERT_EQ((*slices)[1].spec.devices.size(), 25u);
  for (const api::Device& device : (*slices)[1].spec.devices) {
    EXPECT_EQ(device.attributes.at("type").string_value, "mig");
  }
  EXPECT_EQ((*slices)[1].spec.devices.back().name, "gpu-0-mig-7g80gb-0-0");
}

TEST(Slices, SixteenDynamicBoardsStayWithinTheApisLimits) {
  std::vector<BoardInstance> boards;
  for (int minor = 0; minor < 16; ++minor) boards.push_back(MakeBoard(minor, "H100", MigMode::kDynamic));
  const auto slices = BuildSlices(kPool, boards);
  ASSERT_EQ(slices->size(), 18u);
  std::set<std::string> names;
  for (std::size_t i = 0; i < slices->size(); ++i) {
    const api::ResourceSlice& slice = (*slices)[i];
    EXPECT_LE(slice.spec.devices.size(), 64u);
    EXPECT_LE(slice.spec.shared_counters.size(), 8u);
    EXPECT_TRUE(slice.spec.devices.empty() != slice.spec.shared_counters.empty());
    EXPECT_EQ(slice.spec.pool.resource_slice_count, 18);
    EXPECT_TRUE(slice.metadata.name.starts_with(fmt::format("{:05x}-", i)));
    EXPECT_TRUE(names.insert(slice.metadata.name).second);
    for (const api::CounterSet& set : slice.spec.shared_counters) EXPECT_LE(set.counters.size(), 32u);
    for (const api::Device& device : slice.spec.devices) {
      EXPECT_LE(device.attributes.size() + device.capacity.size(), 32u);
      EXPECT_LE(device.name.size(), 63u);
      EXPECT_TRUE(names.insert(device.name).second) << device.name;
    }
  }
  // The tenth board comes before the eleventh though its name sorts otherwise.
  EXPECT_EQ((*slices)[4].spec.devices.back().name, "gpu-2");
}

TEST(Slices, PlainLayoutIsSplitAtTheDeviceLimit) {
  std::vector<BoardInstance> boards;
  for (int minor = 0; minor < 20; ++minor) {
    boards.push_back(CutBoard(minor, "A100-80", std::vector<std::string>(7, "1g.10gb")));
  }
  const auto slices = BuildSlices(kPool, boards);
  ASSERT_EQ(slices->size(), 2u);
  EXPECT_EQ((*slices)[0].spec.devices.size(), 128u);
  EXPECT_EQ((*slices)[1].spec.devices.size(), 12u);
}

TEST(Slices, StaticPartsHaveUuidAndMemorySlices) {
  const auto slices = BuildSlices(kPool, {CutBoard(1, "A100-80", {"3g.40gb", "1g.10gb"})});
  ASSERT_EQ(slices->size(), 1u);
  ASSERT_EQ(slices->front().spec.devices.size(), 2u);
  EXPECT_EQ(slices->front().spec.devices.front().attributes.at("profile").string_value, "1g.10gb");
  const api::Device& part = Find(*slices, "gpu-1-mig-3g40gb-9-4");
  EXPECT_EQ(part.attributes.at("uuid").string_value, "MIG-1-4");
  EXPECT_TRUE(part.consumes_counters.empty());
  const Map capacity = Text(part.capacity);
  EXPECT_EQ(capacity.at("memorySlice4"), "1");
  EXPECT_EQ(capacity.at("memorySlice7"), "1");
  EXPECT_EQ(capacity.count("memorySlice3"), 0u);
}

TEST(Slices, MixedNodeUsesOneSlicePerBoardBesideTheCounters) {
  const auto slices = BuildSlices(kPool, {MakeBoard(0, "T4", MigMode::kOff), MakeBoard(1, "H100", MigMode::kDynamic),
                                          CutBoard(2, "A30", {"2g.12gb"})});
  ASSERT_EQ(slices->size(), 4u);
  EXPECT_EQ((*slices)[0].spec.shared_counters.size(), 1u);
  const api::Device& t4 = Find(*slices, "gpu-0");
  EXPECT_EQ(Text(t4.capacity), (Map{{"memory", "16Gi"}}));
  EXPECT_TRUE(t4.consumes_counters.empty());
}

TEST(Slices, NodeWithoutBoardsGetsOneEmptySlice) {
  const auto slices = BuildSlices(kPool, {});
  ASSERT_EQ(slices->size(), 1u);
  EXPECT_TRUE(slices->front().spec.devices.empty());
}

TEST(Slices, SharesArePublishedAsTheSpecificationSays) {
  BoardInstance board = MakeBoard(0, "T4", MigMode::kOff);
  board.sharing = {Sharing::Kind::kShares, 4};
  const auto slices = BuildSlices(kPool, {board});
  const api::Device& device = Find(*slices, "gpu-0");
  EXPECT_EQ(device.allow_multiple_allocations, true);
  const api::DeviceCapacity& shares = device.capacity.at("shares");
  EXPECT_EQ(shares.value.ToString(), "4");
  EXPECT_EQ(shares.request_policy->default_value->ToString(), "1");
  EXPECT_EQ(shares.request_policy->valid_range->max->ToString(), "4");
  const api::DeviceCapacity& memory = device.capacity.at("memory");
  EXPECT_EQ(memory.request_policy->default_value->ToString(), "0");
  EXPECT_EQ(memory.request_policy->valid_range->step->ToString(), "1Mi");

  board.sharing = {Sharing::Kind::kMemory, 0};
  const auto by_memory = BuildSlices(kPool, {board});
  EXPECT_EQ(Find(*by_memory, "gpu-0").capacity.at("memory").request_policy->default_value->ToString(), "16Gi");
  EXPECT_EQ(Find(*by_memory, "gpu-0").capacity.count("shares"), 0u);
}

TEST(Slices, EveryBoardBuildsOrIsRefusedByName) {
  int built = 0;
  for (const Board& row : Boards()) {
    BoardInstance board = MakeBoard(0, "H100", MigMode::kDynamic);
    board.model.product_name = row.name;
    board.model.board = &row;
    const auto slices = BuildSlices(kPool, {board});
    if (!slices) {
      EXPECT_THAT(slices.error().message, HasSubstr(row.name + ": profile "));
      EXPECT_THAT(slices.error().message, HasSubstr("has no known"));
      continue;
    }
    ++built;
    // Every counter that a device takes exists in its set, and no device takes more than the set has.
    const api::CounterSet& set = slices->front().spec.shared_counters.front();
    for (const api::Device& device : (*slices)[1].spec.devices) {
      for (const auto& [name, counter] : device.consumes_counters.front().counters) {
        ASSERT_EQ(set.counters.count(name), 1u) << device.name << ' ' << name;
        EXPECT_LE(counter.value, set.counters.at(name).value) << device.name << ' ' << name;
      }
    }
  }
  EXPECT_GE(built, 6);
}

TEST(Slices, DeviceNamesKeepProfilesApart) {
  const Board& board = **FindBoard("RTX-PRO-6000-Blackwell-96GB");
  EXPECT_EQ(DeviceName(0, *board.FindProfile("1g.24gb+me"), {3, 3}), "gpu-0-mig-1g24gb-me-21-3");
  EXPECT_EQ(DeviceName(0, *board.FindProfile("1g.24gb-me"), {3, 3}), "gpu-0-mig-1g24gb-me-67-3");
  EXPECT_EQ(DeviceName(2, *board.FindProfile("1g.24gb+me.all"), {0, 3}), "gpu-2-mig-1g24gb-meall-65-0");
}

TEST(Slices, VersionsBecomeSemver) {
  EXPECT_EQ(ToSemver("580.95.05"), "580.95.5");
  EXPECT_EQ(ToSemver("9.0"), "9.0.0");
  EXPECT_EQ(ToSemver("13"), "13.0.0");
}

}  // namespace
}  // namespace kumiko::gpu
