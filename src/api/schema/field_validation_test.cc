#include "api/schema/field_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Result<DecodedObject> Decode(std::string_view group, std::string_view kind, std::string_view text) {
  Result<JsonWithDuplicates> parsed = ParseJsonWithDuplicates(text);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return DecodeBySchema(std::move(parsed->value), *SchemaOf(group, "v1", kind), parsed->duplicates);
}

std::string ErrorOf(std::string_view group, std::string_view kind, std::string_view text) {
  const Result<DecodedObject> decoded = Decode(group, kind, text);
  return decoded ? "" : decoded.error().message;
}

std::string Decoded(std::string_view group, std::string_view kind, std::string_view text) {
  const Result<DecodedObject> decoded = Decode(group, kind, text);
  return decoded ? WriteJson(decoded->object) : decoded.error().message;
}

TEST(FieldValidation, TellsUnknownAndDuplicateFieldsInTheOrderOfTheText) {
  const auto decoded = Decode("apps", "Deployment", R"({"kind": "Deployment", "foo": 1, "spec": {"replicas": 1,
    "replica": 2, "replicas": 3, "template": {"spec": {"containers": [{"name": "a"}, {"imag": "x", "name": "b",
    "name": "c", "ports": [{"containerPort": 80, "prot": "TCP"}]}]}}}, "metadata": {"labels": {"a": "1", "a": "2"}},
    "foo": 2})");
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_THAT(decoded->strict_errors, ElementsAre(R"(unknown field "foo")", R"(unknown field "spec.replica")",
                                                  R"(duplicate field "spec.replicas")",
                                                  R"(unknown field "spec.template.spec.containers[1].imag")",
                                                  R"(duplicate field "spec.template.spec.containers[1].name")",
                                                  R"(unknown field "spec.template.spec.containers[1].ports[0].prot")",
                                                  R"(duplicate field "metadata.labels.a")"));
  EXPECT_EQ(WriteJson(decoded->object),
            R"({"kind":"Deployment","spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a"},)"
            R"({"name":"c","ports":[{"containerPort":80}]}]}}},"metadata":{"labels":{"a":"2"}}})");
  EXPECT_EQ(DescribeStrictErrors(std::vector<std::string>{"unknown field \"a\"", "unknown field \"b\""}),
            R"(strict decoding error: unknown field "a", unknown field "b")");
}

TEST(FieldValidation, TellsAtMost100) {
  std::string text = "{";
  for (int number = 0; number < 150; ++number) text += "\"x" + std::to_string(number) + "\": 1,";
  text.back() = '}';
  EXPECT_EQ(Decode("", "ConfigMap", text)->strict_errors.size(), 100U);
}

TEST(FieldValidation, NullsAreAsGoodAsAbsent) {
  EXPECT_EQ(Decoded("", "Pod", R"({"metadata": {"creationTimestamp": null, "labels": {}, "name": "p"}, "spec":
              {"hostNetwork": false, "containers": [{"name": "c", "args": null}]}, "status": null})"),
            R"({"metadata":{"labels":{},"name":"p"},"spec":{"hostNetwork":false,"containers":[{"name":"c"}]}})");
}

TEST(FieldValidation, KeepsQuantitiesAndTimesInCanonicalText) {
  EXPECT_EQ(Decoded("", "Pod", R"({"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1000m",
              "memory": "1024Mi", "example.com/gpu": 2, "ephemeral-storage": 0.5}}}]}})"),
            R"({"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1","memory":"1Gi",)"
            R"("example.com/gpu":"2","ephemeral-storage":"500m"}}}]}})");
  EXPECT_EQ(
      Decoded("coordination.k8s.io", "Lease", R"({"metadata": {"creationTimestamp": "2026-05-01T14:00:00.25+02:00"},
              "spec": {"renewTime": "2026-05-01T12:00:00.000001Z"}})"),
      R"({"metadata":{"creationTimestamp":"2026-05-01T12:00:00Z"},"spec":{"renewTime":)"
      R"("2026-05-01T12:00:00.000001Z"}})");
}

TEST(FieldValidation, StructsWithoutMembersHoldNothing) {
  const auto decoded = Decode("batch", "Job", R"({"spec": {"scheduling": {"disruptionMode": {"single": {"x": 1}}}}})");
  EXPECT_THAT(decoded->strict_errors, ElementsAre(R"(unknown field "spec.scheduling.disruptionMode.single.x")"));
}

TEST(FieldValidation, NullsInListsAndMapsBecomeZeroValues) {
  EXPECT_EQ(Decoded("", "ConfigMap", R"({"data": {"a": null}, "metadata": {"finalizers": [null, "x"]}})"),
            R"({"data":{"a":""},"metadata":{"finalizers":["","x"]}})");
}

// A body may be 3 MB of such members.
TEST(FieldValidation, ManyUnknownAndDuplicateFieldsTakeLittleTime) {
  std::string text = "{\"metadata\": {\"annotations\": {";
  for (int number = 0; number < 60'000; ++number) text += fmt::format("\"a\": \"\", \"b{}\": \"\",", number);
  text.back() = '}';
  text += "}";
  for (int number = 0; number < 60'000; ++number) text += fmt::format(", \"x{}\": 1", number);
  const auto decoded = Decode("", "ConfigMap", text + "}");
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->strict_errors.size(), 100U);
  EXPECT_EQ(decoded->object.as_object().size(), 1U);
}

struct WrongType {
  std::string_view group;
  std::string_view kind;
  std::string_view text;
  std::string_view error;
};

class WrongTypes : public testing::TestWithParam<WrongType> {};

TEST_P(WrongTypes, AreWordedAsGoWordsThem) {
  EXPECT_EQ(ErrorOf(GetParam().group, GetParam().kind, GetParam().text), GetParam().error);
}

constexpr WrongType kWrongTypes[] = {
    {"apps", "Deployment", R"({"spec": {"replicas": "3"}})",
     "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"},
    {"apps", "Deployment", R"({"spec": {"replicas": 1.5}})",
     "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32"},
    {"apps", "Deployment", R"({"spec": {"replicas": 3000000000}})",
     "json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32"},
    {"apps", "Deployment", R"({"spec": []})",
     "json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec"},
    {"", "Pod", R"({"metadata": {"labels": {"a": true}}})",
     "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string"},
    {"", "Pod", R"({"metadata": {"labels": "a"}})",
     "json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string"},
    {"", "Pod", R"({"spec": {"containers": [{"env": [{"name": "A", "value": 5}]}]}})",
     "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string"},
    {"", "Pod", R"({"spec": {"containers": {}}})",
     "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container"},
    {"", "Pod", R"({"spec": {"containers": [{"imagePullPolicy": 1}]}})",
     "json: cannot unmarshal number into Go struct field Container.spec.containers.imagePullPolicy of type "
     "v1.PullPolicy"},
    {"", "Pod", R"({"spec": {"volumes": [{"hostPath": 1}]}})",
     "json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type "
     "v1.HostPathVolumeSource"},
    {"", "Pod", R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "1x"}}}]}})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"", "Pod", R"({"spec": {"containers": [{"resources": {"limits": {"cpu": "1kk"}}}]}})",
     "unable to parse quantity's suffix"},
    {"", "Pod", R"({"spec": {"containers": [{"resources": {"limits": 5}}]}})",
     "json: cannot unmarshal number into Go struct field ResourceRequirements.spec.containers.resources.limits of type "
     "v1.ResourceList"},
    {"", "PersistentVolumeClaim", R"({"spec": {"accessModes": [1]}})",
     "json: cannot unmarshal number into Go struct field PersistentVolumeClaimSpec.spec.accessModes of type "
     "v1.PersistentVolumeAccessMode"},
    {"", "Service", R"({"spec": {"ports": [{"targetPort": true}]}})",
     "json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32"},
    {"", "Secret", R"({"data": {"a": "&"}})", "illegal base64 data at input byte 0"},
    {"", "Secret", R"({"data": {"a": "YWJj="}})", "illegal base64 data at input byte 4"},
    {"", "Pod", R"({"metadata": {"creationTimestamp": "soon"}})",
     R"(parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006")"},
    {"", "Pod", R"({"metadata": {"creationTimestamp": 5}})",
     "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
    {"coordination.k8s.io", "Lease", R"({"spec": {"renewTime": "2026-05-01T12:00:00Z"}})",
     R"(parsing time "2026-05-01T12:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")"},
    {"", "Pod", "[]", "json: cannot unmarshal array into Go value of type v1.Pod"},
    // The first wrong type is told, unless a type that reads by code of its own stops the decoder.
    {"", "Pod", R"({"spec": {"nodeName": 1, "hostname": 2}})",
     "json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string"},
    {"", "Pod", R"({"spec": {"nodeName": 1, "overhead": {"cpu": "?"}}})",
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongTypes, testing::ValuesIn(kWrongTypes));

constexpr WrongType kWrongTypesInTrees[] = {
    {"apps", "Deployment", R"({"spec": {"replicas": "3"}})", "unrecognized type: int32"},
    {"apps", "Deployment", R"({"spec": {"replicas": 1.5}})", "cannot convert float64 to int32"},
    {"apps", "Deployment", R"({"spec": {"paused": "yes"}})", "unrecognized type: bool"},
    {"apps", "Deployment", R"({"spec": []})", "cannot restore struct from: slice"},
    {"", "Pod", R"({"metadata": {"labels": {"a": 1}}})", "cannot convert int64 to string"},
    {"", "Pod", R"({"metadata": {"labels": "a"}})", "cannot restore map from string"},
    {"", "Pod", R"({"spec": {"containers": {}}})", "cannot restore slice from map"},
    {"", "Pod", R"({"spec": {"containers": [{"imagePullPolicy": 1}]}})", "cannot convert int64 to v1.PullPolicy"},
    {"", "Pod", R"({"spec": {"nodeName": true}})", "unrecognized type: string"},
    {"", "Secret", R"({"data": {"a": "&"}})", "error decoding from json: illegal base64 data at input byte 0"},
    {"", "Service", R"({"spec": {"ports": [{"targetPort": true}]}})",
     "json: cannot unmarshal bool into Go value of type int32"},
};

TEST(FieldValidation, WrongTypesInTreesAreWordedAsConversions) {
  for (const WrongType& wrong : kWrongTypesInTrees) {
    const Schema* schema = SchemaOf(wrong.group, "v1", wrong.kind);
    ASSERT_NE(schema, nullptr) << wrong.kind;
    const auto decoded = DecodeBySchema(*ParseJson(wrong.text), *schema, {}, ReadFrom::kTree);
    ASSERT_FALSE(decoded.has_value()) << wrong.text;
    EXPECT_EQ(decoded.error().message, wrong.error) << wrong.text;
  }
}

TEST(FieldValidation, DuplicatesOfObjectsWithoutASchema) {
  const auto parsed = ParseJsonWithDuplicates(R"({"a": 1, "spec": [{"b": 1, "b": 2}], "a": 2})");
  EXPECT_THAT(StrictErrorsOf(parsed->duplicates),
              ElementsAre(R"(duplicate field "spec[0].b")", R"(duplicate field "a")"));
  EXPECT_THAT(StrictErrorsOf({}), IsEmpty());
}

}  // namespace
}  // namespace kumiko::api
