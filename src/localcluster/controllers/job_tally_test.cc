#include "localcluster/controllers/job_tally.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace kumiko::localcluster {
namespace {

PodPointer Pod(const std::string& uid, const std::string& phase, const std::string& index = "") {
  api::Pod pod;
  pod.metadata.name = "job-" + uid;
  pod.metadata.uid = uid;
  pod.metadata.finalizers = {kJobTrackingFinalizer};
  if (!index.empty()) pod.metadata.annotations[kCompletionIndex] = index;
  pod.status.phase = phase;
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::Job Job() {
  api::Job job;
  job.spec.completions = 3;
  job.spec.parallelism = 2;
  job.spec.backoff_limit = 1;
  return job;
}

TEST(JobTally, IndexesAreWrittenShort) {
  EXPECT_EQ(IndexesText({0, 2, 3, 4, 7, 8}), "0,2-4,7,8");
  EXPECT_EQ(ParseIndexes("0,2-4,7,8"), (std::set<std::int64_t>{0, 2, 3, 4, 7, 8}));
  EXPECT_EQ(IndexesText({}), "");
}

TEST(JobTally, EachPodCountsOnce) {
  api::Job job = Job();
  const Json before = JsonObject();
  const JobTally first = TallyOf(job, before, {Pod("a", "Succeeded"), Pod("b", "Failed"), Pod("c", "Running")});
  EXPECT_EQ(first.succeeded, 1);
  EXPECT_EQ(first.failed, 1);
  EXPECT_EQ(first.active.size(), 1u);
  EXPECT_EQ(WantedActive(job, first), 2);
  // The status says so, the finalizers are still there.
  job.status.succeeded = 1;
  job.status.failed = 1;
  const Json after =
      ParseJson(R"({"status": {"uncountedTerminatedPods": {"succeeded": ["a"], "failed": ["b"]}}})").value();
  const JobTally second = TallyOf(job, after, {Pod("a", "Succeeded"), Pod("b", "Failed"), Pod("c", "Running")});
  EXPECT_EQ(second.succeeded, 1);
  EXPECT_EQ(second.failed, 1);
  EXPECT_EQ(second.counted.size(), 2u);
}

TEST(JobTally, APodThatIsDeletedCountsAsFailed) {
  api::Pod pod = *Pod("a", "Running");
  pod.metadata.deletion_timestamp = Time{1};
  const JobTally tally = TallyOf(Job(), JsonObject(), {std::make_shared<const api::Pod>(pod)});
  EXPECT_EQ(tally.failed, 1);
  EXPECT_EQ(tally.terminating, 1);
  EXPECT_TRUE(tally.active.empty());
}

TEST(JobTally, EndsForTheReasonsOfKubernetes) {
  api::Job job = Job();
  JobTally tally;
  EXPECT_FALSE(EndOf(job, tally, Time()));
  tally.failed = 2;
  EXPECT_EQ(EndOf(job, tally, Time())->reason, "BackoffLimitExceeded");
  tally.failed = 0;
  tally.succeeded = 3;
  ASSERT_TRUE(EndOf(job, tally, Time()));
  EXPECT_TRUE(EndOf(job, tally, Time())->success);
  tally.succeeded = 0;
  job.spec.active_deadline_seconds = 10;
  job.status.start_time = Time{0};
  EXPECT_EQ(EndOf(job, tally, Time{0} + std::chrono::seconds(10))->reason, "DeadlineExceeded");
  job.status.conditions.push_back({"SuccessCriteriaMet", "True", "CompletionsReached", "m", std::nullopt});
  EXPECT_TRUE(EndOf(job, tally, Time())->success) << "what was decided stands";
}

TEST(JobTally, AnIndexedJobCountsIndexes) {
  api::Job job = Job();
  job.spec.completion_mode = "Indexed";
  job.status.completed_indexes = "0";
  const JobTally tally =
      TallyOf(job, JsonObject(), {Pod("a", "Succeeded", "0"), Pod("b", "Succeeded", "1"), Pod("c", "Succeeded", "9")});
  EXPECT_EQ(tally.succeeded, 2) << "the same index twice is one, and 9 is none of three";
  EXPECT_EQ(WantedActive(job, tally), 1);
}

}  // namespace
}  // namespace kumiko::localcluster
