#include "gpu/driver_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "gpu/pci_device.h"

namespace kumiko::gpu {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Root : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& content = "x") {
    fs::create_directories(fs::path(root() + path).parent_path());
    std::ofstream(root() + path) << content;
  }
  void Link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root() + path).parent_path());
    fs::create_symlink(target, root() + path);
  }
  const std::string& root() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
};

using DriverRoot = Root;

TEST_F(DriverRoot, LibraryIsFoundWhereDistributionsKeepIt) {
  Put("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05");
  Link("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "libnvidia-ml.so.580.95.05");
  const auto found = FindDriverLibrary(root());
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(*found, root() + "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.95.05");
}

TEST_F(DriverRoot, FolderOfTheLibrarysNameDoesNotHideTheLibrary) {
  fs::create_directories(root() + "/usr/lib64/libnvidia-ml.so.1");
  Put("/lib64/libnvidia-ml.so.1");
  EXPECT_EQ(FindDriverLibrary(root()).value_or(""), root() + "/lib64/libnvidia-ml.so.1");
}

TEST_F(DriverRoot, MissingLibraryIsToldWithTheFolders) {
  const auto found = FindDriverLibrary(root());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Code::kNotFound);
  EXPECT_THAT(found.error().message, HasSubstr("/usr/lib64, /usr/lib/x86_64-linux-gnu"));
}

TEST_F(DriverRoot, AbsoluteLinksLeadIntoTheRootAndNoneLeadsOut) {
  Put("/opt/driver/nvidia-smi");
  Link("/usr/bin/nvidia-smi", "/opt/driver/nvidia-smi");
  EXPECT_EQ(ResolveInRoot(root(), "/usr/bin/nvidia-smi").value_or(""), root() + "/opt/driver/nvidia-smi");
  Link("/usr/bin/out", "../../../../../../../../../opt/driver/nvidia-smi");
  EXPECT_EQ(ResolveInRoot(root(), "/usr/bin/out").value_or(""), root() + "/opt/driver/nvidia-smi");
  EXPECT_EQ(FindDriverProgram(root(), "nvidia-smi").value_or(""), "/usr/bin/nvidia-smi");
}

TEST_F(DriverRoot, LinksInACircleEnd) {
  Link("/a", "/b");
  Link("/b", "/a");
  const auto found = ResolveInRoot(root(), "/a");
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("too many links"));
}

TEST_F(DriverRoot, DevicesAreBelowTheDriverOnlyIfItHasThem) {
  EXPECT_EQ(DeviceRoot(root()), "/");
  fs::create_directories(root() + "/dev");
  EXPECT_EQ(DeviceRoot(root()), root());
}

using PciDevice = Root;

TEST_F(PciDevice, AddressLosesTheHighZerosOfItsDomain) {
  EXPECT_EQ(PciAddress("00000000:1A:00.0"), "0000:1a:00.0");
  EXPECT_EQ(PciAddress("00010000:1A:00.0"), "00010000:1a:00.0");
  EXPECT_EQ(PciAddress("0000:CB:00.0"), "0000:cb:00.0");
}

TEST_F(PciDevice, SysfsTellsRootPortAndMemoryAndDisplayNodes) {
  const std::string device = "/sys/devices/pci0000:18/0000:18:01.0/0000:1a:00.0";
  Put(device + "/numa_node", "1\n");
  fs::create_directories(root() + device + "/drm/renderD129");
  fs::create_directories(root() + device + "/drm/card1");
  fs::create_directories(root() + device + "/drm/version");
  Link("/sys/bus/pci/devices/0000:1a:00.0", "../../../devices/pci0000:18/0000:18:01.0/0000:1a:00.0");
  EXPECT_EQ(PcieRoot(root(), "0000:1a:00.0"), "pci0000:18");
  EXPECT_EQ(NumaNode(root(), "0000:1a:00.0"), 1);
  EXPECT_THAT(DrmNodes(root(), "0000:1a:00.0"), ElementsAre("card1", "renderD129"));
}

TEST_F(PciDevice, WhatTheKernelDoesNotSayIsLeftOut) {
  Put("/sys/devices/platform/x/0000:1a:00.0/numa_node", "-1\n");
  Link("/sys/bus/pci/devices/0000:1a:00.0", "../../../devices/platform/x/0000:1a:00.0");
  EXPECT_EQ(PcieRoot(root(), "0000:1a:00.0"), std::nullopt);
  EXPECT_EQ(NumaNode(root(), "0000:1a:00.0"), std::nullopt);
  EXPECT_EQ(PcieRoot(root(), "0000:ff:00.0"), std::nullopt);
  EXPECT_TRUE(DrmNodes(root(), "0000:ff:00.0").empty());
}

}  // namespace
}  // namespace kumiko::gpu
