// What runs give and what they cost, errors included: the answers of the reference.
#include "cel/evaluator.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cel/expression.h"
#include "cel/general_expression.h"
#include "cel/library/libraries.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr const char* kDriver = "drv.io";

struct Outcome {
  std::string answer;
  std::int64_t cost = 0;
};

// `@a` and `@c` stand for the driver's own attributes and capacity.
Outcome Answer(std::string text) {
  const auto expand = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  };
  expand("@a", R"(device.attributes["drv.io"])");
  expand("@c", R"(device.capacity["drv.io"])");
  const std::vector<DeviceAttribute> attributes = {
      {kDriver, "i", std::int64_t{7}},
      {kDriver, "s", std::string("H200")},
      {kDriver, "v", Version{"1.2.3"}},
      {kDriver, "b", true},
      {kDriver, "l", std::vector<std::int64_t>{1, 2, 2}},
  };
  const std::vector<DeviceCapacity> capacity = {{kDriver, "memory", *Quantity::Parse("80Gi")}};
  CompileOptions options;
  options.derived_attribute = true;
  const auto expression = Expression::Compile(text, options);
  if (!expression) return {"compile: " + expression.error().message};
  const DerivedAttribute derived = expression->EvaluateAttribute(
      {.driver = kDriver, .attributes = attributes, .capacity = capacity, .allow_multiple_allocations = false});
  if (!derived.value) return {"error: " + derived.value.error().message, derived.cost};
  if (const auto* flag = std::get_if<bool>(&*derived.value)) return {*flag ? "true" : "false", derived.cost};
  if (const auto* number = std::get_if<std::int64_t>(&*derived.value)) return {std::to_string(*number), derived.cost};
  if (const auto* word = std::get_if<std::string>(&*derived.value)) return {*word, derived.cost};
  return {"something else", derived.cost};
}

struct Row {
  const char* text;
  const char* answer;
  std::int64_t cost;
};

TEST(Run, GivesAndCostsWhatTheReferenceDoes) {
  const Row rows[] = {
      {R"(@a.i)", "7", 4},
      {R"(@a.nope)", "error: no such key: nope", 4},
      {R"(device.attributes["nope"].x)", "error: no such key: x", 4},
      {R"(device.driver == "drv.io")", "true", 3},
      {R"(device.driver in ["a", "b"])", "false", 2},
      {R"(has(@a.i))", "true", 3},
      {R"(has((@a.b ? @a : {}).i))", "true", 6},
      {R"(@a.?i.orValue(3))", "7", 4},
      {R"(@a.?nope.orValue(3))", "3", 3},
      {R"(@a.?nope.hasValue())", "false", 4},
      {R"(@a.b ? @a.i : 3)", "7", 7},
      {R"(@a.b ? @a.i + 1 : 3)", "8", 9},
      {R"((@a.b ? @a : {}).i)", "7", 7},
      {R"({"H200": 1}[@a.s])", "1", 5},
      {R"({"H200": 1}[@a.s + ""])", "1", 7},
      {R"(@a.l[@a.v])", "error: invalid qualifier type: cel.Semver", 8},
      {R"(device.attributes[device.driver].i)", "7", 5},
      {R"([1, 2, 3] == [1, 2, 3])", "true", 1},
      {R"([@a.i, @a.nope].size())", "error: no such key: nope", 19},
      {R"({"a": @a.i}.a)", "7", 36},
      {R"(@a.nope.startsWith("x"))", "error: no such key: nope", 5},
      {R"(@a.nope.matches("x"))", "error: no such key: nope", 4},
      {R"(@a.s.matches("^H[0-9]+$"))", "true", 7},
      {R"(@a.nope.isGreaterThan(@a.v))", "error: no such key: nope", 4},
      {R"(@a.nope.replace("a", "b"))", "error: no such key: nope", 4},
      {R"(@a.i.isGreaterThan(@a.v))", "error: no such overload: isGreaterThan(int, kubernetes.Semver)", 9},
      {R"(@a.i.indexOf(@a.s))", "error: no such overload: indexOf(int, string)", 9},
      {R"(@a.i in [1, 7])", "true", 4},
      {R"(@a.i in @a.l)", "false", 9},
      {R"(quantity("16Gi").isLessThan(@c.memory))", "true", 6},
      {R"(@a.l.all(x, x > 0))", "true", 20},
      {R"(@a.l.all(x, x < 2))", "false", 17},
      {R"(@a.l.all(x, x / 0 == 1))", "error: division by zero", 23},
      {R"(@a.l.exists(x, x > 1))", "true", 20},
      {R"(@a.l.exists(x, 1 / (x - 1) == 1))", "true", 24},
      {R"(@a.l.exists_one(x, x == 1))", "true", 14},
      {R"(@a.l.filter(x, x > 1).size())", "2", 38},
      {R"(@a.l.map(x, x * 2).size())", "3", 48},
      {R"(@a.l.map(x, 5).size())", "3", 12},
      {R"(@a.l.map(x, x > 1, x * 2).size())", "2", 40},
      {R"(@a.l.map(x, @a[x == 1 ? "p" : "q"]).size())", "error: no such key: p", 60},
      {R"(@a.l.map(x, true ? @a[x == 1 ? "p" : "q"] : 1, x).size())", "error: no such key: q", 21},
      {R"(@a.l.transformList(i, x, i + x).size())", "3", 51},
      {R"(@a.l.transformMap(i, x, x > 1, x).size())", "2", 20},
      {R"(@a.l.transformMap(i, x, x / 0).size())", "error: division by zero", 13},
      {R"(@a.l.transformMapEntry(i, x, {x: i}).size())", "error: insert failed: key 2 already exists", 108},
      {R"(dyn([optional.of({"a": 1})]).first().?a == optional.none())", "true", 16},
      {R"(optional.of(dyn(optional.of({"a": 1}))).or(optional.none()).?a.hasValue())", "false", 5},
      {R"({device: 1, device: 2}.size())", "2", 33},
      {R"(cel.bind(d, device, d in {d: 1}))", "true", 34},
      {R"({device.attributes: 1, device.attributes: 2}.size())", "1", 35},
      {R"({@a: 1, @a: 2}.size())", "2", 37},
      {R"(cel.bind(d, @a, d in {d: 1}))", "true", 36},
      {R"({dyn(device.attributes["x"]): 1, dyn(device.capacity["y"]): 2}.size())", "1", 39},
      {R"({@c.memory: 1, @c.memory: 2}.size())", "1", 39},
      {R"(dyn(1).fieldSelector("abc").check("get").allowed())", "error: no such overload: fieldSelector(int, string)",
       350112},
      {R"({"a": 1}.transformMapEntry(k, v, {v: k})[1])", "a", 37},
      {R"(device.attributes.all(d, m, m.i == 7))", "true", 9},
      {R"(device.attributes.map(d, d.size())[0])", "6", 19},
      {R"(cel.bind(a, @a, a.i > 1 && a.b))", "true", 8},
      {R"(cel.bind(a, @a.nope, 3))", "3", 0},
      {R"(cel.bind(a, @a.nope, a == 3 || true))", "true", 6},
      {R"([1, 2].exists(y, cel.bind(x, y * 2, x == 4 && x != 3)))", "true", 19},
      {R"(@a.?i.optMap(x, x + 1).orValue(3))", "8", 13},
      {R"([3, 2, 1].sortBy(x, -x).size())", "3", 75},
      {R"(lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0)))",
       "error: operation cancelled: actual cost limit exceeded", 1000001},
      {R"(lists.range(2000).map(x, lists.range(2000).map(y, x + y)).size())",
       "error: operation cancelled: actual cost limit exceeded", 1000006},
      {R"(@a == {"i": 7})", "false", 4},
      {R"(device.attributes["nope"] == {})", "true", 3},
      {R"({dyn(1): 1, dyn(1u): 2, dyn(1.0): 3}.size())", "3", 1},
      {R"({dyn(1): "a", dyn(1u): "b"}[dyn(1.0)])", "a", 2},
      {R"({dyn(1.0): "a"}[dyn(1)])", "error: no such key: 1", 2},
      {R"({dyn(9223372036854775808u): 1}[dyn(9223372036854775808.0)])", "1", 2},
      {R"({dyn(9007199254740993): 1}[dyn(9007199254740992.0)])", "error: no such key: 9.007199254740992e+15", 2},
      {R"({[1]: 2, [1]: 3}.size())", "2", 1},
      {R"([1] in {[1]: 2})", "false", 1},
      {R"({ip("1.2.3.4"): 2, ip("1.2.3.4"): 3}[?dyn(1)].hasValue())", "false", 34},
      {R"({"a": 1, ?"a": optional.none()}.size())", "0", 32},
      {R"(["x"].transformMapEntry(i, v, device.attributes["drv.io"]).size())", "5", 7},
      {R"([dyn(1), dyn(1u)].transformMapEntry(i, v, {v: i}).size())", "error: insert failed: key 1 already exists", 70},
      {R"([1, 2].transformMapEntry(i, v, {[v]: v}).size())", "2", 90},
      {R"(optional.of(quantity("1")) == optional.of(null))", "error: no such overload", 4},
      {R"(optional.of(null) == optional.of(quantity("1")))", "false", 4},
      {R"(dyn(optional.of(duration("1h"))).value().getHours())",
       "error: no such overload: getHours(google.protobuf.Duration)", 4},
      {R"(dyn(optional.of(duration("1h"))).orValue(timestamp(0)).getHours())",
       "error: no such overload: getHours(google.protobuf.Duration)", 3},
      {R"(dyn([duration("1h")])[0].getHours())", "1", 3},
      {R"(dyn(optional.of({"a": {"b": 7}})).a.b)", "7", 5},
      {R"(dyn({"a": optional.of({"b": 7})}).a.b)", "error: no such key: b", 35},
      {R"(dyn({"a": optional.none()}).a[1 / 0])", "error: division by zero", 36},
      {R"(dyn(optional.of("abc")).matches("b"))", "true", 3},
      {R"(isIP(dyn(optional.of("abcdefghijklmnopqrst"))))", "error: no such overload: isIP(optional_type)", 3},
      {R"([int].filter(x, true).size())", "compile: program instantiation failed: reference to undefined type: x", 0},
      {R"([int].exists_one(int, int == string))", "false", 3},
      {R"([].filter(x, true).indexOf(int))", "compile: program instantiation failed: reference to undefined type: x",
       0},
      {R"({}.transformMap(k, v, 1) == {int: 1})",
       "compile: program instantiation failed: reference to undefined type: k", 0},
  };
  for (const Row& row : rows) {
    const Outcome outcome = Answer(row.text);
    EXPECT_EQ(outcome.answer, row.answer) << row.text;
    EXPECT_EQ(outcome.cost, row.cost) << row.text;
  }
}

TEST(Run, FollowsTheSpecificationWhenAsked) {
  struct Case {
    const char* text;
    const char* kubernetes;
    const char* specification;
  };
  const Case cases[] = {
      {"0.0 / 0.0 < 1.0", "error: NaN values cannot be ordered", "false"},
      {"dyn(1) >= 0.0 / 0.0", "error: NaN values cannot be ordered", "false"},
      {R"("abc".indexOf("a", 4))", "-1", "error: index out of range: 4"},
      {R"(duration("1500ms").getMilliseconds())", "1500", "500"},
      {R"({1: 2}[dyn(b"x")] == 1 || true)", "compile error", "true"},
      {"{1: 2, 1: 3}.size()", "1", "error: repeated key: 1"},
      {"{dyn(1): 2, dyn(1u): 3}.size()", "2", "error: repeated key: 1"},
      {"{dyn(1.5): 2}.size()", "1", "error: unsupported key type: double"},
      {R"({"a": dyn(0)}.?a.b.hasValue())", "false", "error: no such key: b"},
      {R"({"a": optional.of({"b": 1})}.a.b == optional.of(1))", "error: no such key: b", "true"},
      {R"({"a": optional.none()}.a.b == optional.none())", "error: no such key: b", "true"},
      {"type([1, 2.0]) == list", "compile error", "true"},
  };
  const auto run = [](const char* text, Dialect dialect) {
    auto environment = std::make_shared<Environment>(dialect);
    AddKubernetesLibraries(*environment);
    environment->homogeneous_literals = dialect == Dialect::kKubernetes;
    const auto compiled = GeneralExpression::Compile(text, environment, {});
    if (!compiled) return std::string("compile error");
    Arena arena;
    const Value result = compiled->Evaluate({}, arena);
    return (result.IsError() ? "error: " : "") + Describe(result);
  };
  for (const Case& it : cases) {
    EXPECT_EQ(run(it.text, Dialect::kKubernetes), it.kubernetes) << it.text;
    EXPECT_EQ(run(it.text, Dialect::kSpecification), it.specification) << it.text;
  }
}

TEST(Run, WorksOutConstantsWhenItCompiles) {
  const std::pair<const char*, const char*> rows[] = {
      {R"(int("x"))", "type conversion error from 'string' to 'int'"},
      {R"(false ? int("x") : 1)", "type conversion error from 'string' to 'int'"},
      {R"(bool(dyn([1])))", "no such overload: bool(list)"},
      {R"("a".find("("))", "error parsing regexp: missing closing ): `(`"},
      {R"({"a": 1}[dyn(b"x")])", "invalid qualifier type: types.Bytes"},
      // What never runs, since `x in []` is false.
      {R"(string(b"\xff") in [])", "invalid UTF-8 in bytes"},
      {R"(dyn(string(b"\xff") in []))", "invalid UTF-8 in bytes"},
      {R"(dyn({}[?device.attributes[string(b"\xff")] in []]))", "invalid UTF-8 in bytes"},
      {R"(["a".find("(") in []])", "error parsing regexp: missing closing ): `(`"},
      {R"({"k": dyn({})[b"x"] in []}.size())", "invalid qualifier type: types.Bytes"},
      {R"(type(has(dyn({})[b"x"].a) in []) == bool)", "invalid qualifier type: types.Bytes"},
      {R"([1].all(x, dyn([x][int("x")] in [])))", "type conversion error from 'string' to 'int'"},
      {R"(cel.bind(q, [dyn({})[b"x"] in []], q[0]))", "invalid qualifier type: types.Bytes"},
      // Of several mistakes the first one.
      {R"([size([1, int("x")]), int(string(b"\xff"))])", "type conversion error from 'string' to 'int'"},
      {R"([dyn({})[b"x"] in [], int("x") == 1])", "invalid qualifier type: types.Bytes"},
      {R"(string(b"\xff") in [string(int("x"))])", "invalid UTF-8 in bytes"},
  };
  for (const auto& [text, error] : rows) {
    const std::string answer = Answer(text).answer;
    EXPECT_TRUE(answer.starts_with("compile: program instantiation failed: ")) << answer;
    EXPECT_NE(answer.find(error), std::string::npos) << answer;
  }
  EXPECT_EQ(Answer("1 / 0").answer, "error: division by zero");
  EXPECT_EQ(Answer(R"(semver("x").major())").answer.substr(0, 6), "error:");
}

}  // namespace
}  // namespace kumiko::cel
