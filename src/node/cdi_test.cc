#include "node/cdi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace kumiko::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Cdi, FileHasDevicesFirstAndWhatAllShareLast) {
  const CdiEdits common{.env = {"NVIDIA_VISIBLE_DEVICES=void"},
                        .device_nodes = {{"/dev/nvidiactl", "/run/driver/dev/nvidiactl", 195, 255, 0666}},
                        .mounts = {{"/run/driver/lib/a.so", "/lib/a.so", {"ro", "rbind"}}}};
  const CdiDevice device{"3f0c-gpu-0", {{}, {{"/dev/nvidia0", "/dev/nvidia0", 195, 0, 0666}}, {}}};
  EXPECT_EQ(WriteCdi({device}, WriteCommonEdits(common)), R"(cdiVersion: "0.5.0"
kind: k8s.gpu.nvidia.com/claim
devices:
- name: 3f0c-gpu-0
  containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
      type: c
      major: 195
      minor: 0
      fileMode: 438
      permissions: rwm
containerEdits:
  env:
  - NVIDIA_VISIBLE_DEVICES=void
  deviceNodes:
  - path: /dev/nvidiactl
    hostPath: /run/driver/dev/nvidiactl
    type: c
    major: 195
    minor: 255
    fileMode: 438
    permissions: rwm
  mounts:
  - hostPath: /run/driver/lib/a.so
    containerPath: /lib/a.so
    options:
    - ro
    - rbind
)");
  EXPECT_EQ(CdiDeviceName("3f0c", "gpu-0"), device.name);
  EXPECT_EQ(CdiDeviceId("3f0c", "gpu-0"), "k8s.gpu.nvidia.com/claim=3f0c-gpu-0");
}

TEST(CdiFolder, ClaimsFilesComeAndGoAndOthersAreLeftAlone) {
  const TemporaryDirectory folder = *TemporaryDirectory::Create();
  const CdiFolder cdi(folder.path() + "/cdi");
  EXPECT_THAT(*cdi.Claims(), IsEmpty());
  ASSERT_TRUE(cdi.Write("b", "one").has_value());
  ASSERT_TRUE(cdi.Write("a", "two").has_value());
  ASSERT_TRUE(cdi.Write("a", "three").has_value());
  std::ofstream(cdi.path() + "/nvidia.yaml") << "x";
  std::ofstream(cdi.path() + "/k8s.gpu.nvidia.com-claim_c.yaml.x1") << "being written";
  EXPECT_THAT(*cdi.Claims(), ElementsAre("a", "b"));
  EXPECT_EQ(*ReadFile(cdi.path() + "/k8s.gpu.nvidia.com-claim_a.yaml"), "three");
  EXPECT_TRUE(cdi.Has("a"));
  ASSERT_TRUE(cdi.Remove("a").has_value());
  ASSERT_TRUE(cdi.Remove("a").has_value()) << "it is gone already";
  EXPECT_FALSE(cdi.Has("a"));
  EXPECT_TRUE(std::filesystem::exists(cdi.path() + "/nvidia.yaml"));
}

TEST(CdiFolder, NoUidLeadsOutOfTheFolder) {
  const TemporaryDirectory folder = *TemporaryDirectory::Create();
  const CdiFolder cdi(folder.path() + "/cdi");
  ASSERT_TRUE(cdi.Write("../../evil", "x").has_value());
  EXPECT_THAT(*ListFiles(folder.path(), ""), IsEmpty());
  EXPECT_EQ(ListFiles(cdi.path(), "")->size(), 1u);
}

}  // namespace
}  // namespace kumiko::node
