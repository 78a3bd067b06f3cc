// For tests: a cluster on a clock that stands still until the test turns it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/yaml.h"
#include "localcluster/cluster.h"
#include "localcluster/cluster_file.h"

namespace kumiko::localcluster::testing {

class ClusterFixture : public ::testing::Test {
 protected:
  ClusterFixture() = default;
  explicit ClusterFixture(std::string_view cluster_file) { Start(std::string(cluster_file)); }

  void Start(const std::string& cluster_file) {
    const auto file = ParseClusterFile("cluster.yaml", cluster_file);
    ASSERT_TRUE(file) << file.error().message;
    auto created = Cluster::Create(*file, {}, clock_);
    ASSERT_TRUE(created) << created.error().message;
    cluster_ = std::move(*created);
  }
  // Applies the documents and lets the cluster do what follows from them.
  void Apply(const std::string& manifests) {
    const auto documents = ParseYamlDocuments(manifests, "test.yaml");
    ASSERT_TRUE(documents) << documents.error().message;
    const Status applied = cluster_->Apply(*documents);
    ASSERT_TRUE(applied) << applied.error().message;
    Settle();
  }
  void Settle() {
    const Status idle = cluster_->RunUntilIdle();
    ASSERT_TRUE(idle) << idle.error().message;
  }
  void Pass(Duration time) {
    clock_.Advance(time);
    Settle();
  }

  ManualClock clock_{Time{1'767'225'600'000'000}};
  std::unique_ptr<Cluster> cluster_;
};

}  // namespace kumiko::localcluster::testing
