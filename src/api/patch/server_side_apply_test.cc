#include "api/patch/server_side_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/forms.h"
#include "api/patch/strategic_merge.h"
#include "api/schema/schema_set.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = PatchError::Kind;

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << text << ": " << json.error().message;
  return json.value_or(Json());
}

Time At(int second) {
  return ParseRfc3339(fmt::format("2026-01-01T00:00:{:02}Z", second)).value();
}

FieldManagement Deployments() {
  FieldManagement kind;
  kind.schema = SchemaOf("apps", "v1", "Deployment");
  kind.api_version = "apps/v1";
  kind.kind = "Deployment";
  kind.reset_fields = FieldsAt({{"status"}});
  return kind;
}

// "kubectl Apply", "c Update status", in order.
std::vector<std::string> Owners(const Json& object) {
  std::vector<std::string> owners;
  const Json* entries = FindPath(object, {"metadata", "managedFields"});
  if (entries == nullptr) return owners;
  for (const Json& entry : entries->get_array()) {
    owners.push_back(fmt::format("{} {}{}{}", StringAt(entry, {"manager"}), StringAt(entry, {"operation"}),
                                 Find(entry, "subresource") == nullptr ? "" : " ", StringAt(entry, {"subresource"})));
  }
  return owners;
}

const Json& Entry(const Json& object, std::size_t at) {
  return object.at("metadata").at("managedFields").get_array().at(at);
}

std::string FieldsAt(const Json& object, std::size_t at) {
  return WriteJson(Entry(object, at).at("fieldsV1"));
}

constexpr std::string_view kWeb = R"({
  "apiVersion": "apps/v1", "kind": "Deployment",
  "metadata": {"name": "web", "namespace": "n", "labels": {"app": "web"}},
  "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [
      {"name": "web", "image": "nginx", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]}]}}}})";

// As `kubectl create` leaves kWeb.
Json Created() {
  Json web = Parse(kWeb);
  Complete(*FormOf("apps", "Deployment"), web.get_object());
  web = UpdateManagedFields(nullptr, std::move(web), "kubectl-create", Deployments(), At(1));
  web.at("metadata").get_object()["uid"] = "u";
  return web;
}

PatchResult<Json> ApplyAs(std::string_view manager, const Json& live, const Json& config, int second,
                          bool force = false) {
  return Apply(&live, config, {std::string(manager), force, At(second)}, Deployments());
}

// The texts of this test are those of kube-apiserver 1.37.2 for the same requests.
TEST(ServerSideApply, FollowsTheApiServerThroughTheLifeOfADeployment) {
  Json live = Created();
  EXPECT_THAT(Owners(live), ElementsAre("kubectl-create Update"));
  EXPECT_EQ(FieldsAt(live, 0),
            R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:progressDeadlineSeconds":{},)"
            R"("f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},)"
            R"("f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},)"
            R"("f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{".":{},)"
            R"("k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},)"
            R"("f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
            R"("f:containerPort":{},"f:protocol":{}}},"f:resources":{},"f:terminationMessagePath":{},)"
            R"("f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},)"
            R"("f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}})");

  const Json patch = Parse(R"({"spec":{"replicas":3,"template":{"spec":{"containers":[
      {"name":"web","image":"nginx:2","env":[{"name":"B","value":"2"}]}]}}}})");
  Json patched = StrategicMerge(live, patch, *Deployments().schema).value();
  live = UpdateManagedFields(&live, std::move(patched), "kubectl-patch", Deployments(), At(2));
  EXPECT_THAT(Owners(live), ElementsAre("kubectl-create Update", "kubectl-patch Update"));
  EXPECT_EQ(FieldsAt(live, 1),
            R"({"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:env":)"
            R"({"k:{\"name\":\"B\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{}}}}}}})");

  Json config = Parse(kWeb);
  config.at("spec").get_object()["replicas"] = 5;
  const auto refused = ApplyAs("kubectl", live, config, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Kind::kConflict);
  EXPECT_EQ(refused.error().message,
            "Apply failed with 2 conflicts: conflicts with \"kubectl-patch\" using apps/v1:\n- .spec.replicas\n"
            "- .spec.template.spec.containers[name=\"web\"].image");
  const std::string by = R"(conflict with "kubectl-patch" using apps/v1)";
  EXPECT_THAT(refused.error().causes,
              ElementsAre(PatchError::Cause{".spec.replicas", by},
                          PatchError::Cause{R"(.spec.template.spec.containers[name="web"].image)", by}));

  live = ApplyAs("kubectl", live, config, 4, /*force=*/true).value();
  EXPECT_THAT(Owners(live), ElementsAre("kubectl Apply", "kubectl-create Update", "kubectl-patch Update"));
  EXPECT_EQ(FieldsAt(live, 0),
            R"({"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":)"
            R"({"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},)"
            R"("f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":)"
            R"({"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}})");
  EXPECT_EQ(FieldsAt(live, 2), R"({"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:env":)"
                               R"({"k:{\"name\":\"B\"}":{".":{},"f:name":{},"f:value":{}}}}}}}}})");
  EXPECT_EQ(StringAt(Entry(live, 0), {"time"}), "2026-01-01T00:00:04Z");

  // A second one who says the same changes nothing but ownership, and has no time.
  live = ApplyAs("other", live, config, 5).value();
  EXPECT_THAT(Owners(live),
              ElementsAre("other Apply", "kubectl Apply", "kubectl-create Update", "kubectl-patch Update"));
  EXPECT_EQ(Find(Entry(live, 0), "time"), nullptr);

  // What others still own stays when the first one stops to name it.
  Json less = config;
  less.at("spec").at("template").at("spec").at("containers").at(0).get_object().erase("env");
  live = ApplyAs("kubectl", live, less, 6).value();
  EXPECT_THAT(WriteJson(live), HasSubstr(R"("env":[{"name":"B","value":"2"},{"name":"A","value":"1"}])"));
  EXPECT_THAT(FieldsAt(live, 1), testing::Not(HasSubstr("f:env")));
}

TEST(ServerSideApply, RemovesWhatItsOnlyOwnerNoLongerNames) {
  const Json config = Parse(kWeb);
  Json live = Apply(nullptr, config, {"a", false, At(1)}, Deployments()).value();
  EXPECT_THAT(Owners(live), ElementsAre("a Apply"));
  Json less = config;
  less.at("metadata").get_object().erase("labels");
  less.at("spec").at("template").at("spec").at("containers").at(0).get_object().erase("ports");
  live = ApplyAs("a", live, less, 2).value();
  EXPECT_EQ(FindPath(live, {"metadata", "labels"}), nullptr);
  EXPECT_THAT(WriteJson(live), testing::Not(HasSubstr("containerPort")));
  EXPECT_THAT(WriteJson(live), HasSubstr(R"("env")"));
}

TEST(ServerSideApply, KeepsTheTimeWhenNothingChanges) {
  const Json config = Parse(kWeb);
  const Json live = ApplyAs("a", Created(), config, 2).value();
  EXPECT_EQ(WriteJson(ApplyAs("a", live, config, 9).value()), WriteJson(live));
}

TEST(ServerSideApply, TakesOverFromClientSideApply) {
  Json web = Parse(kWeb);
  web.at("metadata").get_object()["annotations"] =
      JsonObject{{"kubectl.kubernetes.io/last-applied-configuration", std::string(kWeb)}};
  Complete(*FormOf("apps", "Deployment"), web.get_object());
  const Json live = UpdateManagedFields(nullptr, std::move(web), "kubectl-client-side-apply", Deployments(), At(1));
  Json config = Parse(kWeb);
  config.at("spec").get_object()["replicas"] = 7;

  const auto other = ApplyAs("a", live, config, 2);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            R"(Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas)");
  const auto kubectl = ApplyAs("kubectl", live, config, 2);
  ASSERT_TRUE(kubectl) << kubectl.error().message;
  const std::string_view annotation =
      StringAt(*kubectl, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"});
  EXPECT_THAT(std::string(annotation), HasSubstr(R"("replicas":7,"selector")"));
  EXPECT_EQ(annotation.back(), '\n');
}

TEST(ServerSideApply, NamesWhoOwnedFieldsBeforeTheFirstApply) {
  Json live = Created();
  RemoveManagedFields(live);
  const Json applied = ApplyAs("a", live, Parse(kWeb), 2).value();
  EXPECT_THAT(Owners(applied), ElementsAre("a Apply", "before-first-apply Update"));
}

TEST(ServerSideApply, RefusesWhatIsNoConfiguration) {
  struct Row {
    const char* member;
    const char* value;
    Kind kind;
    const char* message;
  };
  const Row rows[] = {
      {"kind", R"("Gadget")", Kind::kBadRequest, "invalid object type: apps/v1, Kind=Gadget"},
      {"apiVersion", R"("v1")", Kind::kBadRequest, "invalid object type: /v1, Kind=Deployment"},
      {"metadata", R"({"managedFields":[]})", Kind::kBadRequest, "metadata.managedFields must be nil"},
      {"spec", R"({"gadgets":1})", Kind::kInternal,
       "failed to create typed patch object (n/web; apps/v1, Kind=Deployment): .spec.gadgets: field not declared in "
       "schema"},
      {"spec", R"({"replicas":"2"})", Kind::kInternal,
       "failed to create typed patch object (n/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int "
       "or float), got string"},
      {"spec", R"({"paused":1,"template":{"spec":{"containers":[{"name":"a"},{"name":"a"}]}}})", Kind::kInternal,
       "failed to create typed patch object (n/web; apps/v1, Kind=Deployment): errors:\n  .spec.paused: expected "
       "boolean, got &{1}\n  .spec.template.spec.containers: duplicate entries for key [name=\"a\"]"},
  };
  for (const Row& row : rows) {
    Json config = Parse(kWeb);
    config.get_object()[row.member] = Parse(row.value);
    const auto refused = ApplyAs("a", Created(), config, 2);
    ASSERT_FALSE(refused) << row.value;
    EXPECT_EQ(refused.error().kind, row.kind) << row.value;
    EXPECT_EQ(refused.error().message, row.message);
  }
}

TEST(UpdateManagedFields, LetsNobodyOwnWhatARequestCannotSet) {
  const Json live = Created();
  Json after = live;
  after.get_object()["status"] = Parse(R"({"replicas":3})");
  after.at("spec").get_object()["replicas"] = 3;
  const Json through_object = UpdateManagedFields(&live, after, "a", Deployments(), At(2));
  EXPECT_EQ(FieldsAt(through_object, 1), R"({"f:spec":{"f:replicas":{}}})");
  FieldManagement status = Deployments();
  status.subresource = "status";
  status.reset_fields = kumiko::api::FieldsAt({{"spec"}});
  const Json through_status = UpdateManagedFields(&live, after, "a", status, At(2));
  EXPECT_THAT(Owners(through_status), ElementsAre("kubectl-create Update", "a Update status"));
  EXPECT_EQ(FieldsAt(through_status, 1), R"({"f:status":{"f:replicas":{}}})");
}

TEST(UpdateManagedFields, GivesScalingNoTime) {
  const Json live = Created();
  Json after = live;
  after.at("spec").get_object()["replicas"] = 3;
  FieldManagement scale = Deployments();
  scale.subresource = "scale";
  after = UpdateManagedFields(&live, std::move(after), "kubectl", scale, At(2));
  EXPECT_THAT(Owners(after), ElementsAre("kubectl Update scale", "kubectl-create Update"));
  EXPECT_EQ(Find(Entry(after, 0), "time"), nullptr);
}

TEST(UpdateManagedFields, ForgetsAllOwnershipWhenAsked) {
  const Json live = Created();
  for (const char* entries : {"[]", "[{}]"}) {
    Json after = live;
    after.at("metadata").get_object()["managedFields"] = Parse(entries);
    after = UpdateManagedFields(&live, std::move(after), "a", Deployments(), At(2));
    EXPECT_THAT(Owners(after), IsEmpty());
    // Without entries there is nothing to keep up to date.
    Json later = after;
    later.at("spec").get_object()["replicas"] = 9;
    EXPECT_THAT(Owners(UpdateManagedFields(&after, later, "b", Deployments(), At(3))), IsEmpty());
  }
}

TEST(UpdateManagedFields, KeepsEntriesThatAClientDropsOrSpoils) {
  const Json live = Created();
  Json dropped = live;
  RemoveManagedFields(dropped);
  EXPECT_THAT(Owners(UpdateManagedFields(&live, dropped, "a", Deployments(), At(2))),
              ElementsAre("kubectl-create Update"));
  Json spoilt = live;
  spoilt.at("metadata").at("managedFields").at(0).get_object()["operation"] = "Own";
  EXPECT_THAT(Owners(UpdateManagedFields(&live, spoilt, "a", Deployments(), At(2))),
              ElementsAre("kubectl-create Update"));
}

TEST(UpdateManagedFields, MergesTheOldestWhenThereAreMany) {
  Json live = Created();
  for (int at = 2; at < 16; ++at) {
    Json after = live;
    after.at("metadata").at("labels").get_object()[fmt::format("l{:02}", at)] = "x";
    live = UpdateManagedFields(&live, std::move(after), fmt::format("m{:02}", at), Deployments(), At(at));
  }
  const std::vector<std::string> owners = Owners(live);
  ASSERT_EQ(owners.size(), kMaxUpdateManagers);
  EXPECT_EQ(owners[0], "ancient-changes Update");
  EXPECT_EQ(owners[1], "m07 Update");
  EXPECT_THAT(FieldsAt(live, 0), HasSubstr(R"("f:app":{},"f:l02":{},"f:l03":{},"f:l04":{},"f:l05":{},"f:l06":{})"));
}

TEST(UpdateManagedFields, FollowsManagersThroughVersions) {
  // The old version called the field by another name.
  SchemaSet schemas;
  const auto root = [&](std::string_view member) {
    return schemas.Add(Parse(fmt::format(
        R"({{"type":"object","properties":{{"apiVersion":{{"type":"string"}},"kind":{{"type":"string"}},
          "metadata":{{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
          "spec":{{"type":"object","properties":{{"{}":{{"type":"string"}}}}}}}}}})",
        member)));
  };
  const Schema* old_root = root("colour");
  const Schema* new_root = root("color");
  FieldManagement kind;
  kind.schema = new_root;
  kind.api_version = "x.dev/v2";
  kind.kind = "Paint";
  kind.custom = true;
  kind.convert = [&](const Json& object, std::string_view version) -> std::optional<FieldManagement::Versioned> {
    if (version != "x.dev/v1" && version != "x.dev/v2") return std::nullopt;
    const bool old = version == "x.dev/v1";
    Json converted = object;
    converted.get_object()["apiVersion"] = version;
    JsonObject& spec = converted.at("spec").get_object();
    const Json value = spec.contains("color") ? spec["color"] : spec["colour"];
    spec.clear();
    spec[old ? "colour" : "color"] = value;
    return FieldManagement::Versioned{std::move(converted), old ? old_root : new_root};
  };
  const Json live = Parse(R"({"apiVersion":"x.dev/v2","kind":"Paint","spec":{"color":"red"},
    "metadata":{"name":"p","uid":"u","managedFields":[
      {"manager":"old","operation":"Update","apiVersion":"x.dev/v1","fieldsType":"FieldsV1",
       "fieldsV1":{"f:spec":{"f:colour":{}}}},
      {"manager":"gone","operation":"Update","apiVersion":"x.dev/v0","fieldsType":"FieldsV1",
       "fieldsV1":{"f:spec":{"f:hue":{}}}}]}})");
  const Json config =
      Parse(R"({"apiVersion":"x.dev/v2","kind":"Paint","metadata":{"name":"p"},"spec":{"color":"blue"}})");
  const auto refused = Apply(&live, config, {"new", false, At(1)}, kind);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            R"(Apply failed with 1 conflict: conflict with "old" using x.dev/v1: .spec.colour)");
  EXPECT_THAT(Owners(Apply(&live, config, {"new", true, At(1)}, kind).value()), ElementsAre("new Apply"));
}

TEST(ManagerFromUserAgent, TakesWhatStandsBeforeTheFirstSlash) {
  EXPECT_EQ(ManagerFromUserAgent("kubectl/v1.37.2 (linux/amd64) kubernetes/abc"), "kubectl");
  EXPECT_EQ(ManagerFromUserAgent("a\nb\x7f \"c\\"), "ab \"c\\");
  EXPECT_EQ(ManagerFromUserAgent(std::string(200, 'x')).size(), 128u);
}

TEST(EqualButForTimes, IgnoresNothingElse) {
  const Json live = Created();
  Json later = live;
  later.at("metadata").at("managedFields").at(0).get_object()["time"] = "2026-01-01T00:00:30Z";
  EXPECT_TRUE(EqualButForTimes(live, later));
  later.at("metadata").at("managedFields").at(0).get_object()["manager"] = "x";
  EXPECT_FALSE(EqualButForTimes(live, later));
}

}  // namespace
}  // namespace kumiko::api
