#include "api/patch/json_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = PatchError::Kind;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << text << ": " << json.error().message;
  return json.value_or(Json());
}

// The patched document, or the message.
std::string Patched(std::string_view document, std::string_view patch) {
  const auto result = ApplyJsonPatch(Parse(document), Parse(patch));
  return result ? WriteJson(*result) : result.error().message;
}

TEST(JsonPatch, DoesEachOperation) {
  struct Row {
    const char* document;
    const char* patch;
    const char* result;
  };
  const Row rows[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[2]}])", R"({"a":1,"b":[2]})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":3}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1,2]})"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"b":null}}])", R"({"a":{"b":null}})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":[1]}])", R"([1])"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/a/c"}])", R"({"a":{"b":1,"c":{"b":1}}})"},
      {R"({"a/b":{"m~n":1}})", R"([{"op":"replace","path":"/a~1b/m~0n","value":2}])", R"({"a/b":{"m~n":2}})"},
      {R"({"~1":1})", R"([{"op":"remove","path":"/~01"}])", R"({})"},
      {R"({"":1})", R"([{"op":"remove","path":"/"}])", R"({})"},
      {R"({"a":{"x":[1],"y":2}})", R"([{"op":"test","path":"/a","value":{"y":2,"x":[1]}}])",
       R"({"a":{"x":[1],"y":2}})"},
      {R"({"a":1})", R"([{"op":"test","path":"/b","value":null},{"op":"test","path":"/b"}])", R"({"a":1})"},
      {R"({"a":1})", "[]", R"({"a":1})"},
      {R"({"a":1})", "null", R"({"a":1})"},
  };
  for (const Row& row : rows) EXPECT_EQ(Patched(row.document, row.patch), row.result) << row.patch;
}

TEST(JsonPatch, TakesWhatTheApiServerTakesBeyondTheStandard) {
  EXPECT_EQ(Patched(R"({})", R"([{"op":"replace","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"copy","from":"/a","path":"/b"}])"), R"({"b":null})");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"add","path":"/a"}])"), R"({"a":null})");
  EXPECT_EQ(Patched(R"({})", R"([{"op":"add","path":"ignored/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(Patched(R"({"a":[1]})", R"([{"op":"replace","path":"/a/+0","value":2}])"), R"({"a":[2]})");
}

TEST(JsonPatch, SaysWhatDoesNotFit) {
  struct Row {
    const char* patch;
    const char* message;
  };
  const Row rows[] = {
      {R"([{"op":"add","path":"/x/y","value":1}])",
       R"(add operation does not apply: doc is missing path: "/x/y": missing value)"},
      {R"([{"op":"add","path":"","value":1}])",
       R"(add operation does not apply: doc is missing path: "": missing value)"},
      {R"([{"op":"add","path":"/l/7","value":1}])",
       "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index referenced"},
      {R"([{"op":"add","path":"/l/x","value":1}])",
       "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid "
       "syntax"},
      {R"([{"op":"add","value":1}])", "add operation failed to decode path: missing value"},
      {R"([{"op":"remove","path":"/x"}])",
       "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value"},
      {R"([{"op":"remove","path":"/l/2"}])",
       "error in remove for path: '/l/2': Unable to access invalid index: 2: invalid index referenced"},
      {R"([{"op":"replace","path":"/l/-","value":1}])",
       "replace operation does not apply: doc is missing key: /l/-: missing value"},
      {R"([{"op":"replace","value":1}])",
       "replace operation failed to decode path: operation missing path field: missing value"},
      {R"([{"op":"move","path":"/y"}])",
       "move operation failed to decode from: operation, missing from field: missing value"},
      {R"([{"op":"move","from":"/x","path":"/y"}])",
       "error in move for path: 'x': Unable to remove nonexistent key: x: missing value"},
      {R"([{"op":"move","from":"/m","path":"/m/n"}])",
       "move operation does not apply: doc is missing destination path: /m/n: missing value"},
      {R"([{"op":"copy","from":"/l/9","path":"/y"}])",
       "error in copy for from: '/l/9': Unable to access invalid index: 9: invalid index referenced"},
      {R"([{"op":"test","path":"/m/a","value":2}])", "testing value /m/a failed: test failed"},
      {R"([{"op":"test","path":"/m/a","value":1.0}])", "testing value /m/a failed: test failed"},
      {R"([{"op":"test","path":"/m/a"}])", "testing value /m/a failed: test failed"},
      {R"([{"op":"merge","path":"/m"}])", "Unexpected kind: merge"},
      {R"([{"path":"/m"}])", "Unexpected kind: unknown"},
      {R"([null])", "Unexpected kind: unknown"},
  };
  for (const Row& row : rows) {
    const auto result = ApplyJsonPatch(Parse(R"({"l":[1,2],"m":{"a":1}})"), Parse(row.patch));
    ASSERT_FALSE(result) << row.patch;
    EXPECT_EQ(result.error().message, row.message) << row.patch;
    EXPECT_EQ(result.error().kind, Kind::kUnprocessable) << row.patch;
  }
}

TEST(JsonPatch, RefusesWhatIsNoListOfOperations) {
  const auto map = ApplyJsonPatch(JsonObject(), Parse("{}"));
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().kind, Kind::kBadRequest);
  EXPECT_EQ(map.error().message, "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  EXPECT_EQ(Patched("{}", "[1]"), "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
}

TEST(JsonPatch, ChecksOperationsBeforeTheyAreDone) {
  EXPECT_THAT(CheckJsonPatch(Parse(R"([{"op":"add","path":"/a","vaule":1},{"from":null,"x":1}])")).value(),
              ElementsAre(R"(json patch unknown field "[0].vaule")", R"(json patch unknown field "[1].x")"));
  EXPECT_EQ(CheckJsonPatch(Parse("{}")).error().message,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(CheckJsonPatch(Parse(R"(["x"])")).error().message,
            "error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp");
  EXPECT_EQ(CheckJsonPatch(Parse(R"([{"op":1}])")).error().message,
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string");
}

TEST(JsonPatch, HoldsToItsLimits) {
  JsonArray many;
  for (std::size_t at = 0; at <= kMaxJsonPatchOperations; ++at) many.push_back(Parse(R"({"op":"test","path":"/x"})"));
  EXPECT_EQ(ApplyJsonPatch(JsonObject(), many).error().kind, Kind::kTooLarge);
  many.pop_back();
  EXPECT_TRUE(ApplyJsonPatch(JsonObject(), many));

  // Each step doubles the document.
  JsonArray doubling;
  for (int at = 0; at < 40; ++at) {
    doubling.push_back(Parse(fmt::format(R"({{"op":"copy","from":"/a","path":"/b{}"}})", at)));
    doubling.push_back(Parse(fmt::format(R"({{"op":"move","from":"/b{}","path":"/a/b{}"}})", at, at)));
  }
  EXPECT_THAT(ApplyJsonPatch(Parse(R"({"a":{"text":"0123456789"}})"), doubling).error().message,
              HasSubstr("accumulated size increase of copy"));

  JsonArray deep;
  std::string path;
  for (int at = 0; at < 10'000; ++at) {
    path += "/a";
    deep.push_back(JsonObject{{"op", "add"}, {"path", path}, {"value", JsonObject()}});
    if (at > 200) break;
  }
  EXPECT_THAT(ApplyJsonPatch(JsonObject(), deep).error().message, HasSubstr("nested deeper than 100 levels"));
}

}  // namespace
}  // namespace kumiko::api
