#include "cel/library/regex.h"

#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

TEST(Regex, FindsAsGoDoes) {
  const CallCase cases[] = {
      {"matches", {Text("abc"), Text("b")}, "true"},
      {"matches", {Text("a\nb"), Text("a.b")}, "false"},
      {"matches", {Text("a\n"), Text("a$")}, "false"},
      {"matches", {Text("a"), Text("(?<n>a)(?P<m>b)?")}, "true"},
      {"matches", {Text("a\u00E9b"), Text("\\B")}, "false"},
      {"matches", {Text("a"), Text("(?P<n>a)(?P<n>b)?")}, "true"},
      {"find", {Text("abc 123"), Text("[0-9]+")}, "123"},
      {"find", {Text("abc"), Text("x")}, ""},
      {"findAll", {Text("axxbxc"), Text("x*")}, "[, xx, x, ]"},
      {"findAll", {Text("axxbxc"), Text("x*"), Value::Int(2)}, "[, xx]"},
      {"findAll", {Text("axxbxc"), Text("x"), Value::Int(0)}, "[]"},
      {"findAll", {Text("\u00E9a\u00E9"), Text("")}, "[, , , ]"},
      {"findAll", {Text("ab cd"), Text("^\\w|\\b")}, "[a, , , ]"},
      {"matches", {Text("a"), Text("(")}, "error: error parsing regexp: missing closing ): `(`"},
      {"find", {Text("a"), Text("(")}, "error: Illegal regex: error parsing regexp: missing closing ): `(`"},
      {"matches", {Text("a"), Value::Int(1)}, "error: no such overload"},
      {"matches", {Value::Int(1), Text("a")}, "error: no such overload: matches"},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, RegexOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

TEST(Regex, RefusesWhatGoRefuses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[a-z]+(?i:x)\\d{2}\\pL\\Q(\\E", ""},
      {"[]a]", ""},
      {"\\C", "error parsing regexp: invalid escape sequence: `\\C`"},
      {"\\1", "error parsing regexp: invalid escape sequence: `\\1`"},
      {"a**", "error parsing regexp: invalid nested repetition operator: `**`"},
      {"a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"},
      {"(a{1000}){1000}", "error parsing regexp: invalid repeat count: `{1000}`"},
      {"(?P<n-m>a)", "error parsing regexp: invalid named capture: `(?P<n-m>`"},
      {"(?<n)", "error parsing regexp: invalid named capture: `(?<n)`"},
      {"(?P<n>?", "error parsing regexp: missing argument to repetition operator: `?`"},
      {"(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
      {"[z-a]", "error parsing regexp: invalid character class range: `z-a`"},
      {"a\\", "error parsing regexp: trailing backslash at end of expression: ``"},
  };
  for (const auto& [pattern, mistake] : cases) {
    std::int64_t steps = kPatternSteps;
    const auto compiled = CompilePattern(pattern, steps);
    EXPECT_EQ(compiled ? "" : compiled.error().message, mistake);
  }
}

TEST(Regex, BoundsWhatPatternsTake) {
  const auto repeated = [](std::string_view part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  // Large programs, and text that takes RE2 long before it sees how large they are.
  for (const std::string& pattern : {std::string("\\pL{1000}"), repeated("\\pL", 1'000), repeated("[^\\PN]", 1'000),
                                     repeated("a?", 5'000), repeated("a{0,3}", 1'500), repeated("(a|b)*", 20'000)}) {
    std::int64_t steps = kPatternSteps;
    const auto compiled = CompilePattern(pattern, steps);
    ASSERT_FALSE(compiled) << pattern;
    EXPECT_TRUE(compiled.error().too_large);
    EXPECT_EQ(compiled.error().message, "error parsing regexp: expression too large: `" + pattern + "`");
    EXPECT_LT(steps, 0);
  }
  // What people write takes a small part.
  for (const char* pattern :
       {"a", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "^.{0,253}$", "\\p{Greek}{1,8}", "(?i)^H[12]00"}) {
    std::int64_t steps = kPatternSteps;
    EXPECT_TRUE(CompilePattern(pattern, steps)) << pattern;
    EXPECT_GT(steps, kPatternSteps * 8 / 10) << pattern;
  }
  std::int64_t few = 10'000;
  EXPECT_FALSE(CompilePattern("[a-z0-9]{63}", few));
  EXPECT_TRUE(CompilePattern("a", few = 10'000));
}

TEST(Regex, TakesStepsForBothDirections) {
  std::int64_t steps = kPatternSteps;
  const auto compiled = CompilePattern("[a-z0-9]{600}", steps);
  ASSERT_TRUE(compiled);
  const std::int64_t left = steps;
  EXPECT_TRUE(PrepareToFind(**compiled, steps));
  EXPECT_LT(steps, left);
  steps = 0;
  EXPECT_FALSE(PrepareToFind(**compiled, steps));
}

}  // namespace
}  // namespace kumiko::cel
