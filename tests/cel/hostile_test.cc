// Hostile expressions end: the limits on length, depth and cost stop each of them. bench/cel/limits prints how soon.
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>

#include "cel/expression.h"
#include "cel/hostile_expressions.h"
#include "cel/hostile_generator.h"

namespace kumiko::cel {

// Found by GoogleTest, for its messages.
void PrintTo(const HostileExpression& expression, std::ostream* out) {
  *out << expression.name;
}

namespace {

// 50 ms is what is wanted of each, on an idle machine and without sanitizers; this is what no machine takes.
constexpr std::chrono::seconds kLimit{5};

class HostileText : public ::testing::TestWithParam<HostileExpression> {};

TEST_P(HostileText, Ends) {
  const auto start = std::chrono::steady_clock::now();
  const auto expression = Expression::Compile(GetParam().text);
  if (expression) static_cast<void>(expression->Evaluate({}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLimit);
}

TEST(HostileGenerator, MakesTextsThatEnd) {
  HostileGenerator generator(1);
  int compiled = 0;
  constexpr int kTexts = 300;
  for (int i = 0; i < kTexts; ++i) {
    const HostileExpression made = generator.Next();
    const auto start = std::chrono::steady_clock::now();
    const auto expression = Expression::Compile(made.text);
    if (expression) static_cast<void>(expression->Evaluate({}));
    EXPECT_LT(std::chrono::steady_clock::now() - start, kLimit) << made.text;
    compiled += expression ? 1 : 0;
  }
  // Texts that do not compile test little.
  EXPECT_GT(compiled, kTexts * 3 / 4);
}

TEST(HostileGenerator, RepeatsItselfForOneSeed) {
  HostileGenerator one(7);
  HostileGenerator other(7);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.Next().text, other.Next().text);
}

INSTANTIATE_TEST_SUITE_P(All, HostileText, ::testing::ValuesIn(HostileExpressions()),
                         [](const auto& test) { return "Number" + std::to_string(test.index); });

}  // namespace
}  // namespace kumiko::cel
