#include "cli/file_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/files.h"

namespace kumiko::cli {
namespace {

TEST(FileOutput, WritesAllOfALongText) {
  const auto directory = TemporaryDirectory::Create();
  const std::string path = directory->path() + "/out";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  const std::string text(20000, 'x');
  {
    FileOutput output(file);
    output.stream() << text << 1;
    EXPECT_EQ(output.Finish(), 0);
  }
  ::close(file);
  EXPECT_EQ(*ReadFile(path), text + "1");
}

TEST(FileOutput, TellsWhyNothingIsWritten) {
  const int full = ::open("/dev/full", O_WRONLY);
  FileOutput output(full);
  output.stream() << "a page" << std::flush;
  EXPECT_FALSE(output.stream());
  EXPECT_EQ(output.Finish(), ENOSPC);
  ::close(full);

  FileOutput closed(-1);
  closed.stream() << "a page";
  EXPECT_EQ(closed.Finish(), EBADF);
}

}  // namespace
}  // namespace kumiko::cli
