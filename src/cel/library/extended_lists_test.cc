#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(ExtendedLists, CutAndJoin) {
  const Case cases[] = {
      {R"([1, 2, 3].slice(1, 3))", R"([2, 3])"},
      {R"([1].slice(1, 1))", R"([])"},
      {R"([1].slice(0, 2))", R"(error: cannot slice(0, 2), list is length 1)"},
      {R"([1].slice(-1, 2))", R"(error: cannot slice(-1, 2), negative indexes not supported)"},
      {R"([1].slice(1, 0))", R"(error: cannot slice(1, 0), start index must be less than or equal to end index)"},
      {R"([[1], [2, 3]].flatten())", R"([1, 2, 3])"},
      {R"([dyn([dyn([1]), dyn(2)])].flatten(2))", R"([1, 2])"},
      {R"([dyn([dyn([1]), dyn(2)])].flatten(0).size())", R"(1)"},
      {R"([[1]].flatten(-1))", R"(error: level must be non-negative)"},
      {R"(dyn(1).flatten())", R"(error: no such overload: int.flatten())"},
      {R"([1, 2, 1].distinct())", R"([1, 2])"},
      {R"([dyn(1.0), dyn(1)].distinct())", R"([1])"},
      {R"([1, 2, 3].reverse())", R"([3, 2, 1])"},
      {R"(lists.range(4))", R"([0, 1, 2, 3])"},
      {R"(lists.range(-1))", R"(error: lists.range: size must be non-negative, got -1)"},
      {R"(lists.range(1000001))", R"(error: lists.range: size 1000001 exceeds maximum allowed (1000000))"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(ExtendedLists, Sort) {
  const Case cases[] = {
      {R"(["b", "a"].sort())", R"(["a", "b"])"},
      {R"([3, 1, 2].sort())", R"([1, 2, 3])"},
      {R"(["abc", "d", "ef"].sortBy(s, size(s)))", R"(["d", "ef", "abc"])"},
      {R"(dyn(1).sort())", R"(error: no such overload: sort)"},
      {R"(dyn("a").sort())", R"(error: no such overload)"},
      {R"(dyn([[1]]).sort())", R"(error: list elements must be comparable)"},
      {R"(dyn([dyn(1), dyn("a")]).sort())", R"(error: list elements must have the same type)"},
      {R"([[1]].sort())", R"(compile error: found no matching overload for 'sort' applied to 'list(list(int)).()')"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(ExtendedLists, SortEqualKeysAsKubernetesDoes) {
  const Case cases[] = {
      {R"(lists.range(12).sortBy(x, x % 2))", R"([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11])"},
      {R"(lists.range(20).sortBy(x, x % 2))",
       R"([10, 18, 2, 16, 4, 0, 6, 14, 8, 12, 5, 11, 9, 13, 7, 15, 3, 17, 1, 19])"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
