#include "api/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kumiko::api {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

// Defaults and validates as the store does on create.
std::vector<FieldError> Admit(std::string_view text) {
  auto stored = ToStored(Parse(text));
  EXPECT_TRUE(stored) << stored.error().message;
  if (!stored) return {};
  SetDefaults(*stored);
  return Validate(*stored);
}

std::string Claim(std::string_view requests, std::string_view rest = "") {
  return fmt::format(R"({{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {{"name": "c"}},
                        "spec": {{"devices": {{"requests": {} {} }}}}}})",
                     requests, rest);
}

TEST(Kinds, ConvertsV1Beta1ClaimsToTheStoredForm) {
  const auto stored = ToStored(Parse(R"({
    "apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaimTemplate", "metadata": {"name": "t"},
    "spec": {"spec": {"devices": {"requests": [
      {"name": "a", "deviceClassName": "mig.nvidia.com", "selectors": [{"cel": {"expression": "true"}}]},
      {"name": "b", "firstAvailable": [{"name": "x", "deviceClassName": "y"}]}]}}}})"));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, Parse(R"({
    "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "t"},
    "spec": {"spec": {"devices": {"requests": [
      {"name": "a", "exactly": {"deviceClassName": "mig.nvidia.com", "selectors": [{"cel": {"expression": "true"}}]}},
      {"name": "b", "firstAvailable": [{"name": "x", "deviceClassName": "y"}]}]}}}})"));
}

TEST(Kinds, ConvertsV1Beta1SlicesToTheStoredForm) {
  const auto stored = ToStored(Parse(R"({
    "apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceSlice", "metadata": {"name": "s"},
    "spec": {"nodeName": "", "allNodes": true, "devices": [{"name": "d", "basic": {"capacity": {"memory": {"value": "1Gi"}}}}]}})"));
  ASSERT_TRUE(stored);
  EXPECT_EQ(*FindPath(*stored, {"spec"}),
            Parse(R"({"allNodes": true, "devices": [{"name": "d", "capacity": {"memory": {"value": "1Gi"}}}]})"));
}

TEST(Kinds, NamesTheNearestKindAndTheServedVersion) {
  EXPECT_THAT(ToStored(Parse(R"({"apiVersion": "v1", "kind": "Pods"})")).error().message,
              HasSubstr("did you mean Pod?"));
  EXPECT_THAT(ToStored(Parse(R"({"apiVersion": "resource.k8s.io/v1alpha1", "kind": "DeviceClass"})")).error().message,
              HasSubstr("write resource.k8s.io/v1"));
  EXPECT_THAT(ToStored(Parse(R"({"kind": "Job"})")).error().message, HasSubstr("write batch/v1"));
}

TEST(Kinds, AreOrderedAndUnique) {
  const auto kinds = AllKinds();
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    EXPECT_LT(std::pair(kinds[i - 1].group, kinds[i - 1].kind), std::pair(kinds[i].group, kinds[i].kind));
  }
  std::set<std::string_view> names;
  for (const KindInfo& info : kinds) {
    EXPECT_TRUE(names.insert(info.kind).second) << info.kind;
    EXPECT_TRUE(std::ranges::is_sorted(info.subresources, {}, &SubresourceInfo::name)) << info.kind;
  }
}

TEST(Kinds, EveryVersionServedStandsInTheListOfGroupsAndEveryGroupHasAKind) {
  std::set<std::pair<std::string_view, std::string_view>> listed;
  for (const GroupInfo& group : AllGroups()) {
    for (const std::string_view version : group.versions) listed.emplace(group.name, version);
  }
  std::set<std::pair<std::string_view, std::string_view>> served;
  for (const std::span<const KindInfo> kinds : {AllKinds(), ReviewKinds()}) {
    for (const KindInfo& info : kinds) {
      served.emplace(info.group, info.version);
      for (const GroupVersion& other : info.served_as) served.emplace(other.group, other.version);
    }
  }
  EXPECT_EQ(listed, served);
}

TEST(Kinds, ResourcesAreFoundInEachVersion) {
  ASSERT_NE(FindResource("", "v1", "pods"), nullptr);
  EXPECT_EQ(FindResource("", "v1", "pods")->singular, "pod");
  EXPECT_TRUE(FindResource("", "v1", "pods")->has_status);
  EXPECT_EQ(FindResource("apps", "v1", "pods"), nullptr);
  ASSERT_NE(FindResource("resource.k8s.io", "v1alpha3", "devicetaintrules"), nullptr);
  EXPECT_EQ(FindResource("resource.k8s.io", "v1alpha3", "devicetaintrules")->version, "v1");
  EXPECT_EQ(FindResource("authorization.k8s.io", "v1", "selfsubjectaccessreviews")->verbs, "create");
  EXPECT_EQ(FindKind("SelfSubjectAccessReview"), nullptr);
  EXPECT_EQ(FindKind("Deployment")->FindSubresource("scale")->of, (GroupVersion{"autoscaling", "v1"}));
  EXPECT_EQ(FindKind("DaemonSet")->FindSubresource("scale"), nullptr);
}

TEST(Kinds, WithoutAStructAreCheckedByName) {
  EXPECT_THAT(Admit(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}})"),
              IsEmpty());
  EXPECT_THAT(Admit(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "A"}})"),
              Contains(testing::Field(&FieldError::path, "metadata.name")));
  EXPECT_THAT(Admit(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": 1}})"),
              Contains(testing::Field(&FieldError::path, "metadata")));
}

TEST(Defaults, FillsModeAndCountOfRequests) {
  Json claim = Parse(Claim(R"([{"name": "a", "exactly": {"deviceClassName": "x"}},
                               {"name": "b", "exactly": {"deviceClassName": "x", "allocationMode": "All"}}])"));
  SetDefaults(claim);
  const JsonArray& requests = FindPath(claim, {"spec", "devices", "requests"})->as_array();
  EXPECT_EQ(requests[0].at("exactly").at("count"), 1);
  EXPECT_EQ(requests[0].at("exactly").at("allocationMode"), "ExactCount");
  EXPECT_EQ(requests[1].at("exactly").as_object().if_contains("count"), nullptr);
}

TEST(Defaults, NeverChangesWhatIsWritten) {
  Json pod = Parse(R"({"apiVersion": "v1", "kind": "Pod", "spec": {"restartPolicy": "Never"}})");
  SetDefaults(pod);
  EXPECT_EQ(StringAt(pod, {"spec", "restartPolicy"}), "Never");
}

struct Refused {
  const char* name;
  std::string object;
  FieldError error;
};

class Validation : public testing::TestWithParam<Refused> {};

TEST_P(Validation, Refuses) {
  EXPECT_THAT(Admit(GetParam().object), Contains(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Claims, Validation,
    testing::Values(
        Refused{
            "NeitherForm",
            Claim(R"([{"name": "a"}])"),
            {"spec.devices.requests[0]", "Required value: exactly one of `exactly` or `firstAvailable` is required"}},
        Refused{"NegativeCount",
                Claim(R"([{"name": "a", "exactly": {"deviceClassName": "x", "count": -1}}])"),
                {"spec.devices.requests[0].exactly.count", "Invalid value: -1: must be greater than zero"}},
        Refused{"CountWithAll",
                Claim(R"([{"name": "a", "exactly": {"deviceClassName": "x", "allocationMode": "All", "count": 1}}])"),
                {"spec.devices.requests[0].exactly.count",
                 "Invalid value: 1: must not be specified when allocationMode is 'All'"}},
        Refused{"NoClass",
                Claim(R"([{"name": "a", "exactly": {}}])"),
                {"spec.devices.requests[0].exactly.deviceClassName", "Required value"}},
        Refused{
            "SameNameTwice",
            Claim(
                R"([{"name": "a", "exactly": {"deviceClassName": "x"}}, {"name": "a", "exactly": {"deviceClassName": "x"}}])"),
            {"spec.devices.requests[1].name", "Duplicate value: \"a\""}},
        Refused{"UnknownMode",
                Claim(R"([{"name": "a", "exactly": {"deviceClassName": "x", "allocationMode": "Some"}}])"),
                {"spec.devices.requests[0].exactly.allocationMode",
                 "Unsupported value: \"Some\": supported values: \"All\", \"ExactCount\""}},
        Refused{"ConstraintWithoutDomain",
                Claim(R"([{"name": "a", "exactly": {"deviceClassName": "x"}}])",
                      R"(, "constraints": [{"matchAttribute": "numa"}])"),
                {"spec.devices.constraints[0].matchAttribute",
                 "Invalid value: \"numa\": a fully qualified name must be a domain and a name separated by a slash"}}),
    [](const auto& row) { return row.param.name; });

TEST(Validation, ListAttributesHaveItemsAndCountAsSoMany) {
  const auto errors_of = [](const std::string& attributes) {
    return Admit(R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
      "spec": {"driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, "nodeName": "n",
      "devices": [{"name": "x", "attributes": )" +
                 attributes + "}]}}");
  };
  const std::string path = "spec.devices[0].attributes";
  EXPECT_THAT(errors_of(R"({"a": {"ints": [1]}, "b": {"bools": [true]}})"), testing::IsEmpty());
  EXPECT_THAT(errors_of(R"({"a": {"ints": []}})"),
              testing::ElementsAre(testing::AllOf(
                  testing::Field(&FieldError::path, path + "[a]"),
                  testing::Field(&FieldError::message, HasSubstr("must specify one of: `int`, `bool`, `string`")))));
  EXPECT_THAT(
      errors_of(R"({"a": {"ints": [1], "int": 1}})"),
      testing::ElementsAre(FieldError{path + "[a]", "Invalid value: \"\": exactly one value must be specified"}));
  EXPECT_THAT(errors_of(R"({"a": {"strings": ["", ")" + std::string(65, 'x') + R"("]}})"),
              Contains(testing::Field(&FieldError::path, path + "[a].strings[1]")));
  std::string many = R"({"one": {"int": 1}, "a": {"ints": [1)";
  for (int i = 1; i < 48; ++i) many += ", 1";
  EXPECT_THAT(errors_of(many + "]}}"), Contains(testing::Field(&FieldError::path, path)));
}

TEST(Validation, CompilesSelectors) {
  const auto errors = Admit(Claim(
      R"([{"name": "a", "exactly": {"deviceClassName": "x", "selectors": [{"cel": {"expression": "profile == \"1g\""}}]}}])"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, "spec.devices.requests[0].exactly.selectors[0].cel.expression");
  EXPECT_THAT(errors[0].message, HasSubstr("undeclared reference to 'profile'"));
}

TEST(Validation, RefusesThe257thConsumer) {
  std::string consumers;
  for (int i = 0; i < 257; ++i) {
    consumers += fmt::format(R"({}{{"resource": "pods", "name": "p{}", "uid": "u{}"}})", i == 0 ? "" : ",", i, i);
  }
  const auto errors = Admit(fmt::format(
      R"({{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {{"name": "c"}}, "spec": {{}},
          "status": {{"allocation": {{"devices": {{}}}}, "reservedFor": [{}]}}}})",
      consumers));
  EXPECT_THAT(errors, Contains(FieldError{"status.reservedFor", "Too many: 257: must have at most 256 items"}));
}

struct Annotated {
  const char* name;
  const char* bad;
  const char* advice;
};

class PodAnnotations : public testing::TestWithParam<Annotated> {};

TEST_P(PodAnnotations, BadOnesAreRefusedInPodsAndTemplates) {
  const std::string annotations =
      fmt::format(R"({{"annotations": {{"kumiko.dev/{}": "{}"}}, "name": "p", "labels": {{"a": "b"}}}})",
                  GetParam().name, GetParam().bad);
  const std::string containers = R"("containers": [{"name": "main", "image": "i"}])";
  const std::string key = fmt::format("metadata.annotations[kumiko.dev/{}]", GetParam().name);
  const auto errors = Admit(fmt::format(R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {{ {} }}}})",
                                        annotations, containers));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path, key);
  EXPECT_THAT(errors[0].message, HasSubstr(GetParam().advice));
  for (const auto& [kind, members] :
       {std::pair("apps/v1\", \"kind\": \"Deployment", "Always"),
        std::pair("apps/v1\", \"kind\": \"ReplicaSet", "Always"), std::pair("batch/v1\", \"kind\": \"Job", "Never")}) {
    const auto found = Admit(fmt::format(
        R"({{"apiVersion": "{}", "metadata": {{"name": "o"}}, "spec": {{"selector": {{"matchLabels": {{"a": "b"}}}},
            "template": {{"metadata": {}, "spec": {{"restartPolicy": "{}", {} }}}}}}}})",
        kind, annotations, members, containers));
    EXPECT_THAT(found, Contains(testing::AllOf(testing::Field(&FieldError::path, "spec.template." + key),
                                               testing::Field(&FieldError::message, HasSubstr(GetParam().advice)))))
        << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PodAnnotations,
    testing::Values(Annotated{"run-for", "abc", "write 90s or 5m"}, Annotated{"run-for", "", "write 90s or 5m"},
                    Annotated{"run-for", "0s", "write 90s or 5m"}, Annotated{"run-for", "-1s", "write 90s or 5m"},
                    Annotated{"run-for", "99999999999h", "write 90s or 5m"},
                    Annotated{"run-for", "9223372036854775807", "write 90s or 5m"},
                    Annotated{"exit-code", "abc", "from 0 to 255"}, Annotated{"exit-code", "256", "from 0 to 255"},
                    Annotated{"exit-code", "-1", "from 0 to 255"},
                    Annotated{"gpu-memory-used", "12GB", "write 12Gi or 12G"},
                    Annotated{"gpu-memory-used", "-5Gi", "write 12Gi"},
                    Annotated{"gpu-memory-used", "999Ei", "too large"}, Annotated{"gpu-util", "80%", "from 0 to 100"},
                    Annotated{"gpu-util", "101", "from 0 to 100"}));

TEST(Validation, AcceptsWhatSimulatedPodsDo) {
  for (const std::string_view run_for : {"90", "90s", "250ms", "1h30m", "87600h"}) {
    EXPECT_THAT(Admit(fmt::format(
                    R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "p", "annotations": {{
                        "kumiko.dev/run-for": "{}", "kumiko.dev/exit-code": "1", "kumiko.dev/gpu-memory-used": "12Gi",
                        "kumiko.dev/gpu-util": "100"}}}},
                        "spec": {{"containers": [{{"name": "main", "image": "i"}}]}}}})",
                    run_for)),
                IsEmpty())
        << run_for;
  }
}

TEST(Validation, AcceptsAPodWithAClaimAndRefusesOneThatNamesNone) {
  constexpr std::string_view kPod = R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "p"}}, "spec": {{
      "containers": [{{"name": "main", "image": "i", "resources": {{"claims": [{{"name": "{}"}}]}}}}],
      "resourceClaims": [{{"name": "gpu", "resourceClaimTemplateName": "t"}}]}}}})";
  EXPECT_THAT(Admit(fmt::format(kPod, "gpu")), IsEmpty());
  EXPECT_THAT(Admit(fmt::format(kPod, "gpus")),
              Contains(FieldError{"spec.containers[0].resources.claims[0]",
                                  "Not found: \"gpus\": must be one of the names in pod.spec.resourceClaims"}));
}

TEST(Validation, RefusesWorkloadsWhoseSelectorMissesTheTemplate) {
  const auto errors = Admit(R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
    "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "b"}},
             "spec": {"containers": [{"name": "c", "image": "i"}]}}}})");
  EXPECT_THAT(errors,
              Contains(FieldError{"spec.template.metadata.labels",
                                  "Invalid value: {\"app\":\"b\"}: `selector` does not match template `labels`"}));
}

}  // namespace
}  // namespace kumiko::api
