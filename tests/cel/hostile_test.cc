// Hostile expressions end: the limits on length, depth and cost stop each of them. bench/cel/limits prints how soon.
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>

#include "cel/expression.h"
#include "cel/hostile_expressions.h"

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

INSTANTIATE_TEST_SUITE_P(All, HostileText, ::testing::ValuesIn(HostileExpressions()),
                         [](const auto& test) { return "Number" + std::to_string(test.index); });

}  // namespace
}  // namespace kumiko::cel
