#include "api/schema/openapi_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/json.h"

namespace kumiko::api {
namespace {

Json DocumentOf(std::string_view group, std::string_view version) {
  const std::optional<std::string> text = OpenApiDocument(group, version);
  return text ? ParseJson(*text).value_or(Json()) : Json();
}

TEST(OpenApiDocument, EveryReferenceResolvesInEveryDocument) {
  for (const GroupVersion& served : OpenApiGroupVersions()) {
    const std::optional<std::string> text = OpenApiDocument(served.group, served.version);
    ASSERT_TRUE(text) << served.Text();
    const Result<Json> document = ParseJson(*text);
    ASSERT_TRUE(document) << served.Text() << ": " << document.error().message;
    constexpr std::string_view kReference = "\"#/components/schemas/";
    const Json* schemas = FindPath(*document, {"components", "schemas"});
    for (std::size_t at = text->find(kReference); at != std::string::npos; at = text->find(kReference, at)) {
      at += kReference.size();
      const std::string name = text->substr(at, text->find('"', at) - at);
      EXPECT_NE(Find(*schemas, name), nullptr) << served.Text() << " lacks " << name;
    }
  }
  EXPECT_EQ(OpenApiDocument("gadgets.example.com", "v1"), std::nullopt);
}

// What kubectl looks at before it sends fieldValidation and strategic merge patches.
TEST(OpenApiDocument, TellsWhatPatchesAKindTakes) {
  const Json document = DocumentOf("apps", "v1");
  const Json* patch = FindPath(document, {"paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  std::set<std::string> names;
  for (const Json& parameter : Find(*patch, "parameters")->as_array()) {
    EXPECT_EQ(StringAt(parameter, {"in"}), "query");
    names.emplace(StringAt(parameter, {"name"}));
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"fieldValidation", "dryRun", "fieldManager", "force"}));
  EXPECT_NE(FindPath(*patch, {"requestBody", "content", "application/strategic-merge-patch+json"}), nullptr);
  EXPECT_EQ(StringAt(*patch, {"x-kubernetes-group-version-kind", "kind"}), "Deployment");
  EXPECT_EQ(StringAt(*patch, {"x-kubernetes-action"}), "patch");
}

TEST(OpenApiDocument, HasThePathsOfScopeVerbsAndSubresources) {
  const Json core = DocumentOf("", "v1");
  const Json* paths = Find(core, "paths");
  ASSERT_NE(paths, nullptr);
  EXPECT_NE(FindPath(*paths, {"/api/v1/pods", "get"}), nullptr);
  EXPECT_EQ(FindPath(*paths, {"/api/v1/pods", "post"}), nullptr);
  EXPECT_NE(FindPath(*paths, {"/api/v1/nodes/{name}", "put"}), nullptr);
  EXPECT_EQ(Find(*paths, "/api/v1/namespaces/{namespace}/nodes"), nullptr);
  const Json* binding = FindPath(*paths, {"/api/v1/namespaces/{namespace}/pods/{name}/binding", "post"});
  ASSERT_NE(binding, nullptr);
  EXPECT_EQ(StringAt(*binding, {"x-kubernetes-group-version-kind", "kind"}), "Binding");
  EXPECT_EQ(FindPath(*paths, {"/api/v1/namespaces/{namespace}/pods/{name}/binding", "get"}), nullptr);
}

TEST(OpenApiDocument, SchemasNameTheirKinds) {
  const Json document = DocumentOf("resource.k8s.io", "v1beta1");
  std::set<std::string> kinds;
  for (const auto& schema : FindPath(document, {"components", "schemas"})->as_object()) {
    const Json* identities = Find(schema.value(), "x-kubernetes-group-version-kind");
    if (identities == nullptr) continue;
    for (const Json& identity : identities->as_array()) {
      if (StringAt(identity, {"version"}) == "v1beta1") kinds.emplace(StringAt(identity, {"kind"}));
    }
  }
  EXPECT_THAT(kinds, testing::IsSupersetOf({"DeviceClass", "ResourceClaim", "ResourceClaimList", "ResourceSlice"}));
}

TEST(OpenApiDocument, HashesTellGroupVersionsApart) {
  std::set<std::string_view> hashes;
  for (const GroupVersion& served : OpenApiGroupVersions()) hashes.insert(OpenApiHash(served.group, served.version));
  EXPECT_EQ(hashes.size(), OpenApiGroupVersions().size());
  EXPECT_FALSE(hashes.contains(""));
  EXPECT_EQ(OpenApiHash("gadgets.example.com", "v1"), "");
}

}  // namespace
}  // namespace kumiko::api
