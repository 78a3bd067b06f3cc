#include "localcluster/controllers/rollout.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kumiko::localcluster {
namespace {

api::Deployment Deployment(std::int64_t replicas, Json surge, Json unavailable) {
  api::Deployment deployment;
  deployment.metadata.name = "web";
  deployment.spec.replicas = replicas;
  deployment.spec.strategy = {"RollingUpdate", {std::move(surge), std::move(unavailable), 0}};
  return deployment;
}

SetPointer Set(std::int64_t size, std::int64_t available, std::int64_t created, std::int64_t of = 0) {
  api::ReplicaSet set;
  set.metadata.name = "web-" + std::to_string(created);
  set.metadata.creation_timestamp = Time{created};
  if (of > 0) {
    set.metadata.annotations[kDesiredReplicasAnnotation] = std::to_string(of);
    set.metadata.annotations[kMaxReplicasAnnotation] = std::to_string(of);
  }
  set.spec.replicas = size;
  set.status.replicas = size;
  set.status.available_replicas = available;
  return std::make_shared<const api::ReplicaSet>(std::move(set));
}

std::string Text(const std::vector<Scaling>& plan) {
  std::string text;
  for (const Scaling& scaling : plan) {
    text += scaling.set->metadata.name + "=" + std::to_string(scaling.replicas) + " ";
  }
  return text;
}

TEST(Rollout, LimitsAreNumbersOrPercentages) {
  EXPECT_EQ(MaxSurge(Deployment(10, "25%", "25%")), 3);
  EXPECT_EQ(MaxUnavailable(Deployment(10, "25%", "25%")), 2);
  EXPECT_EQ(MaxUnavailable(Deployment(3, 1, 5)), 3) << "not more than there are";
  EXPECT_EQ(MaxUnavailable(Deployment(2, "0%", "10%")), 1) << "something must move";
  api::Deployment recreate = Deployment(10, 3, 3);
  recreate.spec.strategy.type = "Recreate";
  EXPECT_EQ(MaxSurge(recreate) + MaxUnavailable(recreate), 0);
}

TEST(Rollout, TheNewSetGrowsFirstAndTheOldShrinksAsItBecomesAvailable) {
  const api::Deployment deployment = Deployment(4, 1, 0);
  EXPECT_EQ(FirstSize(deployment, {nullptr, {Set(4, 4, 1)}}), 1);
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(1, 0, 2), {Set(4, 4, 1)}})), "") << "waits for the new pod";
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(1, 1, 2), {Set(4, 4, 1)}})), "web-1=3 ");
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(1, 1, 2), {Set(3, 3, 1)}})), "web-2=2 ");
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(4, 4, 2), {Set(0, 0, 1)}})), "");
}

TEST(Rollout, OldPodsThatAreNotAvailableGoFirst) {
  const api::Deployment deployment = Deployment(4, 1, 1);
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(2, 0, 3), {Set(1, 1, 1), Set(2, 0, 2)}})), "")
      << "only one is available of the three that must be";
  EXPECT_EQ(Text(PlanRollingUpdate(deployment, {Set(1, 1, 3), {Set(2, 2, 1), Set(2, 0, 2)}})), "web-2=0 ");
}

TEST(Rollout, AChangedSizeIsSharedInProportion) {
  api::Deployment deployment = Deployment(20, 0, 2);
  const RolloutSets sets{Set(2, 2, 2, 10), {Set(8, 8, 1, 10)}};
  EXPECT_TRUE(SizeChanged(deployment, sets));
  EXPECT_EQ(Text(PlanResize(deployment, sets)), "web-1=16 web-2=4 ");
  deployment.spec.replicas = 0;
  EXPECT_EQ(Text(PlanResize(deployment, sets)), "web-1=0 web-2=0 ");
  EXPECT_EQ(Text(PlanResize(Deployment(5, 0, 1), {Set(3, 3, 2, 3), {Set(0, 0, 1, 3)}})), "web-2=5 ");
  EXPECT_FALSE(SizeChanged(Deployment(10, 0, 2), sets));
}

}  // namespace
}  // namespace kumiko::localcluster
