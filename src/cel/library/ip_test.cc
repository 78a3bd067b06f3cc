#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(Ip, KnowsAddresses) {
  const Case cases[] = {
      {R"(ip("1.2.3.4").family())", R"(4)"},
      {R"(ip("::1").family())", R"(6)"},
      {R"(ip("::1").isLoopback())", R"(true)"},
      {R"(ip("0.0.0.0").isUnspecified())", R"(true)"},
      {R"(ip("224.0.0.1").isLinkLocalMulticast())", R"(true)"},
      {R"(ip("fe80::1").isLinkLocalUnicast())", R"(true)"},
      {R"(ip("10.0.0.1").isGlobalUnicast())", R"(true)"},
      {R"(ip("255.255.255.255").isGlobalUnicast())", R"(false)"},
      {R"(string(ip("2001:DB8:0:0:1:0:0:1")))", R"("2001:db8::1:0:0:1")"},
      {R"(ip.isCanonical("2001:DB8::1"))", R"(false)"},
      {R"(isIP("::1%a"))", R"(false)"},
      {R"(type(ip("1.2.3.4")) == net.IP)", R"(true)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Ip, KnowsBlocks) {
  const Case cases[] = {
      {R"(string(cidr("10.1.2.3/8").masked()))", R"("10.0.0.0/8")"},
      {R"(cidr("10.1.2.3/8") == cidr("10.0.0.0/8"))", R"(false)"},
      {R"(cidr("10.1.2.3/8").ip() == ip("10.1.2.3"))", R"(true)"},
      {R"(cidr("10.1.2.3/8").prefixLength())", R"(8)"},
      {R"(cidr("10.0.0.0/8").containsIP("10.1.2.3"))", R"(true)"},
      {R"(cidr("10.0.0.0/8").containsIP(ip("11.0.0.1")))", R"(false)"},
      {R"(cidr("::/0").containsIP("1.2.3.4"))", R"(false)"},
      {R"(cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16"))", R"(true)"},
      {R"(cidr("10.0.0.0/16").containsCIDR(cidr("10.0.0.0/8")))", R"(false)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Ip, SaysWhatIsWrong) {
  const Case cases[] = {
      {R"(ip("1.2.3"))",
       "error: IP Address \"1.2.3\" parse error during conversion from string: "
       "ParseAddr(\"1.2.3\"): IPv4 address too short"},
      {R"(ip("01.2.3.4"))",
       "error: IP Address \"01.2.3.4\" parse error during conversion from string: "
       "ParseAddr(\"01.2.3.4\"): IPv4 field has octet with leading zero"},
      {R"(ip("fe80::1%a"))", R"(error: IP address "fe80::1%a" with zone value is not allowed)"},
      {R"(ip("::ffff:1.2.3.4"))", R"(error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed)"},
      {R"(cidr("10.0.0.0/33"))",
       "error: network address parse error during conversion from string: network address parse "
       "error during conversion from string: netip.ParsePrefix(\"10.0.0.0/33\"): prefix length "
       "out of range"},
      {R"(cidr("10.0.0.0/8").containsIP("x"))", R"(error: no such overload)"},
      {R"(ip("1.2.3.4") == dyn("a"))", R"(error: no such overload)"},
      {R"(dyn("a") == ip("1.2.3.4"))", R"(false)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
