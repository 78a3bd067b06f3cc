#include "api/schema/definition_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> SchemaErrors(std::string_view schema) {
  std::vector<std::string> texts;
  for (const FieldError& error : CheckDefinitionSchema(ParseJson(schema).value(), "s")) {
    texts.push_back(fmt::format("{}: {}", error.path, error.message));
  }
  return texts;
}

Json Definition() {
  return ParseJson(R"({"metadata": {"name": "gadgets.example.com"}, "spec": {"group": "example.com",
    "scope": "Namespaced", "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
    "versions": [{"name": "v1", "served": true, "storage": true,
                  "schema": {"openAPIV3Schema": {"type": "object"}}}]}})")
      .value();
}

std::vector<std::string> ErrorsOf(const Json& definition, const Json* old = nullptr) {
  std::vector<std::string> texts;
  for (const FieldError& error : CheckDefinition(definition, old)) {
    texts.push_back(fmt::format("{}: {}", error.path, error.message));
  }
  return texts;
}

// The errors are those of kube-apiserver 1.37.2.
TEST(DefinitionCheck, SchemasMustBeStructural) {
  EXPECT_THAT(SchemaErrors(R"({"properties": {"spec": {"properties": {"a": {"type": "array"},
                           "b": {"type": "string", "pattern": "["}}}}})"),
              ElementsAre("s.properties[spec].properties[a].items: Required value: must be specified",
                          "s.properties[spec].properties[b].pattern: Invalid value: \"[\": must be a valid regular "
                          "expression, but isn't: error parsing regexp: missing closing ]: `[`",
                          "s.properties[spec].type: Required value: must not be empty for specified object fields",
                          "s.type: Required value: must not be empty at the root"));
  EXPECT_THAT(SchemaErrors(R"({"type": "object", "anyOf": [{"type": "object", "properties": {"x": {"minimum": 1}}}]})"),
              ElementsAre("s.anyOf[0].type: Forbidden: must be empty to be structural",
                          "s.properties[x]: Required value: because it is defined in s.anyOf[0].properties[x]"));
  EXPECT_THAT(SchemaErrors(R"({"type": "object", "properties": {"x": {"x-kubernetes-int-or-string": true,
                           "anyOf": [{"type": "integer"}, {"type": "string"}]}}})"),
              IsEmpty());
}

TEST(DefinitionCheck, KeywordsThatAreNotSupported) {
  EXPECT_THAT(
      SchemaErrors(R"({"type": "object", "properties": {"c": {"type": "strin"},
                           "d": {"type": "integer", "uniqueItems": true, "x-kubernetes-list-type": "set"}}})"),
      ElementsAre(R"(s.properties[c].type: Unsupported value: "strin": supported values: "array", "boolean", )"
                  R"("integer", "number", "object", "string")",
                  "s.properties[d].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
                  "complexity becomes quadratic",
                  "s.properties[d].type: Invalid value: \"integer\": must be array if x-kubernetes-list-type is "
                  "specified"));
}

TEST(DefinitionCheck, KeysOfListsThatAreMaps) {
  EXPECT_THAT(SchemaErrors(R"({"type": "object", "properties": {"l": {"type": "array", "x-kubernetes-list-type": "map",
                           "x-kubernetes-list-map-keys": ["n"], "items": {"type": "object", "properties":
                           {"n": {"type": "string"}}}}}})"),
              ElementsAre("s.properties[l].items.properties[n].default: Required value: this property is in "
                          "x-kubernetes-list-map-keys, so it must have a default or be a required property"));
}

TEST(DefinitionCheck, DefaultsMustFitTheirSchema) {
  EXPECT_THAT(SchemaErrors(R"({"type": "object", "properties": {"a": {"type": "object", "default": {"x": 1, "y": 2},
                           "properties": {"x": {"type": "string"}}}}})"),
              ElementsAre("s.properties[a].default: Invalid value: {\"x\":1,\"y\":2}: must not have unknown fields",
                          "s.properties[a].default.x: Invalid value: \"integer\": x in body must be of type string: "
                          "\"integer\""));
}

TEST(DefinitionCheck, RulesHoldForDefaultsAsNewAndAsOldValues) {
  EXPECT_THAT(SchemaErrors(R"json({"type": "object", "properties": {"n": {"type": "integer", "default": 4,
                           "x-kubernetes-validations": [{"rule": "!oldSelf.hasValue() || oldSelf.value() < self",
                           "optionalOldSelf": true}]}}})json"),
              ElementsAre("s.properties[n].default: Invalid value: 4: failed rule: !oldSelf.hasValue() || "
                          "oldSelf.value() < self"));
}

TEST(DefinitionCheck, RulesMustCompileAndCostLittle) {
  EXPECT_THAT(
      SchemaErrors(R"json({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}},
                           "x-kubernetes-validations": [{"rule": "self.foo"},
                           {"rule": "self.a.all(x, self.a.all(y, x + y != 'a'))"}, {"rule": "size(self.a)"}]})json"),
      ElementsAre("s.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self.foo\",\"Message\":\"\","
                  "\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: "
                  "compilation failed: ERROR: <input>:1:5: undefined field 'foo'\n | self.foo\n | ....^",
                  testing::HasSubstr("[1].rule: Forbidden: estimated rule cost exceeds budget by factor of more "
                                     "than 100x (try simplifying the rule"),
                  testing::EndsWith("cel expression must evaluate to a bool"),
                  testing::HasSubstr("contributed to estimated rule cost total exceeding cost limit"),
                  testing::HasSubstr("estimated rule cost total for entire OpenAPIv3 schema exceeds budget")));
  EXPECT_THAT(SchemaErrors(R"json({"type": "object", "properties": {"a": {"type": "array", "maxItems": 5,
                           "items": {"type": "string", "maxLength": 5,
                           "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}})json"),
              ElementsAre("s.properties[a].items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": "
                          "oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[a]"));
}

TEST(DefinitionCheck, NamesAndVersions) {
  EXPECT_THAT(ErrorsOf(Definition()), IsEmpty());
  Json definition = Definition();
  JsonObject& spec = definition.as_object()["spec"].as_object();
  definition.as_object()["metadata"].as_object()["name"] = "gadget.example.com";
  spec["scope"] = "Node";
  spec["versions"].as_array()[0].as_object()["storage"] = false;
  EXPECT_THAT(
      ErrorsOf(definition),
      ElementsAre(R"(metadata.name: Invalid value: "gadget.example.com": must be spec.names.plural+"."+spec.group)",
                  R"(spec.scope: Unsupported value: "Node": supported values: "Cluster", "Namespaced")",
                  testing::EndsWith("must have exactly one version marked as storage version"),
                  "status.storedVersions: Invalid value: null: must have at least one stored version"));
}

TEST(DefinitionCheck, SchemasThatAllVersionsShareAreOne) {
  Json definition = Definition();
  JsonArray& versions = definition.as_object()["spec"].as_object()["versions"].as_array();
  versions[0].as_object()["schema"].as_object()["openAPIV3Schema"] = {{"type", "array"}};
  EXPECT_THAT(ErrorsOf(definition), testing::Contains(testing::StartsWith("spec.validation.openAPIV3Schema.")));
  versions.push_back({{"name", "v2"}, {"schema", {{"openAPIV3Schema", {{"type", "object"}}}}}});
  EXPECT_THAT(ErrorsOf(definition), testing::Contains(testing::StartsWith("spec.versions[0].schema.openAPIV3Schema.")));
}

TEST(DefinitionCheck, GroupScopeAndNamesStay) {
  const Json old = Definition();
  Json definition = Definition();
  definition.as_object()["spec"].as_object()["scope"] = "Cluster";
  EXPECT_THAT(ErrorsOf(definition, &old), ElementsAre(R"(spec.scope: Invalid value: "Cluster": field is immutable)"));
}

}  // namespace
}  // namespace kumiko::api
