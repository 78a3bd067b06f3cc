#include "cel/cost_estimate.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cel/checker.h"
#include "cel/parser.h"

namespace kumiko::cel {
namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

std::uint64_t Estimate(const std::string& text, const Environment& environment) {
  auto ast = Parse(text);
  if (!ast) ADD_FAILURE() << text << ": " << ast.error().front().message;
  if (!ast) return 0;
  const auto checked = Check(*std::move(ast), environment);
  if (!checked) ADD_FAILURE() << text << ": " << checked.error().front().message;
  return checked ? EstimateCost(*checked, environment).max : 0;
}

struct Case {
  std::string text;
  std::uint64_t max;
};

void ExpectEstimates(const std::vector<Case>& cases) {
  const Environment& environment = Environment::Dra(Mode::kStored, {});
  for (const auto& [text, max] : cases) EXPECT_EQ(Estimate(text, environment), max) << text;
}

// A text that is longer than any attribute.
const std::string kLong = '"' + std::string(300, 'a') + '"';

TEST(CostEstimate, ReadsOfTheDevice) {
  ExpectEstimates({
      {"true", 0},
      {R"(device.driver == "x")", 3},
      {R"(device.driver in ["a", "b"])", 14},
      {R"(device.attributes["d"].n)", 4},
      {R"(device.attributes["d"].n > 0)", 5},
      {R"("d" in device.attributes)", 3},
      {R"(has(device.attributes["d"].n))", 3},
      {R"(device.attributes["d"].l.includes(2))", 68},
      {R"(device.attributes.?d.?foo.hasValue())", 5},
      {R"(device == device)", 2},
      {"device.driver == " + kLong, 9},
      {R"(device.attributes["d"].s == )" + kLong, 11},
  });
}

TEST(CostEstimate, Loops) {
  ExpectEstimates({
      {R"(device.attributes["d"].l.all(x, x > 0))", 325},
      {R"(cel.bind(a, device.attributes["d"], a.i > 1 && a.b))", 18},
      {"[3,1,2].sort() == [1,2,3]", 50},
      {"[1,2,3].transformList(i,v,v*2) == [2,4,6]", 74},
      {"[1].filter(x, x > 2).size() > 1", 38},
      {"lists.range(5).all(x, x > 2)", 42},
  });
}

// A second step from the same map takes the place of the first, in the reference too: with `v` beside it, `k` is as
// long as a value.
TEST(CostEstimate, KeysBesideTheirValues) {
  ExpectEstimates({
      {R"(device.attributes["d"].all(k, k == )" + kLong + ")", 260},
      {R"(device.attributes["d"].all(k, v, k == )" + kLong + ")", 356},
      {R"(device.capacity["d"].all(k, v, k == )" + kLong + ")", 132},
      {"device.attributes.all(d, m, d == " + kLong + ")", 355},
  });
}

TEST(CostEstimate, SizesFollowLiterals) {
  ExpectEstimates({
      {R"({"a": "bcd"}.all(k, v, v == )" + kLong + ")", 36},
      {R"(["aaa", "b"].map(x, x + x).all(y, y == )" + kLong + ")", 62},
      {R"((true ? ["a"] : ["bbb"]).all(x, x == )" + kLong + ")", 16},
      {R"({"device": {"driver": "x"}}.device.driver == )" + kLong, 69},
  });
}

TEST(CostEstimate, WhatNothingBounds) {
  ExpectEstimates({
      {R"([1,2,3].slice(2,1).size() == 1)", kUnbounded},
      {R"(["a", "b"].join("-") == "a-b")", 1844674407370955275},
      {"string(1) == string(2)", 1844674407370955266},
      {R"(quantity("1") != quantity("1"))", 1844674407370955266},
  });
}

TEST(CostEstimate, NewExpressionsKnowTheSame) {
  const Environment& environment = Environment::Dra(Mode::kNew, {.list_type_attributes = true});
  EXPECT_EQ(Estimate(R"(device.attributes["d"].l.all(x, x > 0))", environment), 325U);
}

}  // namespace
}  // namespace kumiko::cel
