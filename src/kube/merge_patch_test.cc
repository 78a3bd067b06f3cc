#include "kube/merge_patch.h"

#include <gtest/gtest.h>

namespace kumiko::kube {
namespace {

TEST(MergePatch, FollowsTheExamplesOfTheStandard) {
  struct Row {
    const char* target;
    const char* patch;
    const char* result;
  };
  const Row rows[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const Row& row : rows) {
    Json target = ParseJson(row.target).value();
    MergePatch(target, ParseJson(row.patch).value());
    EXPECT_EQ(WriteJson(target), row.result) << row.target << " with " << row.patch;
  }
}

}  // namespace
}  // namespace kumiko::kube
