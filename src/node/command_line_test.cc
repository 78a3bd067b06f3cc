#include "node/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace kumiko::node {
namespace {

using ::testing::HasSubstr;

tl::expected<CommandLine, NothingToRun> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kumiko-node");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, DefaultsAreThoseOfTheKubelet) {
  const auto line = Parse({"--node-name", "n"});
  ASSERT_TRUE(line.has_value()) << line.error().text;
  EXPECT_EQ(line->driver.node_name, "n");
  EXPECT_EQ(line->driver.plugins_folder, "/var/lib/kubelet/plugins");
  EXPECT_EQ(line->driver.registrar_folder, "/var/lib/kubelet/plugins_registry");
  EXPECT_EQ(line->driver.cdi_root, "/etc/cdi");
  EXPECT_EQ(line->driver.places.host_driver_root, "/");
  EXPECT_EQ(line->driver.health_port, std::nullopt);
}

TEST(CommandLine, OwnDriverRootIsThatOfTheHostUnlessItIsThere) {
  const TemporaryDirectory folder = *TemporaryDirectory::Create();
  const auto in_pod = Parse(
      {"--node-name=n", "--nvidia-driver-root=/run/nvidia/driver", "--container-driver-root", folder.path().c_str()});
  ASSERT_TRUE(in_pod.has_value());
  EXPECT_EQ(in_pod->driver.places.driver_root, folder.path());
  EXPECT_EQ(in_pod->driver.places.host_driver_root, "/run/nvidia/driver");
  const auto on_host =
      Parse({"--node-name=n", "--nvidia-driver-root=/opt/x", "--container-driver-root=/nowhere/at/all"});
  ASSERT_TRUE(on_host.has_value());
  EXPECT_EQ(on_host->driver.places.driver_root, "/opt/x");
}

TEST(CommandLine, MissingNodeNameAndPositionalArgumentsAreErrors) {
  const auto nameless = Parse({});
  ASSERT_FALSE(nameless.has_value());
  EXPECT_TRUE(nameless.error().is_error);
  EXPECT_THAT(nameless.error().text, HasSubstr("--node-name"));
  EXPECT_FALSE(Parse({"--node-name=n", "more"}).has_value());
  EXPECT_TRUE(Parse({"--dry-run"}).has_value()) << "it writes nothing, so it needs no node";
  const auto help = Parse({"--help"});
  ASSERT_FALSE(help.has_value());
  EXPECT_FALSE(help.error().is_error);
}

TEST(FeatureGates, WhatIsNotThereIsRefusedByName) {
  EXPECT_TRUE(CheckFeatureGates("").has_value());
  EXPECT_TRUE(CheckFeatureGates("DynamicMIG=false, MPSSupport=false,").has_value());
  EXPECT_THAT(CheckFeatureGates("DynamicMIG=true").error().message, HasSubstr("DynamicMIG is not built into"));
  EXPECT_THAT(CheckFeatureGates("DynamicMiG=true").error().message, HasSubstr("did you mean DynamicMIG?"));
  EXPECT_THAT(CheckFeatureGates("MPSSupport").error().message, HasSubstr("write MPSSupport=true or MPSSupport=false"));
}

}  // namespace
}  // namespace kumiko::node
