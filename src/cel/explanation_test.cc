// What an expression says about itself: the keys it reads, its conjuncts, and why a device does not match.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cel/expression.h"

namespace kumiko::cel {
namespace {

using ::testing::ElementsAre;

struct Fixture {
  std::vector<DeviceAttribute> attributes = {
      {"gpu.nvidia.com", "architecture", std::string("Ampere")},
      {"gpu.nvidia.com", "cudaComputeCapability", Version{"8.0.0"}},
      {"gpu.nvidia.com", "index", std::int64_t{3}},
      {"gpu.nvidia.com", "healthy", false},
  };
  std::vector<DeviceCapacity> capacity = {{"gpu.nvidia.com", "memory", *Quantity::Parse("10Gi")}};

  Mismatch Explain(std::string_view text) const {
    const auto expression = Expression::Compile(text);
    EXPECT_TRUE(expression.has_value()) << expression.error().message;
    if (!expression) return {};
    return expression->ExplainMismatch({"gpu.nvidia.com", attributes, capacity, false});
  }
};

TEST(ExplainMismatch, NamesTheAttributeAndWhatItShouldBe) {
  const Fixture device;
  const Mismatch mismatch = device.Explain(
      R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].architecture == "Hopper")");
  EXPECT_EQ(mismatch.kind, Mismatch::Kind::kFalse);
  EXPECT_EQ(mismatch.index, 1U);
  EXPECT_EQ(mismatch.conjunct, R"(device.attributes["gpu.nvidia.com"].architecture == "Hopper")");
  EXPECT_EQ(mismatch.attribute, "architecture");
  EXPECT_EQ(mismatch.detail, "attribute architecture is Ampere, needs Hopper");
}

TEST(ExplainMismatch, KnowsTheUsualComparisons) {
  const Fixture device;
  const std::pair<const char*, const char*> rows[] = {
      {R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("16Gi")) >= 0)",
       "capacity memory is 10Gi, needs at least 16Gi"},
      {R"(device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("16Gi")))",
       "capacity memory is 10Gi, needs more than 16Gi"},
      {R"(quantity("16Gi") == device.capacity["gpu.nvidia.com"].memory)", "capacity memory is 10Gi, needs 16Gi"},
      {R"(device.attributes["gpu.nvidia.com"].cudaComputeCapability.isGreaterThan(semver("8.0.0")))",
       "attribute cudaComputeCapability is 8.0.0, needs more than 8.0.0"},
      {R"(device.attributes["gpu.nvidia.com"].architecture in ["Hopper", "Blackwell"])",
       "attribute architecture is Ampere, needs one of [Hopper, Blackwell]"},
      {R"(device.attributes["gpu.nvidia.com"].?architecture.orValue("") == "Hopper")",
       "attribute architecture is Ampere, needs Hopper"},
      {R"(device.attributes["gpu.nvidia.com"].index < 2)", "attribute index is 3, needs less than 2"},
      {R"(4 <= device.attributes["gpu.nvidia.com"].index)", "attribute index is 3, needs at least 4"},
      {R"(device.attributes["gpu.nvidia.com"].index != 3)", "attribute index is 3, needs another value"},
      {R"(device.attributes["gpu.nvidia.com"].healthy)", "attribute healthy is false, needs true"},
      {R"(has(device.attributes["gpu.nvidia.com"].profile))", "attribute profile does not exist"},
      {R"(device.attributes["gpu.nvidia.com"].?profile.orValue("") == "1g")", "attribute profile does not exist"},
      {R"(device.driver == "other")", R"(device.driver == "other" is false)"},
  };
  for (const auto& [text, detail] : rows) EXPECT_EQ(device.Explain(text).detail, detail) << text;
}

TEST(ExplainMismatch, TellsMissingFromFalseAndBroken) {
  const Fixture device;
  const Mismatch missing = device.Explain(R"(device.attributes["gpu.nvidia.com"].migProfile == "1g.10gb")");
  EXPECT_EQ(missing.kind, Mismatch::Kind::kAttributeMissing);
  EXPECT_EQ(missing.detail, "attribute migProfile does not exist");
  EXPECT_EQ(device.Explain(R"(device.attributes["gpu.nvidia.com"].index.lowerAscii() == "x")").kind,
            Mismatch::Kind::kError);
  EXPECT_EQ(device.Explain("true").kind, Mismatch::Kind::kNone);
}

TEST(ExplainMismatch, PrefersAFalsePartToAnError) {
  const Fixture device;
  const Mismatch mismatch = device.Explain(R"((device.attributes["x"].y == 1 && true) && device.driver == "other")");
  EXPECT_EQ(mismatch.kind, Mismatch::Kind::kFalse);
  EXPECT_EQ(mismatch.index, 2U);
}

std::vector<std::string> KeysOf(std::string_view text) {
  const auto expression = Expression::Compile(text);
  EXPECT_TRUE(expression.has_value());
  if (!expression->ReadKeys()) return {"anything"};
  std::vector<std::string> keys;
  for (const AttributeKey& key : *expression->ReadKeys()) {
    keys.push_back((key.map == AttributeKey::Map::kCapacity ? "capacity:" : "") + key.domain + "/" + key.id);
  }
  return keys;
}

TEST(ReadKeys, AreExactForConstantNames) {
  EXPECT_THAT(KeysOf(R"(device.attributes["a"].x == 1 && device.capacity["b"]["y"] == quantity("1") ||
                        has(device.attributes.c.z) && device.attributes["a"].?w.hasValue())"),
              ElementsAre("a/w", "a/x", "c/z", "capacity:b/y"));
  EXPECT_THAT(KeysOf(R"(device.driver == "x" && !device.allowMultipleAllocations)"), ElementsAre());
}

TEST(ReadKeys, WidenToTheDomainOrToEverything) {
  EXPECT_THAT(KeysOf(R"(cel.bind(a, device.attributes["a"], a.x == 1))"), ElementsAre("a/"));
  EXPECT_THAT(KeysOf(R"("x" in device.attributes["a"])"), ElementsAre("a/"));
  EXPECT_THAT(KeysOf(R"("x" in device.attributes)"), ElementsAre("anything"));
  EXPECT_THAT(KeysOf(R"(device.attributes[device.driver].x == 1)"), ElementsAre("anything"));
  EXPECT_THAT(KeysOf("cel.bind(d, device, d.driver == 'x')"), ElementsAre("anything"));
}

TEST(Conjuncts, AreTheTextBetweenTheTopLevelAnds) {
  const auto expression = Expression::Compile(R"( device.driver == "a&&b" && (true && (false || true)) && !false )");
  ASSERT_TRUE(expression.has_value());
  std::vector<std::string> texts;
  for (const auto& conjunct : expression->Conjuncts()) texts.push_back(conjunct.text);
  EXPECT_THAT(texts, ElementsAre(R"(device.driver == "a&&b")", "true", "(false || true)", "!false"));
}

}  // namespace
}  // namespace kumiko::cel
