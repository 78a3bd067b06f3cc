#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(KubernetesLists, LookAtOrder) {
  const Case cases[] = {
      {R"([1, 2, 2].isSorted())", R"(true)"},
      {R"([1, 3, 2].isSorted())", R"(false)"},
      {R"(["a", "b"].isSorted())", R"(true)"},
      {R"([].isSorted())", R"(true)"},
      {R"(dyn([dyn(1), dyn("a"), dyn(0)]).isSorted())", R"(true)"},
      {R"([true, false].min())", R"(false)"},
      {R"([b"b", b"a"].max() == b"b")", R"(true)"},
      {R"([timestamp(5), timestamp(3)].min() == timestamp(3))", R"(true)"},
      {R"([dyn(1), dyn(0.5)].min())", R"(0.5)"},
      {R"([1.0, 0.0 / 0.0].min())", R"(1)"},
      {R"([].max())", R"(error: max called on empty list)"},
      {R"(dyn([]).min())", R"(error: min called on empty list)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(KubernetesLists, Add) {
  const Case cases[] = {
      {R"([1, 2].sum())", R"(3)"},
      {R"([1.5, 2.0].sum())", R"(3.5)"},
      {R"([1u].sum())", R"(1u)"},
      {R"([].sum())", R"(0)"},
      {R"([duration("1s"), duration("2m")].sum() == duration("121s"))", R"(true)"},
      {R"([9223372036854775807, 1].sum())", R"(error: integer overflow)"},
      {R"([18446744073709551615u, 1u].sum())", R"(error: unsigned integer overflow)"},
      {R"(dyn([dyn(duration("1s")), dyn(timestamp(0))]).sum() == timestamp(1))", R"(true)"},
      {R"(dyn([dyn(1), dyn("a")]).sum())", R"(error: no such overload)"},
      {R"([true].sum())", R"(compile error: found no matching overload for 'sum' applied to 'list(bool).()')"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(KubernetesLists, FindItems) {
  const Case cases[] = {
      {R"(["b", "a", "b"].indexOf("b"))", R"(0)"}, {R"(["b", "a", "b"].lastIndexOf("b"))", R"(2)"},
      {R"([1, 2].indexOf(3))", R"(-1)"},           {R"([dyn(1), dyn(2.0)].indexOf(2))", R"(1)"},
      {R"([[1], [2]].indexOf([2]))", R"(1)"},      {R"([dyn(semver("1.2.3"))].indexOf(dyn("a")))", R"(-1)"},
      {R"([1, 2].includes(2))", R"(true)"},        {R"(dyn(1).includes(1u))", R"(true)"},
      {R"({1: 2}.includes({1: 2}))", R"(true)"},   {R"([1].includes("a"))", R"(false)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
