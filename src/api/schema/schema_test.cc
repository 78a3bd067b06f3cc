#include "api/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/kinds.h"
#include "api/schema/schema_set.h"

namespace kumiko::api {
namespace {

using Type = Schema::Type;

const Schema* At(const Schema* schema, std::initializer_list<std::string_view> path) {
  for (const std::string_view step : path) {
    if (schema == nullptr) return nullptr;
    schema = step == "[]" ? schema->items : schema->Find(step);
  }
  return schema;
}

TEST(Schema, DescribesEveryBuiltInKind) {
  for (const KindInfo& kind : AllKinds()) {
    const Schema* schema = SchemaOf(kind.group, kind.version, kind.kind);
    ASSERT_NE(schema, nullptr) << kind.ApiVersion() << " " << kind.kind;
    EXPECT_EQ(schema->type, Type::kObject) << kind.kind;
    EXPECT_NE(schema->Find("metadata"), nullptr) << kind.kind;
  }
}

TEST(Schema, KnowsNoKindThatIsNotServed) {
  EXPECT_EQ(SchemaOf("", "v1", "Gadget"), nullptr);
  EXPECT_EQ(SchemaOf("apps", "v1beta1", "Deployment"), nullptr);
  EXPECT_EQ(SchemaOf("apps", "v1", "Pod"), nullptr);
}

TEST(Schema, TellsTypesFormatsAndRequiredMembers) {
  const Schema* deployment = SchemaOf("apps", "v1", "Deployment");
  const Schema* replicas = At(deployment, {"spec", "replicas"});
  ASSERT_NE(replicas, nullptr);
  EXPECT_EQ(replicas->type, Type::kInteger);
  EXPECT_EQ(replicas->format, "int32");
  EXPECT_THAT(At(deployment, {"spec"})->required, testing::ElementsAre("selector", "template"));
  EXPECT_EQ(At(deployment, {"spec", "template", "spec"})->name, "io.k8s.api.core.v1.PodSpec");
  EXPECT_EQ(At(deployment, {"spec", "template", "spec", "gadget"}), nullptr);
  EXPECT_EQ(At(SchemaOf("", "v1", "Pod"), {"spec"}), At(deployment, {"spec", "template", "spec"}));
}

TEST(Schema, TellsHowListsAndMapsMerge) {
  const Schema* pod = SchemaOf("", "v1", "Pod");
  const Schema* containers = At(pod, {"spec", "containers"});
  EXPECT_EQ(containers->list_type, ListType::kMap);
  EXPECT_THAT(containers->list_map_keys, testing::ElementsAre("name"));
  EXPECT_EQ(containers->patch_merge_key, "name");
  EXPECT_TRUE(containers->patch_merges);
  EXPECT_FALSE(containers->patch_retains_keys);
  EXPECT_TRUE(At(pod, {"spec", "volumes"})->patch_retains_keys);
  EXPECT_EQ(At(pod, {"spec", "containers", "[]", "command"})->list_type, ListType::kAtomic);
  EXPECT_EQ(At(pod, {"metadata", "finalizers"})->list_type, ListType::kSet);
  EXPECT_TRUE(At(pod, {"spec", "nodeSelector"})->atomic_map);
  EXPECT_FALSE(At(pod, {"metadata", "labels"})->atomic_map);
}

TEST(Schema, ReadsReferencesWithWordsOfTheirOwn) {
  const Schema* strategy = At(SchemaOf("apps", "v1", "Deployment"), {"spec", "strategy"});
  EXPECT_TRUE(strategy->patch_retains_keys);
  EXPECT_NE(strategy->Find("rollingUpdate"), nullptr);
  EXPECT_FALSE(At(SchemaOf("", "v1", "PersistentVolume"), {"spec", "claimRef"})->atomic_map);
  EXPECT_TRUE(At(SchemaOf("", "v1", "Event"), {"involvedObject"})->atomic_map);
}

TEST(Schema, KeepsUnknownMembersOnlyWhereNoStructureIsKnown) {
  const Schema* pod = SchemaOf("", "v1", "Pod");
  EXPECT_FALSE(pod->keeps_unknown);
  EXPECT_FALSE(At(pod, {"metadata", "labels"})->keeps_unknown);
  EXPECT_TRUE(At(pod, {"metadata", "managedFields", "[]", "fieldsV1"})->keeps_unknown);
  const Schema* definition = SchemaOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  const Schema* properties = At(definition, {"spec", "versions", "[]", "schema", "openAPIV3Schema"});
  ASSERT_NE(properties, nullptr);
  EXPECT_EQ(At(properties, {"properties", "[]"}), properties) << "a schema of a schema is a schema";
  EXPECT_TRUE(At(properties, {"default"})->keeps_unknown);
}

TEST(Schema, TellsAmountsFromNumbersOrNames) {
  const Schema* service = SchemaOf("", "v1", "Service");
  const Schema* port = At(service, {"spec", "ports", "[]", "targetPort"});
  EXPECT_EQ(port->type, Type::kIntOrString);
  EXPECT_EQ(port->format, "int-or-string");
  const Schema* memory = At(SchemaOf("", "v1", "Pod"), {"spec", "containers", "[]", "resources", "limits", "[]"});
  EXPECT_EQ(memory->type, Type::kIntOrString);
  EXPECT_EQ(memory->format, "quantity");
}

TEST(Schema, EveryReferenceIsRead) {
  std::set<const Schema*> seen;
  std::vector<const Schema*> waiting;
  for (const KindInfo& kind : AllKinds()) waiting.push_back(SchemaOf(kind.group, kind.version, kind.kind));
  while (!waiting.empty()) {
    const Schema* schema = waiting.back();
    waiting.pop_back();
    if (!seen.insert(schema).second) continue;
    EXPECT_TRUE(schema->type != Type::kAny || schema->keeps_unknown) << schema->name;
    EXPECT_TRUE(schema->type != Type::kArray || schema->items != nullptr) << schema->name;
    if (schema->items != nullptr) waiting.push_back(schema->items);
    for (const Schema::Member& member : schema->members) waiting.push_back(member.schema);
  }
  EXPECT_GT(seen.size(), 300U);
}

TEST(SchemaSet, EqualSchemasInPlaceAreOne) {
  SchemaSet schemas;
  const Result<Json> json = ParseJson(R"({"type": "object", "properties": {
    "a": {"type": "string", "description": "one"}, "b": {"type": "string", "description": "two"},
    "c": {"type": "string", "default": "x"}, "d": {"x-kubernetes-int-or-string": true}}})");
  const Schema* schema = schemas.Add(*json);
  EXPECT_EQ(schema->Find("a"), schema->Find("b"));
  EXPECT_NE(schema->Find("a"), schema->Find("c"));
  EXPECT_EQ(schema->Find("c")->default_value, Json("x"));
  EXPECT_EQ(schema->Find("d")->type, Type::kIntOrString);
}

}  // namespace
}  // namespace kumiko::api
