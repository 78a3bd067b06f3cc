// Runs conformance tests of the language, one JSON line each: {expr, container, typeEnv, bindings, disableCheck,
// disableMacros, checkOnly, objects} in, {compileError} or {type, value | error} out. conformance/values.go describes
// values and types on the wire. All libraries of Kubernetes are there; its switches are off: literals
// may be mixed, and where its engine differs from the specification, that is followed.
#include <fmt/core.h>

#include <cstdio>
#include <deque>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cel/general_expression.h"
#include "cel/library/libraries.h"
#include "cel/library/time.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

bool BoolAt(const Json& value, std::string_view name) {
  const Json* member = Find(value, name);
  return member != nullptr && member->is_bool() && member->get_bool();
}

const JsonArray& ArrayAt(const Json& value, std::string_view name) {
  static const JsonArray none;
  const Json* member = Find(value, name);
  return member != nullptr && member->is_array() ? member->get_array() : none;
}

// ---- base64

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kBase64[bits >> static_cast<unsigned>(count - 6) & 63U];
  }
  if (count > 0) text += kBase64[bits << static_cast<unsigned>(6 - count) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string DecodeBase64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    const std::size_t value = kBase64.find(digit);
    if (value == std::string_view::npos) break;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
  }
  return bytes;
}

// ---- values

Value FromJson(const Json& json, Arena& arena);

Value ListFromJson(const JsonArray& items, Arena& arena) {
  Value* values = arena.Values(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) values[i] = FromJson(items[i], arena);
  return Value::List(values, items.size());
}

Value MapFromJson(const JsonArray& entries, Arena& arena) {
  Value* pairs = arena.Values(2 * entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    pairs[2 * i] = FromJson(entries[i].at(0), arena);
    pairs[2 * i + 1] = FromJson(entries[i].at(1), arena);
  }
  return MakeMap(pairs, entries.size());
}

Value FromJson(const Json& json, Arena& arena) {
  const auto& [name, member] = *json.as_object().begin();
  const auto text = [&] { return std::string(member.as_string()); };
  if (name == "null") return Value::Null();
  if (name == "bool") return Value::Bool(member.as_bool());
  if (name == "int") return Value::Int(std::stoll(text()));
  if (name == "uint") return Value::Uint(std::stoull(text()));
  if (name == "double") return Value::Double(std::strtod(text().c_str(), nullptr));
  if (name == "string") return Value::String(arena.Text(text()));
  if (name == "bytes") return Value::Text(ValueKind::kBytes, arena.Text(DecodeBase64(text())));
  if (name == "type") return Value::Text(ValueKind::kType, arena.Text(text()));
  if (name == "list") return ListFromJson(member.as_array(), arena);
  if (name == "map") return MapFromJson(member.as_array(), arena);
  if (name == "timestamp" || name == "duration") {
    const std::int64_t seconds = std::stoll(std::string(member.at(0).as_string()));
    const auto nanos = member.at(1).to_number<std::int32_t>();
    return name == "duration" ? DurationFromParts(seconds, nanos, Dialect::kSpecification)
                              : Value::Timestamp(seconds, nanos);
  }
  return arena.Error(fmt::format("a binding of type {}", std::string_view(name)));
}

Json ToJson(const Value& value);

std::string Number(double number) {
  return fmt::format("{}", number);
}

JsonObject ToJsonObject(const Value& value) {
  JsonArray items;
  switch (value.kind) {
    case ValueKind::kNull:
      return {{"null", true}};
    case ValueKind::kBool:
      return {{"bool", value.boolean}};
    case ValueKind::kInt:
      return {{"int", std::to_string(value.integer)}};
    case ValueKind::kUint:
      return {{"uint", std::to_string(value.natural)}};
    case ValueKind::kDouble:
      return {{"double", Number(value.real)}};
    case ValueKind::kString:
      return {{"string", value.view()}};
    case ValueKind::kBytes:
      return {{"bytes", EncodeBase64(value.view())}};
    case ValueKind::kType:
      return {{"type", value.view()}};
    case ValueKind::kTimestamp:
      return {{"timestamp", JsonArray{std::to_string(value.integer), value.nanos()}}};
    case ValueKind::kDuration:
      return {{"duration", JsonArray{std::to_string(PartsOf(value).seconds), PartsOf(value).nanos}}};
    case ValueKind::kOptional:
      return {{"optional", value.items == nullptr ? Json(nullptr) : ToJson(*value.items)}};
    case ValueKind::kList:
      for (const Value& item : value.list()) items.push_back(ToJson(item));
      return {{"list", std::move(items)}};
    case ValueKind::kMap:
      for (std::size_t i = 0; i < value.size; ++i) {
        items.push_back(JsonArray{ToJson(value.items[2 * i]), ToJson(value.items[2 * i + 1])});
      }
      return {{"map", std::move(items)}};
    case ValueKind::kQuantity:
    case ValueKind::kSemver:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kUrl:
    case ValueKind::kNamedFormat:
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
    case ValueKind::kError:
      break;
  }
  return {{"object", KindName(value)}};
}

Json ToJson(const Value& value) {
  return ToJsonObject(value);
}

// ---- declarations

// An environment for one test, and what its declarations borrow.
struct TestEnvironment {
  Environment environment{Dialect::kSpecification};
  std::deque<std::string> names;
  std::deque<std::vector<Overload>> overloads;
};

// Functions of tests are checked, never run.
Value Unimplemented(RunContext& run, std::span<const Value> args) {
  static_cast<void>(run);
  static_cast<void>(args);
  return NoSuchOverload();
}

class TypeReader {
 public:
  explicit TypeReader(TypePool& pool) : pool_(pool) {}

  TypeRef Read(const Json& json) {
    if (json.is_string()) return ReadName(json.get_string());
    const auto& [name, member] = *json.as_object().begin();
    if (name == "list") return pool_.List(Read(member));
    if (name == "map") return pool_.Map(Read(member.at(0)), Read(member.at(1)));
    if (name == "wrapper") return pool_.Wrapper(Read(member));
    if (name == "optional") return pool_.Optional(Read(member));
    if (name == "type") return pool_.TypeOf(Read(member));
    if (name == "parameter") return Parameter(std::string(member.as_string()));
    if (name == "object" && member == "google.protobuf.Duration") return &kDurationType;
    if (name == "object") return pool_.Object(std::string(member.as_string()));
    const JsonArray& parameters = ArrayAt(json, "of");
    std::vector<TypeRef> parts;
    for (const Json& parameter : parameters) parts.push_back(Read(parameter));
    TypeRef rest = nullptr;
    for (std::size_t i = parts.size(); i > 1; --i) rest = pool_.Opaque("", parts[i - 1], rest);
    return pool_.Opaque(std::string(StringAt(json, {"opaque"})), parts.empty() ? nullptr : parts[0], rest);
  }

 private:
  static TypeRef ReadName(std::string_view name) {
    static constexpr std::pair<std::string_view, TypeRef> kNames[] = {
        {"any", &kAnyType},   {"bool", &kBoolType},           {"bytes", &kBytesType},
        {"dyn", &kDynType},   {"double", &kDoubleType},       {"duration", &kDurationType},
        {"int", &kIntType},   {"null", &kNullType},           {"string", &kStringType},
        {"type", &kTypeType}, {"timestamp", &kTimestampType}, {"uint", &kUintType},
    };
    for (const auto& [known, type] : kNames) {
      if (known == name) return type;
    }
    return &kDynType;
  }

  TypeRef Parameter(const std::string& name) {
    const auto number = static_cast<std::uint32_t>(parameters_.size());
    return pool_.Variable(parameters_.emplace(name, number).first->second);
  }

  TypePool& pool_;
  std::map<std::string, std::uint32_t> parameters_;
};

void Declare(TestEnvironment& test, const Json& declaration) {
  const std::string& name = test.names.emplace_back(StringAt(declaration, {"name"}));
  if (const Json* type = Find(declaration, "type")) {
    test.environment.AddVariable({name, TypeReader(test.environment.pool()).Read(*type)});
  }
  std::vector<Overload>& overloads = test.overloads.emplace_back();
  for (const Json& json : ArrayAt(declaration, "overloads")) {
    TypeReader reader(test.environment.pool());
    Overload overload{name, BoolAt(json, "member"), Unimplemented};
    for (const Json& parameter : ArrayAt(json, "parameters")) {
      if (overload.arity < overload.args.size()) overload.args[overload.arity++] = reader.Read(parameter);
    }
    overload.result = reader.Read(*Find(json, "result"));
    overloads.push_back(overload);
  }
  test.environment.AddLibrary(overloads);
}

void DeclareObject(Environment& environment, const Json& json) {
  std::string name(StringAt(json, {"name"}));
  std::vector<ObjectField> fields;
  TypeReader reader(environment.pool());
  for (const Json& field : ArrayAt(json, "fields")) {
    fields.push_back({std::string(StringAt(field, {"name"})), reader.Read(*Find(field, "type"))});
  }
  const TypeRef type = environment.pool().Object(name);
  environment.AddObject(type, std::move(fields));
  environment.AddType(std::move(name), type);
}

std::shared_ptr<const Environment> EnvironmentFor(const Json& question) {
  auto test = std::make_shared<TestEnvironment>();
  Environment& environment = test->environment;
  AddKubernetesLibraries(environment);
  environment.AddLibrary(IncludesOverloads());
  environment.homogeneous_literals = false;
  environment.object_literals = true;
  environment.set_container(std::string(StringAt(question, {"container"})));
  if (BoolAt(question, "disableMacros")) {
    environment.macros = environment.two_variable_macros = environment.list_macros = false;
  }
  for (const Json& object : ArrayAt(question, "objects")) DeclareObject(environment, object);
  for (const Json& declaration : ArrayAt(question, "typeEnv")) Declare(*test, declaration);
  // Values may be bound that no declaration names.
  if (const Json* bindings = Find(question, "bindings")) {
    for (const auto& member : bindings->as_object()) {
      const std::string name(member.key());
      if (!environment.FindVariable(name)) environment.AddVariable({name, &kDynType});
    }
  }
  return {test, &test->environment};
}

// ---- one test

JsonObject Answer(const Json& question) {
  const auto environment = EnvironmentFor(question);
  GeneralExpression::Options options;
  options.check = !BoolAt(question, "disableCheck");
  options.max_evaluation_cost = std::numeric_limits<std::int64_t>::max();
  const auto expression = GeneralExpression::Compile(std::string(StringAt(question, {"expr"})), environment, options);
  if (!expression) return {{"compileError", expression.error().message}};
  JsonObject answer{{"type", expression->output_type()}};
  if (BoolAt(question, "checkOnly")) return answer;

  Arena arena;
  std::vector<Value> variables;
  for (const Variable& variable : environment->variables()) {
    const Json* bound = FindPath(question, {"bindings", variable.name});
    variables.push_back(bound != nullptr ? FromJson(*bound, arena)
                                         : arena.Error(fmt::format("no such attribute: {}", variable.name)));
  }
  const Value result = expression->Evaluate(variables, arena);
  if (result.IsError()) {
    answer["error"] = result.view();
  } else {
    answer["value"] = ToJson(result);
  }
  return answer;
}

int Serve() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto question = ParseJson(line);
    const JsonObject answer = question ? Answer(*question) : JsonObject{{"error", question.error().message}};
    std::string text = WriteJson(answer);
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace kumiko::cel

int main() {
  return kumiko::cel::Serve();
}
