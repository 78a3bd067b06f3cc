#include "cel/library/operators.h"

#include <gtest/gtest.h>

#include <string_view>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};

TEST(Operators, CalculateOrFail) {
  const Case cases[] = {
      {"1 + 2 * 3 - 4", "3"},
      {"7 / 2 * -1", "-3"},
      {"-7 % 4", "-3"},
      {"7u % 4u", "3u"},
      {"1.5 * 2.0", "3"},
      {"9223372036854775807 + 1", "error: integer overflow"},
      {"-9223372036854775808 - 1", "error: integer overflow"},
      {"-9223372036854775808 / -1", "error: integer overflow"},
      {"-(-9223372036854775808)", "error: integer overflow"},
      {"1u - 2u", "error: unsigned integer overflow"},
      {"1 / 0", "error: division by zero"},
      {"1 % 0", "error: modulus by zero"},
      {"1.0 / 0.0", "+Inf"},
      {R"("a" + "b")", R"("ab")"},
      {"[1] + [2]", "[1, 2]"},
      {R"(duration("1h") + duration("30m") == duration("90m"))", "true"},
      {R"(timestamp("2020-01-01T00:00:00Z") - timestamp("2019-12-31T00:00:00Z") == duration("24h"))", "true"},
      {"dyn(1) + 1.0", "error: no such overload"},
      {"dyn(true) + 1", "error: no such overload: _+_"},
      {R"(-dyn("a"))", "error: no such overload"},
      {"!dyn(1)", "error: no such overload"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Operators, Compare) {
  const Case cases[] = {
      {"1 < 1.5 && 2u > 1 && 1.0 <= 1u", "true"},
      {"dyn(1) == 1.0 && dyn(1u) == 1", "true"},
      {"9223372036854775807 < 9223372036854775808.0", "false"},
      {"0.0 / 0.0 == 0.0 / 0.0", "false"},
      {"0.0 / 0.0 < 1.0", "error: NaN values cannot be ordered"},
      {R"("a" < "b" && b"a" < b"b" && false < true)", "true"},
      {R"(dyn("a") < 1)", "error: no such overload"},
      {R"(dyn([1]) < dyn([2]))", "error: no such overload: _<_"},
      {R"(dyn("a") == 1)", "false"},
      {R"(dyn(semver("1.2.3")) == "1.2.3")", "error: no such overload"},
      {R"(dyn(semver("1.2.3")) != "1.2.3")", "true"},
      {R"(dyn(semver("1.2.3")) == null)", "false"},
      {R"({"a": [1, 2]} == {"a": [1, 2]})", "true"},
      {R"(quantity("2") == quantity("1").add(quantity("1")))", "error: no such overload"},
      {R"(quantity("1").add(quantity("1")) == quantity("2"))", "true"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Operators, FindAndCount) {
  const Case cases[] = {
      {"2 in [1, 2]", "true"},
      {"dyn(2.0) in [1, 2]", "true"},
      {R"("a" in {"a": 1})", "true"},
      {"dyn(1u) in {1: 2}", "true"},
      {"dyn(1) in dyn(2)", "error: no such overload"},
      {R"(size("h\u00e9") + b"h\303\251".size() + [1].size() + size({1: 2}))", "7"},
      {"size(dyn(1))", "error: no such overload: size"},
      {"[1, 2][1] + {1: 5}[dyn(1.0)]", "7"},
      {"[1, 2][5]", "error: index out of bounds: 5"},
      {"[1, 2][dyn(1.5)]", "error: unsupported index value 1.5 in list"},
      {R"([1, 2][dyn("a")])", "error: unsupported index type 'string' in list"},
      {R"({"a": 1}["b"])", "error: no such key: b"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
