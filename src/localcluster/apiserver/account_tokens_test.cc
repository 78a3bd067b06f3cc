#include "localcluster/apiserver/account_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kumiko::localcluster {
namespace {

constexpr Time kNow{1'700'000'000'000'000};

std::string TokenOf(const AccountTokens& tokens) {
  return tokens.Sign({.namespace_ = "default",
                      .name = "robot",
                      .uid = "u",
                      .audiences = JsonArray{Json(kAccountIssuer)},
                      .issued = kNow,
                      .expires = kNow + std::chrono::hours(1)});
}

TEST(AccountTokens, AreTakenUntilTheyExpire) {
  const AccountTokens tokens("key");
  const std::string token = TokenOf(tokens);
  EXPECT_EQ(std::ranges::count(token, '.'), 2);
  EXPECT_TRUE(tokens.Knows(token, kNow));
  EXPECT_TRUE(tokens.Knows(token, kNow + std::chrono::minutes(59)));
  EXPECT_FALSE(tokens.Knows(token, kNow + std::chrono::hours(1)));
}

TEST(AccountTokens, OfAnotherKeyOrChangedAreNot) {
  const AccountTokens tokens("key");
  std::string token = TokenOf(tokens);
  EXPECT_FALSE(AccountTokens("other").Knows(token, kNow));
  for (const std::size_t at : {std::size_t{0}, token.find('.') + 5, token.size() - 2}) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(tokens.Knows(changed, kNow)) << changed;
  }
  for (const char* text : {"", ".", "..", "a.b", "a.b.c"}) EXPECT_FALSE(tokens.Knows(text, kNow)) << text;
}

}  // namespace
}  // namespace kumiko::localcluster
