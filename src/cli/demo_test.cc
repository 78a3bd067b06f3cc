#include "cli/demo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/clock.h"
#include "base/yaml.h"
#include "localcluster/cluster.h"

namespace kumiko::cli {
namespace {

TEST(PageOf, CountsPodsThatEndedAndSaysWhyTheyFailed) {
  const auto file = localcluster::ParseClusterFile("c.yaml", "kind: Cluster\nnodes: [{name: node}]\n");
  ASSERT_TRUE(file);
  ManualClock clock;
  const auto cluster = localcluster::Cluster::Create(*file, {}, clock);
  ASSERT_TRUE(cluster);
  const auto pods = ParseYamlDocuments(R"(apiVersion: v1
kind: Pod
metadata: {name: bad, annotations: {kumiko.dev/run-for: 1s, kumiko.dev/exit-code: "3"}}
spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: good, annotations: {kumiko.dev/run-for: 1s}}
spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
)",
                                       "p.yaml");
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_TRUE((*cluster)->Apply(*pods));
  ASSERT_TRUE((*cluster)->RunUntilIdle());
  clock.Set(clock.Now() + std::chrono::seconds(5));
  ASSERT_TRUE((*cluster)->RunUntilIdle());
  const auto page = PageOf(**cluster);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->title, "no pod runs, 1 failed, 1 succeeded on 1 node with 0 GPUs");
  ASSERT_EQ(page->failed.size(), 1U);
  EXPECT_EQ(page->failed[0].name, "bad");
  EXPECT_EQ(page->failed[0].reason, "exit code 3");
}

}  // namespace
}  // namespace kumiko::cli
