#include "cli/selector_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::cli {
namespace {

using ::testing::ElementsAre;

TEST(Conjuncts, SplitsAtTheTopLevelOnly) {
  EXPECT_THAT(Conjuncts("a == 1 && (b || c) && x.exists(y, y && z)"),
              ElementsAre("a == 1", "(b || c)", "x.exists(y, y && z)"));
  EXPECT_THAT(Conjuncts(R"(a == "x && y" && b)"), ElementsAre(R"(a == "x && y")", "b"));
}

TEST(Conjuncts, KeepsWholeWhatHoldsOnlyTogether) {
  EXPECT_THAT(Conjuncts("a && b || c"), ElementsAre("a && b || c"));
  EXPECT_THAT(Conjuncts("a ? b && c : d"), ElementsAre("a ? b && c : d"));
}

TEST(ShortForm, NamesWhatIsEqualToAText) {
  EXPECT_EQ(ShortForm(R"(device.attributes["gpu.nvidia.com"].architecture == "Hopper")"), (Wording{true, "Hopper"}));
  EXPECT_EQ(ShortForm(R"(device.attributes['gpu.nvidia.com']['profile'] == '1g.10gb')"), (Wording{true, "1g.10gb"}));
  EXPECT_EQ(ShortForm(R"(device.attributes["gpu.nvidia.com"].productName == "NVIDIA H200")"), (Wording{true, "H200"}));
}

TEST(ShortForm, SaysWhatIsComparedWithWhat) {
  const auto text = [](const char* conjunct) { return ShortForm(conjunct).text; };
  EXPECT_EQ(text(R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("16Gi")) >= 0)"), "memory ≥ 16Gi");
  EXPECT_EQ(text(R"(device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("16Gi")))"), "memory > 16Gi");
  EXPECT_EQ(text(R"(device.attributes["gpu.nvidia.com"].architecture != "Turing")"), "architecture ≠ Turing");
  EXPECT_EQ(text(R"(device.capacity["gpu.nvidia.com"].multiprocessors.asInteger() >= 30)"), "multiprocessors ≥ 30");
  EXPECT_EQ(text(R"(device.attributes["x.example.com"].fast)"), "fast");
}

TEST(AskedFor, NamesClassCountSelectorsAndConstraints) {
  api::DeviceSubRequest pair;
  pair.device_class_name = "gpu.nvidia.com";
  pair.count = 2;
  api::DeviceClaim claim;
  claim.requests = {{.name = "gpus", .exactly = pair, .first_available = {}}};
  claim.constraints = {
      {.requests = {"gpus"}, .match_attribute = "resource.kubernetes.io/pcieRoot", .distinct_attribute = std::nullopt}};
  EXPECT_EQ(AskedFor(claim), "2 × GPU, same pcieRoot");
}

TEST(AskedFor, ListsAlternativesInOrder) {
  api::DeviceSubRequest whole;
  whole.device_class_name = "gpu.nvidia.com";
  api::DeviceSubRequest part;
  part.device_class_name = "mig.nvidia.com";
  part.selectors = {{api::CelDeviceSelector{R"(device.attributes["gpu.nvidia.com"].profile == "3g.40gb")"}}};
  api::DeviceClaim claim;
  claim.requests = {{.name = "gpu", .exactly = std::nullopt, .first_available = {whole, part}}};
  EXPECT_EQ(AskedFor(claim), "GPU, else 3g.40gb part");
}

}  // namespace
}  // namespace kumiko::cli
