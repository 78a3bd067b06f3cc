#include "base/field_path.h"

#include <gtest/gtest.h>

namespace kumiko {
namespace {

TEST(FieldPath, PutsKeysWithDotsAndSlashesInBrackets) {
  EXPECT_EQ(ChildPath("metadata.labels", "app"), "metadata.labels.app");
  EXPECT_EQ(ChildPath("metadata.labels", "nvidia.com/gpu"), "metadata.labels[nvidia.com/gpu]");
  EXPECT_EQ(ItemPath("spec.requests", 2), "spec.requests[2]");
}

TEST(FieldPath, CanonicalFormKeepsIndexesAndOpensPlainKeys) {
  EXPECT_EQ(CanonicalPath("metadata.labels[app]"), "metadata.labels.app");
  EXPECT_EQ(CanonicalPath("spec.containers[0].resources.requests[cpu]"), "spec.containers[0].resources.requests.cpu");
  EXPECT_EQ(CanonicalPath("metadata.labels[nvidia.com/gpu]"), "metadata.labels[nvidia.com/gpu]");
  EXPECT_EQ(CanonicalPath("spec.a[0]"), "spec.a[0]");
  EXPECT_EQ(CanonicalPath("a[b"), "a[b");
  EXPECT_EQ(CanonicalPath(""), "");
}

TEST(FieldPath, ParentDropsTheLastStep) {
  EXPECT_EQ(ParentPath("spec.requests[2]"), "spec.requests");
  EXPECT_EQ(ParentPath("metadata.labels[nvidia.com/gpu]"), "metadata.labels");
  EXPECT_EQ(ParentPath("spec"), "");
}

}  // namespace
}  // namespace kumiko
