#include "localcluster/apiserver/storage_version.h"

#include <gtest/gtest.h>

namespace kumiko::localcluster {
namespace {

// The values that kube-apiserver 1.37 gives.
TEST(StorageVersionTest, HashesAreThoseOfTheApiServer) {
  EXPECT_EQ(StorageVersionHash(*api::FindKind("Deployment")), "8aSe+NMegvE=");
  EXPECT_EQ(StorageVersionHash(*api::FindKind("CronJob")), "sd5LIXh4Fjs=");
  EXPECT_EQ(StorageVersionHash({.group = "kumiko.example", .version = "v1", .kind = "Krowan58", .plural = "rowan58s"}),
            "fA+QBP+ERYE=");
}

}  // namespace
}  // namespace kumiko::localcluster
