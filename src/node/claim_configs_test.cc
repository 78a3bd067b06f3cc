#include "node/claim_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr SharingGates kAllOn{.time_slicing_settings = true, .mps_support = true};
constexpr const char* kDriver = "gpu.nvidia.com";

Json Config(const std::string& kind, const std::string& rest) {
  return *ParseJson(fmt::format(R"({{"apiVersion": "resource.nvidia.com/v1beta1", "kind": "{}"{}}})", kind, rest));
}

std::string Refusal(const std::string& kind, const std::string& rest, const SharingGates& gates = kAllOn) {
  const auto decoded = DecodeDeviceConfig(Config(kind, rest), gates);
  return decoded ? "accepted" : decoded.error().message;
}

TEST(DeviceConfig, StrategyWithoutSettingsHasTheDefaultOnes) {
  const auto slicing = DecodeDeviceConfig(Config("GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing"})"), kAllOn);
  ASSERT_TRUE(slicing.has_value());
  EXPECT_EQ(std::get<TimeSliceInterval>(std::get<GpuConfig>(*slicing).sharing), TimeSliceInterval::kDefault);
  const auto empty = DecodeDeviceConfig(
      Config("GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {}})"), kAllOn);
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(std::get<TimeSliceInterval>(std::get<GpuConfig>(*empty).sharing), TimeSliceInterval::kDefault);
  const auto mps = DecodeDeviceConfig(Config("MigDeviceConfig", R"(, "sharing": {"strategy": "MPS"})"), kAllOn);
  ASSERT_TRUE(mps.has_value());
  EXPECT_TRUE(std::get<MigDeviceConfig>(*mps).mps.has_value());
}

TEST(DeviceConfig, SettingsAreRead) {
  const auto slicing = DecodeDeviceConfig(
      Config("GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}})"),
      kAllOn);
  ASSERT_TRUE(slicing.has_value());
  EXPECT_EQ(std::get<TimeSliceInterval>(std::get<GpuConfig>(*slicing).sharing), TimeSliceInterval::kLong);
  const auto mps = DecodeDeviceConfig(
      Config("GpuConfig", R"(, "sharing": {"strategy": "MPS", "mpsConfig": {"defaultActiveThreadPercentage": 50,
        "defaultPinnedDeviceMemoryLimit": "10Gi", "defaultPerDevicePinnedMemoryLimit": {"0": "5Gi"}, "multiUser": true}})"),
      kAllOn);
  ASSERT_TRUE(mps.has_value()) << mps.error().message;
  const auto& settings = std::get<MpsSettings>(std::get<GpuConfig>(*mps).sharing);
  EXPECT_EQ(settings.default_active_thread_percentage, 50);
  EXPECT_EQ(settings.default_pinned_device_memory_limit->ToString(), "10Gi");
  EXPECT_EQ(settings.default_per_device_pinned_memory_limit.at("0").ToString(), "5Gi");
  EXPECT_TRUE(settings.multi_user);
  const auto vfio = DecodeDeviceConfig(
      Config("VfioDeviceConfig", R"(, "iommu": {"backendPolicy": "PreferIommuFD", "enableAPIDevice": true})"), kAllOn);
  ASSERT_TRUE(vfio.has_value());
  EXPECT_TRUE(std::get<VfioDeviceConfig>(*vfio).prefer_iommu_fd);
  EXPECT_TRUE(std::get<VfioDeviceConfig>(*vfio).enable_api_device);
}

TEST(DeviceConfig, WhatIsWrongIsNamed) {
  const char* mps_with_slicing = R"(, "sharing": {"strategy": "MPS", "timeSlicingConfig": {}})";
  struct Case {
    const char* kind;
    const char* rest;
    const char* message;
  };
  for (const Case& each : {
           Case{"GpuConfig", R"(, "sharin": {})", "strict decoding error: unknown field \"sharin\""},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "MPS", "x": 1})", "unknown field \"sharing.x\""},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "MPS", "mpsConfig": {"y": 1}})",
                "unknown field \"sharing.mpsConfig.y\""},
           Case{"MigDeviceConfig", R"(, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {}})",
                "unknown field \"sharing.timeSlicingConfig\""},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "Turns"})", "write TimeSlicing or MPS"},
           Case{"GpuConfig", R"(, "sharing": {"strategy": 5})", "sharing.strategy is a integer, not a string"},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Huge"}})",
                "write Default, Short, Medium or Long"},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing", "mpsConfig": {}})", "remove it"},
           Case{"GpuConfig", mps_with_slicing, "remove it"},
           Case{"GpuConfig", R"(, "sharing": {"strategy": "MPS", "mpsConfig": {"defaultActiveThreadPercentage": 101}})",
                "write 0 to 100"},
           Case{"GpuConfig",
                R"(, "sharing": {"strategy": "MPS", "mpsConfig": {"defaultPinnedDeviceMemoryLimit": "x"}})",
                "defaultPinnedDeviceMemoryLimit"},
           Case{"VfioDeviceConfig", R"(, "iommu": {"backendPolicy": "Any"})", "write LegacyOnly or PreferIommuFD"},
           Case{"ImexConfig", "", "write GpuConfig, MigDeviceConfig or VfioDeviceConfig"},
       }) {
    EXPECT_THAT(Refusal(each.kind, each.rest), HasSubstr(each.message)) << each.rest;
  }
  const auto version = DecodeDeviceConfig(*ParseJson(R"({"apiVersion": "v1", "kind": "GpuConfig"})"), kAllOn);
  EXPECT_THAT(version.error().message, HasSubstr("write resource.nvidia.com/v1beta1"));
  EXPECT_THAT(DecodeDeviceConfig(Json("text"), kAllOn).error().message, HasSubstr("is a string, not a map"));
}

TEST(DeviceConfig, StrategyWhoseGateIsOffIsRefusedNamingIt) {
  EXPECT_THAT(Refusal("GpuConfig", R"(, "sharing": {"strategy": "MPS"})", {}), HasSubstr("MPSSupport"));
  EXPECT_THAT(Refusal("GpuConfig", R"(, "sharing": {"strategy": "TimeSlicing"})", {}),
              HasSubstr("TimeSlicingSettings"));
  EXPECT_EQ(Refusal("GpuConfig", "", {}), "accepted");
  EXPECT_EQ(Refusal("MigDeviceConfig", R"(, "sharing": {"strategy": "TimeSlicing"})", {}), "accepted")
      << "it does nothing on a MIG device";
}

api::DeviceAllocationConfiguration Entry(const char* source, std::vector<std::string> requests, const std::string& kind,
                                         const std::string& rest = "") {
  return {source, std::move(requests), api::OpaqueDeviceConfiguration{kDriver, Config(kind, rest)}};
}
std::string Interval(const char* name) {
  return fmt::format(R"(, "sharing": {{"strategy": "TimeSlicing", "timeSlicingConfig": {{"interval": "{}"}}}})", name);
}
api::DeviceRequestAllocationResult Given(const char* request, const char* device, const char* driver = kDriver) {
  api::DeviceRequestAllocationResult result;
  result.request = request;
  result.driver = driver;
  result.device = device;
  return result;
}
// The interval that each result ended with, "-" without one; in the order of the results.
std::vector<std::string> Intervals(const api::DeviceAllocationResult& allocation) {
  std::vector<std::string> names(allocation.results.size(), "none");
  const auto groups = GroupByConfig(allocation, kDriver, kAllOn);
  if (!groups) return {groups.error().message};
  for (const ConfigGroup& group : *groups) {
    for (const std::size_t index : group.results) {
      const auto* config = std::get_if<GpuConfig>(&group.config);
      const auto* interval = config == nullptr ? nullptr : std::get_if<TimeSliceInterval>(&config->sharing);
      names[index] = interval == nullptr ? "-" : std::to_string(static_cast<int>(*interval));
    }
  }
  return names;
}

TEST(ConfigPrecedence, ClaimGoesBeforeClassAndLaterBeforeEarlier) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "gpu-0"), Given("b", "gpu-1"), Given("c", "gpu-2")};
  allocation.config = {Entry("FromClaim", {"a"}, "GpuConfig", Interval("Short")),
                       Entry("FromClass", {}, "GpuConfig", Interval("Long")),
                       Entry("FromClaim", {"a", "b"}, "GpuConfig", Interval("Medium")),
                       Entry("FromClass", {"c"}, "GpuConfig", Interval("Short"))};
  EXPECT_THAT(Intervals(allocation), ElementsAre("2", "2", "1"));
}

TEST(ConfigPrecedence, EntryWithoutRequestsHoldsWhereItsKindFits) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "gpu-0"), Given("b", "gpu-1-mig-1g10gb-19-0")};
  allocation.config = {Entry("FromClaim", {}, "GpuConfig", Interval("Long")),
                       Entry("FromClaim", {}, "MigDeviceConfig")};
  EXPECT_THAT(Intervals(allocation), ElementsAre("3", "-"));
}

TEST(ConfigPrecedence, NamedEntryOfAnotherKindIsAnError) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "gpu-0")};
  allocation.config = {Entry("FromClaim", {"a"}, "MigDeviceConfig")};
  EXPECT_THAT(Intervals(allocation), ElementsAre(HasSubstr("config[0] (FromClaim) is for another kind of device")));
}

TEST(ConfigPrecedence, ParentsNameHoldsForItsSubrequests) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a/whole", "gpu-0"), Given("ab", "gpu-1")};
  allocation.config = {Entry("FromClaim", {"a"}, "GpuConfig", Interval("Short"))};
  EXPECT_THAT(Intervals(allocation), ElementsAre("1", "-"));
  allocation.config.push_back(Entry("FromClaim", {"a/whole"}, "GpuConfig", Interval("Long")));
  EXPECT_THAT(Intervals(allocation), ElementsAre("3", "-"));
}

TEST(ConfigPrecedence, OtherDriversArePassedOver) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "nic-0", "nic.example.com"), Given("a", "gpu-0")};
  allocation.config = {Entry("FromClaim", {}, "GpuConfig", ", \"nonsense\": 1")};
  allocation.config[0].opaque->driver = "nic.example.com";
  EXPECT_THAT(Intervals(allocation), ElementsAre("none", "-"));
}

TEST(ConfigPrecedence, DevicesOfOneEntryAreOneGroup) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "gpu-0"), Given("b", "gpu-1"), Given("a", "gpu-2")};
  allocation.config = {Entry("FromClaim", {"a"}, "GpuConfig", Interval("Short"))};
  const auto groups = GroupByConfig(allocation, kDriver, kAllOn);
  ASSERT_TRUE(groups.has_value());
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_THAT((*groups)[0].results, ElementsAre(0u, 2u));
  EXPECT_THAT((*groups)[1].results, ElementsAre(1u));
}

TEST(ConfigPrecedence, EntryWithoutOpaqueAndUnknownSourceAreErrors) {
  api::DeviceAllocationResult allocation;
  allocation.results = {Given("a", "gpu-0")};
  allocation.config = {{"FromClaim", {}, std::nullopt}};
  EXPECT_THAT(Intervals(allocation), ElementsAre(HasSubstr("only opaque")));
  allocation.config = {Entry("FromNowhere", {}, "GpuConfig")};
  EXPECT_THAT(Intervals(allocation), ElementsAre(HasSubstr("neither FromClass nor FromClaim")));
}

MpsSettings Limits(const char* all, std::map<std::string, Quantity> each) {
  MpsSettings settings;
  if (*all != '\0') settings.default_pinned_device_memory_limit = *Quantity::Parse(all);
  settings.default_per_device_pinned_memory_limit = std::move(each);
  return settings;
}

TEST(PinnedMemoryLimits, NamesDevicesByUuidOrByIndexAmongSortedUuids) {
  const std::vector<std::string> uuids = {"GPU-b", "GPU-a"};
  const auto limits = PinnedMemoryLimits(Limits("10Gi", {{"1", *Quantity::Parse("5Gi")}}), uuids);
  ASSERT_TRUE(limits.has_value());
  EXPECT_THAT(*limits, ElementsAre(Pair("GPU-a", "10240M"), Pair("GPU-b", "5120M")));
  const auto by_uuid = PinnedMemoryLimits(Limits("", {{"GPU-a", *Quantity::Parse("3145728")}}), uuids);
  ASSERT_TRUE(by_uuid.has_value());
  EXPECT_THAT(*by_uuid, ElementsAre(Pair("GPU-a", "3M")));
}

TEST(PinnedMemoryLimits, TooLowAndUnknownDevicesAreErrors) {
  const std::vector<std::string> uuids = {"GPU-a"};
  EXPECT_THAT(PinnedMemoryLimits(Limits("1048575", {}), uuids).error().message, HasSubstr("set too low"));
  for (const char* key : {"1", "-1", "GPU-z", "0x0", ""}) {
    const auto limits = PinnedMemoryLimits(Limits("", {{key, *Quantity::Parse("1Gi")}}), uuids);
    ASSERT_FALSE(limits.has_value()) << key;
    EXPECT_THAT(limits.error().message, HasSubstr("invalid device")) << key;
  }
}

}  // namespace
}  // namespace kumiko::node
