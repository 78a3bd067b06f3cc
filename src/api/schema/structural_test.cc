#include "api/schema/structural.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::shared_ptr<const CustomSchema> SchemaOfSpec(std::string_view spec) {
  const std::string text = fmt::format(R"({{"type": "object", "properties": {{"spec": {}}}}})", spec);
  return CustomSchema::Create(ParseJson(text).value());
}

Json Object(std::string_view spec) {
  return ParseJson(fmt::format(R"({{"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {{"name": "a"}},
                                   "spec": {}}})",
                               spec))
      .value();
}

std::vector<std::string> Errors(const std::vector<FieldError>& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors) texts.push_back(fmt::format("{}: {}", error.path, error.message));
  return texts;
}

std::vector<std::string> ErrorsOf(std::string_view schema, std::string_view spec) {
  return Errors(SchemaOfSpec(schema)->Validate(Object(spec)));
}

std::string SpecOf(std::string_view schema, std::string_view spec) {
  const Result<DecodedObject> decoded = SchemaOfSpec(schema)->Decode(Object(spec));
  return decoded ? WriteJson(*Find(decoded->object, "spec")) : decoded.error().message;
}

TEST(CustomSchema, WritesDefaultsFromTheOutsideIn) {
  constexpr std::string_view kSchema = R"({"type": "object", "properties": {
    "size": {"type": "integer", "default": 3},
    "inner": {"type": "object", "default": {}, "properties": {"mode": {"type": "string", "default": "fast"}}},
    "list": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}}}})";
  EXPECT_EQ(SpecOf(kSchema, "{}"), R"({"inner":{"mode":"fast"},"size":3})");
  EXPECT_EQ(SpecOf(kSchema, R"({"size": null, "list": [{}, {"port": 1}]})"),
            R"({"size":3,"list":[{"port":80},{"port":1}],"inner":{"mode":"fast"}})");
}

TEST(CustomSchema, NullsStayOnlyWhereTheyAreValues) {
  constexpr std::string_view kSchema = R"({"type": "object", "properties": {"a": {"type": "string"},
    "b": {"type": "string", "nullable": true}}})";
  EXPECT_EQ(SpecOf(kSchema, R"({"a": null, "b": null})"), R"({"b":null})");
}

TEST(CustomSchema, CutsOffUnknownFieldsAndTellsThem) {
  const auto schema = SchemaOfSpec(R"({"type": "object", "properties": {"a": {"type": "object", "properties": {}},
    "kept": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
             "properties": {"known": {"type": "object", "properties": {}}}},
    "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "string"}}}}}})");
  Json object = Object(R"({"z": 1, "a": {"b": 2}, "kept": {"any": {"thing": 1}, "known": {"no": 1}},
                           "map": {"k": {"x": "1", "y": 2}}})");
  object.as_object()["top"] = 1;
  object.as_object()["metadata"].as_object()["gadget"] = 1;
  const Result<DecodedObject> decoded = schema->Decode(object);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_THAT(decoded->strict_errors,
              ElementsAre(R"(unknown field "metadata.gadget")", R"(unknown field "spec.a.b")",
                          R"(unknown field "spec.kept.known.no")", R"(unknown field "spec.map.k.y")",
                          R"(unknown field "spec.z")", R"(unknown field "top")"));
  EXPECT_EQ(WriteJson(*Find(decoded->object, "spec")),
            R"({"a":{},"kept":{"any":{"thing":1},"known":{}},"map":{"k":{"x":"1"}}})");
}

TEST(CustomSchema, MetadataHasTheTypesOfObjectMeta) {
  Json object = Object("{}");
  object.as_object()["metadata"].as_object()["labels"] = {{"a", 1}};
  const Result<DecodedObject> decoded = SchemaOfSpec(R"({"type": "object"})")->Decode(object);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message,
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
}

struct ValueCase {
  std::string_view schema;
  std::string_view spec;
  std::string_view error;
};

class Values : public testing::TestWithParam<ValueCase> {};

// The errors are those of kube-apiserver 1.37.2.
TEST_P(Values, AreRefusedInTheWordsOfTheServer) {
  EXPECT_THAT(ErrorsOf(GetParam().schema, GetParam().spec), ElementsAre(GetParam().error));
}

constexpr ValueCase kValueCases[] = {
    {R"({"type": "object", "properties": {"n": {"type": "integer"}}})", R"({"n": "3"})",
     R"(spec.n: Invalid value: "string": spec.n in body must be of type integer: "string")"},
    {R"({"type": "integer", "format": "int32"})", "true",
     R"(spec: Invalid value: "": spec in body must be of type int32: "")"},
    {R"({"type": "integer", "format": "int32"})", "3000000000",
     R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec)"},
    {R"({"x-kubernetes-int-or-string": true})", "true",
     R"(spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean")"},
    {R"({"type": "integer", "minimum": 2})", "1",
     "spec: Invalid value: 1: spec in body should be greater than or equal to 2"},
    {R"({"type": "number", "maximum": 2.5, "exclusiveMaximum": true})", "2.5",
     "spec: Invalid value: 2.5: spec in body should be less than 2.5"},
    {R"({"type": "integer", "multipleOf": 2})", "3", "spec: Invalid value: 3: spec in body should be a multiple of 2"},
    {R"({"type": "string", "maxLength": 1})", R"("ab")", "spec: Too long: may not be more than 1 byte"},
    {R"({"type": "string", "minLength": 3})", R"("ab")",
     R"(spec: Invalid value: "ab": spec in body should be at least 3 chars long)"},
    {R"({"type": "string", "pattern": "^a$"})", R"("b")",
     R"(spec: Invalid value: "b": spec in body should match '^a$')"},
    {R"({"type": "string", "enum": ["a", "b"]})", R"("c")",
     R"(spec: Unsupported value: "c": supported values: "a", "b")"},
    {R"({"type": "integer", "enum": [1, 2]})", "3", R"(spec: Unsupported value: 3: supported values: "1", "2")"},
    {R"({"type": "string", "format": "uuid"})", R"("x")",
     R"(spec: Invalid value: "x": spec in body must be of type uuid: "x")"},
    {R"({"type": "array", "items": {"type": "string"}, "maxItems": 1})", R"(["a", "b"])",
     "spec: Too many: 2: must have at most 1 item"},
    {R"({"type": "array", "items": {"type": "string"}, "minItems": 2})", R"(["a"])",
     "spec: Invalid value: 1: spec in body should have at least 2 items"},
    {R"({"type": "array", "items": {"type": "string"}})", R"(["a", 5])",
     R"(spec[1]: Invalid value: "integer": spec[1] in body must be of type string: "integer")"},
    {R"({"type": "object", "additionalProperties": {"type": "string"}})", R"({"k": 5})",
     R"(spec.k: Invalid value: "integer": spec.k in body must be of type string: "integer")"},
    {R"({"type": "object", "required": ["a"]})", "{}", "spec.a: Required value"},
    {R"({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"})", R"(["a", "b", "a"])",
     R"(spec[2]: Duplicate value: "a")"},
    {R"({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string"}}},
         "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]})",
     R"([{"n": "a"}, {"n": "a", "x": 1}])", R"(spec[1]: Duplicate value: {"n":"a"})"},
    {R"({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})",
     R"({"apiVersion": "v1"})", "spec.kind: Required value"},
};
INSTANTIATE_TEST_SUITE_P(All, Values, testing::ValuesIn(kValueCases));

TEST(CustomSchema, OfAlternativesThatFailTheOneThatFitsBestIsShown) {
  EXPECT_THAT(ErrorsOf(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                           "oneOf": [{"required": ["a"]}, {"required": ["b"]}]})",
                       R"({"a": "x", "b": "y"})"),
              ElementsAre("<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found 2 "
                          "valid alternatives"));
  EXPECT_THAT(ErrorsOf(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                           "anyOf": [{"required": ["a"]}, {"properties": {"b": {"minLength": 2}}}]})",
                       R"({"b": "y"})"),
              ElementsAre("<nil>: Invalid value: \"\": \"spec\" must validate at least one schema (anyOf)",
                          "spec.b: Invalid value: \"y\": spec.b in body should be at least 2 chars long"));
}

TEST(CustomSchema, UpdatesMayLeaveWrongPartsAlone) {
  const auto schema = SchemaOfSpec(R"({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1},
                                       "b": {"type": "string", "maxLength": 1}}})");
  const Json old = Object(R"({"a": "long"})");
  EXPECT_THAT(schema->Validate(Object(R"({"a": "long", "b": "x"})"), &old), IsEmpty());
  EXPECT_THAT(Errors(schema->Validate(Object(R"({"a": "longer"})"), &old)),
              ElementsAre("spec.a: Too long: may not be more than 1 byte"));
}

TEST(CustomSchema, StatusIsValidatedByItself) {
  const auto schema = CustomSchema::Create(ParseJson(R"({"type": "object", "properties": {
    "spec": {"type": "string"}, "status": {"type": "object", "properties": {"n": {"type": "integer"}}}}})")
                                               .value());
  const Json old = ParseJson(R"({"spec": 5})").value();
  const Json object = ParseJson(R"({"spec": 5, "status": {"n": "x"}})").value();
  EXPECT_THAT(Errors(schema->ValidateStatus(object, old)),
              ElementsAre(R"(status.n: Invalid value: "string": n in body must be of type integer: "string")"));
}

TEST(CustomSchema, RulesThatDoNotHoldAreErrors) {
  constexpr std::string_view kSchema = R"json({"type": "object", "properties": {"low": {"type": "integer"},
    "high": {"type": "integer"}, "name": {"type": "string", "x-kubernetes-validations": [
      {"rule": "self.startsWith('a')", "message": "must begin with a", "reason": "FieldValueForbidden"},
      {"rule": "self.size() < 4", "messageExpression": "'has ' + string(self.size()) + ' characters'"}]}},
    "x-kubernetes-validations": [{"rule": "self.low <= self.high", "fieldPath": ".low"}]})json";
  EXPECT_THAT(ErrorsOf(kSchema, R"({"low": 1, "high": 2, "name": "abc"})"), IsEmpty());
  EXPECT_THAT(ErrorsOf(kSchema, R"({"low": 3, "high": 2, "name": "beta"})"),
              UnorderedElementsAre("spec.low: Invalid value: failed rule: self.low <= self.high",
                                   "spec.name: Forbidden: must begin with a",
                                   "spec.name: Invalid value: \"beta\": has 4 characters"));
  EXPECT_THAT(ErrorsOf(kSchema, R"({"low": 3, "name": "abc"})"),
              ElementsAre("spec: Invalid value: \"object\": no such key: high evaluating rule: self.low <= self.high"));
}

TEST(CustomSchema, RulesWaitForValuesOfTheRightTypes) {
  EXPECT_THAT(ErrorsOf(R"({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 2"}]})", R"("x")"),
              ElementsAre(R"(spec: Invalid value: "string": spec in body must be of type integer: "string")",
                          "<nil>: Invalid value: null: some validation rules were not checked because the object was "
                          "invalid; correct the existing errors to complete validation"));
}

TEST(CustomSchema, TransitionRulesCompareWithWhatWasThere) {
  const auto schema = SchemaOfSpec(R"json({"type": "object", "properties": {
    "size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "only grows"}]},
    "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
      "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
        "port": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]}}}},
    "once": {"type": "string", "x-kubernetes-validations": [
      {"rule": "!oldSelf.hasValue() || self == oldSelf.value()", "optionalOldSelf": true, "message": "set once"}]}}})json");
  const Json old = Object(R"({"size": 3, "ports": [{"name": "a", "port": 1}, {"name": "b", "port": 2}], "once": "x"})");
  EXPECT_THAT(schema->Validate(old), IsEmpty());
  EXPECT_THAT(schema->Validate(Object(R"({"size": 4, "ports": [{"name": "b", "port": 2}, {"name": "c", "port": 9}],
                                          "once": "x"})"),
                               &old),
              IsEmpty());
  EXPECT_THAT(
      Errors(schema->Validate(Object(R"({"size": 2, "ports": [{"name": "b", "port": 1}], "once": "y"})"), &old)),
      UnorderedElementsAre("spec.size: Invalid value: 2: only grows", "spec.ports[0].port: Invalid value: 1: fixed",
                           "spec.once: Invalid value: \"y\": set once"));
}

TEST(CustomSchema, RulesThatAnUpdateDoesNotTouchMayFail) {
  const auto schema =
      SchemaOfSpec(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer",
    "x-kubernetes-validations": [{"rule": "self > 2"}]}}})");
  const Json old = Object(R"({"a": "x", "b": 1})");
  EXPECT_THAT(schema->Validate(Object(R"({"a": "y", "b": 1})"), &old), IsEmpty());
  EXPECT_THAT(schema->Validate(Object(R"({"a": "y", "b": 2})"), &old), testing::SizeIs(1));
}

TEST(CustomSchema, RulesStopWhenTheyCostTooMuch) {
  std::string list = "[";
  for (int number = 0; number < 4000; ++number) list += std::to_string(number) + ",";
  list.back() = ']';
  const auto errors = ErrorsOf(R"json({"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [
      {"rule": "self.all(x, self.all(y, x + y > -1))"}, {"rule": "false"}]})json",
                               list);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], testing::HasSubstr("no further validation rules will be run due to call cost exceeds limit"));
}

// A body may be 3 MB of such items.
TEST(CustomSchema, ManyItemsTakeLittleTime) {
  const auto schema = SchemaOfSpec(R"({"type": "array", "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["n"], "items": {"type": "object", "properties": {"n": {"type": "string"},
    "v": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}})");
  std::string old = "[";
  std::string now = "[";
  for (int number = 0; number < 20'000; ++number) {
    old += fmt::format(R"({{"n": "{}", "v": 1}},)", number);
    now += fmt::format(R"({{"n": "{}", "v": "x", "u{}": 1}},)", number, number);
  }
  old.back() = now.back() = ']';
  const Json before = Object(old);
  const Result<DecodedObject> decoded = schema->Decode(Object(now));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->strict_errors.size(), 20'000U);
  EXPECT_EQ(schema->Validate(decoded->object, &before).size(), 20'001U);
}

TEST(CustomSchema, GivesServerSideApplyItsTypes) {
  const auto schema = SchemaOfSpec(R"({"type": "object", "properties": {"list": {"type": "array",
    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object"}}}})");
  const Schema* list = schema->type().Find("spec")->Find("list");
  EXPECT_EQ(list->list_type, ListType::kMap);
  EXPECT_EQ(schema->type().Find("metadata")->Find("finalizers")->list_type, ListType::kSet);
  EXPECT_EQ(schema->type().Find("kind")->type, Schema::Type::kString);
}

}  // namespace
}  // namespace kumiko::api
