// Custom resources, from their definition to their end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/yaml.h"
#include "localcluster/apiserver/discovery.h"
#include "localcluster/apiserver/resource_api.h"
#include "localcluster/controllers/controllers.h"

namespace kumiko::localcluster {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, minimum: 1}
              color: {type: string, default: red}
            x-kubernetes-validations: [{rule: "self.size < 10 || self.color == 'blue'", message: large ones are blue}]
          status: {type: object, properties: {replicas: {type: integer}}}
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.replicas}}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
)";
constexpr const char* kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

class CustomResourceTest : public ::testing::Test {
 protected:
  CustomResourceTest() {
    const Json definition = ParseYamlDocuments(kDefinition, "definition").value().front().value;
    Ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WriteJson(definition));
    EXPECT_EQ(status_, 201);
  }

  Json Ask(const std::string& method, const std::string& target, const std::string& body = "",
           const std::string& type = "application/json", const std::string& accept = "") {
    HttpRequest request{
        .method = method, .target = target, .headers = {{"Content-Type", type}, {"Accept", accept}}, .body = body};
    const HttpResponse response = api_.Answer(request, ReadRequest(method, target).value());
    status_ = response.status;
    return ParseJson(response.body).value();
  }
  Json Make(const std::string& spec) {
    return Ask("POST", kWidgets,
               R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":)" + spec + "}");
  }

  ManualClock clock_{Time{1'700'000'000'000'000}};
  Store store_{clock_};
  ResourceApi api_{store_, clock_};
  int status_ = 0;
};

TEST_F(CustomResourceTest, IsEstablishedAtOnce) {
  const Json definition = Ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com");
  EXPECT_THAT(WriteJson(definition.at("status")), HasSubstr(R"("type":"Established")"));
  EXPECT_EQ(StringAt(definition, {"spec", "names", "listKind"}), "WidgetList");
  const auto resources = AnswerDiscovery(store_.kinds(), "/apis/example.com/v1", "");
  ASSERT_TRUE(resources.has_value());
  EXPECT_THAT(resources->body, HasSubstr(R"("name":"widgets/scale")"));
  const auto document = AnswerDiscovery(store_.kinds(), "/openapi/v3/apis/example.com/v1", "");
  ASSERT_TRUE(document.has_value());
  EXPECT_THAT(StringAt(ParseJson(document->body).value(), {"openapi"}), "3.0.0");
}

TEST_F(CustomResourceTest, FieldsThatItsDefinitionNamesAreSelectable) {
  Make(R"({"size":3})");
  const std::string list = std::string(kWidgets) + "?fieldSelector=spec.color%3D";
  EXPECT_EQ(Ask("GET", list + "red").at("items").as_array().size(), 1U);
  EXPECT_EQ(Ask("GET", list + "blue").at("items").as_array().size(), 0U);
  EXPECT_THAT(WriteJson(Ask("GET", std::string(kWidgets) + "?fieldSelector=spec.size%3D3")),
              HasSubstr("field label not supported: spec.size"));
}

TEST_F(CustomResourceTest, SchemaDefaultsPrunesAndChecks) {
  const Json made = Make(R"({"size":3,"other":1})");
  EXPECT_EQ(status_, 201);
  EXPECT_EQ(made.at("spec"), Json({{"size", 3}, {"color", "red"}}));
  EXPECT_THAT(WriteJson(Make(R"({"size":0})")), HasSubstr("greater than or equal to 1"));
  EXPECT_EQ(status_, 422);
  EXPECT_THAT(WriteJson(Make(R"({"size":12})")), HasSubstr("large ones are blue"));
  Ask("PATCH", std::string(kWidgets) + "/w", R"({"spec":{"size":4}})", "application/strategic-merge-patch+json");
  EXPECT_EQ(status_, 415);
}

TEST_F(CustomResourceTest, StatusAndScaleStandApart) {
  Make(R"({"size":3})");
  const std::string merge = "application/merge-patch+json";
  Ask("PATCH", std::string(kWidgets) + "/w", R"({"status":{"replicas":9}})", merge);
  Json widget =
      Ask("PATCH", std::string(kWidgets) + "/w/status", R"({"status":{"replicas":2},"spec":{"size":8}})", merge);
  EXPECT_EQ(widget.at("status"), Json({{"replicas", 2}}));
  EXPECT_EQ(widget.at("spec").at("size"), Json(3));
  EXPECT_EQ(widget.at("metadata").at("generation"), Json(1));
  const Json scale = Ask("PATCH", std::string(kWidgets) + "/w/scale", R"({"spec":{"replicas":5}})", merge);
  EXPECT_EQ(scale.at("status").at("replicas"), Json(2));
  widget = Ask("GET", std::string(kWidgets) + "/w");
  EXPECT_EQ(widget.at("spec").at("size"), Json(5));
  EXPECT_EQ(widget.at("metadata").at("generation"), Json(2));
}

TEST_F(CustomResourceTest, PrintsItsColumns) {
  Make(R"({"size":3})");
  const Json table = Ask("GET", kWidgets, "", "", "application/json;as=Table;v=v1;g=meta.k8s.io");
  EXPECT_EQ(table.at("columnDefinitions").at(1).at("name"), Json("Size"));
  EXPECT_EQ(table.at("rows").at(0).at("cells"), Json(JsonArray{"w", 3}));
}

TEST_F(CustomResourceTest, GoesWithItsObjectsWhenItsDefinitionGoes) {
  Make(R"({"size":3})");
  const std::string definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  Ask("DELETE", definition);
  Ask("GET", definition);
  EXPECT_EQ(status_, 200) << "it waits for its objects";
  const Controller controller = MakeDefinitionController(store_);
  while (controller.step().value()) {
  }
  Ask("GET", definition);
  EXPECT_EQ(status_, 404);
  Ask("GET", kWidgets);
  EXPECT_EQ(status_, 404);
}

}  // namespace
}  // namespace kumiko::localcluster
