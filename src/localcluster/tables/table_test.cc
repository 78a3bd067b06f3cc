#include "localcluster/tables/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

using testing::ElementsAre;

const Time kNow = *ParseRfc3339("2026-05-01T12:00:00Z");

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

Json TableOf(const TableFormat& format, std::string_view object, TableOptions options = {}) {
  options.now = kNow;
  const std::vector<kube::Object> objects = {std::make_shared<const Json>(Parse(object))};
  return Parse(WriteTable(format, R"({"resourceVersion":"7"})", objects, options));
}

// The cells of one object, and that there is one for each column.
std::string Row(std::string_view kind, std::string_view object) {
  const Json table = TableOf(TableFormatOf(*api::FindKind(kind)), object);
  const Json& cells = table.at_pointer("/rows/0/cells");
  EXPECT_EQ(cells.as_array().size(), table.at("columnDefinitions").as_array().size());
  return WriteJson(cells);
}

constexpr std::string_view kMeta = R"("metadata": {"name": "x", "creationTimestamp": "2026-05-01T11:00:00Z"})";

std::string Object(std::string_view rest) {
  return "{" + std::string(kMeta) + ", " + std::string(rest) + "}";
}

TEST(Tables, HaveTheShapeOfTheApiServer) {
  const Json table = TableOf(TableFormatOf(*api::FindKind("ServiceAccount")), Object(R"("secrets": [])"));
  EXPECT_EQ(table.at("kind"), "Table");
  EXPECT_EQ(table.at_pointer("/metadata/resourceVersion"), "7");
  EXPECT_EQ(table.at_pointer("/columnDefinitions/0/format"), "name");
  EXPECT_EQ(table.at_pointer("/rows/0/object"),
            Parse(R"({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata":
                      {"name": "x", "creationTimestamp": "2026-05-01T11:00:00Z"}})"));
  TableOptions options;
  options.include = TableOptions::Include::kNone;
  options.with_columns = false;
  const Json bare = TableOf(TableFormatOf(*api::FindKind("ServiceAccount")), Object(R"("secrets": [])"), options);
  EXPECT_TRUE(bare.at_pointer("/rows/0/object").is_null());
  EXPECT_TRUE(bare.at("columnDefinitions").is_null());
}

TEST(Tables, HaveAFormatForEveryKind) {
  for (const api::KindInfo& kind : api::AllKinds()) {
    SCOPED_TRACE(kind.kind);
    EXPECT_NE(Row(kind.kind, Object(R"("spec": {})")), "");
  }
}

struct PodRow {
  const char* name;
  const char* rest;
  const char* cells;
};

class PodRows : public testing::TestWithParam<PodRow> {};

TEST_P(PodRows, SayWhatTheContainersDo) {
  EXPECT_EQ(Row("Pod", Object(GetParam().rest)), GetParam().cells);
}

INSTANTIATE_TEST_SUITE_P(
    All, PodRows,
    testing::Values(
        PodRow{"Pending", R"("spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Pending"})",
               R"(["x","0/1","Pending","0","60m","<none>","<none>","<none>","<none>"])"},
        PodRow{"Running",
               R"("spec": {"nodeName": "n1", "containers": [{"name": "a"}, {"name": "b"}],
                           "readinessGates": [{"conditionType": "g"}]},
                  "status": {"phase": "Running", "podIPs": [{"ip": "10.1.2.3"}], "conditions": [
                      {"type": "Ready", "status": "True"}, {"type": "g", "status": "True"}],
                    "containerStatuses": [
                      {"name": "a", "ready": true, "restartCount": 2, "state": {"running": {}},
                       "lastState": {"terminated": {"finishedAt": "2026-05-01T11:59:00Z"}}},
                      {"name": "b", "ready": false, "restartCount": 1, "state": {"running": {}}}]})",
               R"x(["x","1/2","Running","3 (60s ago)","60m","10.1.2.3","n1","<none>","1/1"])x"},
        PodRow{"CrashLoop",
               R"("spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Running", "containerStatuses": [
                    {"name": "a", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]})",
               R"(["x","0/1","CrashLoopBackOff","4","60m","<none>","<none>","<none>","<none>"])"},
        PodRow{"Completed",
               R"("spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Succeeded", "containerStatuses": [
                    {"name": "a", "restartCount": 0, "state": {"terminated": {"reason": "Completed", "exitCode": 0}}}]})",
               R"(["x","0/1","Completed","0","60m","<none>","<none>","<none>","<none>"])"},
        PodRow{"ExitCode",
               R"("spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Failed", "containerStatuses": [
                    {"name": "a", "restartCount": 0, "state": {"terminated": {"exitCode": 3}}}]})",
               R"(["x","0/1","ExitCode:3","0","60m","<none>","<none>","<none>","<none>"])"},
        PodRow{"Initializing",
               R"("spec": {"containers": [{"name": "a"}], "initContainers": [{"name": "i"}, {"name": "j"}]},
                  "status": {"phase": "Pending", "initContainerStatuses": [
                    {"name": "i", "restartCount": 0, "state": {"terminated": {"exitCode": 0}}},
                    {"name": "j", "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}}]})",
               R"(["x","0/1","Init:1/2","0","60m","<none>","<none>","<none>","<none>"])"},
        PodRow{"Sidecar",
               R"("spec": {"containers": [{"name": "a"}],
                           "initContainers": [{"name": "i", "restartPolicy": "Always"}]},
                  "status": {"phase": "Running", "initContainerStatuses": [
                      {"name": "i", "restartCount": 1, "started": true, "ready": true, "state": {"running": {}}}],
                    "containerStatuses": [{"name": "a", "ready": true, "restartCount": 0, "state": {"running": {}}}]})",
               R"(["x","2/2","Running","1","60m","<none>","<none>","<none>","<none>"])"}),
    [](const auto& row) { return row.param.name; });

TEST(Tables, SayWhichPodsEnd) {
  const TableFormat& format = TableFormatOf(*api::FindKind("Pod"));
  EXPECT_EQ(TableOf(format, Object(R"("status": {"phase": "Failed"})")).at_pointer("/rows/0/conditions/0/reason"),
            "Failed");
  EXPECT_EQ(TableOf(format, Object(R"("status": {"phase": "Running"})"))
                .at("rows")
                .at(0)
                .as_object()
                .if_contains("conditions"),
            nullptr);
  EXPECT_EQ(Row("Pod", R"({"metadata": {"name": "x", "deletionTimestamp": "2026-05-01T12:00:30Z"},
                           "spec": {"containers": []}, "status": {"phase": "Running"}})"),
            R"(["x","0/0","Terminating","0","<unknown>","<none>","<none>","<none>","<none>"])");
}

TEST(Tables, OfWorkloads) {
  const std::string spec = R"("spec": {"replicas": 3, "selector": {"matchLabels": {"b": "2", "a": "1"},
      "matchExpressions": [{"key": "c", "operator": "In", "values": ["z", "y"]}, {"key": "d", "operator": "Exists"}]},
      "template": {"spec": {"containers": [{"name": "m", "image": "i:1"}, {"name": "n", "image": "j"}]}}})";
  EXPECT_EQ(Row("Deployment", Object(spec + R"(, "status": {"readyReplicas": 2, "updatedReplicas": 3})")),
            R"(["x","2/3",3,0,"60m","m,n","i:1,j","a=1,b=2,c in (y,z),d"])");
  EXPECT_EQ(Row("StatefulSet", Object(spec)), R"(["x","0/3","60m","m,n","i:1,j"])");
  EXPECT_EQ(Row("Job", Object(R"("spec": {"completions": 2}, "status": {"succeeded": 1,
                                  "startTime": "2026-05-01T11:58:30Z"})")),
            R"(["x","Running","1/2","90s","60m","","","<none>"])");
  EXPECT_EQ(Row("CronJob", Object(R"("spec": {"schedule": "* * * * *", "suspend": false})")),
            R"(["x","* * * * *","<none>","False",0,"<none>","60m","","","<none>"])");
  EXPECT_EQ(
      Row("PodDisruptionBudget", Object(R"("spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1})")),
      R"(["x","50%","N/A",1,"60m"])");
}

TEST(Tables, OfTheCoreGroup) {
  EXPECT_EQ(Row("Service", Object(R"("spec": {"type": "NodePort", "clusterIPs": ["10.96.0.1"], "selector": {"a": "b"},
                "ports": [{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]})")),
            R"(["x","NodePort","10.96.0.1","<none>","80:30080/TCP,53/UDP","60m","a=b"])");
  EXPECT_EQ(Row("Node", R"({"metadata": {"name": "n", "creationTimestamp": "2026-04-01T12:00:00Z",
                "labels": {"node-role.kubernetes.io/gpu": "", "kubernetes.io/role": "worker"}},
                "spec": {"unschedulable": true}, "status": {"conditions": [{"type": "Ready", "status": "True"}],
                "nodeInfo": {"kubeletVersion": "v1.37.2", "kernelVersion": "6.1", "architecture": "amd64"}}})"),
            R"(["n","Ready,SchedulingDisabled","gpu,worker","30d","v1.37.2","<none>","<none>","<unknown>",)"
            R"x("6.1 (amd64)","<unknown>"])x");
  EXPECT_EQ(Row("Event", Object(R"("type": "Warning", "reason": "r", "message": " m\n", "count": 3,
                "involvedObject": {"kind": "Pod", "name": "p"}, "source": {"component": "kubelet", "host": "n1"},
                "firstTimestamp": "2026-05-01T11:50:00Z", "lastTimestamp": "2026-05-01T11:55:30Z")")),
            R"(["4m30s","Warning","r","pod/p","","kubelet, n1","m","10m",3,"x"])");
  EXPECT_EQ(Row("ResourceClaim", Object(R"("status": {"allocation": {}, "reservedFor": [{"name": "p"}]})")),
            R"(["x","allocated,reserved","60m"])");
  EXPECT_EQ(Row("ClusterRole", Object(R"("rules": [])")), R"(["x","2026-05-01T11:00:00Z"])");
}

TEST(CustomTables, ShowTheColumnsOfTheDefinition) {
  const Json columns = Parse(R"([
      {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas", "priority": 1},
      {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
      {"name": "First", "type": "string", "jsonPath": ".spec.items[0].name"},
      {"name": "Label", "type": "string", "jsonPath": ".metadata.labels.example\\.com/team"},
      {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
      {"name": "Wrong", "type": "boolean", "jsonPath": ".spec.replicas"},
      {"name": "Absent", "type": "string", "jsonPath": ".spec.none"}])");
  const auto format = CustomTableFormat(&columns);
  ASSERT_TRUE(format) << format.error().message;
  const Json table = TableOf(*format, R"({"metadata": {"name": "x", "creationTimestamp": "2026-05-01T11:00:00Z",
      "labels": {"example.com/team": "ml"}}, "spec": {"replicas": 3, "items": [{"name": "a"}, {"name": "b"}]},
      "status": {"conditions": [{"type": "Old", "status": "False"}, {"type": "Ready", "status": "True"}]}})");
  EXPECT_EQ(WriteJson(table.at_pointer("/rows/0/cells")), R"(["x",3,"True","a","ml","60m",null,null])");
  EXPECT_EQ(table.at_pointer("/columnDefinitions/1/priority"), 1);
}

TEST(CustomTables, HaveAnAgeWhereTheDefinitionNamesNoColumn) {
  const auto format = CustomTableFormat(nullptr);
  ASSERT_TRUE(format);
  EXPECT_EQ(WriteJson(TableOf(*format, Object(R"("spec": {})")).at_pointer("/rows/0/cells")), R"(["x","60m"])");
}

TEST(CustomTables, RefuseWhatIsNoPath) {
  for (const std::string_view path : {"spec", ".spec[", ".spec[?(x)]", ".spec[?(@.a==)]", "..a", ".a['b]"}) {
    const Json columns = JsonArray{JsonObject{{"name", "C"}, {"type", "string"}, {"jsonPath", path}}};
    const auto format = CustomTableFormat(&columns);
    ASSERT_FALSE(format) << path;
    EXPECT_THAT(format.error().message, testing::HasSubstr("column C"));
  }
}

}  // namespace
}  // namespace kumiko::localcluster
