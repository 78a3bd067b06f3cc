#include "localcluster/strategies.h"

#include <gtest/gtest.h>

#include "localcluster/object_tree.h"

namespace kumiko::localcluster {
namespace {

ServedKind KindOf(const Json& object) {
  return ServedKinds().OfObject(object);
}

Json Parse(std::string_view text) {
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message;
  return json.value_or(Json());
}

Json Created(std::string_view manifest) {
  Result<Json> object = PrepareCreate(KindOf(Parse(manifest)), Parse(manifest));
  EXPECT_TRUE(object) << object.error().message;
  StampCreated(KindOf(*object), *object, "u-1", Time());
  return *object;
}

std::int64_t GenerationAfter(const Json& before, std::string_view pointer, const Json& value) {
  Json sent = before;
  sent.at_pointer(pointer) = value;
  const Json after = PrepareUpdate(KindOf(before), before, sent, kube::Subresource::kNone);
  return FindPath(after, {"metadata", "generation"})->as_int64();
}

TEST(Strategies, AJobSelectsByItsUid) {
  const Json job = Created(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
      "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": []}}}})");
  EXPECT_EQ(*FindPath(job, {"spec", "selector"}),
            Parse(R"({"matchLabels": {"batch.kubernetes.io/controller-uid": "u-1"}})"));
  EXPECT_EQ(*FindPath(job, {"spec", "template", "metadata", "labels"}),
            Parse(R"({"job-name": "j", "batch.kubernetes.io/job-name": "j", "controller-uid": "u-1",
                      "batch.kubernetes.io/controller-uid": "u-1"})"));
  // As its defaults do when it is next read, so that no later writer seems to have set them.
  EXPECT_EQ(*FindPath(job, {"metadata", "labels"}), *FindPath(job, {"spec", "template", "metadata", "labels"}));
  const Json manual = Created(R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},
      "spec": {"manualSelector": true, "selector": {"matchLabels": {"a": "b"}},
               "template": {"metadata": {"labels": {"a": "b"}}}}})");
  EXPECT_EQ(*FindPath(manual, {"spec", "selector"}), Parse(R"({"matchLabels": {"a": "b"}})"));
}

TEST(Strategies, OnlyKindsThatCountHaveAGeneration) {
  const Json map =
      Created(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}})");
  EXPECT_EQ(FindPath(map, {"metadata", "generation"}), nullptr);
  Json sent = map;
  sent.at_pointer("/data/a") = "c";
  EXPECT_EQ(FindPath(PrepareUpdate(KindOf(map), map, sent, kube::Subresource::kNone), {"metadata", "generation"}),
            nullptr);
}

TEST(Strategies, AnnotationsOfADeploymentCountAsAChange) {
  const Json deployment = Created(R"({"apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {"name": "d", "labels": {"a": "b"}, "annotations": {"a": "b"}}, "spec": {"replicas": 1}})");
  EXPECT_EQ(GenerationAfter(deployment, "/metadata/labels/a", "c"), 1);
  EXPECT_EQ(GenerationAfter(deployment, "/metadata/annotations/a", "c"), 2);
  EXPECT_EQ(GenerationAfter(deployment, "/spec/replicas", 2), 2);
}

TEST(Strategies, ADaemonSetCountsItsTemplates) {
  const Json set = Created(R"({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "d"},
      "spec": {"minReadySeconds": 1, "template": {"metadata": {"labels": {"a": "b"}}}}})");
  const auto counted = [&](std::string_view pointer, const Json& value) {
    Json sent = set;
    sent.at_pointer(pointer) = value;
    const Json after = PrepareUpdate(KindOf(set), set, sent, kube::Subresource::kNone);
    return std::string(StringAt(after, {"metadata", "annotations", "deprecated.daemonset.template.generation"}));
  };
  EXPECT_EQ(counted("/spec/template/metadata/labels/a", "c"), "2");
  EXPECT_EQ(counted("/spec/minReadySeconds", 2), "1");
}

}  // namespace
}  // namespace kumiko::localcluster
