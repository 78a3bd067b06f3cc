#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(Url, TakesApart) {
  const Case cases[] = {
      {R"(url("https://user@example.com:8080/a b?k=v#f").getScheme())", R"("https")"},
      {R"(url("https://user@example.com:8080/a b?k=v#f").getHost())", R"("example.com:8080")"},
      {R"(url("https://user@example.com:8080/a b?k=v#f").getHostname())", R"("example.com")"},
      {R"(url("https://user@example.com:8080/a b?k=v#f").getPort())", R"("8080")"},
      {R"(url("https://user@example.com:8080/a b?k=v#f").getEscapedPath())", R"("/a%20b")"},
      {R"(url("http://[::1]:80/").getHostname())", R"("::1")"},
      {R"(url("//h/p").getHost())", R"("h")"},
      {R"(url("/p?k=v&k=w&a=1;b=2&c=%41+x&%zz=1").getQuery())", R"({"c": ["A x"], "k": ["v", "w"]})"},
      {R"(url("HTTP://h/") == url("http://h/"))", R"(true)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Url, SaysWhatIsWrong) {
  const Case cases[] = {
      {R"(isURL("*"))", R"(true)"},
      {R"(isURL("a"))", R"(false)"},
      {R"(url("../a"))",
       "error: URL parse error during conversion from string: parse \"../a\": invalid URI for "
       "request"},
      {R"(url("https://a:b/"))",
       "error: URL parse error during conversion from string: parse \"https://a:b/\": invalid "
       "port \":b\" after host"},
      {R"(url("//a b/"))",
       "error: URL parse error during conversion from string: parse \"//a b/\": invalid character "
       "\" \" in host name"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
