#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(QuantityFunctions, Calculate) {
  const Case cases[] = {
      {R"(quantity("1Gi") == quantity("1024Mi"))", R"(true)"},
      {R"(quantity("80Gi").isGreaterThan(quantity("80G")))", R"(true)"},
      {R"(quantity("1").isLessThan(quantity("1001m")))", R"(true)"},
      {R"(quantity("1").compareTo(quantity("2")))", R"(-1)"},
      {R"(quantity("1").add(quantity("500m")).isInteger())", R"(false)"},
      {R"(quantity("1k").sub(1).asInteger())", R"(999)"},
      {R"(quantity("1.5").asApproximateFloat())", R"(1.5)"},
      {R"(sign(quantity("-1m")))", R"(-1)"},
      {R"(quantity("1.5").asInteger())", R"(error: cannot convert value to integer)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(QuantityFunctions, SayWhatIsWrong) {
  const Case cases[] = {
      {R"(isQuantity("1K"))", R"(false)"},
      {R"(isQuantity("+"))", R"(true)"},
      {R"(quantity("1K"))", R"(error: unable to parse quantity's suffix)"},
      {R"(quantity("--1"))", R"(error: unable to parse quantity's suffix)"},
      {R"(quantity(".e-12"))", R"(error: unable to parse numeric part of quantity)"},
      {R"(quantity("1 "))",
       "error: quantities must match the regular expression "
       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
