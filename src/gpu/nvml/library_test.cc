#include "gpu/nvml/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"

namespace kumiko::gpu {
namespace {

using ::testing::HasSubstr;

TEST(NvmlLibrary, FileThatIsNoLibraryIsNamed) {
  const TemporaryDirectory folder = *TemporaryDirectory::Create();
  const std::string path = folder.path() + "/libnvidia-ml.so.1";
  std::ofstream(path) << "no library";
  const auto opened = Nvml::Open(path);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::kNotFound);
  EXPECT_THAT(opened.error().message, HasSubstr(path));
}

TEST(NvmlLibrary, LibraryWithoutNvmlsFunctionsSaysWhichIsMissing) {
  const auto opened = Nvml::Open("libc.so.6");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().message, "nvmlInit_v2 of libc.so.6: the library has no such function (13)");
}

TEST(NvmlLibrary, FunctionThatIsNotThereAnswersSo) {
  const NvmlFunction<nvmlDevice_t, unsigned*> missing(nullptr, "nvmlDeviceGetNothing");
  unsigned number = 0;
  EXPECT_EQ(missing(nullptr, &number), NVML_ERROR_FUNCTION_NOT_FOUND);
  EXPECT_FALSE(missing.present());
}

TEST(NvmlError, NamesCallGpuAndReason) {
  const Error lost = NvmlError("nvmlDeviceGetName", "gpu-3 (GPU-1)", NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(lost.message, "nvmlDeviceGetName of gpu-3 (GPU-1): GPU is lost (15)");
  EXPECT_TRUE(lost.Retryable());
  EXPECT_EQ(NvmlError("nvmlDeviceGetName", "", static_cast<nvmlReturn_t>(77)).message,
            "nvmlDeviceGetName: NVML error 77");
  EXPECT_EQ(NvmlError("x", "", NVML_ERROR_NO_PERMISSION).code, Code::kPermission);
}

}  // namespace
}  // namespace kumiko::gpu
