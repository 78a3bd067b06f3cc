#include "base/base64.h"

#include <gtest/gtest.h>

namespace kumiko {
namespace {

TEST(Base64, WritesThePaddingOfRfc4648) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foo"), "Zm9v");
  EXPECT_EQ(EncodeBase64("\xff\xfe\xfd"), "//79");
}

TEST(Base64, ReadsWhatItWrites) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(DecodeBase64(EncodeBase64(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  EXPECT_EQ(DecodeBase64("Zg"), std::nullopt);
  EXPECT_EQ(DecodeBase64("Z===="), std::nullopt);
  EXPECT_EQ(DecodeBase64("Zg==Zg=="), std::nullopt);
  EXPECT_EQ(DecodeBase64("a-b_"), std::nullopt);
  EXPECT_EQ(DecodeBase64("Zm\n9v\r\n"), "foo");
}

}  // namespace
}  // namespace kumiko
