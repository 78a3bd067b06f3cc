#include "cel/expression_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace kumiko::cel {
namespace {

TEST(ExpressionCache, SharesProgramsAndKeepsFailures) {
  ExpressionCache cache;
  EXPECT_TRUE(cache.Get("device.driver == 'a'").has_value());
  EXPECT_TRUE(cache.Get("device.driver == 'a'").has_value());
  EXPECT_FALSE(cache.Get("nope").has_value());
  EXPECT_EQ(cache.Get("nope").error(), Expression::Compile("nope").error());
  EXPECT_EQ(cache.size(), 2U);
}

TEST(ExpressionCache, DropsWhatWasNotUsedForLongest) {
  ExpressionCache cache(2);
  (void)cache.Get("true");
  (void)cache.Get("false");
  (void)cache.Get("true");
  (void)cache.Get("!true");
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_TRUE(cache.Get("false").has_value());
}

TEST(ExpressionCache, ServesManyThreads) {
  ExpressionCache cache(8);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (int i = 0; i < 500; ++i) {
        const auto expression = cache.Get("1 < " + std::to_string(i % 16));
        ASSERT_TRUE(expression.has_value());
        EXPECT_EQ(*expression->Matches({}), 1 < i % 16);
      }
    });
  }
}

}  // namespace
}  // namespace kumiko::cel
