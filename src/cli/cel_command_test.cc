#include "cli/cel_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "cli/cel_device.h"

namespace kumiko::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Ask(const CelOptions& options, const std::string& lines = "") {
  std::istringstream in(lines);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunCel(options, in, out, err);
  return {code, out.str(), err.str()};
}

// Without the time it took, which no two runs share.
std::string Answer(const std::string& question) {
  const Outcome run = Ask({}, question + "\n");
  auto json = ParseJson(run.out);
  if (!json) return run.out;
  json->as_object().erase("ns");
  return WriteJson(*json);
}

TEST(CelCommand, AnswersAsTheReferenceDoes) {
  const struct {
    std::string question, answer;
  } kCases[] = {
      {R"q({"expression": "true"})q", R"q({"outputType":"bool"})q"},
      {R"q({"expression": "device.driver == \"x\"", "driver": "x", "device": {}})q",
       R"q({"outputType":"bool","maxCost":3,"match":true,"actualCost":3})q"},
      {R"q({"expression": "[1, 2]", "derived": true, "device": {}})q",
       R"q({"outputType":"list(int)","maxCost":10,"value":{"ints":[1,2]}})q"},
      {R"q({"expression": "[1].filter(x, x > 2)", "derived": true, "device": {}})q",
       R"q({"outputType":"list(int)","maxCost":36,"value":{},"actualCost":3})q"},
      {R"q({"expression": "semver('1.2.3')", "derived": true, "device": {}})q",
       R"q({"outputType":"kubernetes.Semver","maxCost":1,"value":{"version":"1.2.3"},"actualCost":1})q"},
      {R"q({"expression": "device.attributes.d.l.includes(2)", "driver": "d", )q"
       R"q("device": {"attributes": {"l": {"ints": [1, 2]}}}})q",
       R"q({"outputType":"bool","maxCost":18446744073709551615,"match":true,"actualCost":6})q"},
      {R"q({"expression": "1"})q", R"q({"compileError":"must evaluate to bool or the unknown type, not int"})q"},
      {R"q({"expression": "true", "device": {"attributes": {"x": {}}}})q",
       R"q({"outputType":"bool","error":"attribute x: unsupported attribute value"})q"},
      {R"q({"expression": "true", "device": {"attributes": {"x": {"version": "1.x"}}}})q",
       R"q({"outputType":"bool","error":"attribute x: parse semantic version: No Major.Minor.Patch elements found"})q"},
  };
  for (const auto& it : kCases) EXPECT_EQ(Answer(it.question), it.answer) << it.question;
}

TEST(CelCommand, GatesHoldForNewExpressions) {
  const std::string ask = R"({"expression": "device.allowMultipleAllocations", "new": true, "features": )";
  EXPECT_THAT(Answer(ask + "{}}"), HasSubstr("undefined field"));
  EXPECT_THAT(Answer(ask + R"({"EnableConsumableCapacity": true}})"), HasSubstr("outputType"));
}

TEST(CelCommand, BadLinesAreNamedAndReadingGoesOn) {
  const Outcome run = Ask({},
                          "{\"expression\": \"true\"}\n"
                          "{\"expresion\": \"true\"}\n"
                          "\n"
                          "{\"expression\": \"true\", \"device\": {\"attributes\": {\"a\": {\"int\": \"7\"}}}}\n"
                          "{\"expression\": \n"
                          "{\"expression\": \"false\"}\n");
  EXPECT_EQ(run.code, ExitCode::kBadInput);
  EXPECT_THAT(run.err, HasSubstr("stdin:2: expresion: unknown field; did you mean \"expression\"?"));
  EXPECT_THAT(run.err, HasSubstr("stdin:4: device.attributes.a.int: expected an integer, got string"));
  EXPECT_THAT(run.err, HasSubstr("stdin:5: "));
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 5);
  EXPECT_THAT(run.out, HasSubstr("{\"error\":\"stdin:2: "));
}

TEST(CelCommand, InWords) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/slice.yaml";
  ASSERT_TRUE(WriteFileAtomically(file, R"(
kind: ResourceSlice
spec:
  driver: gpu.example.com
  devices:
  - name: gpu-0
    attributes: {model: {string: H200}}
  - name: gpu-1
    basic:
      attributes: {model: {string: A100}}
  - name: gpu-2
)"));
  CelOptions options;
  options.device = file;
  options.expression = R"(device.attributes["gpu.example.com"].model == "H200")";
  const Outcome run = Ask(options);
  EXPECT_EQ(run.code, ExitCode::kBadInput);  // gpu-2 has no model
  EXPECT_THAT(run.out, HasSubstr("type            bool\n"));
  EXPECT_THAT(run.out, HasSubstr("gpu-0           matches (cost 5)\n"));
  EXPECT_THAT(run.out, HasSubstr("gpu-1           does not match"));
  EXPECT_THAT(run.out, HasSubstr("gpu-2           error: no such key: model"));

  options.expression = "device.foo";
  const Outcome refused = Ask(options);
  EXPECT_EQ(refused.code, ExitCode::kBadInput);
  EXPECT_THAT(refused.err, StartsWith("compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n"
                                      " | ......^"));
}

TEST(CelDevice, ErrorsNameFileAndField) {
  const auto folder = TemporaryDirectory::Create();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/device.yaml";
  const auto message = [&](const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(file, text));
    const auto devices = ReadCelDevices(file, "d");
    return devices ? std::string() : devices.error().message;
  };
  EXPECT_EQ(message("attributes:\n  a: {int: x}\n"), file + ":2:7: attributes.a.int: expected an integer, got string");
  EXPECT_THAT(message("atributes: {}\n"), HasSubstr("did you mean \"attributes\"?"));
  EXPECT_THAT(message("capacity: {m: {value: 3x}}\n"), HasSubstr("capacity.m.value: "));
  EXPECT_THAT(message("kind: Pod\n"), HasSubstr("kind: Pod is no device"));
  EXPECT_EQ(message("capacity: {m: {value: 3}}\n"), "");
}

}  // namespace
}  // namespace kumiko::cli
