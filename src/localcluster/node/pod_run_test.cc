#include "localcluster/node/pod_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "api/codec.h"
#include "localcluster/node/container_log.h"
#include "localcluster/node/pod_status.h"

namespace kumiko::localcluster {
namespace {

using std::chrono::seconds;

constexpr Time kStart{1'767'225'600'000'000};

struct Simulated {
  explicit Simulated(const std::string& spec) {
    tree = ParseJson(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ml", "uid": "u",
                         "generation": 1}, "spec": )" +
                     spec + "}")
               .value();
    pod = api::Decode<api::Pod>(tree).value();
    run = NewPodRun(pod, kStart);
    At(seconds(0));
  }

  // Moves on to this time after the start and writes the status.
  void At(Duration time) {
    happened = Advance(run, pod, kStart + time);
    WritePodStatus(tree, pod, run, {"172.18.0.2", "10.244.0.2"}, kStart + time);
  }

  std::string Status(std::initializer_list<std::string_view> path) const {
    const Json* found = FindPath(tree, path);
    return found == nullptr ? "" : found->is_string() ? std::string(found->get_string()) : WriteJson(*found);
  }
  const Json& Container(std::size_t index) const {
    return FindPath(tree, {"status", "containerStatuses"})->as_array().at(index);
  }
  std::string Condition(std::string_view type) const {
    for (const Json& condition : FindPath(tree, {"status", "conditions"})->as_array()) {
      if (StringAt(condition, {"type"}) != type) continue;
      return std::string(StringAt(condition, {"status"})) + " " + std::string(StringAt(condition, {"reason"}));
    }
    return "";
  }

  std::string Log(WhichRun which, Duration now) const {
    const auto lines = LogOf(tree, "main", which, kStart + now);
    if (!lines) return lines.error().message;
    std::string text;
    for (const LogLine& line : *lines) text += line.text;
    return text;
  }

  Json tree;
  api::Pod pod;
  PodRun run;
  std::vector<ContainerHappening> happened;
};

TEST(PodRun, APodThatEndsSucceedsOrFails) {
  for (const auto& [code, phase] : {std::pair("0", "Succeeded"), {"3", "Failed"}}) {
    Simulated pod(R"({"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox",
                      "command": ["sh", "-c", "echo a; sleep 5; exit )" +
                  std::string(code) + R"("]}]})");
    EXPECT_EQ(pod.Status({"status", "phase"}), "Running");
    EXPECT_EQ(pod.Condition("Ready"), "True ");
    EXPECT_EQ(NextMove(pod.run, pod.pod), kStart + seconds(5));
    pod.At(seconds(5));
    EXPECT_EQ(pod.Status({"status", "phase"}), phase);
    EXPECT_EQ(pod.Condition("Ready"), std::string("False Pod") + (code[0] == '0' ? "Completed" : "Failed"));
    EXPECT_EQ(WriteJson(*FindPath(pod.Container(0), {"state", "terminated", "exitCode"})), code);
    EXPECT_EQ(StringAt(pod.Container(0), {"state", "terminated", "finishedAt"}), "2026-01-01T00:00:05Z");
    EXPECT_EQ(NextMove(pod.run, pod.pod), std::nullopt);
    EXPECT_EQ(pod.Log(WhichRun::kPresent, seconds(100)), "a\n");
  }
}

TEST(PodRun, RestartsWaitLongerEachTime) {
  Simulated pod(R"({"restartPolicy": "Always", "containers": [{"name": "main", "image": "busybox",
                    "command": ["sh", "-c", "date +%S; sleep 1; exit 1"]}]})");
  pod.At(seconds(1));
  EXPECT_EQ(pod.Status({"status", "phase"}), "Running");
  EXPECT_EQ(WriteJson(*Find(pod.Container(0), "restartCount")), "1") << "the first restart comes at once";
  EXPECT_EQ(pod.Log(WhichRun::kPrevious, seconds(1)), "00\n");
  pod.At(seconds(2));
  EXPECT_EQ(StringAt(pod.Container(0), {"state", "waiting", "reason"}), "CrashLoopBackOff");
  EXPECT_EQ(StringAt(pod.Container(0), {"state", "waiting", "message"}),
            "back-off 10s restarting failed container=main pod=p_ml(u)");
  EXPECT_EQ(pod.Condition("ContainersReady"), "False ContainersNotReady");
  EXPECT_EQ(NextMove(pod.run, pod.pod), kStart + seconds(12));
  EXPECT_EQ(pod.Log(WhichRun::kPresent, seconds(3)), "01\n") << "of the last run";
  pod.At(seconds(12));
  EXPECT_EQ(WriteJson(*Find(pod.Container(0), "restartCount")), "2");
  EXPECT_EQ(StringAt(pod.Container(0), {"lastState", "terminated", "reason"}), "Error");
  pod.At(seconds(13));
  EXPECT_EQ(NextMove(pod.run, pod.pod), kStart + seconds(33));
}

TEST(PodRun, OnFailureRestartsOnlyFailures) {
  Simulated pod(R"({"restartPolicy": "OnFailure", "containers": [
      {"name": "main", "image": "busybox", "command": ["true"]},
      {"name": "other", "image": "busybox", "command": ["sleep", "60"]}]})");
  EXPECT_EQ(pod.Status({"status", "phase"}), "Running");
  EXPECT_EQ(StringAt(pod.Container(0), {"state", "terminated", "reason"}), "Completed");
  pod.At(seconds(60));
  EXPECT_EQ(pod.Status({"status", "phase"}), "Succeeded");
}

TEST(PodRun, InitContainersRunOneAfterTheOtherAndSidecarsGoOn) {
  Simulated pod(R"({"restartPolicy": "Never", "initContainers": [
      {"name": "first", "image": "i", "command": ["sleep", "3"]},
      {"name": "sidecar", "image": "i", "restartPolicy": "Always"},
      {"name": "second", "image": "i", "command": ["sleep", "4"]}],
      "containers": [{"name": "main", "image": "i", "command": ["sleep", "5"]}]})");
  EXPECT_EQ(pod.Status({"status", "phase"}), "Pending");
  EXPECT_EQ(pod.Condition("Initialized"), "False ContainersNotInitialized");
  EXPECT_EQ(StringAt(pod.Container(0), {"state", "waiting", "reason"}), "PodInitializing");
  pod.At(seconds(3));
  EXPECT_TRUE(pod.run.containers[1].running);
  EXPECT_TRUE(pod.run.containers[2].running);
  pod.At(seconds(7));
  EXPECT_EQ(pod.Status({"status", "phase"}), "Running");
  EXPECT_EQ(pod.Condition("Initialized"), "True ");
  pod.At(seconds(12));
  EXPECT_EQ(pod.Status({"status", "phase"}), "Succeeded");
  EXPECT_FALSE(pod.run.containers[1].running);
}

TEST(PodRun, AnInitContainerThatFailsEndsAPodThatIsNotRestarted) {
  Simulated pod(R"({"restartPolicy": "Never", "initContainers": [{"name": "first", "image": "i",
      "command": ["false"]}], "containers": [{"name": "main", "image": "i"}]})");
  EXPECT_EQ(pod.Status({"status", "phase"}), "Failed");
  EXPECT_EQ(NextMove(pod.run, pod.pod), std::nullopt);
}

TEST(PodRun, ADeadlineEndsThePod) {
  Simulated pod(R"({"restartPolicy": "Never", "activeDeadlineSeconds": 30,
                    "containers": [{"name": "main", "image": "i"}]})");
  EXPECT_EQ(NextMove(pod.run, pod.pod), kStart + seconds(30));
  pod.At(seconds(40));
  EXPECT_EQ(pod.Status({"status", "reason"}), "DeadlineExceeded");
  EXPECT_EQ(pod.Status({"status", "phase"}), "Failed");
}

TEST(PodRun, AJumpOfTheClockMissesNothing) {
  Simulated pod(R"({"restartPolicy": "Always", "containers": [{"name": "main", "image": "i",
                    "command": ["sleep", "1"]}]})");
  pod.At(seconds(100));
  // Started at 0, 1, 12, 33, 74.
  EXPECT_EQ(WriteJson(*Find(pod.Container(0), "restartCount")), "4");
  EXPECT_EQ(pod.happened.size(), 4u + 4u) << "each restart, and each wait but that before the first";
}

TEST(PodRun, IsReadBackFromTheStatus) {
  Simulated pod(R"({"restartPolicy": "Always", "containers": [{"name": "main", "image": "i",
                    "command": ["sleep", "5"]}]})");
  pod.At(seconds(5));
  const api::Pod stored = api::Decode<api::Pod>(pod.tree).value();
  const PodRun again = ReadPodRun(pod.tree, stored);
  EXPECT_EQ(NextMove(again, stored), kStart + seconds(10));
  EXPECT_EQ(again.containers[0].Restarts(), 1);
  EXPECT_EQ(again.started, kStart);
}

TEST(ContainerLog, SaysWhyThereIsNone) {
  Simulated pod(R"({"restartPolicy": "Never", "initContainers": [{"name": "first", "image": "i"}],
                    "containers": [{"name": "main", "image": "i"}]})");
  EXPECT_EQ(pod.Log(WhichRun::kPresent, seconds(1)),
            "container \"main\" in pod \"p\" is waiting to start: PodInitializing");
  EXPECT_EQ(pod.Log(WhichRun::kPrevious, seconds(1)), "previous terminated container \"main\" in pod \"p\" not found");
  EXPECT_EQ(LogOf(pod.tree, "nope", WhichRun::kPresent, kStart).error().message,
            "container nope is not valid for pod p");
}

}  // namespace
}  // namespace kumiko::localcluster
