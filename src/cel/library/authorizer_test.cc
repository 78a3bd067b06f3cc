#include "cel/library/authorizer.h"

#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

TEST(Authorizer, IsCheckedAndFailsWhenItRuns) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"(dyn("a").path("b").check("c").allowed())", "error: no such overload: path(string, string)"},
      {R"(dyn(1).serviceAccount("a", "b").group("c").resource("d").subresource("e").namespace("f").name("g")
            .fieldSelector("h").labelSelector("i").check("get").reason())",
       "error: no such overload: serviceAccount(int, string, string)"},
      {R"(dyn(null).errored() || dyn(null).error() == "")", "error: no such overload: errored(null_type)"},
      {R"(dyn(1).check("a").allowed() || true)", "true"},
      {R"("a".name())", "compile error: found no matching overload for 'name' applied to 'string.()'"},
      {R"(dyn(1).check(1))", "compile error: found no matching overload for 'check' applied to 'dyn.(int)'"},
      {R"(dyn(1).path("a").name("b"))",
       "compile error: found no matching overload for 'name' applied to "
       "'kubernetes.authorization.PathCheck.(string)'"},
  };
  for (const auto& [expression, answer] : cases) EXPECT_EQ(Answer(expression), answer) << expression;
}

}  // namespace
}  // namespace kumiko::cel
