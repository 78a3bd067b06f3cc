#include "base/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/signals.h"

namespace kumiko {
namespace {

using testing::HasSubstr;

ChildProgram Shell(const std::string& script) {
  return {.program = "sh", .arguments = {"-c", script}, .timeout = std::chrono::seconds(20)};
}

TEST(ChildProcess, GivesOutputAndExitCode) {
  const auto ended = RunChild(Shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->output, "out\n");
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_EQ(ended->signal, 0);
  EXPECT_EQ(RunChild(Shell("kill -KILL $$"))->signal, 9);
}

TEST(ChildProcess, TakesStderrAndVariablesWhenAsked) {
  ChildProgram child = Shell("echo $NAME >&2; cat");
  child.environment = {{"NAME", "ours"}, {"HOME", "/nowhere"}};
  child.takes_stderr = true;
  EXPECT_EQ(RunChild(child)->output, "ours\n");
}

TEST(ChildProcess, EndsWhatTakesTooLongOrPrintsTooMuch) {
  const ChildProgram slow{.program = "sleep", .arguments = {"100"}, .timeout = std::chrono::milliseconds(10)};
  EXPECT_EQ(RunChild(slow).error().code, Code::kDeadline);
  ChildProgram loud = Shell("while :; do echo yes; done");
  loud.max_output_bytes = 100;
  EXPECT_THAT(RunChild(loud).error().message, HasSubstr("more than 100 bytes"));
}

TEST(ChildProcess, TakesSignalsThatOursDoesNot) {
  const SignalsBlocked blocked;
  EXPECT_EQ(RunChild(Shell("kill -TERM $$; sleep 100"))->signal, SIGTERM);
}

TEST(ChildProcess, SaysThatAProgramIsNotThere) {
  const auto ended = RunChild({.program = "no-such-program-here"});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kNotFound);
  EXPECT_THAT(ended.error().message, HasSubstr("cannot be started"));
}

}  // namespace
}  // namespace kumiko
