#include "cel/library/optionals.h"

#include <gtest/gtest.h>

#include <string_view>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};

TEST(Optionals, HoldAValueOrNone) {
  const Case cases[] = {
      {"optional.of(1)", "optional(1)"},
      {"optional.none()", "none"},
      {"optional.ofNonZeroValue(0)", "none"},
      {R"(optional.ofNonZeroValue("a"))", R"(optional("a"))"},
      {"optional.of(1).value()", "1"},
      {"optional.none().value()", "error: optional.none() dereference"},
      {"optional.none().hasValue()", "false"},
      {"optional.none().orValue(3)", "3"},
      {"optional.of(1).orValue(1 / 0)", "1"},
      {"optional.none().or(optional.of(2))", "optional(2)"},
      {"optional.of(1).or(optional.of(1 / 0))", "optional(1)"},
      {"dyn(1).orValue(3)", "error: no such overload"},
      {"[1, 2].first()", "optional(1)"},
      {"[1, 2].last()", "optional(2)"},
      {"[].first()", "none"},
      {"[optional.of(1), optional.none()].unwrapOpt()", "[1]"},
      {"optional.unwrap([optional.of(1), optional.none()])", "[1]"},
      {"optional.of(1) == optional.of(1) && optional.none() != optional.of(1)", "true"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(Optionals, LeadOn) {
  const Case cases[] = {
      {R"({"x": {"y": 1}}.?x.y)", "optional(1)"},
      {R"({"x": {"y": 1}}.?z.y)", "none"},
      {R"({"x": {"y": 1}}.x.?z)", "none"},
      {R"(has({"x": {"y": 1}}.?z.y))", "false"},
      {R"(has({"x": {"y": 1}}.?x.y))", "true"},
      {R"({"x": 1}[?"x"])", "optional(1)"},
      {"[1, 2][?5]", "none"},
      {R"(optional.of({"k": {"l": 3}}).k.l)", "optional(3)"},
      {R"(optional.of({"k": 3})[?"m"])", "none"},
      {R"(dyn(optional.of({"k": 3})).k)", "optional(3)"},
      {"[?optional.of(1), ?optional.none(), 2]", "[1, 2]"},
      {R"({?"a": optional.of(1), ?"b": optional.none()})", R"({"a": 1})"},
      {"optional.of(1).optMap(x, x + 1)", "optional(2)"},
      {"optional.none().optMap(x, x + 1)", "none"},
      {"optional.of([1]).optFlatMap(x, x[?3])", "none"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
