#include "api/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>

namespace kumiko::api {
namespace {

using Kind = PatchError::Kind;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << text << ": " << json.error().message;
  return json.value_or(Json());
}

// Object and patch are specs of pods. The patched spec, or the message.
std::string Patched(std::string_view spec, std::string_view patch) {
  const auto result =
      StrategicMerge(JsonObject{{"spec", Parse(spec)}}, JsonObject{{"spec", Parse(patch)}}, *SchemaOf("", "v1", "Pod"));
  return result ? WriteJson(result->at("spec")) : result.error().message;
}

TEST(StrategicMerge, MergesListsByTheirKeyAndKeepsTheOrderOfTheServer) {
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
                    R"({"containers":[{"name":"b","image":"2"},{"name":"c"}]})"),
            R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c"}]})");
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                    R"({"containers":[{"name":"c","image":"2"},{"name":"a","image":"2"}]})"),
            R"({"containers":[{"name":"b"},{"name":"c","image":"2"},{"name":"a","image":"2"}]})");
}

TEST(StrategicMerge, FollowsTheOrderThatThePatchGives) {
  EXPECT_EQ(Patched(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                    R"({"$setElementOrder/containers":[{"name":"d"},{"name":"b"},{"name":"a"}],
                        "containers":[{"name":"d","image":"1"}]})"),
            R"({"containers":[{"name":"d","image":"1"},{"name":"b"},{"name":"a"},{"name":"c"}]})");
}

TEST(StrategicMerge, DoesWhatDirectivesSay) {
  struct Row {
    const char* spec;
    const char* patch;
    const char* result;
  };
  const Row rows[] = {
      {R"({"containers":[{"name":"a"},{"name":"b"}]})", R"({"containers":[{"name":"a","$patch":"delete"}]})",
       R"({"containers":[{"name":"b"}]})"},
      {R"({"containers":[{"name":"a"},{"name":"b"}]})", R"({"containers":[{"name":"c"},{"$patch":"replace"}]})",
       R"({"containers":[{"name":"c"}]})"},
      {R"({"securityContext":{"runAsUser":1}})", R"({"securityContext":{"$patch":"replace","runAsGroup":2}})",
       R"({"securityContext":{"runAsGroup":2}})"},
      {R"({"securityContext":{"runAsUser":1}})", R"({"securityContext":{"$patch":"delete"}})",
       R"({"securityContext":{}})"},
      {R"({"volumes":[{"name":"v","emptyDir":{}}]})",
       R"({"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]})",
       R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}}]})"},
      {R"({"nodeSelector":{"a":"1","b":"2"}})", R"({"nodeSelector":{"a":null,"c":"3"}})",
       R"({"nodeSelector":{"b":"2","c":"3"}})"},
      {R"({})", R"({"securityContext":{"runAsUser":null,"sysctls":[{"name":"x","value":null}]}})",
       R"({"securityContext":{"sysctls":[{"name":"x"}]}})"},
      {R"({"containers":[{"name":"a","command":["x","y"]}]})", R"({"containers":[{"name":"a","command":["z"]}]})",
       R"({"containers":[{"name":"a","command":["z"]}]})"},
  };
  for (const Row& row : rows) EXPECT_EQ(Patched(row.spec, row.patch), row.result) << row.patch;
}

TEST(StrategicMerge, MergesAndDeletesPlainItems) {
  const Schema& schema = *SchemaOf("", "v1", "Pod");
  const auto patched = [&](const char* object, const char* patch) {
    const auto result = StrategicMerge(Parse(object), Parse(patch), schema);
    return result ? WriteJson(*result) : result.error().message;
  };
  EXPECT_EQ(patched(R"({"metadata":{"finalizers":["a","b","c"]}})",
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"],"finalizers":["d","a"]}})"),
            R"({"metadata":{"finalizers":["d","a","c"]}})");
  EXPECT_EQ(
      patched(R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"$setElementOrder/finalizers":["b","a"]}})"),
      R"({"metadata":{"finalizers":["b","a"]}})");
}

TEST(StrategicMerge, ReplacesTheSelectorOfADisruptionBudget) {
  const auto result = StrategicMerge(Parse(R"({"spec":{"selector":{"matchLabels":{"a":"1"}}}})"),
                                     Parse(R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})"),
                                     *SchemaOf("policy", "v1", "PodDisruptionBudget"));
  ASSERT_TRUE(result);
  EXPECT_EQ(WriteJson(*result), R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})");
}

TEST(StrategicMerge, SaysWhatIsWrong) {
  struct Row {
    const char* patch;
    Kind kind;
    const char* message;
  };
  const Row rows[] = {
      {R"({"containers":[{"image":"x"}]})", Kind::kInternal,
       "map: map[image:x] does not contain declared merge key: name"},
      {R"({"containers":["x"]})", Kind::kInternal, "list element types are not identical: [[map[name:a]] [x]]"},
      {R"({"containers":[["x"]]})", Kind::kInternal, "list element types are not identical: [[map[name:a]] [[x]]]"},
      {R"({"containers":[{"name":"a","$patch":"merge"}]})", Kind::kInternal,
       "merging lists cannot yet be specified in the patch"},
      {R"({"containers":[{"name":"a","$patch":"x"}]})", Kind::kInternal,
       "unknown patch type: x in map: map[$patch:x name:a]"},
      {R"({"$retainKeys":["x"],"hostname":"y"})", Kind::kBadRequest, "invalid patch format of retainKeys"},
      {R"({"$deleteFromPrimitiveListX":["x"]})", Kind::kBadRequest, "invalid patch format of primitive list"},
      {R"({"$setElementOrder":[]})", Kind::kBadRequest, "invalid patch format of setElementOrder list"},
      {R"({"$setElementOrder/containers":"x"})", Kind::kInternal, "expected a []interface {}, but received a string"},
      {R"({"$setElementOrder/gadgets":["x"]})", Kind::kInternal,
       R"(unable to find api field in struct PodSpec for the json field "gadgets")"},
      {R"({"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"c"}]})", Kind::kInternal,
       "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"},
  };
  for (const Row& row : rows) {
    const auto result = StrategicMerge(Parse(R"({"spec":{"containers":[{"name":"a"}]}})"),
                                       JsonObject{{"spec", Parse(row.patch)}}, *SchemaOf("", "v1", "Pod"));
    ASSERT_FALSE(result) << row.patch;
    EXPECT_EQ(result.error().message, row.message) << row.patch;
    EXPECT_EQ(result.error().kind, row.kind) << row.patch;
  }
}

}  // namespace
}  // namespace kumiko::api
