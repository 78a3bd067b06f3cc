#include "cel/library/time_zone.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace kumiko::cel {
namespace {

std::string Big(std::uint64_t value, std::size_t width) {
  std::string bytes(width, '\0');
  for (std::size_t i = width; i-- > 0; value >>= 8U) bytes[i] = static_cast<char>(value & 0xFFU);
  return bytes;
}

// A file with one change, to summer time at 1000, and `footer` for what comes later.
std::string ZoneFile(std::string_view footer) {
  const std::string header = "TZif2" + std::string(15, '\0');
  const std::string empty = header + std::string(24, '\0');
  std::string file = empty + header + Big(0, 4) + Big(0, 4) + Big(0, 4) + Big(1, 4) + Big(2, 4) + Big(4, 4);
  file += Big(1000, 8) + '\1';
  file += Big(3600, 4) + std::string(2, '\0') + Big(7200, 4) + '\1' + '\0';
  file += std::string("CET\0", 4) + '\n' + std::string(footer) + '\n';
  return file;
}

TEST(TimeZone, FollowsTransitionsThenTheFooter) {
  const std::string file = ZoneFile("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(ZoneOffsetFromFile(file, 999), 3600);
  EXPECT_EQ(ZoneOffsetFromFile(file, 4'078'000'000), 3600);  // 2099-03-24
  EXPECT_EQ(ZoneOffsetFromFile(file, 4'078'429'199), 3600);  // 2099-03-29, one second before the change
  EXPECT_EQ(ZoneOffsetFromFile(file, 4'078'429'200), 7200);
  EXPECT_EQ(ZoneOffsetFromFile(ZoneFile(""), 4'078'429'200), 7200);
  EXPECT_EQ(ZoneOffsetFromFile(ZoneFile("<-03>3<-02>,J60/0,300/-1"), 4'078'429'200), -7200);
}

TEST(TimeZone, SouthOfTheEquatorSummerSpansTheNewYear) {
  const std::string file = ZoneFile("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(ZoneOffsetFromFile(file, 4'070'908'800), 11 * 3600);  // 2099-01-01
  EXPECT_EQ(ZoneOffsetFromFile(file, 4'086'547'200), 10 * 3600);  // 2099-07-01
}

TEST(TimeZone, RefusesDamagedFiles) {
  const std::string file = ZoneFile("UTC0");
  for (std::size_t size = 0; size + 6 < file.size(); ++size) {
    EXPECT_FALSE(ZoneOffsetFromFile(std::string_view(file).substr(0, size), 0)) << size;
  }
  std::string wrong_type = file;
  wrong_type[44 + 44 + 8] = '\7';
  EXPECT_EQ(ZoneOffsetFromFile(wrong_type, 0).error(), "malformed time zone information");
}

TEST(TimeZone, NamesComeFromTheSystem) {
  EXPECT_EQ(ZoneOffset("", 0), 0);
  EXPECT_EQ(ZoneOffset("nowhere", 0).error(), "unknown time zone nowhere");
  EXPECT_EQ(ZoneOffset("/etc/passwd", 0).error(), "time: invalid location name");
  if (!std::filesystem::exists("/usr/share/zoneinfo/America/New_York")) GTEST_SKIP() << "no tz database here";
  EXPECT_EQ(ZoneOffset("America", 0).error(), "is a directory");
  EXPECT_EQ(ZoneOffset("America/New_York", 1'700'000'000), -5 * 3600);
  EXPECT_EQ(ZoneOffset("America/New_York", 4'000'000'000), -4 * 3600);
  EXPECT_EQ(ZoneOffset("America/New_York", -4'000'000'000), -(4 * 3600 + 56 * 60 + 2));
}

}  // namespace
}  // namespace kumiko::cel
