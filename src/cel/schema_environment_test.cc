#include "cel/schema_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cel/checker.h"
#include "cel/cost_estimate.h"
#include "cel/parser.h"
#include "cel/schema_value.h"

namespace kumiko::cel {
namespace {

using ::testing::HasSubstr;

Json Parsed(std::string_view text) {
  auto json = ParseJson(text);
  if (!json) ADD_FAILURE() << json.error().message;
  return json ? *std::move(json) : Json();
}

constexpr std::string_view kSchema = R"({
  "type": "object", "required": ["replicas"],
  "properties": {
    "replicas": {"type": "integer"},
    "name": {"type": "string", "maxLength": 20},
    "free": {"type": "string"},
    "x-y/z": {"type": "boolean"},
    "namespace": {"type": "string", "enum": ["a", "bcdef"]},
    "port": {"x-kubernetes-int-or-string": true},
    "when": {"type": "string", "format": "date-time"},
    "wait": {"type": "string", "format": "duration"},
    "raw": {"type": "string", "format": "byte"},
    "ratio": {"type": "number"},
    "maybe": {"type": "string", "nullable": true},
    "lines": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 3}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "parts": {"type": "array", "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}}},
    "unknown": {"x-kubernetes-preserve-unknown-fields": true}
  }})";

struct Checked {
  std::string type;  // or what is wrong
  std::uint64_t max = 0;
};

Checked CheckRule(const std::string& rule, const SchemaOptions& options = {}) {
  const auto environment = EnvironmentForSchema(Parsed(kSchema), options);
  if (!environment) return {environment.error().message};
  auto ast = Parse(rule);
  if (!ast) return {ast.error().front().message};
  const auto checked = Check(*std::move(ast), **environment);
  if (!checked) return {checked.error().front().message};
  return {TypeName(checked->types[checked->ast.root]), EstimateCost(*checked, **environment).max};
}

TEST(SchemaEnvironment, TypesAndSizesOfFields) {
  const std::string text = '"' + std::string(300, 'a') + '"';
  const struct {
    std::string rule, type;
    std::uint64_t max;
  } kCases[] = {
      {"self.replicas == oldSelf.replicas", "bool", 4},
      {"self.name == " + text, "bool", 10},
      {"self.free == self.free", "bool", 314577},
      {"self.__namespace__ == " + text, "bool", 3},
      {"self.x__dash__y__slash__z", "bool", 2},
      {"self.port", "dyn", 2},
      {"self.when", "timestamp", 2},
      {"self.wait", "duration", 2},
      {"self.raw", "bytes", 2},
      {"self.ratio", "double", 2},
      {"self.lines.all(x, x == " + text + ")", "bool", 33},
      {"self.parts", "list(object.parts.@idx)", 2},
      {"self.labels", "map(string, string)", 2},
  };
  for (const auto& it : kCases) {
    const Checked checked = CheckRule(it.rule);
    EXPECT_EQ(checked.type, it.type) << it.rule;
    EXPECT_EQ(checked.max, it.max) << it.rule;
  }
}

TEST(SchemaEnvironment, WhatTheSchemaDoesNotDescribe) {
  EXPECT_EQ(CheckRule("self.unknown").type, "undefined field 'unknown'");
  EXPECT_EQ(CheckRule("self.unknown", {.undescribed = UndescribedParts::kDyn}).type, "dyn");
  EXPECT_EQ(CheckRule("self.metadata.name").type, "undefined field 'metadata'");
  EXPECT_EQ(CheckRule("self.metadata.name", {.resource_root = true}).type, "string");
  EXPECT_EQ(CheckRule("object.replicas", {.variables = {"object"}}).type, "int");
}

TEST(SchemaEnvironment, SchemasThatAreNone) {
  const auto message = [](std::string_view schema) {
    const auto environment = EnvironmentForSchema(Parsed(schema));
    return environment ? std::string() : environment.error().message;
  };
  EXPECT_THAT(message(R"({"type": "object", "properties": {"a": {"type": "strng"}}})"), HasSubstr("a.type: \"strng\""));
  EXPECT_THAT(message(R"({"type": "object", "properties": {"a": 7}})"), HasSubstr("a: expected a schema, got integer"));
  EXPECT_THAT(message("{}"), HasSubstr("describes no value"));
}

TEST(SchemaValue, ObjectsAreMapsWithEscapedNames) {
  Arena arena;
  const Json document = Parsed(
      R"({"replicas": 3, "x-y/z": true, "namespace": "a", "maybe": null, "ratio": 2, "raw": "aGk=", "extra": 1,
          "when": "2026-05-01T12:00:00.5+02:00", "wait": "1h30m", "lines": ["a"], "unknown": 1})");
  const auto value = ToValue(document, Parsed(kSchema), arena);
  ASSERT_TRUE(value) << value.error().message;
  const auto field = [&](std::string_view name) {
    const Value* found = FindKey(*value, Value::String(name));
    return found == nullptr ? Value::Error("absent") : *found;
  };
  EXPECT_EQ(value->size, 8U);
  EXPECT_EQ(field("replicas").integer, 3);
  EXPECT_TRUE(field("x__dash__y__slash__z").IsTrue());
  EXPECT_EQ(field("__namespace__").view(), "a");
  EXPECT_EQ(field("ratio").kind, ValueKind::kDouble);
  EXPECT_EQ(field("raw").view(), "hi");
  EXPECT_EQ(field("when").kind, ValueKind::kTimestamp);
  EXPECT_EQ(field("when").offset, 7200);
  EXPECT_EQ(field("wait").integer, 5'400'000'000'000);
  EXPECT_EQ(field("lines").size, 1U);
  EXPECT_TRUE(field("maybe").IsError());
}

TEST(SchemaValue, ErrorsNameTheField) {
  Arena arena;
  const auto message = [&](std::string_view document) {
    const auto value = ToValue(Parsed(document), Parsed(kSchema), arena);
    return value ? std::string() : value.error().message;
  };
  EXPECT_EQ(message(R"({"replicas": "x"})"), "replicas: expected an integer, got string");
  EXPECT_EQ(message(R"({"parts": [{"k": "a"}, {"k": 1}]})"), "parts[1].k: expected a string, got integer");
  EXPECT_THAT(message(R"({"wait": "soon"})"), HasSubstr("wait: \"soon\" is no duration"));
  EXPECT_THAT(message(R"({"raw": "a"})"), HasSubstr("raw: \"a\" is no base64"));
}

TEST(SchemaValue, WithoutASchema) {
  Arena arena;
  const Value value = ToValue(Parsed(R"({"b": [1, 2.5, null], "a": true})"), arena);
  ASSERT_EQ(value.kind, ValueKind::kMap);
  EXPECT_EQ(value.items[0].view(), "a");
  EXPECT_EQ(FindKey(value, Value::String("b"))->items[1].real, 2.5);
}

TEST(SchemaEnvironment, FieldNames) {
  EXPECT_EQ(EscapeFieldName("a.b-c/d__e"), "a__dot__b__dash__c__slash__d__underscores__e");
  EXPECT_EQ(EscapeFieldName("while"), "__while__");
  EXPECT_EQ(EscapeFieldName("_x"), "_x");
  for (const char* name : {"", "1a", "a b", "ä"}) EXPECT_EQ(EscapeFieldName(name), "") << name;
}

}  // namespace
}  // namespace kumiko::cel
