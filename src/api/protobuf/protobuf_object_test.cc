#include "api/protobuf/protobuf_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/kinds.h"
#include "api/protobuf/message_table.h"

namespace kumiko::api {
namespace {

using testing::HasSubstr;

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Tag(std::uint64_t number, std::uint64_t wire_type) {
  return Varint(number << 3 | wire_type);
}

// A string or message.
std::string Field(std::uint64_t number, std::string_view bytes) {
  return Tag(number, 2) + Varint(bytes.size()) + std::string(bytes);
}

std::string Number(std::uint64_t number, std::uint64_t value) {
  return Tag(number, 0) + Varint(value);
}

std::string Body(std::string_view api_version, std::string_view kind, std::string_view message) {
  return std::string("k8s\0", 4) + Field(1, Field(1, api_version) + Field(2, kind)) + Field(2, message) + Field(3, "") +
         Field(4, "");
}

std::string Read(std::string_view body) {
  const Result<Json> object = ReadProtobufObject(body);
  return object ? WriteJson(*object) : "error: " + object.error().message;
}

std::string ReadAs(std::string_view api_version, std::string_view kind, std::string_view message) {
  return Read(Body(api_version, kind, message));
}

// The bytes that client-go 0.37 sends for a Lease.
TEST(ProtobufObject, ReadsABodyOfClientGo) {
  constexpr std::string_view kBody(
      "k8s\0\x0a\x1f\x0a\x16"
      "coordination.k8s.io/v1\x12\x05Lease"
      "\x12\x3c\x0a\x1b\x0a\x04lock\x12\x00\x1a\x07"
      "default\x22\x00\x2a\x00\x32\x00\x38\x00\x42\x00"
      "\x12\x1d\x0a\x01"
      "a\x10\x0f\x1a\x08\x08\x80\xf4\xf0\xcf\x06\x10\x00"
      "\x22\x0a\x08\x80\xf4\xf0\xcf\x06\x10\xf8\xc0\x07\x28\x00\x1a\x00\x22\x00",
      103);
  EXPECT_EQ(Read(kBody),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"lock","namespace":"default"},)"
            R"("spec":{"holderIdentity":"a","leaseDurationSeconds":15,"acquireTime":"2026-05-07T07:06:40.000000Z",)"
            R"("renewTime":"2026-05-07T07:06:40.000123Z","leaseTransitions":0}})");
}

TEST(ProtobufObject, WritesEmptyValuesWhereGoDoes) {
  EXPECT_EQ(ReadAs("v1", "Pod", ""),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(ReadAs("apps/v1", "Deployment", ""),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":null,"template":)"
            R"({"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}})");
  // Zero values of members that are no pointers are on the wire, and are left out; those of pointers were chosen.
  EXPECT_EQ(ReadAs("apps/v1", "Deployment", Field(2, Number(1, 0) + Number(5, 0))),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"replicas":0,"selector":null,)"
            R"("template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}})");
}

TEST(ProtobufObject, ReadsTypesWithAJsonFormOfTheirOwn) {
  const std::string quantity = Field(3, Field(1, "memory") + Field(2, Field(1, "1.5Gi")));
  EXPECT_THAT(ReadAs("v1", "LimitRange", Field(2, Field(1, quantity))), HasSubstr(R"("min":{"memory":"1536Mi"})"));
  const auto port = [](std::string_view value) { return Field(2, Field(1, Field(4, value))); };
  EXPECT_THAT(ReadAs("v1", "Service", port(Number(1, 0) + Number(2, 80) + Field(3, ""))),
              HasSubstr(R"("targetPort":80)"));
  EXPECT_THAT(ReadAs("v1", "Service", port(Number(1, 1) + Number(2, 0) + Field(3, "http"))),
              HasSubstr(R"("targetPort":"http")"));
  EXPECT_THAT(ReadAs("v1", "Secret", Field(2, Field(1, "key") + Field(2, std::string_view("\0\xff", 2)))),
              HasSubstr(R"("data":{"key":"AP8="})"));
  EXPECT_THAT(ReadAs("apps/v1", "ControllerRevision", Field(2, Field(1, R"({"a":[1,null]})"))),
              HasSubstr(R"("data":{"a":[1,null]},"revision":0)"));
  EXPECT_THAT(ReadAs("authentication.k8s.io/v1", "TokenReview",
                     Field(3, Field(2, Field(4, Field(1, "k") + Field(2, Field(1, "v")))))),
              HasSubstr(R"("extra":{"k":["v"]})"));
}

TEST(ProtobufObject, PutsEmbeddedStructsIntoTheObject) {
  const std::string volume = Field(1, "data") + Field(2, Field(2, Field(1, "Memory")));
  EXPECT_THAT(ReadAs("v1", "Pod", Field(2, Field(1, volume))),
              HasSubstr(R"("volumes":[{"name":"data","emptyDir":{"medium":"Memory"}}])"));
}

TEST(ProtobufObject, ReadsSchemasOfCustomResources) {
  // properties: {a: {items: {type: string}, additionalProperties: true}}
  const std::string items = Field(24, Field(1, Field(5, "string")));
  const std::string schema = Field(29, Field(1, "a") + Field(2, items + Field(30, Number(1, 1))));
  const std::string version = Field(1, "v1") + Field(4, Field(1, schema));
  EXPECT_THAT(ReadAs("apiextensions.k8s.io/v1", "CustomResourceDefinition", Field(2, Field(7, version))),
              HasSubstr(R"({"properties":{"a":{"items":{"type":"string"},"additionalProperties":true}}})"));
}

TEST(ProtobufObject, OrdersMapsAndTakesTheLastOfEqualKeys) {
  const auto entry = [](std::string_view key, std::string_view value) {
    return Field(2, Field(1, key) + Field(2, value));
  };
  EXPECT_THAT(ReadAs("v1", "ConfigMap", entry("b", "1") + entry("a", "2") + entry("b", "3") + entry("", "")),
              HasSubstr(R"("data":{"":"","a":"2","b":"3"})"));
}

TEST(ProtobufObject, AddsUpThePartsOfAMessageAndPassesOverWhatIsNotKnown) {
  const std::string unknown = Field(1000, "x") + Number(1001, 7) + Tag(1002, 3) + Number(1, 1) + Tag(1003, 3) +
                              Tag(1003, 4) + Tag(1002, 4) + Tag(1004, 5) + "1234" + Tag(1005, 1) + "12345678";
  EXPECT_EQ(ReadAs("v1", "ConfigMap", Field(1, Field(1, "a") + unknown) + unknown + Field(1, Field(3, "b"))),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b"}})");
  // A list of numbers, packed as current encoders do, and not.
  const std::string groups = Field(4, Varint(1) + Varint(2)) + Number(4, 3);
  EXPECT_THAT(ReadAs("v1", "Pod", Field(2, Field(14, groups))), HasSubstr(R"("supplementalGroups":[1,2,3])"));
}

TEST(ProtobufObject, ReplacesBytesThatAreNoText) {
  EXPECT_THAT(ReadAs("v1", "ConfigMap", Field(1, Field(1, "a\xff\xe4\xb8z"))),
              HasSubstr("\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\""));
}

TEST(ProtobufObject, ReadsDeleteOptionsOfAnyVersion) {
  EXPECT_EQ(ReadAs("apps/v1", "DeleteOptions", Number(1, 0) + Field(4, "Foreground")),
            R"({"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,)"
            R"("propagationPolicy":"Foreground"})");
}

TEST(ProtobufObject, TakesTheTypeOfThePathWhereTheBodyNamesNone) {
  const Result<Json> object = ReadProtobufObject(Body("", "", ""), {.api_version = "v1", .kind = "ConfigMap"});
  ASSERT_TRUE(object.has_value());
  EXPECT_EQ(WriteJson(*object), R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{}})");
  EXPECT_THAT(WriteJson(*ReadProtobufObject(Body("v1", "Secret", ""), {.api_version = "v1", .kind = "ConfigMap"})),
              HasSubstr(R"("kind":"Secret")"));
}

TEST(ProtobufObject, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(Read(""), "error: empty data");
  EXPECT_EQ(Read(std::string_view("k8s\0", 4)), "error: empty body");
  EXPECT_THAT(Read("{}"), HasSubstr("provided data does not appear to be a protobuf message, expected prefix"));
  EXPECT_THAT(ReadAs("v1", "", ""), HasSubstr("Object 'Kind' is missing"));
  EXPECT_THAT(ReadAs("", "Pod", ""), HasSubstr("Object 'apiVersion' is missing"));
  EXPECT_THAT(ReadAs("v1", "PodSpec", ""), HasSubstr(R"(no kind "PodSpec" is registered for version "v1")"));
  EXPECT_EQ(ReadAs("v1", "Pod", Number(1, 5)),
            "error: v1.Pod, field 1 at byte 17: wire type 0 where metadata has another");
  EXPECT_EQ(ReadAs("v1", "Pod",
                   Field(1,
                         "\x0a\x05"
                         "ab")),
            "error: meta.k8s.io/v1.ObjectMeta at byte 19: a length of 5 bytes, but only 2 follow");
  EXPECT_EQ(ReadAs("apps/v1", "ControllerRevision", Field(2, Field(1, "{"))),
            "error: apps/v1.ControllerRevision, field 2 at byte 37: line 1, column 2: the text ends in the middle of a "
            "value");
  EXPECT_THAT(ReadAs("v1", "Pod", std::string(11, '\xff')), HasSubstr("a number of more than ten bytes"));
  EXPECT_THAT(ReadAs("v1", "Pod", Tag(1000, 3)), HasSubstr("the bytes end inside group 1000"));
  EXPECT_THAT(ReadAs("v1", "Pod", Tag(1, 4)), HasSubstr("the end of a group that was not begun"));
  EXPECT_THAT(ReadAs("v1", "Pod", Tag(0, 0)), HasSubstr("0 is no field number"));
  EXPECT_THAT(ReadAs("v1", "Pod", Tag(1, 7)), HasSubstr("7 is no wire type"));
}

TEST(ProtobufObject, BoundsDepthAndMemory) {
  std::string schema;
  for (int i = 0; i < 200; ++i) schema = Field(28, schema);
  EXPECT_THAT(
      ReadAs("apiextensions.k8s.io/v1", "CustomResourceDefinition", Field(2, Field(7, Field(4, Field(1, schema))))),
      HasSubstr("nested deeper than 100 levels"));
  const std::string container = Field(2, "");
  std::string spec;
  for (int i = 0; i < 400'000; ++i) spec += container;
  EXPECT_THAT(ReadAs("v1", "Pod", Field(2, spec)), HasSubstr("more than 1000000 fields and values in one object"));
}

TEST(ProtobufObject, KnowsAllKindsThatAreServed) {
  const auto expect = [](std::string_view version, std::string_view kind) {
    EXPECT_NE(internal::FindMessage(version, kind), nullptr)
        << version << ' ' << kind << ": run scripts/gen-openapi, then scripts/gen-protobuf";
  };
  const auto check = [&](const KindInfo& info) {
    expect(info.ApiVersion(), info.kind);
    for (const GroupVersion& version : info.served_as) expect(version.Text(), info.kind);
    for (const SubresourceInfo& subresource : info.subresources) {
      if (subresource.kind.ends_with("Options")) continue;  // parameters of the query
      expect(subresource.of.version.empty() ? info.ApiVersion() : subresource.of.Text(), subresource.kind);
    }
  };
  for (const KindInfo& info : AllKinds()) check(info);
  for (const KindInfo& info : ReviewKinds()) check(info);
}

}  // namespace
}  // namespace kumiko::api
