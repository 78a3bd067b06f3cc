#include "api/patch/merge_patch.h"

#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

TEST(MergePatch, FollowsTheStandardAndTheApiServer) {
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
      // kube-apiserver goes on where the standard leaves lists alone.
      {R"({})", R"({"a":[{"b":null,"c":[null]}]})", R"({"a":[{"c":[null]}]})"},
      {R"({"a":[1]})", R"({"a":[{"b":null}]})", R"({"a":[{}]})"},
      {R"({"a":{"x":1}})", R"({"a":[{"b":null}]})", R"({"a":[{"b":null}]})"},
  };
  for (const Row& row : rows) {
    Json target = ParseJson(row.target).value();
    MergePatch(target, ParseJson(row.patch).value());
    EXPECT_EQ(WriteJson(target), row.result) << row.target << " with " << row.patch;
  }
}

}  // namespace
}  // namespace kumiko::api
