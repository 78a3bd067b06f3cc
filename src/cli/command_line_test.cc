#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kumiko::cli {
namespace {

using ::testing::HasSubstr;

Command Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "kumiko");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return ParseCommandLine(static_cast<int>(pointers.size()), pointers.data());
}

void ExpectRefused(const std::vector<std::string>& words, const std::string& says) {
  const Command command = Parse(words);
  const auto* refused = std::get_if<NothingToRun>(&command);
  ASSERT_NE(refused, nullptr) << testing::PrintToString(words);
  EXPECT_EQ(refused->exit_code, 1);
  EXPECT_THAT(refused->text, HasSubstr(says));
}

TEST(CommandLine, ASeedIsANumberOf64Bits) {
  EXPECT_EQ(std::get<UpOptions>(Parse({"up", "--seed", "18446744073709551615"})).seed, 18446744073709551615U);
  for (const char* word : {"-1", "18446744073709551616", "abc", "1x", ""}) {
    ExpectRefused({"up", std::string("--seed=") + word}, "--seed");
  }
  ExpectRefused({"up", "--seed", "-1"}, "--seed");
}

TEST(CommandLine, AFileNameIsNotEmpty) {
  ExpectRefused({"up", "--cluster", ""}, "--cluster");
  ExpectRefused({"up", "--cluster="}, "--cluster");
  ExpectRefused({"up", "--apply", ""}, "--apply");
  ExpectRefused({"scenario", "x.scn", "--only", ""}, "--only");
  EXPECT_EQ(std::get<UpOptions>(Parse({"up", "--cluster", "a.yaml"})).cluster_file, "a.yaml");
}

TEST(CommandLine, AllocateKnowsReleases) {
  const auto options = std::get<AllocateOptions>(Parse({"allocate"}));
  EXPECT_EQ(options.features, allocator::Features());
  EXPECT_FALSE(options.packed);
  EXPECT_EQ(options.repeat, 1);
  const auto given = std::get<AllocateOptions>(
      Parse({"allocate", "--features", "1.36", "--policy", "packed", "--repeat", "7", "--warm"}));
  EXPECT_EQ(given.features, allocator::DefaultFeatures(36));
  EXPECT_TRUE(given.packed);
  EXPECT_EQ(given.repeat, 7);
  EXPECT_TRUE(given.warm);
  ExpectRefused({"allocate", "--features", "1.20"}, "write one of 1.34 to 1.37");
  ExpectRefused({"allocate", "--repeat", "0"}, "whole number above 0");
  ExpectRefused({"allocate", "--policy", "best"}, "--policy");
}

TEST(CommandLine, CelTakesAnExpressionOrQuestions) {
  EXPECT_EQ(std::get<CelOptions>(Parse({"cel"})).questions, "-");
  EXPECT_EQ(std::get<CelOptions>(Parse({"cel", "--file", "q.jsonl"})).questions, "q.jsonl");
  const CelOptions options =
      std::get<CelOptions>(Parse({"cel", "device.driver == 'a,b'", "--new", "--device", "d.yaml"}));
  EXPECT_EQ(options.expression, "device.driver == 'a,b'");
  EXPECT_TRUE(options.check_as_new);
  EXPECT_EQ(options.device, "d.yaml");
  ExpectRefused({"cel", "true", "--file", "q.jsonl"}, "--file");
  ExpectRefused({"cel", "--device", "d.yaml"}, "--device");
}

TEST(CommandLine, ExplainAndTopTakeKubectlsFlags) {
  const auto explain = std::get<ExplainOptions>(
      Parse({"explain", "pod", "train-0", "-n", "ml", "--context", "dev", "--kubeconfig", "k", "-o", "json", "-v"}));
  EXPECT_EQ(explain.kind, "pod");
  EXPECT_EQ(explain.name, "train-0");
  EXPECT_EQ(explain.cluster.namespace_, "ml");
  EXPECT_EQ(explain.cluster.context, "dev");
  EXPECT_EQ(explain.cluster.kubeconfig, "k");
  EXPECT_EQ(explain.output, Output::kJson);
  EXPECT_TRUE(explain.all_names);
  EXPECT_EQ(std::get<ExplainOptions>(Parse({"explain", "pod/train-0"})).name, "");
  const auto top = std::get<TopOptions>(Parse({"top", "gpus", "node-1", "-A", "-l", "a=b", "-w", "--no-headers"}));
  EXPECT_EQ(top.what, "gpus");
  EXPECT_EQ(top.node, "node-1");
  EXPECT_TRUE(top.all_namespaces);
  EXPECT_EQ(top.selector, "a=b");
  EXPECT_TRUE(top.watch);
  EXPECT_FALSE(top.headers);
  EXPECT_EQ(std::get<TopOptions>(Parse({"top"})).what, "nodes");
  ExpectRefused({"top", "volumes"}, "write one of nodes, gpus, pods, pending");
  ExpectRefused({"explain"}, "KIND");
}

TEST(CommandLine, VersionMayAskNoServer) {
  EXPECT_TRUE(std::get<VersionOptions>(Parse({"version", "--client"})).client_only);
  EXPECT_EQ(std::get<VersionOptions>(Parse({"version", "-o", "yaml"})).output, Output::kYaml);
  ExpectRefused({"version", "-o", "wide"}, "table, json, yaml");
}

TEST(CommandLine, CompletionScriptsAreOfKnownShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = std::get<NothingToRun>(Parse({"completion", shell}));
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_THAT(script.text, HasSubstr("__complete")) << shell;
  }
  ExpectRefused({"completion", "tcsh"}, "bash, zsh, fish");
  ExpectRefused({"completion"}, "SHELL");
}

// The words that complete what is typed; names are asked for as "TYPE.kind.namespace".
std::vector<std::string> Completed(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  const auto options = std::get<CompleteOptions>(Parse(words));
  const Candidates found = Complete(options.commands, options.words, [](const NameQuestion& question) {
    const auto in = question.options.find("--namespace");
    return std::vector<std::string>{question.type + "." + question.kind + "." +
                                    (in == question.options.end() ? "" : in->second)};
  });
  std::vector<std::string> texts;
  if (found.files) texts.emplace_back(":files");
  for (const auto& word : found.words) texts.push_back(word.text);
  return texts;
}

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Completion, KnowsCommandsFlagsAndWords) {
  EXPECT_THAT(Completed({""}),
              ElementsAre("up", "validate", "scenario", "cel", "allocate", "explain", "top", "completion", "version"));
  EXPECT_THAT(Completed({}), Contains("up"));
  EXPECT_THAT(Completed({"v"}), ElementsAre("validate", "version"));
  EXPECT_THAT(Completed({"explain", "--na"}), ElementsAre("--namespace"));
  EXPECT_THAT(Completed({"top", "-"}), Contains("-w"));
  EXPECT_THAT(Completed({"top", "p"}), ElementsAre("pods", "pending"));
  EXPECT_THAT(Completed({"top", "-o", "j"}), ElementsAre("json"));
  EXPECT_THAT(Completed({"top", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_THAT(Completed({"top", "--output", "=", "j"}), ElementsAre("json"));
  EXPECT_THAT(Completed({"top", "--output", "="}), Contains("json"));
  EXPECT_THAT(Completed({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Completed({"validate", "a.yaml", ""}), ElementsAre(":files"));
  EXPECT_THAT(Completed({"up", "--cluster", "c"}), ElementsAre(":files"));
  EXPECT_THAT(Completed({"up", "--seed", ""}), IsEmpty());
  EXPECT_THAT(Completed({"nothing", ""}), IsEmpty());
}

TEST(Completion, AsksForNames) {
  EXPECT_THAT(Completed({"explain", "pod", ""}), ElementsAre("NAME.pod."));
  EXPECT_THAT(Completed({"explain", "-n", "ml", "claim", "N"}), ElementsAre("NAME.claim.ml"));
  EXPECT_THAT(Completed({"explain", "--namespace=ml", "-v", "claim", ""}), ElementsAre("NAME.claim.ml"));
  EXPECT_THAT(Completed({"explain", "pod", "x"}), IsEmpty());
  EXPECT_THAT(Completed({"explain", "pod/"}), ElementsAre("pod/NAME.pod."));
  EXPECT_THAT(Completed({"top", "gpus", ""}), ElementsAre("NODE.gpus."));
  EXPECT_THAT(Completed({"top", "-n", ""}), ElementsAre("NAMESPACE.."));
  EXPECT_THAT(Completed({"version", "--context", ""}), ElementsAre("CONTEXT.."));
}

}  // namespace
}  // namespace kumiko::cli
