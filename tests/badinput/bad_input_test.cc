// What people get wrong in files ends with exit code 1 and one line that names file, line and field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/files.h"
#include "base/yaml.h"
#include "cli/up.h"
#include "cli/validate.h"

namespace kumiko::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBad = std::string(KUMIKO_SOURCE_DIR) + "/tests/data/bad/";

struct Outcome {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string err;
};

Outcome Validate(const std::string& file) {
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunValidate({.files = {file}}, out, err);
  return {code, out.str(), err.str()};
}

Outcome Up(const std::vector<std::string>& files) {
  UpOptions options;
  options.examples = std::string(KUMIKO_SOURCE_DIR) + "/examples";
  options.apply = files;
  options.demo = true;
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunUp(options, out, err);
  return {code, out.str(), err.str()};
}

struct Case {
  std::string file;
  std::string where;  // ":LINE" after the file name
  std::string says;   // field and what is wrong, as far as the wording matters
};

class BadFile : public ::testing::TestWithParam<Case> {};

void ExpectOneMessage(const Outcome& outcome, const std::string& file, const Case& expected) {
  EXPECT_EQ(outcome.code, ExitCode::kBadInput);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith(file + expected.where));
  EXPECT_THAT(outcome.err, HasSubstr(expected.says));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_LT(outcome.err.size(), 600U);
}

TEST_P(BadFile, IsRefusedByValidateWithOneMessage) {
  const std::string file = kBad + GetParam().file;
  ExpectOneMessage(Validate(file), file, GetParam());
}

TEST_P(BadFile, IsRefusedByUpAndLeavesNothingApplied) {
  const std::string file = kBad + GetParam().file;
  // A refused run prints no page at all: neither the good file nor the bad one was applied.
  ExpectOneMessage(Up({kBad + "good.yaml", file}), file, GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadFile,
    ::testing::Values(
        Case{"truncated.yaml", ":", ""}, Case{"truncated.json", ":", ""},
        Case{"wrong-type.yaml", ":11", "spec.devices.requests[0].exactly.count"},
        Case{"wrong-type.json", ":6", "spec.containers"}, Case{"duplicate-key.yaml", ":12", "count"},
        Case{"duplicate-key.json", ":4", "name"},
        Case{"cel-syntax.yaml", ":13", "spec.devices.requests[0].exactly.selectors[0].cel.expression"},
        Case{"cel-type.yaml", ":13", "spec.devices.requests[0].exactly.selectors[0].cel.expression"},
        Case{"cel-unknown-field.yaml", ":13", "spec.devices.requests[0].exactly.selectors[0].cel.expression"},
        Case{"cel-cost.yaml", ":13", "may cost"}, Case{"quantity-suffix.yaml", ":13", "16GiB"},
        Case{"quantity-exponent.yaml", ":11", "resources.limits"},
        Case{"missing-class.yaml", ":10", "did you mean \"gpu.nvidia.com\""},
        Case{"missing-class-unlike-any.yaml", ":10", "accelerators.example.com"},
        Case{"unknown-kind.yaml", ":2", "did you mean Pod"}, Case{"unknown-version.yaml", ":1", "resource.k8s.io/v1"},
        Case{"negative-count.yaml", ":11", "spec.devices.requests[0].exactly.count"}, Case{"alias-bomb.yaml", ":", ""},
        Case{"not-utf8.yaml", ":4", "UTF-8"}, Case{"tab.yaml", ":4", ""}, Case{"a-list.yaml", ":1", "list"}),
    [](const ::testing::TestParamInfo<Case>& param_info) {
      std::string name = param_info.param.file;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
      return name;
    });

// Files too large to keep in the tree.
class Generated : public ::testing::Test {
 protected:
  Generated() : directory_(*TemporaryDirectory::Create()) {}

  void ExpectRefused(const std::string& name, const std::string& text, const std::string& says) {
    const std::string file = directory_.path() + "/" + name;
    ASSERT_TRUE(WriteFileAtomically(file, text));
    ExpectOneMessage(Validate(file), file, {name, ":", says});
    ExpectOneMessage(Up({kBad + "good.yaml", file}), file, {name, ":", says});
  }

  TemporaryDirectory directory_;
};

TEST_F(Generated, JsonNestedTwentyThousandDeepIsRefused) {
  ExpectRefused("deep.json", std::string(20000, '[') + std::string(20000, ']'), "deep");
}

TEST_F(Generated, YamlNestedTwentyThousandDeepIsRefused) {
  std::string maps;
  for (int i = 0; i < 20000; ++i) maps += "{a: ";
  ExpectRefused("deep.yaml", maps + "1" + std::string(20000, '}'), "deep");
  std::string lists;
  for (int i = 0; i < 20000; ++i) lists += "- ";
  ExpectRefused("deep-lists.yaml", lists + "1\n", "deep");
}

TEST_F(Generated, AFileAboveTheLimitIsRefused) {
  ExpectRefused("huge.yaml", "a: " + std::string(kMaxYamlBytes + 1, 'x') + "\n", "");
}

TEST_F(Generated, TheSameObjectTwiceIsRefused) {
  const std::string pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";
  ExpectRefused("twice.yaml", pod + "---\n" + pod, "twice.yaml:3:");
}

TEST_F(Generated, AClusterFileWithTwoDocumentsIsRefusedOnce) {
  const std::string file = directory_.path() + "/two.yaml";
  const std::string cluster = "kind: Cluster\nnodes: [{name: node}]\n";
  ASSERT_TRUE(WriteFileAtomically(file, cluster + "---\n" + cluster));
  ExpectOneMessage(Validate(file), file, {"two.yaml", ":", "one YAML document"});
}

TEST(BadInput, ANamedFileThatDoesNotExistIsRefused) {
  const Outcome outcome = Validate(kBad + "no-such-file.yaml");
  EXPECT_EQ(outcome.code, ExitCode::kBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("no-such-file.yaml"));
}

TEST(BadInput, AClusterFileIsCheckedToo) {
  const Outcome outcome = Validate(kBad + "cluster-model.yaml");
  EXPECT_EQ(outcome.code, ExitCode::kBadInput);
  EXPECT_THAT(outcome.err, HasSubstr("cluster-model.yaml:5"));
  EXPECT_THAT(outcome.err, HasSubstr("nodes[0].gpus[0].model"));
}

TEST(BadInput, EveryExampleIsValid) {
  for (const char* folder : {"/examples/demo", "/examples/clusters"}) {
    const Outcome outcome = Validate(std::string(KUMIKO_SOURCE_DIR) + folder);
    EXPECT_EQ(outcome.code, ExitCode::kDone) << outcome.err;
  }
}

}  // namespace
}  // namespace kumiko::cli
