#include "localcluster/node/container_program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace kumiko::localcluster {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kStart{1'767'225'600'000'000};  // 2026-01-01T00:00:00Z

ContainerProgram Program(std::vector<std::string> words) {
  return {std::move(words), {{"COLOR", "red"}}, "pod-0"};
}
ContainerProgram Script(const std::string& script) {
  return Program({"/bin/sh", "-c", script});
}

std::string Output(const ContainerProgram& program, Duration horizon = hours(1)) {
  std::string text;
  for (const OutputLine& line : RunProgram(program, kStart, horizon).lines) text += line.text;
  return text;
}

TEST(ContainerProgram, RunsTheCommandsThatTestsUse) {
  const struct {
    const char* name;
    ContainerProgram program;
    const char* output;
    int exit_code;
  } kCases[] = {
      {"words", Program({"echo", "a", "b c"}), "a b c\n", 0},
      {"no line end", Script("echo -n a; echo b"), "ab\n", 0},
      {"printf", Script(R"(printf 'x=%s\n' 1 2)"), "x=1\nx=2\n", 0},
      {"and", Script("true && echo yes || echo no"), "yes\n", 0},
      {"or", Script("false && echo yes || echo no"), "no\n", 0},
      {"exit", Script("echo a; exit 3; echo b"), "a\n", 3},
      {"last command", Script("echo a; false"), "a\n", 1},
      {"lines", Script("echo a\necho b # c\n"), "a\nb\n", 0},
      {"variables", Script("X=1; echo \"$X ${COLOR}\" '$X' $HOSTNAME"), "1 red $X pod-0\n", 0},
      {"for", Script("for i in 1 2 3; do echo $i; done"), "1\n2\n3\n", 0},
      {"command", Script("for i in $(seq 2); do echo n$i; done"), "n1\nn2\n", 0},
      {"sum", Script("i=0; i=$((i+2)); i=$(($i*3)); echo $i"), "6\n", 0},
      {"if", Script("if false; then echo a; else echo b; fi"), "b\n", 0},
      {"date", Script("date; date +%Y-%m-%d"), "Thu Jan  1 00:00:00 UTC 2026\n2026-01-01\n", 0},
      {"printenv", Program({"printenv", "COLOR"}), "red\n", 0},
      {"shell in shell", Program({"bash", "-c", "sh -c 'exit 4'"}), "", 4},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.name);
    const ProgramRun run = EndOfProgram(test.program, kStart);
    EXPECT_TRUE(run.end);
    EXPECT_EQ(run.exit_code, test.exit_code);
    EXPECT_EQ(Output(test.program), test.output);
  }
}

TEST(ContainerProgram, SleepsInVirtualTime) {
  const ContainerProgram program = Script("echo a; sleep 2; echo b; sleep 0.5");
  const ProgramRun run = RunProgram(program, kStart, hours(1));
  ASSERT_EQ(run.lines.size(), 2u);
  EXPECT_EQ(run.lines[0].at, Duration(0));
  EXPECT_EQ(run.lines[1].at, seconds(2));
  EXPECT_EQ(run.end, milliseconds(2500));
  EXPECT_EQ(Output(program, seconds(1)), "a\n") << "what comes later is not there yet";
  EXPECT_EQ(RunProgram(program, kStart, seconds(1)).end, std::nullopt);
}

TEST(ContainerProgram, WhatIsNotUnderstoodRunsOnSilently) {
  for (const ContainerProgram& program :
       {Program({"python", "train.py"}), Program({}), Script("echo a | grep a"), Script("echo a > file"),
        Script("sleep infinity"), Script("while true; do echo x; sleep 1; done"), Program({"sh"}),
        Script("case x in x) echo;; esac"), Script("echo 'open"), Script("while true; do :; done")}) {
    SCOPED_TRACE(program.command_line.empty() ? "" : program.command_line.back());
    EXPECT_EQ(EndOfProgram(program, kStart).end, std::nullopt);
  }
  EXPECT_EQ(Output(Script("echo first; python train.py; echo second")), "first\n");
}

TEST(ContainerProgram, ALoopPrintsUntilNow) {
  const ContainerProgram program = Script("i=0; while true; do echo \"$i\"; i=$((i+1)); sleep 1; done");
  EXPECT_EQ(Output(program, seconds(2)), "0\n1\n2\n");
}

TEST(ContainerProgram, AnUnboundedScriptIsGivenUp) {
  EXPECT_EQ(EndOfProgram(Script("x=a; until false; do x=$x$x; done"), kStart).end, std::nullopt);
  EXPECT_LE(RunProgram(Script("while true; do echo x; done"), kStart, hours(1)).lines.size(), kMostLines);
}

}  // namespace
}  // namespace kumiko::localcluster
