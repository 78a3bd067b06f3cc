#include <gtest/gtest.h>

#include "cel/testing/answer.h"

namespace kumiko::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view answer;
};
TEST(NamedFormats, AreFoundByName) {
  const Case cases[] = {
      {R"(format.named("dns1123Label").value() == format.dns1123Label())", R"(true)"},
      {R"(format.named("nope"))", R"(none)"},
      {R"(format.uri() == format.uuid())", R"(false)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(NamedFormats, PassGoodText) {
  const Case cases[] = {
      {R"(format.dns1123Label().validate("my-name"))", R"(none)"},
      {R"(format.dns1123LabelPrefix().validate("my-"))", R"(none)"},
      {R"(format.dns1123LabelPrefix().validate("--"))", R"(none)"},
      {R"(format.dns1123Subdomain().validate("a.b"))", R"(none)"},
      {R"(format.qualifiedName().validate("example.com/My_name"))", R"(none)"},
      {R"(format.labelValue().validate(""))", R"(none)"},
      {R"(format.uri().validate("/p"))", R"(none)"},
      {R"(format.uuid().validate("123e4567e89b12d3A456426614174000"))", R"(none)"},
      {R"(format.byte().validate("aGVsbG8="))", R"(none)"},
      {R"(format.date().validate("0000-02-29"))", R"(none)"},
      {R"(format.datetime().validate("2021-02-03t01:02:03.5z"))", R"(none)"},
      {R"(format.datetime().validate("2021-02-03T01:02:03zT"))", R"(none)"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

TEST(NamedFormats, SayWhatIsWrong) {
  const Case cases[] = {
      {R"(format.dns1123Label().validate("A"))",
       "optional([\"a lowercase RFC 1123 label must consist of lower case alphanumeric "
       "characters or '-', and must start and end with an alphanumeric character (e.g. "
       "'my-name',  or '123-abc', regex used for validation is "
       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\"])"},
      {R"(format.dns1123Label().validate("a.b"))", R"(optional(["must not contain dots"]))"},
      {"format.qualifiedName().validate(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\")",
       R"(optional(["name part must be no more than 63 bytes"]))"},
      {"format.dns1123Label().validate(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\")",
       R"(optional(["must be no more than 63 characters"]))"},
      {R"(format.uri().validate("foo"))", R"(optional(["parse "foo": invalid URI for request"]))"},
      {R"(format.uuid().validate("x"))", R"(optional(["does not match the UUID format"]))"},
      {R"(format.byte().validate(""))", R"(optional(["invalid base64"]))"},
      {R"(format.date().validate("2021-02-30"))", R"(optional(["invalid date"]))"},
      {R"(format.datetime().validate("2021-02-03T01:02:60z"))", R"(optional(["invalid datetime"]))"},
  };
  for (const Case& it : cases) EXPECT_EQ(Answer(it.expression), it.answer) << it.expression;
}

}  // namespace
}  // namespace kumiko::cel
