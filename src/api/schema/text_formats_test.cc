#include "api/schema/text_formats.h"

#include <gtest/gtest.h>

namespace kumiko::api::internal {
namespace {

struct FormatCase {
  std::string_view format;
  std::string_view text;
  bool fits;
};

class Formats : public testing::TestWithParam<FormatCase> {};

TEST_P(Formats, AreRecognised) {
  const auto& [format, text, fits] = GetParam();
  EXPECT_EQ(HasFormat(text, format), fits) << format << " " << text;
}

// As kube-apiserver 1.37.2 answers.
constexpr FormatCase kCases[] = {
    {"date", "2026-01-02", true},
    {"date", "2026-13-02", false},
    {"date-time", "2026-01-02T03:04:05Z", true},
    {"date-time", "2026-01-02t03:04:05.5+01:00", true},
    {"date-time", "2026-01-02T24:04:05Z", false},
    {"byte", "YWJj", true},
    {"byte", "x y", false},
    {"uuid", "123E4567-e89b-12d3-a456-426614174000", true},
    {"uuid4", "123e4567-e89b-12d3-a456-426614174000", false},
    {"ipv4", "1.2.3.4", true},
    {"ipv4", "01.2.3.4", true},
    {"ipv4", "1.2.3.256", false},
    {"ipv6", "::1", true},
    {"ipv6", "1::2::3", false},
    {"ipv6", "::ffff:1.2.3.4", true},
    {"ipv6", "1.2.3.4", false},
    {"cidr", "10.0.0.0/8", true},
    {"cidr", "10.0.0.0/33", false},
    {"cidr", "::/0", true},
    {"email", "a@b", true},
    {"email", "A <a@b.c>", true},
    {"email", "ab", false},
    {"hostname", "a.example", true},
    {"hostname", "a-b", true},
    {"hostname", "-a", false},
    {"hostname", "a_b", false},
    {"hostname", "a.b", false},
    {"hostname",
     "b\xC3\xBC"
     "cher.example",
     true},
    {"uri", "http://a/b", true},
    {"uri", "/x", true},
    {"uri", "x y", false},
    {"duration", "1h30m", true},
    {"duration", "2 days", true},
    {"duration", "x", false},
    {"mac", "01:23:45:67:89:ab", true},
    {"mac", "01:23", false},
    {"hexcolor", "#fff", true},
    {"hexcolor", "#ggg", false},
    {"isbn", "978-0321751041", true},
    {"isbn10", "0321751043", true},
    {"isbn10", "0321751044", false},
    {"creditcard", "4111 1111 1111 1111", true},
    {"creditcard", "4111 1111 1111 1112", false},
    {"ssn", "111-22-3333", true},
    {"rgbcolor", "rgb(1, 2, 255)", true},
    {"k8s-short-name", "a-b", true},
    {"k8s-short-name", "a.b", false},
    {"k8s-long-name", "a.b", true},
    {"password", "", true},
};
INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(kCases));

TEST(EffectiveFormat, DependsOnTheType) {
  EXPECT_EQ(EffectiveFormat("int32", "integer"), "int32");
  EXPECT_EQ(EffectiveFormat("int32", "string"), "");
  EXPECT_EQ(EffectiveFormat("date-time", "string"), "date-time");
  EXPECT_EQ(EffectiveFormat("date-time", "object"), "");
  EXPECT_EQ(EffectiveFormat("gadget", "string"), "");
}

}  // namespace
}  // namespace kumiko::api::internal
