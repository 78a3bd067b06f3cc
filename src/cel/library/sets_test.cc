#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(Sets, CompareLists) {
  const Case cases[] = {
      {R"(sets.contains([1, 2, 3], [2, 1]))", R"(true)"},
      {R"(sets.contains([1], []))", R"(true)"},
      {R"(sets.contains([1], [2]))", R"(false)"},
      {R"(sets.equivalent([1, 1, 2], [2, 1]))", R"(true)"},
      {R"(sets.equivalent([1], [1, 2]))", R"(false)"},
      {R"(sets.equivalent([dyn(1)], [dyn(1u), dyn(1.0)]))", R"(true)"},
      {R"(sets.intersects([1, 2], [3]))", R"(false)"},
      {R"(sets.intersects([[1], [2]], [[2]]))", R"(true)"},
      {R"(sets.contains([dyn("a")], [dyn(semver("1.2.3"))]))", R"(false)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
