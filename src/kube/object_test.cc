#include "kube/object.h"

#include <gtest/gtest.h>

namespace kumiko::kube {
namespace {

Json Slice(std::size_t devices) {
  JsonArray list;
  for (std::size_t i = 0; i < devices; ++i) {
    list.push_back(JsonObject{{"name", "gpu-" + std::to_string(i)}, {"attributes", JsonObject{{"minor", i}}}});
  }
  return {{"kind", "ResourceSlice"},
          {"metadata", {{"name", "a"}, {"resourceVersion", "7"}, {"finalizers", JsonArray{"x"}}}},
          {"spec", {{"nodeName", "n"}, {"pool", {{"name", "p"}, {"generation", 1}}}, {"devices", std::move(list)}}}};
}

TEST(Object, KeepsSmallTreesAsTheyAre) {
  const auto tree = std::make_shared<const Json>(Slice(3));
  const Object object = Object::Compact(tree);
  EXPECT_EQ(object.tree(), tree);
  EXPECT_EQ(&object.outline(), tree.get());
  EXPECT_EQ(object.compressed(), "");
}

TEST(Object, GivesBackLargeOnesWhole) {
  const Object object = Object::Compact(std::make_shared<const Json>(Slice(1000)));
  EXPECT_GT(object.compressed().size(), 100U);
  EXPECT_LT(object.compressed().size(), Object::kLargeBytes);
  EXPECT_EQ(*object.tree(), Slice(1000));
}

TEST(Object, OutlinesMetadataAndPlainMembers) {
  const Json large = Slice(1000);
  const Object object = Object::Compact(std::make_shared<const Json>(large));
  const Json expected{{"kind", "ResourceSlice"},
                      {"metadata", large.at("metadata")},
                      {"spec", {{"nodeName", "n"}, {"pool", {{"name", "p"}, {"generation", 1}}}}}};
  EXPECT_EQ(object.outline(), expected);
}

TEST(Object, SelectorsSeeNamesLabelsAndPlainFields) {
  const Json pod{{"kind", "Pod"},
                 {"metadata",
                  {{"name", "a"},
                   {"labels", {{"app", "x"}}},
                   {"annotations", {{"note", "y"}}},
                   {"managedFields", JsonArray{JsonObject{{"manager", "z"}}}}}},
                 {"spec", {{"nodeName", "n"}, {"containers", JsonArray{JsonObject{{"name", "c"}}}}}},
                 {"status", {{"phase", "Running"}}}};
  const Json expected{{"kind", "Pod"},
                      {"metadata", {{"name", "a"}, {"labels", {{"app", "x"}}}}},
                      {"spec", {{"nodeName", "n"}}},
                      {"status", {{"phase", "Running"}}}};
  EXPECT_EQ(Object(std::make_shared<const Json>(pod)).Selectable().outline(), expected);
  EXPECT_EQ(Object().Selectable(), Object());
}

TEST(Object, LongTextIsNoOutline) {
  const Json map{{"kind", "ConfigMap"},
                 {"metadata", {{"name", "a"}}},
                 {"data", {{"long", std::string(100'000, 'x')}, {"short", "y"}}}};
  const Object object = Object::Compact(std::make_shared<const Json>(map));
  EXPECT_EQ(object.outline().at("data"), (Json{{"short", "y"}}));
  EXPECT_EQ(*object.tree(), map);
}

TEST(Object, NoneIsNull) {
  EXPECT_TRUE(Object() == nullptr);
  EXPECT_EQ(Object().tree(), nullptr);
  EXPECT_EQ(Object::Compact(nullptr), Object());
  const auto tree = std::make_shared<const Json>(Slice(1));
  EXPECT_EQ(Object(tree), Object(tree));
  EXPECT_FALSE(Object(tree) == Object(std::make_shared<const Json>(Slice(1)))) << "equal, but another copy";
}

}  // namespace
}  // namespace kumiko::kube
