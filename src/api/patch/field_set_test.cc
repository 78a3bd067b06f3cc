#include "api/patch/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace kumiko::api {
namespace {

using testing::ElementsAre;

PathElement Element(PathElement::Kind kind, int number) {
  static const char* const kNames[] = {"a", "b", "c"};
  PathElement element;
  element.kind = kind;
  const Json value = number == 2 ? Json(80) : Json(kNames[number]);
  switch (kind) {
    case PathElement::Kind::kField:
      element.name = kNames[number];
      break;
    case PathElement::Kind::kKey:
      element.key = {{"name", value}, {"port", number}};
      break;
    case PathElement::Kind::kValue:
      element.value = value;
      break;
    case PathElement::Kind::kIndex:
      element.index = number;
      break;
  }
  return element;
}

rc::Gen<FieldPath> Path() {
  const auto element =
      rc::gen::apply([](int kind, int number) { return Element(static_cast<PathElement::Kind>(kind), number); },
                     rc::gen::inRange(0, 4), rc::gen::inRange(0, 3));
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, 4),
                         [=](std::size_t length) { return rc::gen::container<FieldPath>(length, element); });
}

using Paths = std::set<std::string>;

Paths PathsOf(const FieldSet& set) {
  Paths paths;
  set.ForEach([&](const FieldPath& path) { paths.insert(PathText(path)); });
  return paths;
}

FieldSet SetOf(const std::vector<FieldPath>& paths) {
  FieldSet set;
  for (const FieldPath& path : paths) set.Insert(path);
  return set;
}

std::vector<FieldPath> AnyPaths() {
  return *rc::gen::container<std::vector<FieldPath>>(Path());
}

RC_GTEST_PROP(FieldSet, ActsLikeASetOfPaths, ()) {
  const std::vector<FieldPath> some = AnyPaths();
  const std::vector<FieldPath> others = AnyPaths();
  const FieldSet left = SetOf(some);
  const FieldSet right = SetOf(others);
  const Paths a = PathsOf(left);
  const Paths b = PathsOf(right);
  Paths both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  Paths shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(shared, shared.end()));
  Paths rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  RC_ASSERT(PathsOf(Union(left, right)) == both);
  RC_ASSERT(PathsOf(Intersection(left, right)) == shared);
  RC_ASSERT(PathsOf(Difference(left, right)) == rest);
  for (const FieldPath& path : some) RC_ASSERT(left.Has(path));
  for (const FieldPath& path : others) RC_ASSERT(left.Has(path) == a.contains(PathText(path)));
}

RC_GTEST_PROP(FieldSet, DropsWhatIsBelowAMemberRecursively, ()) {
  const std::vector<FieldPath> paths = AnyPaths();
  const std::vector<FieldPath> dropped = AnyPaths();
  const FieldSet rest = RecursiveDifference(SetOf(paths), SetOf(dropped));
  for (const FieldPath& path : paths) {
    const bool gone = std::ranges::any_of(dropped, [&](const FieldPath& prefix) {
      return prefix.size() <= path.size() &&
             std::ranges::equal(prefix,
                                FieldPath(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(prefix.size())),
                                [](const PathElement& x, const PathElement& y) { return Compare(x, y) == 0; });
    });
    RC_ASSERT(rest.Has(path) == !gone);
  }
}

RC_GTEST_PROP(FieldSet, ComesBackFromItsText, ()) {
  const FieldSet set = SetOf(AnyPaths());
  const Json text = WriteFieldsV1(set);
  const auto again = ParseFieldsV1(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(PathsOf(*again) == PathsOf(set));
  RC_ASSERT(WriteJson(WriteFieldsV1(*again)) == WriteJson(text));
}

TEST(FieldSet, OrdersNumbersByValueAndKindsByTheirRank) {
  const auto set = ParseFieldsV1(ParseJson(R"({"v:\"x\"":{},"i:10":{},"i:9":{},"f:b":{"f:c":{}},"f:a":{},
    "k:{\"port\":8080}":{},"k:{\"port\":443}":{".":{},"f:z":{}},"k:{\"name\":\"<\"}":{}})")
                                     .value());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(WriteJson(WriteFieldsV1(*set)),
            R"({"f:a":{},"f:b":{"f:c":{}},"k:{\"name\":\"\\u003c\"}":{},"k:{\"port\":443}":{".":{},"f:z":{}},)"
            R"("k:{\"port\":8080}":{},"v:\"x\"":{},"i:9":{},"i:10":{}})");
}

TEST(FieldSet, ReadsWhatItKnowsAndNamesWhatItCannotRead) {
  const auto read = [](const char* text) { return ParseFieldsV1(ParseJson(text).value()); };
  EXPECT_EQ(WriteJson(WriteFieldsV1(read(R"({"x:later":{"f:a":{}},"f:b":{}})").value())), R"({"f:b":{}})");
  EXPECT_EQ(read(R"({"f":{}})").error().message, "key must be 2 characters long: f");
  EXPECT_EQ(read(R"({"field":{}})").error().message, "missing colon: field");
  EXPECT_EQ(read(R"({"i:x":{}})").error().message, R"(strconv.Atoi: parsing "x": invalid syntax)");
  EXPECT_FALSE(read(R"({"k:{":{}})"));
  EXPECT_FALSE(read(R"({"f:a":1})"));
}

TEST(FieldSet, WritesPathsAsMessagesDo) {
  const auto set =
      ParseFieldsV1(ParseJson(R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}},
                            "f:finalizers":{"v:\"a\\\"b\"":{},"i:3":{}}}})")
                        .value());
  std::vector<std::string> paths;
  set->ForEach([&](const FieldPath& path) { paths.push_back(PathText(path)); });
  EXPECT_THAT(paths,
              ElementsAre(R"(.spec.finalizers[="a\"b"])", ".spec.finalizers[3]",
                          R"(.spec.ports[port=80,protocol="TCP"])", R"(.spec.ports[port=80,protocol="TCP"].name)"));
}

}  // namespace
}  // namespace kumiko::api
