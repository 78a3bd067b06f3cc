#include "localcluster/scenario_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "localcluster/scenario.h"

namespace kumiko::localcluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ScenarioGrammar : public testing::Test {
 protected:
  // What running a scenario of these lines, behind a cluster of one node, ends with; "" when it can be run.
  std::string ErrorOf(const std::string& lines, const std::string& only = "") {
    const std::string path = directory_.path() + "/x.scn";
    EXPECT_TRUE(WriteFileAtomically(directory_.path() + "/c.yaml", "kind: Cluster\nnodes: [{name: node}]\n"));
    EXPECT_TRUE(WriteFileAtomically(path, "cluster c.yaml\n" + lines + "\n"));
    const auto report = RunScenario(path, {.root = directory_.path(), .only_variant = only});
    return report ? "" : report.error().message;
  }

  void ExpectBad(const std::string& line, const std::string& says) {
    EXPECT_THAT(ErrorOf(line), AllOf(HasSubstr("x.scn:2: "), HasSubstr(says))) << line;
  }

  TemporaryDirectory directory_ = *TemporaryDirectory::Create();
};

TEST_F(ScenarioGrammar, AMistypedExpectationNeverHolds) {
  ExpectBad("expect running=0 pendign=7", "did you mean pending?");
  ExpectBad("expect running", "write running=");
  ExpectBad("expect running=0 pending", "write pending=");
  ExpectBad("expect running=x", "takes a number");
  ExpectBad("expect of=a=b", "nothing is counted");
  ExpectBad("expect runing=0", "did you mean running?");
  ExpectBad("expect running=0 running=1", "stands twice");
  ExpectBad("expect running=0 reason", "reason takes a text");
  ExpectBad("expect memory-used=0% of=a=b", "nothing behind it");
  ExpectBad("expect pod p phse=Running", "did you mean phase?");
  ExpectBad("expect same-device", "at least two names");
  ExpectBad("expect same-device p", "at least two names");
  ExpectBad("expect objects Pod", "KIND=NUMBER");
  ExpectBad("expect objects Pood=0", "did you mean Pod?");
  ExpectBad("expect refused", "expect refused FILE");
  ExpectBad("expect labels Node node", "write expect labels");
  ExpectBad("expect output f.txt of kubectl", "write expect output");
  ExpectBad("expect output f.txt from kubectl get pods", "write expect output");
  ExpectBad("expect output f.txt of kubctl get pods", "did you mean kubectl?");
  ExpectBad("expect", "expect what?");
}

TEST_F(ScenarioGrammar, AFileThatCannotBeReadIsNotRefused) {
  EXPECT_THAT(ErrorOf("expect refused NOFILE.yaml"), AllOf(HasSubstr("x.scn:2: "), HasSubstr("NOFILE.yaml")));
}

TEST_F(ScenarioGrammar, ADeletionTakesKnownKeysOnly) {
  EXPECT_THAT(ErrorOf("delete Pod p0 nmspace=zz\nexpect running=0"), HasSubstr("x.scn:2: "));
  EXPECT_THAT(ErrorOf("delete Pod p0 nmspace=zz\nexpect running=0"), HasSubstr("did you mean namespace?"));
}

TEST_F(ScenarioGrammar, VariantsHaveNamesOfTheirOwnAndSeedsThatAreNumbers) {
  ExpectBad("variant v seed=abc\nexpect running=0", "seed takes a number");
  ExpectBad("variant base a=b\nexpect running=0", "exists already");
  EXPECT_THAT(ErrorOf("variant v a=b\nvariant v a=c\nexpect running=0"), HasSubstr("x.scn:3: "));
}

TEST_F(ScenarioGrammar, AVariantThatDoesNotExistIsNamed) {
  EXPECT_THAT(ErrorOf("variant v a=b\nexpect running=0", "nope"), HasSubstr("write one of base, v"));
  EXPECT_EQ(ErrorOf("variant v a=b\nexpect running=0", "v"), "");
}

TEST_F(ScenarioGrammar, AScenarioExpectsSomething) {
  EXPECT_THAT(ErrorOf("at 3"), HasSubstr("nothing is expected"));
  EXPECT_EQ(ErrorOf("at 3 expect running=0"), "");
}

TEST_F(ScenarioGrammar, AtStandsOnceALine) {
  ExpectBad("at 0 at 0 expect running=0\nexpect running=0", "write one of them a line");
  std::string long_line;
  for (int i = 0; i < 20000; ++i) long_line += "at 0 ";
  ExpectBad(long_line, "more than 4096 bytes");
}

TEST_F(ScenarioGrammar, WhatIsWrongBehindAFailedExpectationIsFoundToo) {
  EXPECT_THAT(ErrorOf("expect running=5\nexpect pod"), HasSubstr("x.scn:3: "));
}

}  // namespace
}  // namespace kumiko::localcluster
