#include "api/schema/openapi_v2.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "base/json.h"

namespace kumiko::api {
namespace {

constexpr std::string_view kDefinition = "#/definitions/";

void CollectReferences(const Json& value, std::set<std::string>& found) {
  if (const JsonObject* members = value.if_object()) {
    for (const auto& [name, inner] : *members) {
      if (name == "$ref" && inner.is_string()) found.emplace(inner.get_string());
      CollectReferences(inner, found);
    }
  } else if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) CollectReferences(item, found);
  }
}

TEST(OpenApiV2, DefinesTheKindsAndAllThatTheyReferTo) {
  const Json document = ParseJson(OpenApiV2Json()).value();
  const JsonObject& definitions = document.at("definitions").as_object();
  const Json& pod = definitions.at("io.k8s.api.core.v1.Pod");
  EXPECT_EQ(StringAt(pod, {"properties", "spec", "$ref"}), "#/definitions/io.k8s.api.core.v1.PodSpec");
  EXPECT_EQ(StringAt(definitions.at("io.k8s.apimachinery.pkg.util.intstr.IntOrString"), {"type"}), "string");
  std::set<std::string> references;
  CollectReferences(document, references);
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with(kDefinition)) << reference;
    EXPECT_TRUE(definitions.contains(reference.substr(kDefinition.size()))) << reference;
  }
  EXPECT_EQ(WriteJson(document).find("#/components"), std::string::npos);
}

TEST(OpenApiV2, IsTheSameAsAMessage) {
  const std::string message = OpenApiV2Protobuf();
  EXPECT_TRUE(message.starts_with(std::string("\x0A\x03", 2) + "2.0"));
  EXPECT_NE(message.find("io.k8s.api.core.v1.PodSpec"), std::string::npos);
  EXPECT_NE(message.find("x-kubernetes-group-version-kind"), std::string::npos);
}

}  // namespace
}  // namespace kumiko::api
