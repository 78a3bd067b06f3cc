#include "cel/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace kumiko::cel {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kDriver = "gpu.nvidia.com";

// The device of most rows below.
struct Fixture {
  std::vector<DeviceAttribute> attributes = {
      {kDriver, "architecture", std::string("Hopper")},
      {kDriver, "profile", std::string("1g.10gb")},
      {kDriver, "cudaComputeCapability", Version{"9.0.0"}},
      {kDriver, "i", std::int64_t{7}},
      {kDriver, "b", true},
      {kDriver, "s", std::string("H200")},
      {kDriver, "v", Version{"1.2.3"}},
      {kDriver, "l", std::vector<std::int64_t>{1, 2, 2}},
      {"resource.kubernetes.io", "pcieRoot", std::string("pci0000:16")},
  };
  std::vector<DeviceCapacity> capacity = {{kDriver, "memory", *Quantity::Parse("80Gi")}};

  DeviceView View() const {
    return {.driver = kDriver, .attributes = attributes, .capacity = capacity, .allow_multiple_allocations = false};
  }
};

// "true", "false", "compile: <message>" or "error: <message>". `a` and `c` stand for the driver's own maps.
std::string Outcome(std::string text) {
  const auto expand = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  expand("@a", R"(device.attributes["gpu.nvidia.com"])");
  expand("@c", R"(device.capacity["gpu.nvidia.com"])");
  const auto expression = Expression::Compile(text);
  if (!expression) return "compile: " + expression.error().message;
  const Fixture fixture;
  const auto matches = expression->Matches(fixture.View());
  if (!matches) return "error: " + matches.error().message;
  return *matches ? "true" : "false";
}

struct Row {
  const char* text;
  const char* outcome;  // a beginning of it
};

class Semantics : public ::testing::TestWithParam<Row> {};

TEST_P(Semantics, MatchTheReference) {
  EXPECT_THAT(Outcome(GetParam().text), StartsWith(GetParam().outcome));
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, Semantics,
    ::testing::Values(
        Row{R"(@a.architecture == "Hopper" && @c.memory.compareTo(quantity("16Gi")) >= 0)", "true"},
        Row{R"(@a.profile == "1g.10gb")", "true"}, Row{R"(@a.profile == "2g.20gb")", "false"},
        Row{R"(@a.cudaComputeCapability.isGreaterThan(semver("8.0.0")))", "true"},
        Row{R"(device.driver == "gpu.nvidia.com")", "true"}, Row{R"(device.allowMultipleAllocations)", "false"},
        Row{R"(has(@a.profile))", "true"}, Row{R"(has(@a.nothing))", "false"},
        Row{R"(@a.?nothing.orValue("") == "")", "true"}, Row{R"(@a.?profile.orValue("") == "1g.10gb")", "true"},
        Row{R"(@a.architecture in ["Ampere", "Hopper"])", "true"}, Row{R"(@a.architecture in ["Ampere"])", "false"},
        Row{R"(device.attributes["resource.kubernetes.io"].pcieRoot.startsWith("pci"))", "true"},
        Row{R"(@a[?"nothing"].hasValue())", "false"}, Row{R"("i" in @a)", "true"}, Row{R"("x" in @a)", "false"},
        Row{R"("gpu.nvidia.com" in device.attributes)", "true"}, Row{R"("nope" in device.attributes)", "false"},
        Row{R"(device.attributes.size() == 2)", "true"}, Row{R"(@a.size() == 8)", "true"},
        Row{R"(has(device.attributes.nope))", "true"}, Row{R"(device.attributes.?nope.hasValue())", "true"},
        Row{R"(@a.exists(k, k.startsWith("prof")))", "true"},
        Row{R"(device.attributes.all(d, d.contains(".")))", "true"}));

INSTANTIATE_TEST_SUITE_P(
    SpecTable, Semantics,
    ::testing::Values(
        Row{"@a.i == 7.0", "true"}, Row{"@a.i == 7u", "true"}, Row{"@a.i < 7.5", "true"},
        Row{"1.0 == 1",
            "compile: compilation failed: ERROR: <input>:1:5: found no matching overload for '_==_' applied "
            "to '(double, int)'"},
        Row{"1u == 1", "compile:"}, Row{"[1] == [1.0]", "compile:"}, Row{"1 < 1.5", "true"}, Row{"@a.s == 7", "false"},
        Row{R"(@a.v == "1.2.3")", "error: no such overload"}, Row{R"(@a.v == semver("1.2.3+other"))", "true"},
        Row{R"(string(@a.v) == "")", "error:"}, Row{"@a.i + 1.0 == 8.0", "error:"}, Row{"@a.i + 1 == 8", "true"},
        Row{"!@a.i", "error:"}, Row{"@a.b && @a.i", "error:"}, Row{R"(device.attributes["nope"].x || true)", "true"},
        Row{R"(false && device.attributes["nope"].x)", "false"},
        Row{R"(device.attributes["nope"].x)", "error: no such key: x"},
        Row{R"(device.attributes["nope"].x ? true : true)", "error: no such key: x"},
        Row{R"(quantity("80Gi") == @c.memory)", "true"}, Row{R"(@c.memory.isGreaterThan(quantity("1Gi")))", "true"},
        Row{R"(@c.memory > quantity("1Gi"))", "compile:"}, Row{"sign(@c.memory) == 1", "true"},
        Row{"@c.memory.sign() == 1", "compile:"}, Row{R"(quantity("1.5").isInteger())", "false"},
        Row{R"(quantity("1.5").asInteger() == 1)", "error: cannot convert value to integer"},
        Row{R"([1, "a"] == [])", "compile:"}, Row{R"({"a": 1, "b": "x"} == {})", "compile:"},
        Row{R"(dyn([1, "a"]) == 1)", "compile:"}, Row{R"([dyn(1), dyn("a")].size() == 2)", "true"},
        Row{R"((true ? 1 : "a") == 1)", "compile:"}, Row{"@a.l[5] == 1", "error: index out of bounds: 5"},
        Row{"0.0 / 0.0 == 0.0 / 0.0", "false"}, Row{"9223372036854775807 + 1 == 0", "error: integer overflow"},
        Row{"1 % 0 == 0", "error: modulus by zero"}, Row{"1 / 0 == 0", "error: division by zero"},
        Row{"@a.`i` == 7", "true"}, Row{"7.0 in [7]", "compile:"}, Row{"{1: 2}[1u] == 2", "compile:"},
        Row{"dyn(1u) in {1: 2}", "true"}, Row{R"(@a.s[0] == "H")", "error: no such key: 0"},
        Row{"@a.l[-1] == 1", "error: index out of bounds: -1"}, Row{"@a.s < 7", "error: no such overload"},
        Row{"device == device", "true"}, Row{"device.attributes == device.attributes", "true"},
        Row{"type(@a.v) == kubernetes.Semver", "compile:"},
        Row{"optional.none().value() == 1", "error: optional.none() dereference"},
        Row{R"(int("x") == 1)", "compile: program instantiation failed"},
        Row{R"(true || uint(-1) == 1u)", "compile: program instantiation failed"},
        Row{R"(bool("yes"))", "compile: program instantiation failed"},
        Row{R"(int(9.3e18) == 1)", "compile: program instantiation failed"},
        Row{R"("a".matches("("))", "compile: compilation failed: ERROR: <input>:1:13: invalid matches argument"},
        Row{R"("a".matches("a" + "("))", "error:"}, Row{R"(true || semver("x").major() == 1)", "true"},
        Row{R"(semver("x").major() == 1)", "error:"}, Row{R"(quantity("x") == quantity("1"))", "error:"},
        Row{R"(device["driver"] == "x")", "compile:"}, Row{"has(device.nope)", "compile:"},
        Row{"@a.i", "error: CEL result of type int could not be converted to bool"}, Row{"@a.b", "true"},
        Row{"1", "compile: must evaluate to bool or the unknown type, not int"},
        Row{"[1]", "compile: must evaluate to bool or the unknown type, not list(int)"},
        Row{"@a.l.includes(2)", "true"}, Row{"@a.i.includes(7)", "true"}, Row{"@a.l.includes(5)", "false"}));

INSTANTIATE_TEST_SUITE_P(
    Language, Semantics,
    ::testing::Values(
        Row{"1 + 2 * 3 - 4 / 2 % 3 == 5", "true"}, Row{"-(-1) == 1", "true"}, Row{"--1 == -(-1)", "true"},
        Row{"!!true", "true"}, Row{"!true", "false"}, Row{"true ? false : true", "false"},
        Row{"false ? false : false ? false : true", "true"}, Row{"[1, 2, 3].all(x, x > 0)", "true"},
        Row{"[1, 2, 3].exists(x, x > 2)", "true"}, Row{"[1, 2, 3].exists_one(x, x > 1)", "false"},
        Row{"[1, 2, 3].filter(x, x > 1) == [2, 3]", "true"}, Row{"[1, 2].map(x, x * 2) == [2, 4]", "true"},
        Row{"[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "true"}, Row{"[].all(x, x)", "true"},
        Row{"[1, 2].all(x, [3, 4].exists(y, y > x))", "true"}, Row{"{1: 2, 3: 4}.all(k, k > 0)", "true"},
        Row{"[0, 1].exists(x, 1 / x == 1)", "true"}, Row{"[0, 1].all(x, 1 / x == 2)", "false"},
        Row{"[0, 1].map(x, 1 / x) == [1]", "error: division by zero"}, Row{"1.map(x, x) == [1]", "compile:"},
        Row{"@a.i.all(x, true)", "error: got 'types.Int', expected iterable type"},
        Row{"cel.bind(x, 2, x * x == 4)", "true"}, Row{"cel.bind(x, [1], cel.bind(y, x, y == x))", "true"},
        Row{"optional.of(1).value() == 1", "true"}, Row{"optional.none().orValue(3) == 3", "true"},
        Row{"optional.of(1).optMap(x, x + 1) == optional.of(2)", "true"}, Row{"[?optional.none(), 1] == [1]", "true"},
        Row{R"({?"a": optional.of(1)} == {"a": 1})", "true"}, Row{R"({"a": 1, "a": 2}["a"] == 2)", "true"},
        Row{R"({"a": 1}.a == 1)", "true"}, Row{R"({"a": 1}["b"] == 1)", "error: no such key: b"},
        Row{R"("abc".contains("b") && "abc".startsWith("a") && "abc".endsWith("c"))", "true"},
        Row{R"("abc".matches("^a.c$"))", "true"}, Row{R"("abc".matches("^b"))", "false"},
        Row{R"("äbc".size() == 3 && size("äbc") == 3)", "true"}, Row{R"("äbc".substring(1) == "bc")", "true"},
        Row{R"("äbc".substring(0, 1) == "ä")", "true"},
        Row{R"("abc".substring(4) == "")", "error: index out of range: 4"},
        Row{R"("a,b,c".split(",") == ["a", "b", "c"])", "true"},
        Row{R"("a,b,c".split(",", 2) == ["a", "b,c"])", "true"},
        Row{R"("abab".replace("a", "x") == "xbxb" && "abab".replace("a", "x", 1) == "xbab")", "true"},
        Row{R"("  a ".trim() == "a")", "true"}, Row{R"("äbc".indexOf("c") == 2)", "true"},
        Row{R"("abc".charAt(1) == "b" && "abc".charAt(3) == "")", "true"},
        Row{R"(["a", "b"].join("-") == "a-b" && ["a", "b"].join() == "ab")", "true"},
        Row{R"("AbC".lowerAscii() == "abc" && "AbC".upperAscii() == "ABC")", "true"},
        Row{R"(int("7") == 7 && uint("7") == 7u && double("1.5") == 1.5 && bool("true"))", "true"},
        Row{R"(string(7) == "7" && string(1.5) == "1.5" && string(1000000.0) == "1e+06" && string(true) == "true")",
            "true"},
        Row{R"(type(1) == int && type("a") == string)", "true"}, Row{R"(type(@a.i) == int)", "true"},
        Row{R"(quantity("1Gi").add(quantity("1Gi")) == quantity("2Gi"))", "true"},
        Row{R"(quantity("10").sub(3) == quantity("7"))", "true"}, Row{R"(quantity("1k").asInteger() == 1000)", "true"},
        Row{R"(isQuantity("1Gi") && !isQuantity("x"))", "true"},
        Row{R"(semver("1.2.3").minor() == 2 && isSemver("1.0.0") && !isSemver("1"))", "true"},
        Row{R"(semver("v1.2", true) == semver("1.2.0"))", "true"},
        Row{R"(semver("1.0.0-alpha").isLessThan(semver("1.0.0")))", "true"},
        Row{R"("\x41\u0042\103\n" == "ABC\n" && r"\n" == "\\n" && b"a" == bytes("a"))", "true"},
        Row{"0x10 == 16 && 1e3 == 1000.0 && .5 == 0.5 && 5u == 5u", "true"}, Row{"-9223372036854775808 < 0", "true"},
        Row{"true // comment\n && true", "true"}, Row{"null == null", "true"}, Row{"'''a\nb''' == \"a\\nb\"", "true"}));

TEST(CompileErrors, PointAtThePlace) {
  EXPECT_EQ(Outcome("device.foo"),
            "compile: compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n | ......^");
  EXPECT_EQ(Outcome("true &&\n  nope"),
            "compile: compilation failed: ERROR: <input>:2:3: undeclared reference to 'nope' (in container '')\n"
            " |   nope\n | ..^");
  EXPECT_THAT(Outcome("\"ä\" == nope"), HasSubstr("<input>:1:8:"));
  EXPECT_THAT(Outcome("1 +"), HasSubstr("<input>:1:4: Syntax error"));
  EXPECT_THAT(Outcome("a.b.c &&"), HasSubstr("Syntax error"));
}

TEST(Expression, OutlivesItsText) {
  std::optional<Expression> expression;
  {
    auto text =
        std::make_unique<std::string>("device.driver in ['a long driver name'] || {'a': dyn('b\\x41')}.a == 'c'");
    expression = *Expression::Compile(*text);
    text->assign(text->size(), '#');
  }
  DeviceView device;
  device.driver = "a long driver name";
  EXPECT_TRUE(*expression->Matches(device));
  EXPECT_EQ(expression->Evaluate(DeviceView{}).matches, Result<bool>(false));
}

}  // namespace
}  // namespace kumiko::cel
