#include "cel/library/strings.h"

#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

Value Number(std::int64_t number) {
  return Value::Int(number);
}

TEST(Strings, CountCodePoints) {
  const CallCase cases[] = {
      {"charAt", {Text("h\u00E9llo"), Number(1)}, "\u00E9"},
      {"charAt", {Text("abc"), Number(3)}, ""},
      {"charAt", {Text("abc"), Number(4)}, "error: index out of range: 4"},
      {"charAt", {Text("abc"), Number(-1)}, "error: index out of range: -1"},
      {"substring", {Text("\u00E9\u00E9a"), Number(1)}, "\u00E9a"},
      {"substring", {Text("\u00E9\u00E9a"), Number(1), Number(2)}, "\u00E9"},
      {"substring", {Text("abc"), Number(1), Number(0)}, "error: invalid substring range. start: 1, end: 0"},
      {"substring", {Text("abc"), Number(0), Number(4)}, "error: index out of range: 4"},
      {"indexOf", {Text("\u00E9a\u00E9a"), Text("a"), Number(2)}, "3"},
      {"indexOf", {Text("abc"), Text(""), Number(10)}, "3"},
      {"indexOf", {Text("abc"), Text("c"), Number(-1)}, "error: index out of range: -1"},
      {"lastIndexOf", {Text("abcabc"), Text("abc")}, "3"},
      {"lastIndexOf", {Text("abcabc"), Text("abc"), Number(2)}, "0"},
      {"lastIndexOf", {Text("abc"), Text("c"), Number(3)}, "-1"},
      {"lastIndexOf", {Text(""), Text("a")}, "-1"},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, StringsOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

TEST(Strings, RewriteText) {
  const CallCase cases[] = {
      {"lowerAscii", {Text("\u00C0Ab")}, "\u00C0ab"},
      {"upperAscii", {Text("\u00E0aB")}, "\u00E0AB"},
      {"replace", {Text("abc"), Text(""), Text("x")}, "xaxbxcx"},
      {"replace", {Text("abc"), Text(""), Text("x"), Number(2)}, "xaxbc"},
      {"replace", {Text("aaa"), Text("a"), Text("b"), Number(2)}, "bba"},
      {"replace", {Text(""), Text(""), Text("x"), Number(0)}, ""},
      {"split", {Text("a,b,c"), Text(",")}, "[a, b, c]"},
      {"split", {Text("a,b,c"), Text(","), Number(2)}, "[a, b,c]"},
      {"split", {Text("a,b,c"), Text(","), Number(0)}, "[]"},
      {"split", {Text("\u00E9a"), Text("")}, "[\u00E9, a]"},
      {"split", {Text(""), Text("")}, "[]"},
      {"split", {Text(""), Text(",")}, "[]"},
      {"trim", {Text("\u2003\u0085 x\u2028\u205F\t")}, "x"},
      {"trim", {Text("\u180E x\uFEFF")}, "\u180E x\uFEFF"},
      {"strings.quote", {Text("a\"\\\n\u200B")}, "\"a\\\"\\\\\\n\u200B\""},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, StringsOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

TEST(Strings, JoinTakesListsOfText) {
  const Value texts[] = {Text("a"), Text("b")};
  const Value mixed[] = {Text("a"), Value::Double(1.5)};
  const Value numbers[] = {Value::Int(1)};
  const CallCase cases[] = {
      {"join", {Value::List(texts, 2), Text("-")}, "a-b"},
      {"join", {Value::List(texts, 2)}, "ab"},
      {"join", {Value::List(mixed, 2)}, "error: join: invalid input: 1.5"},
      {"join", {Value::List(numbers, 1)}, "error: no such overload"},
      {"indexOf", {Value::List(texts, 2), Text("a")}, "error: no such overload"},
      {"startsWith", {Text("a"), Value::Int(1)}, "error: no such overload"},
  };
  Arena arena;
  RunContext run{arena};
  for (const CallCase& it : cases) {
    EXPECT_EQ(Show(Call(run, StringsOverloads(), it.function, it.args)), it.shown) << it.function;
  }
}

TEST(Strings, StopsWhenTheBudgetIsSpent) {
  Arena arena;
  RunContext run{arena};
  run.budget = 100;
  const std::string text(1000, 'a');
  Call(run, StringsOverloads(), "replace", {Text(text), Text("a"), Text(text)});
  EXPECT_LT(run.budget, 0);
}

}  // namespace
}  // namespace kumiko::cel
