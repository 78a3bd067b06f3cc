#include "node/driver_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class DriverFiles : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& content = "x") {
    fs::create_directories(fs::path(root() + path).parent_path());
    std::ofstream(root() + path) << content;
  }
  void Link(const std::string& path, const std::string& target) { fs::create_symlink(target, root() + path); }
  DriverPlaces Places() const { return {root(), "/run/nvidia/driver", root()}; }
  // "host -> container" of each mount.
  static std::vector<std::string> Mounts(const CdiEdits& edits) {
    std::vector<std::string> mounts;
    for (const CdiMount& mount : edits.mounts) mounts.push_back(mount.host_path + " -> " + mount.container_path);
    return mounts;
  }
  const std::string& root() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_ = *TemporaryDirectory::Create();
};

TEST_F(DriverFiles, LibrariesOfTheVersionAreMountedByNameAndByLoadName) {
  const std::string folder = "/usr/lib/x86_64-linux-gnu";
  for (const char* name : {"libnvidia-ml", "libcuda"}) {
    Put(fmt::format("{}/{}.so.580.95.05", folder, name));
    Link(fmt::format("{}/{}.so.1", folder, name), fmt::format("{}.so.580.95.05", name));
    Link(fmt::format("{}/{}.so", folder, name), fmt::format("{}.so.1", name));
  }
  Put(folder + "/libother.so.1");
  Put(folder + "/libold.so.535.1");
  Put("/usr/bin/nvidia-smi");
  Put("/lib/firmware/nvidia/580.95.05/gsp_ga10x.bin");
  Put("/lib/firmware/nvidia/580.95.05/other.bin");
  const auto edits = CommonEdits(Places(), "580.95.05");
  ASSERT_TRUE(edits.has_value()) << edits.error().message;
  const std::string host = "/run/nvidia/driver" + folder;
  EXPECT_THAT(Mounts(*edits),
              ElementsAre(host + "/libcuda.so.580.95.05 -> " + folder + "/libcuda.so",
                          host + "/libcuda.so.580.95.05 -> " + folder + "/libcuda.so.1",
                          host + "/libcuda.so.580.95.05 -> " + folder + "/libcuda.so.580.95.05",
                          host + "/libnvidia-ml.so.580.95.05 -> " + folder + "/libnvidia-ml.so.1",
                          host + "/libnvidia-ml.so.580.95.05 -> " + folder + "/libnvidia-ml.so.580.95.05",
                          "/run/nvidia/driver/usr/bin/nvidia-smi -> /usr/bin/nvidia-smi",
                          "/run/nvidia/driver/lib/firmware/nvidia/580.95.05/gsp_ga10x.bin -> "
                          "/lib/firmware/nvidia/580.95.05/gsp_ga10x.bin"));
  EXPECT_THAT(edits->env, ElementsAre("NVIDIA_CTK_LIBCUDA_DIR=" + folder, "NVIDIA_VISIBLE_DEVICES=void"));
}

TEST_F(DriverFiles, WithoutALibraryThereIsNoDriver) {
  const auto edits = CommonEdits(Places(), "580.95.05");
  ASSERT_FALSE(edits.has_value());
  EXPECT_EQ(edits.error().code, Code::kNotFound);
}

TEST_F(DriverFiles, GpuThatHasNoNodeYetHasTheNumberThatTheKernelRegistered) {
  Put("/dev/other");
  Put("/proc/devices", "Character devices:\n  1 mem\n188 nvidia-frontend\n\nBlock devices:\n  7 nvidia-frontend\n");
  gpu::BoardInstance board;
  board.minor = 3;
  const CdiEdits edits = GpuEdits(Places(), board);
  EXPECT_THAT(edits.device_nodes,
              ElementsAre(CdiDeviceNode{"/dev/nvidia3", "/run/nvidia/driver/dev/nvidia3", 188, 3, 0666}));
}

TEST_F(DriverFiles, NodesHaveTheNumbersThatTheyHaveOnTheHost) {
  Put("/usr/lib64/libnvidia-ml.so.1");
  fs::create_directories(root() + "/dev");
  if (::mknod((root() + "/dev/nvidiactl").c_str(), S_IFCHR | 0666, makedev(195, 255)) != 0 ||
      ::mknod((root() + "/dev/nvidia-uvm").c_str(), S_IFCHR | 0666, makedev(511, 0)) != 0 ||
      ::mknod((root() + "/dev/nvidia0").c_str(), S_IFCHR | 0666, makedev(195, 7)) != 0) {
    GTEST_SKIP() << "making device nodes needs root";
  }
  Put("/dev/nvidia-modeset", "an ordinary file");
  const auto edits = CommonEdits(Places(), "1");
  ASSERT_TRUE(edits.has_value());
  EXPECT_THAT(edits->device_nodes,
              ElementsAre(CdiDeviceNode{"/dev/nvidiactl", "/run/nvidia/driver/dev/nvidiactl", 195, 255, 0666},
                          CdiDeviceNode{"/dev/nvidia-uvm", "/run/nvidia/driver/dev/nvidia-uvm", 511, 0, 0666}));
  const CdiEdits gpu = GpuEdits(Places(), gpu::BoardInstance{});
  EXPECT_THAT(gpu.device_nodes,
              ElementsAre(CdiDeviceNode{"/dev/nvidia0", "/run/nvidia/driver/dev/nvidia0", 195, 7, 0666}));
}

}  // namespace
}  // namespace kumiko::node
