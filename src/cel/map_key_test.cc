// Which values are the same key of a map: some by what they are, others by where they come from. The answers are those
// of the reference.
#include <gtest/gtest.h>

#include <string_view>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

void ExpectTrue(std::initializer_list<std::string_view> expressions) {
  for (const std::string_view text : expressions) EXPECT_EQ(Answer(text), "true") << text;
}

TEST(MapKeys, WhatEveryRoundMakesIsAnotherKey) {
  ExpectTrue({
      R"([1, 2].transformMapEntry(i, v, {quantity("1"): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {dyn(quantity("1")): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {quantity("1").add(quantity("1")): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {url("http://a/b"): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {optional.of(1): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {dyn([v - v]): v}).size() == 2)",
      R"([1, 2].transformMapEntry(i, v, {timestamp("2020-01-01T00:00:00+01" + ":30"): v}).size() == 2)",
      R"({quantity("1"): 1, quantity("1"): 2}.size() == 2)",
      R"({[]: 1, []: 2}.size() == 2)",
      R"(!(quantity("1") in {quantity("1"): 1}))",
  });
}

TEST(MapKeys, WhatIsMadeOnceIsOneKey) {
  for (const std::string_view text : {
           R"([1, 2].transformMapEntry(i, v, {dyn([1]): v}))",
           R"([1, 2].transformMapEntry(i, v, {dyn([]): v}))",
           R"([1, 2].transformMapEntry(i, v, {dyn({}): v}))",
           R"([1, 2].transformMapEntry(i, v, {dyn(optional.none()): v}))",
           R"([1, 2].transformMapEntry(i, v, {ip("1.2.3.4"): v}))",
           R"([1, 2].transformMapEntry(i, v, {timestamp("2020-01-01T00:00:00+01:30"): v}))",
           R"([1, 2].transformMapEntry(i, v, {timestamp("2020-01-01T00:00:00+01" + ":00"): v}))",
           R"(cel.bind(q, quantity("1"), [1, 2].transformMapEntry(i, v, {q: v})))",
       }) {
    EXPECT_TRUE(Answer(text).starts_with("error: insert failed: key ")) << text;
  }
  ExpectTrue({
      R"(cel.bind(q, quantity("1"), {q: 1, q: 2}.size() == 1 && q in {q: 1}))",
      R"(cel.bind(l, [], l in {l: 1}))",
      R"(cel.bind(l, [].map(x, x), l in {l: 1}))",
      R"(cel.bind(m, {}, m in {m: 1}))",
      R"(cel.bind(l, [1], (l + []) in {l: 1} && ([] + l) in {l: 1}))",
      R"(cel.bind(l, [1], !(l.slice(0, 1) in {l: 1})))",
      R"(cel.bind(l, [optional.of(1)], l[0] in {l[0]: 1}))",
      R"(cel.bind(m, {optional.of(1): 1}, m == m))",
  });
}

TEST(MapKeys, ReadingAnOptionalMakesAnother) {
  ExpectTrue({
      "cel.bind(o, optional.of(1), !(o in {o: 1}))",
      "cel.bind(o, optional.of(1), o == o)",
      "cel.bind(l, [1], !(l.first() in {l.first(): 1}))",
      "cel.bind(l, [1], !(l[?0] in {l[?0]: 1}))",
  });
}

TEST(MapKeys, TimesAreKeysWithTheirZone) {
  ExpectTrue({
      R"(timestamp("2020-01-01T00:00:00+01:00") in {timestamp("2020-01-01T00:00:00+01:00"): 1})",
      R"(!(timestamp("2020-01-01T00:00:00+01:30") in {timestamp("2020-01-01T00:00:00+01:30"): 1}))",
      R"(!(timestamp("2020-01-01T01:00:00+01:00") in {timestamp("2020-01-01T00:00:00Z"): 1}))",
      R"(!(timestamp("2020-01-01T00:00:00+00:00") in {timestamp("2020-01-01T00:00:00Z"): 1}))",
      R"(timestamp("2020-01-01T00:00:00+00:00") == timestamp("2020-01-01T00:00:00Z"))",
      R"(cel.bind(t, timestamp("2020-01-01T00:00:00+01:30"), t + duration("1s") in {t + duration("1s"): 1}))",
      R"(timestamp(1577836800) in {timestamp("2020-01-01T00:00:00Z"): 1})",
  });
}

}  // namespace
}  // namespace kumiko::cel
