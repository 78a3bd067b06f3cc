#include "base/compression.h"

#include <gtest/gtest.h>

namespace kumiko {
namespace {

TEST(Compression, GivesBackWhatItTookAndIsShorter) {
  std::string text;
  for (int line = 0; line < 1000; ++line) text += "{\"kind\":\"Pod\",\"number\":" + std::to_string(line) + "}\n";
  const std::string frame = Compress(text);
  EXPECT_LT(frame.size(), text.size() / 4);
  const Result<std::string> back = Decompress(frame, text.size());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, text);
  EXPECT_EQ(Decompress(Compress(""), 0).value(), "");
}

TEST(Compression, RefusesDamageAndTooMuch) {
  std::string frame = Compress(std::string(10'000, 'x') + "y");
  EXPECT_FALSE(Decompress(frame, 10'000));
  EXPECT_FALSE(Decompress("not a frame", 100));
  EXPECT_FALSE(Decompress("", 100));
  EXPECT_FALSE(Decompress(frame.substr(0, frame.size() - 2), 20'000));
}

}  // namespace
}  // namespace kumiko
