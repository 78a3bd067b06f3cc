#include "localcluster/apiserver/resource_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"

namespace kumiko::localcluster {
namespace {

using ::testing::HasSubstr;

class ResourceApiTest : public ::testing::Test {
 protected:
  HttpResponse Ask(const std::string& method, const std::string& target, const std::string& body = "",
                   const std::string& type = "application/json", const std::string& accept = "") {
    HttpRequest request{
        .method = method, .target = target, .headers = {{"Content-Type", type}, {"Accept", accept}}, .body = body};
    const auto info = ReadRequest(method, target);
    EXPECT_TRUE(info.has_value());
    return api_.Answer(request, *info);
  }

  Json AskJson(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& type = "application/json", const std::string& accept = "") {
    const HttpResponse response = Ask(method, target, body, type, accept);
    status_ = response.status;
    return ParseJson(response.body).value();
  }

  void CreateConfigMaps(int count) {
    for (int i = 0; i < count; ++i) {
      Ask("POST", "/api/v1/namespaces/default/configmaps",
          R"({"metadata":{"name":"c)" + std::to_string(i) + R"(","labels":{"n":")" + std::to_string(i % 2) + R"("}}})");
    }
  }

  static std::string Take(HttpResponse& response) { return response.stream->Next().value_or("(ended)"); }

  ManualClock clock_{Time{1'700'000'000'000'000}};
  Store store_{clock_};
  ResourceApi api_{store_, clock_};
  int status_ = 0;
};

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";

TEST_F(ResourceApiTest, CreatesGetsUpdatesAndDeletes) {
  const Json created = AskJson("POST", kConfigMaps, R"({"metadata":{"name":"c"},"data":{"a":"1"}})");
  EXPECT_EQ(status_, 201);
  EXPECT_EQ(StringAt(created, {"kind"}), "ConfigMap");
  EXPECT_FALSE(StringAt(created, {"metadata", "uid"}).empty());

  const Json got = AskJson("GET", std::string(kConfigMaps) + "/c");
  EXPECT_EQ(got, created);

  Json changed = got;
  changed.as_object()["data"] = JsonObject{{"a", "2"}};
  const Json updated = AskJson("PUT", std::string(kConfigMaps) + "/c", WriteJson(changed));
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(StringAt(updated, {"data", "a"}), "2");

  AskJson("PUT", std::string(kConfigMaps) + "/c", WriteJson(changed));
  EXPECT_EQ(status_, 409) << "the version sent is no longer the current one";

  const Json deleted = AskJson("DELETE", std::string(kConfigMaps) + "/c");
  EXPECT_EQ(StringAt(deleted, {"status"}), "Success");
  const Json gone = AskJson("GET", std::string(kConfigMaps) + "/c");
  EXPECT_EQ(status_, 404);
  EXPECT_EQ(StringAt(gone, {"message"}), R"(configmaps "c" not found)");
  EXPECT_EQ(StringAt(gone, {"reason"}), "NotFound");
}

TEST_F(ResourceApiTest, DryRunChangesNothing) {
  AskJson("POST", std::string(kConfigMaps) + "?dryRun=All", R"({"metadata":{"name":"c"}})");
  EXPECT_EQ(status_, 201);
  AskJson("GET", std::string(kConfigMaps) + "/c");
  EXPECT_EQ(status_, 404);
  CreateConfigMaps(1);
  AskJson("DELETE", std::string(kConfigMaps) + "/c0?dryRun=All");
  EXPECT_EQ(status_, 200);
  AskJson("GET", std::string(kConfigMaps) + "/c0");
  EXPECT_EQ(status_, 200);
}

TEST_F(ResourceApiTest, PagesAreOfOneMoment) {
  CreateConfigMaps(5);
  Json page = AskJson("GET", std::string(kConfigMaps) + "?limit=2");
  EXPECT_EQ(page.at("items").as_array().size(), 2u);
  EXPECT_EQ(page.at("metadata").at("remainingItemCount"), Json(3));
  Ask("DELETE", std::string(kConfigMaps) + "/c3");
  std::vector<std::string> names;
  for (;;) {
    for (const Json& item : page.at("items").as_array()) names.emplace_back(StringAt(item, {"metadata", "name"}));
    const std::string token(StringAt(page, {"metadata", "continue"}));
    if (token.empty()) break;
    page = AskJson("GET", std::string(kConfigMaps) + "?limit=2&continue=" + token);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("c0", "c1", "c2", "c3", "c4"));
  AskJson("GET", std::string(kConfigMaps) + "?limit=2&continue=77-2");
  EXPECT_EQ(status_, 410);
  AskJson("GET", std::string(kConfigMaps) + "?limit=2&continue=x");
  EXPECT_EQ(status_, 400);
}

TEST_F(ResourceApiTest, EventsAreServedInTwoGroups) {
  const std::string events = "/apis/events.k8s.io/v1/namespaces/default/events";
  const std::string sent = R"({"metadata":{"name":"e"},"eventTime":"2024-01-02T03:04:05.000006Z",)"
                           R"("reportingController":"k.io/x","reportingInstance":"x-0","action":"Bind","reason":"R",)"
                           R"("type":"Normal","note":"n","regarding":{"kind":"Pod","namespace":"default","name":"p"}})";
  const Json created = AskJson("POST", events, sent);
  EXPECT_EQ(status_, 201) << WriteJson(created);
  EXPECT_EQ(StringAt(created, {"apiVersion"}), "events.k8s.io/v1");
  EXPECT_EQ(StringAt(created, {"note"}), "n");
  EXPECT_EQ(Find(created, "message"), nullptr);
  const Json core = AskJson("GET", "/api/v1/namespaces/default/events/e");
  EXPECT_EQ(StringAt(core, {"message"}), "n");
  EXPECT_EQ(StringAt(core, {"involvedObject", "name"}), "p");
  EXPECT_EQ(StringAt(core, {"reportingComponent"}), "k.io/x");
  AskJson("PATCH", events + "/e", R"({"series":{"count":2,"lastObservedTime":"2024-01-02T03:04:06.000000Z"}})",
          "application/strategic-merge-patch+json");
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(AskJson("GET", events + "?fieldSelector=regarding.name%3Dp").at("items").as_array().size(), 1u);
  AskJson("GET", events + "?fieldSelector=involvedObject.name%3Dp");
  EXPECT_EQ(status_, 400);
  const Json refused =
      AskJson("POST", events, R"({"metadata":{"name":"f"},"eventTime":"2024-01-02T03:04:05.000006Z"})");
  EXPECT_EQ(status_, 422);
  EXPECT_THAT(std::string(StringAt(refused, {"message"})), HasSubstr("reportingInstance: Required value"));
}

TEST_F(ResourceApiTest, SelectorsSelect) {
  CreateConfigMaps(5);
  const auto count = [&](const std::string& query) {
    return AskJson("GET", std::string(kConfigMaps) + query).at("items").as_array().size();
  };
  EXPECT_EQ(count("?labelSelector=n%3D1"), 2u);
  EXPECT_EQ(count("?labelSelector=n+in+(0,1)"), 5u);
  EXPECT_EQ(count("?labelSelector=n+notin+(0)"), 2u);
  EXPECT_EQ(count("?labelSelector=!n"), 0u);
  EXPECT_EQ(count("?fieldSelector=metadata.name%3Dc2"), 1u);
  EXPECT_EQ(count("?fieldSelector=metadata.name!%3Dc2"), 4u);
  const auto refusal = [&](const std::string& target) {
    const Json status = AskJson("GET", target);
    EXPECT_EQ(status_, 400);
    return std::string(StringAt(status, {"message"}));
  };
  EXPECT_THAT(refusal(std::string(kConfigMaps) + "?fieldSelector=data.a%3D1"),
              HasSubstr(R"("data.a" is not a known field selector: only "metadata.name", "metadata.namespace")"));
  EXPECT_THAT(refusal("/api/v1/namespaces/default/pods?fieldSelector=spec.x%3D1"),
              HasSubstr("field label not supported: spec.x"));
  EXPECT_THAT(refusal(std::string(kConfigMaps) + "?labelSelector=n+in+0"), HasSubstr("found '0' expected: '('"));
  EXPECT_THAT(refusal(std::string(kConfigMaps) + "?labelSelector=n+in"), HasSubstr("found '' expected: '('"));
}

TEST_F(ResourceApiTest, AWatchBeginsWithWhatIsThereAndGoesOn) {
  CreateConfigMaps(2);
  HttpResponse watch =
      Ask("GET", std::string(kConfigMaps) + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan" +
                     "&allowWatchBookmarks=true&labelSelector=n%3D1");
  const std::string first = Take(watch);
  EXPECT_THAT(first, HasSubstr(R"("apiVersion":"v1")"));
  EXPECT_THAT(first, HasSubstr(R"({"type":"ADDED","object":{"kind":"ConfigMap")"));
  EXPECT_THAT(first, HasSubstr("k8s.io/initial-events-end"));
  EXPECT_EQ(Take(watch), "");

  // Into the selection and out of it.
  const std::string merge = "application/merge-patch+json";
  Ask("PATCH", std::string(kConfigMaps) + "/c0", R"({"metadata":{"labels":{"n":"1"}}})", merge);
  EXPECT_THAT(Take(watch), HasSubstr(R"("type":"ADDED")"));
  Ask("PATCH", std::string(kConfigMaps) + "/c0", R"({"data":{"a":"b"}})", merge);
  EXPECT_THAT(Take(watch), HasSubstr(R"("type":"MODIFIED")"));
  Ask("PATCH", std::string(kConfigMaps) + "/c0", R"({"metadata":{"labels":{"n":"0"}}})", merge);
  EXPECT_THAT(Take(watch), HasSubstr(R"("type":"DELETED")"));

  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(Take(watch), "(ended)");
}

TEST_F(ResourceApiTest, AWatchFromAForgottenRevisionIsGone) {
  Store small(clock_, {.seed = 0, .history_limit = 4});
  ResourceApi api(small, clock_);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(
        small.Create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "n" + std::to_string(i)}}}}));
  }
  const std::string target = "/api/v1/namespaces?watch=1&resourceVersion=1";
  HttpRequest request{.method = "GET", .target = target, .headers = {}, .body = {}};
  const HttpResponse response = api.Answer(request, ReadRequest("GET", target).value());
  EXPECT_EQ(response.status, 410);
  EXPECT_THAT(response.body, HasSubstr(R"("reason":"Expired")"));
}

TEST_F(ResourceApiTest, AnswersInTheVersionAndFormAskedFor) {
  const std::string claim = R"({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"c"},)"
                            R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"gpu.nvidia.com"}]}}})";
  const std::string base = "/apis/resource.k8s.io/";
  const Json old = AskJson("POST", base + "v1beta1/namespaces/default/resourceclaims", claim);
  EXPECT_EQ(status_, 201) << WriteJson(old);
  EXPECT_EQ(StringAt(old, {"apiVersion"}), "resource.k8s.io/v1beta1");
  EXPECT_EQ(StringAt(old.at("spec").at("devices").at("requests").at(0), {"deviceClassName"}), "gpu.nvidia.com");
  const Json now = AskJson("GET", base + "v1/namespaces/default/resourceclaims/c");
  EXPECT_EQ(StringAt(now.at("spec").at("devices").at("requests").at(0), {"exactly", "deviceClassName"}),
            "gpu.nvidia.com");

  const Json table = AskJson("GET", base + "v1/namespaces/default/resourceclaims", "", "",
                             "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  EXPECT_EQ(StringAt(table, {"kind"}), "Table");
  EXPECT_EQ(table.at("rows").at(0).at("cells").at(0), Json("c"));
  const Json metadata = AskJson("GET", base + "v1/namespaces/default/resourceclaims/c", "", "",
                                "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  EXPECT_EQ(StringAt(metadata, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(Find(metadata, "spec"), nullptr);
  EXPECT_EQ(Ask("GET", base + "v1/resourceclaims", "", "", "application/vnd.kubernetes.protobuf").status, 406);
}

TEST_F(ResourceApiTest, RefusesWhatTheServerRefuses) {
  EXPECT_EQ(Ask("GET", "/apis/example.com/v1/widgets").status, 404);
  EXPECT_EQ(Ask("GET", "/api/v1/namespaces/default/nodes/x").status, 404);
  EXPECT_EQ(Ask("POST", kConfigMaps, "{").status, 400);
  EXPECT_EQ(Ask("POST", kConfigMaps, "[]").status, 400);
  EXPECT_EQ(Ask("POST", kConfigMaps, "x", "text/plain").status, 415);
  EXPECT_EQ(Ask("POST", kConfigMaps, R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}})").status, 400);
  EXPECT_EQ(Ask("POST", kConfigMaps, R"({"metadata":{"name":"x","namespace":"other"}})").status, 400);
  EXPECT_EQ(Ask("POST", "/api/v1/namespaces/none/configmaps", R"({"metadata":{"name":"x"}})").status, 404);
  EXPECT_EQ(Ask("POST", kConfigMaps, R"({"metadata":{"name":"Not A Name"}})").status, 422);
  EXPECT_EQ(Ask("PUT", std::string(kConfigMaps) + "/x", R"({"metadata":{"name":"y"}})").status, 400);
  EXPECT_EQ(Ask("GET", "/api/v1/namespaces/default/pods/x/exec").status, 501);
  EXPECT_EQ(Ask("POST", std::string(kConfigMaps) + "?dryRun=Some", R"({"metadata":{"name":"x"}})").status, 400);
}

TEST_F(ResourceApiTest, DeletesACollection) {
  CreateConfigMaps(4);
  AskJson("DELETE", std::string(kConfigMaps) + "?labelSelector=n%3D0");
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(AskJson("GET", kConfigMaps).at("items").as_array().size(), 2u);
}

constexpr const char* kApply = "application/apply-patch+yaml";

TEST_F(ResourceApiTest, ApplyCreatesOwnsAndConflicts) {
  const std::string target = std::string(kConfigMaps) + "/c?fieldManager=";
  const auto config = [](const std::string& data) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":)" + data + "}";
  };
  AskJson("PATCH", target + "one", config(R"({"a":"1","b":"1"})"), kApply);
  EXPECT_EQ(status_, 201);
  AskJson("PATCH", target + "two", config(R"({"a":"2"})"), kApply);
  EXPECT_EQ(status_, 409);
  const Json taken = AskJson("PATCH", target + "two&force=true", config(R"({"a":"2"})"), kApply);
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(taken.at("data"), Json({{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(taken.at("metadata").at("managedFields").as_array().size(), 2u);

  // What nobody names any more goes; what nothing changes is not written.
  const Json left = AskJson("PATCH", target + "one", config("{}"), kApply);
  EXPECT_EQ(left.at("data"), Json({{"a", "2"}}));
  const Json again = AskJson("PATCH", target + "one", config("{}"), kApply);
  EXPECT_EQ(again.at("metadata").at("resourceVersion"), left.at("metadata").at("resourceVersion"));

  AskJson("PATCH", std::string(kConfigMaps) + "/c", config("{}"), kApply);
  EXPECT_EQ(status_, 422) << "an apply names its manager";
}

TEST_F(ResourceApiTest, PatchesMergeStrategicallyWhereTheSchemaSaysSo) {
  const std::string pods = "/api/v1/namespaces/default/pods";
  Ask("POST", pods,
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}})");
  const std::string strategic = "application/strategic-merge-patch+json";
  const Json patched =
      AskJson("PATCH", pods + "/p", R"({"spec":{"containers":[{"name":"b","image":"j"}]}})", strategic);
  EXPECT_EQ(status_, 200) << WriteJson(patched);
  EXPECT_EQ(patched.at("spec").at("containers").as_array().size(), 2u);
  EXPECT_EQ(StringAt(patched.at("spec").at("containers").at(1), {"image"}), "j");
  AskJson("PATCH", pods + "/p", R"({"spec":{"containers":[{"name":"b","image":"j"}]}})",
          "application/merge-patch+json");
  EXPECT_EQ(status_, 422) << "a merge patch replaces the list, and a pod keeps its containers";
  const Json failed =
      AskJson("PATCH", pods + "/p", R"([{"op":"test","path":"/spec/x","value":1}])", "application/json-patch+json");
  EXPECT_EQ(status_, 422);
  EXPECT_EQ(Find(failed, "details"), nullptr);
}

TEST_F(ResourceApiTest, APatchThatDoesNotMakeTheObjectIsWhatIsWrong) {
  CreateConfigMaps(1);
  struct Refused {
    std::string type;  // application/TYPE+json
    std::string patch;
    int status;
    std::string message;
  };
  const std::vector<Refused> all = {
      {"merge-patch", R"({"data":{"a":1}})", 422, "Go struct field ConfigMap.data of type string"},
      {"merge-patch", R"({"kind":"Pod"})", 422, R"(no kind \"Pod\" is registered for version \"v1\" in scheme)"},
      {"merge-patch", R"({"metadata":{"name":"x"}})", 400,
       "the name of the object (x) does not match the name on the URL (c0)"},
      {"merge-patch", R"({"metadata":{"name":null}})", 400, "undeterminable: name must be provided"},
      {"merge-patch", R"({"metadata":{"namespace":"x"}})", 400, "does not match the namespace sent on the request"},
      {"merge-patch", R"("x")", 400,
       "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"},
      {"merge-patch", "{", 400, "invalid JSON patch"},
      {"strategic-merge-patch", R"({"data":{"a":1}})", 422,
       R"(Invalid value: \"map[data:map[a:1]]\": cannot convert int64 to string)"},
      {"json-patch", R"([{"op":"add","path":"/data","value":7}])", 422, "Go struct field ConfigMap.data of type map"},
  };
  for (const Refused& refused : all) {
    const HttpResponse answer =
        Ask("PATCH", std::string(kConfigMaps) + "/c0", refused.patch, "application/" + refused.type + "+json");
    EXPECT_EQ(answer.status, refused.status) << refused.patch;
    EXPECT_THAT(answer.body, HasSubstr(refused.message)) << refused.patch;
  }
  const Json strict = AskJson("PATCH", std::string(kConfigMaps) + "/c0?fieldValidation=Strict", R"({"dat":{"a":"b"}})",
                              "application/strategic-merge-patch+json");
  EXPECT_EQ(status_, 422);
  EXPECT_EQ(StringAt(strict.at("details").at("causes").at(0), {"field"}), "patch");
}

TEST_F(ResourceApiTest, TheFirstNamespacesStay) {
  EXPECT_EQ(Ask("DELETE", "/api/v1/namespaces/default").status, 403);
  EXPECT_EQ(Ask("GET", "/api/v1/namespaces/default").status, 200);
}

TEST_F(ResourceApiTest, AnotherUidIsAnotherObject) {
  CreateConfigMaps(1);
  const std::string other = R"({"metadata":{"name":"c0","uid":"other"}})";
  const HttpResponse answer = Ask("PUT", std::string(kConfigMaps) + "/c0", other);
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("Key: /registry/configmaps/default/c0, ResourceVersion: 0, AdditionalErrorMsg: "
                                     "Precondition failed: UID in precondition: other"));
  const HttpResponse deleted =
      Ask("DELETE", std::string(kConfigMaps) + "/c0", R"({"preconditions":{"resourceVersion":"1"}})");
  EXPECT_EQ(deleted.status, 409);
  EXPECT_THAT(deleted.body, HasSubstr("the ResourceVersion in the precondition (1) does not match"));
}

TEST_F(ResourceApiTest, UnknownFieldsAreLeftOutToldOrRefused) {
  const std::string body = R"({"metadata":{"name":"c"},"dat":{"a":"1"}})";
  const HttpResponse warned = Ask("POST", std::string(kConfigMaps) + "?dryRun=All", body);
  EXPECT_EQ(warned.status, 201);
  EXPECT_THAT(warned.headers, ::testing::Contains(::testing::Pair("Warning", R"(299 - "unknown field \"dat\"")")));
  EXPECT_THAT(warned.body, ::testing::Not(HasSubstr(R"("dat":)")));
  const HttpResponse refused = Ask("POST", std::string(kConfigMaps) + "?fieldValidation=Strict", body);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("strict decoding error: unknown field"));
  EXPECT_EQ(Ask("POST", std::string(kConfigMaps) + "?fieldValidation=Ignore", body).status, 201);
}

TEST_F(ResourceApiTest, ScalesThroughTheSubresource) {
  const std::string base = "/apis/apps/v1/namespaces/default/deployments";
  Ask("POST", base,
      R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
      R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  Json scale = AskJson("GET", base + "/d/scale");
  EXPECT_EQ(scale.at("spec").at("replicas"), Json(1));
  EXPECT_EQ(StringAt(scale, {"status", "selector"}), "a=b");
  scale.as_object()["spec"].as_object()["replicas"] = 3;
  AskJson("PUT", base + "/d/scale", WriteJson(scale));
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(AskJson("GET", base + "/d").at("spec").at("replicas"), Json(3));
  const Json refused =
      AskJson("PATCH", base + "/d/scale", R"({"spec":{"replicas":-1}})", "application/merge-patch+json");
  EXPECT_EQ(status_, 422);
  EXPECT_EQ(StringAt(refused, {"details", "kind"}), "Scale");
}

}  // namespace
}  // namespace kumiko::localcluster
