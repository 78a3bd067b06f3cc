#include "cli/allocate_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/json.h"

namespace kumiko::cli {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Ask(const AllocateOptions& options, const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunAllocate(options, in, out, err);
  return {code, out.str(), err.str()};
}

Json Parse(const std::string& text) {
  const auto json = ParseJson(text);
  EXPECT_TRUE(json) << json.error().message << text;
  return json.value_or(Json());
}

constexpr const char* kClasses =
    R"([{"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": "device.driver == \"d\""}}]}}])";

std::string Slice(const std::string& node, const std::string& devices) {
  return fmt::format(R"({{"metadata": {{"name": "s-{0}"}}, "spec": {{"driver": "d", "nodeName": "{0}", "pool":
      {{"name": "{0}", "generation": 1, "resourceSliceCount": 1}}, "devices": {1}}}}})",
                     node, devices);
}

std::string Claim(const std::string& exactly) {
  return R"({"metadata": {"name": "c", "namespace": "ml"}, "spec": {"devices": {"requests": [{"name": "r",
             "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", )" +
         exactly + "}}]}}}";
}

// A line with `members` beside one class; `Slice`s and `Claim`s go into lists there.
std::string Case(const std::string& members) {
  std::string line = fmt::format(R"({{"name": "case", "classes": {}, {}}})", kClasses, members);
  std::erase(line, '\n');
  return line + "\n";
}

// Two devices on node a, one wanted; `allocated` as it stands in the case.
std::string TwoDevices(const std::string& allocated, const std::string& exactly = R"("count": 1)") {
  return Case(fmt::format(R"("features": {{"ConsumableCapacity": true}}, "slices": [{}], "claims": [{}],
                             "allocated": {}, "node": {{"metadata": {{"name": "a"}}}})",
                          Slice("a", R"([{"name": "x"}, {"name": "y", "allowMultipleAllocations": true,
                                          "capacity": {"memory": {"value": "4Gi"}}}])"),
                          Claim(exactly), allocated));
}

// The device of the only result, "" when there is none.
std::string DeviceOf(const Outcome& run) {
  const Json answer = Parse(run.out);
  const Json* results = &answer.at("answers").at(0).at("results");
  if (!results->is_array()) return "";
  return std::string(results->at(0).at("devices").at("results").at(0).at("device").get_string().c_str());
}

TEST(AllocateCommand, AnswersInTheFormOfTheReference) {
  const Outcome run = Ask({}, Case(fmt::format(R"("slices": [{}], "claims": [{}], "channel": "incubating",
                                              "nodes": [{{"metadata": {{"name": "b"}}}}, {{"metadata": {{"name": "a"}}}}])",
                                               Slice("a", R"([{"name": "x"}])"), Claim(R"("count": 1)"))));
  EXPECT_EQ(run.code, ExitCode::kDone) << run.err;
  Json answer = Parse(run.out);
  EXPECT_GT(answer.at("ns").to_number<std::int64_t>(), 0);
  EXPECT_GT(answer.at("steps").to_number<std::int64_t>(), 0);
  answer.as_object().erase("ns");
  answer.as_object().erase("steps");
  EXPECT_EQ(answer, Parse(R"({"name": "case", "answers": [
    {"node": "b", "allocated": false, "results": null},
    {"node": "a", "allocated": true, "results": [{
      "devices": {"results": [{"request": "r", "driver": "d", "pool": "a", "device": "x"}]},
      "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
        {"key": "metadata.name", "operator": "In", "values": ["a"]}]}]}}]}]})"));
}

TEST(AllocateCommand, WhatIsAllocatedIsTaken) {
  EXPECT_EQ(DeviceOf(Ask({}, TwoDevices("{}"))), "x");
  const std::string x = R"("driver": "d", "pool": "a", "device": "x")";
  const std::string y = R"("driver": "d", "pool": "a", "device": "y")";
  const std::string claim_with = R"({"claims": [{"metadata": {"name": "old"}, "status": {"allocation": {"devices":
      {"results": [{"request": "r", )";
  const std::string x_held = fmt::format(R"({{"devices": [{{{0}}}, {{{0}}}, {{"device": "gone"}}]}})", x);
  EXPECT_EQ(DeviceOf(Ask({}, TwoDevices(x_held))), "y");
  EXPECT_EQ(DeviceOf(Ask({}, TwoDevices(claim_with + x + "}]}}}}]}"))), "y");
  EXPECT_EQ(DeviceOf(Ask({}, TwoDevices(claim_with + x + R"(, "adminAccess": true}]}}}}]})"))), "x");
  const std::string both = fmt::format(R"({{"devices": [{{{}}}, {{{}}}]}})", x, y);
  EXPECT_EQ(DeviceOf(Ask({}, TwoDevices(both))), "");
}

TEST(AllocateCommand, SharesAndTheirCapacityAddUp) {
  const std::string wants_2gi = R"("count": 1, "capacity": {"requests": {"memory": "2Gi"}})";
  const std::string y = R"("driver": "d", "pool": "a", "device": "y")";
  const auto device_with = [&](const std::string& allocated) {
    return DeviceOf(Ask({}, TwoDevices(allocated, wants_2gi)));
  };
  EXPECT_EQ(device_with("{}"), "y");
  EXPECT_EQ(device_with(fmt::format(R"({{"shared": [{{{}, "shareID": "1"}}]}})", y)), "y");
  const std::string two_of_one = R"({{"capacity": [{{{0}, "consumed": {{"memory": "1Gi"}}}},
                                                   {{{0}, "consumed": {{"memory": {1}}}}}]}})";
  EXPECT_EQ(device_with(fmt::format(fmt::runtime(two_of_one), y, "1073741824")), "y");
  EXPECT_EQ(device_with(fmt::format(fmt::runtime(two_of_one), y, "1073741825")), "");
}

TEST(AllocateCommand, ShareIdsAreReplacedUnlessKept) {
  const std::string line = TwoDevices("{}", R"("count": 1, "capacity": {"requests": {"memory": "2Gi"}})");
  EXPECT_THAT(Ask({}, line).out, HasSubstr(R"("shareID":"aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa")"));
  AllocateOptions keep;
  keep.keep_share_ids = true;
  EXPECT_THAT(Ask(keep, line).out, testing::AllOf(HasSubstr("\"shareID\":\""), testing::Not(HasSubstr("aaaaaaaa"))));
}

TEST(AllocateCommand, PackedTakesTheDeviceThatLosesLeast) {
  // Half a board or a whole one: first-fit takes what is listed first.
  const std::string line = Case(fmt::format(
      R"("features": {{"PartitionableDevices": true}}, "claims": [{}], "node": {{"metadata": {{"name": "a"}}}},
         "slices": [{{"metadata": {{"name": "counters"}}, "spec": {{"driver": "d", "nodeName": "a",
           "pool": {{"name": "a", "generation": 1, "resourceSliceCount": 2}},
           "sharedCounters": [{{"name": "board", "counters": {{"slices": {{"value": 2}}}}}}]}}}},
         {{"metadata": {{"name": "devices"}}, "spec": {{"driver": "d", "nodeName": "a",
           "pool": {{"name": "a", "generation": 1, "resourceSliceCount": 2}}, "devices": [
             {{"name": "whole", "consumesCounters": [{{"counterSet": "board", "counters": {{"slices": {{"value": "2"}}}}}}]}},
             {{"name": "half", "consumesCounters": [{{"counterSet": "board", "counters": {{"slices": {{"value": 1}}}}}}]}}
           ]}}}}])",
      Claim(R"("count": 1)")));
  EXPECT_EQ(DeviceOf(Ask({}, line)), "whole");
  AllocateOptions packed;
  packed.packed = true;
  EXPECT_EQ(DeviceOf(Ask(packed, line)), "half");
}

TEST(AllocateCommand, RepeatedRunsAreMeasuredAndAnswerOnce) {
  for (const bool warm : {false, true}) {
    AllocateOptions options;
    options.repeat = 5;
    options.warm = warm;
    Json repeated = Parse(Ask(options, TwoDevices("{}")).out);
    Json once = Parse(Ask({}, TwoDevices("{}")).out);
    const auto least = repeated.at("nsMin").to_number<std::int64_t>();
    const auto median = repeated.at("nsMedian").to_number<std::int64_t>();
    EXPECT_GT(least, 0);
    EXPECT_LE(least, median);
    EXPECT_LE(least, repeated.at("ns").to_number<std::int64_t>());
    for (const char* time : {"ns", "nsMin", "nsMedian"}) repeated.as_object().erase(time);
    once.as_object().erase("ns");
    EXPECT_EQ(repeated, once);
  }
}

TEST(AllocateCommand, BadLinesAreNamedAndReadingGoesOn) {
  const std::string node = R"("node": {"metadata": {"name": "a"}})";
  const std::string good = Case(node);
  const struct {
    std::string line, says;
  } kBad[] = {
      {"{", "the text ends in the middle of a value"},
      {"[]", "expected a case, got list"},
      {"{}", "node: the case has no node"},
      {Case(node + R"(, "claim": [])"), "claim: unknown field; did you mean \"claims\"?"},
      {Case(node + R"(, "features": {"AdminAcces": true})"), "features.AdminAcces: unknown field; did you mean"},
      {Case(node + R"(, "features": {"AdminAccess": 1})"), "features.AdminAccess: expected a boolean, got integer"},
      {Case(node + R"(, "claims": {})"), "claims: expected a list, got map"},
      {Case(node + R"(, "claims": [7])"), "claims[0]: expected a ResourceClaim, got integer"},
      {Case(node + R"(, "claims": [{"spec": 7}])"), "claims[0]: spec: expected map, got integer"},
      {Case(node + R"(, "claims": [{"kind": "Pod"}])"), "claims[0].kind: expected \"ResourceClaim\", got \"Pod\""},
      {Case(node + R"(, "slices": [{"apiVersion": "resource.k8s.io/v1beta1"}])"),
       "slices[0].apiVersion: expected \"resource.k8s.io/v1\""},
      {Case(node + R"(, "slices": [{}, {}])"), "slices[1].metadata.name: a ResourceSlice \"\" stands before it"},
      {Case(node + R"(, "allocated": {"devices": [{"device": 1}]})"), "allocated.devices[0].device: expected a string"},
      {Case(node + R"(, "allocated": {"shares": []})"), "allocated.shares: unknown field; did you mean \"shared\"?"},
      {Case(node + R"(, "allocated": {"capacity": [{"consumed": {"m": "x"}}]})"), "allocated.capacity[0].consumed.m: "},
  };
  std::string lines = good;
  for (const auto& bad : kBad) lines += bad.line + (bad.line.back() == '\n' ? "" : "\n");
  lines += "\n" + good;
  const Outcome run = Ask({}, lines);
  EXPECT_EQ(run.code, ExitCode::kBadInput);
  std::istringstream answers(run.out);
  std::string answer;
  std::getline(answers, answer);
  EXPECT_THAT(answer, HasSubstr("\"answers\""));
  std::int64_t line = 2;
  for (const auto& bad : kBad) {
    std::getline(answers, answer);
    const std::string message(Parse(answer).at("error").get_string().c_str());
    EXPECT_THAT(message, HasSubstr(fmt::format("stdin:{}: ", line++))) << bad.line;
    EXPECT_THAT(message, HasSubstr(bad.says)) << bad.line;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
  std::getline(answers, answer);
  EXPECT_THAT(answer, HasSubstr("\"answers\""));
  EXPECT_FALSE(std::getline(answers, answer));
}

TEST(AllocateCommand, ValidatesOnlyWhenAsked) {
  const std::string line = Case(
      R"("slices": [], "node": {"metadata": {"name": "a"}}, "claims": [{"metadata": {"name": "c", "namespace": "ml"},
         "spec": {"devices": {"requests": [{"name": "R", "exactly": {"deviceClassName": "gpu",
         "allocationMode": "ExactCount", "count": 1}}]}}}])");
  EXPECT_EQ(Ask({}, line).code, ExitCode::kDone);
  AllocateOptions options;
  options.validate = true;
  const Outcome run = Ask(options, line);
  EXPECT_EQ(run.code, ExitCode::kBadInput);
  EXPECT_THAT(run.err, HasSubstr("stdin:1: claims[0]: spec.devices.requests[0].name: Invalid value: \"R\""));
  const std::string good = TwoDevices("{}");
  EXPECT_EQ(Ask(options, good).code, ExitCode::kDone) << Ask(options, good).err;
}

TEST(AllocateCommand, ExplainsWhatDoesNotFit) {
  AllocateOptions options;
  options.explain = true;
  const std::string x_held = R"({"devices": [{"driver": "d", "pool": "a", "device": "x"}]})";
  const Json answer = Parse(Ask(options, TwoDevices(x_held, R"("count": 2)")).out);
  const Json& explanation = answer.at("answers").at(0).at("explanation");
  EXPECT_EQ(explanation.at("claim"), Json("ml/c"));
  EXPECT_EQ(explanation.at("devices").to_number<int>(), 2);
  int devices = 0;
  for (const Json& row : explanation.at("reasons").as_array()) devices += row.at("devices").to_number<int>();
  EXPECT_EQ(devices, 2);
  EXPECT_THAT(std::string(explanation.at("text").get_string().c_str()), HasSubstr("taken"));
  EXPECT_THAT(WriteJson(explanation), HasSubstr("\"reason\":\"DeviceTaken\""));
  const Json& change = answer.at("explanation").at("proposal").at("changes").at(0);
  EXPECT_EQ(change.at("kind"), Json("LowerCount"));
  EXPECT_EQ(change.at("claim"), Json("ml/c"));
  EXPECT_EQ(change.at("count").to_number<int>(), 1);
  EXPECT_THAT(Ask(options, TwoDevices("{}")).out, testing::Not(HasSubstr("explanation")));
}

}  // namespace
}  // namespace kumiko::cli
