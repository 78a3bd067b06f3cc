#include "cel/expression.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cel/compile_source.h"
#include "cel/derived_attribute.h"
#include "cel/device_access.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

// A wrapper counts as its scalar.
bool IsExactly(TypeRef type, const Type& wanted) {
  return (type->kind == TypeKind::kWrapper ? type->first : type)->kind == wanted.kind;
}

bool IsAttributeScalar(TypeRef type) {
  return IsExactly(type, kBoolType) || IsExactly(type, kIntType) || IsExactly(type, kStringType) ||
         type->kind == TypeKind::kAny || type->kind == TypeKind::kDyn || SameType(type, &kSemverType);
}

// What Kubernetes accepts as the type of a selector or of a derived attribute; "" when `type` is one of them.
std::string ResultTypeError(TypeRef type, const Environment& environment, const CompileOptions& options) {
  if (!options.derived_attribute) {
    if (IsExactly(type, kBoolType) || type->kind == environment.attribute_type->kind) return "";
    return fmt::format("must evaluate to bool or the unknown type, not {}", QualifiedTypeName(type));
  }
  const bool lists = options.mode == Mode::kStored || options.features.list_type_attributes;
  if (IsAttributeScalar(type) || (lists && type->kind == TypeKind::kList && IsAttributeScalar(type->first))) return "";
  return fmt::format("must evaluate to a primitive scalar (string, integer, boolean, semver){}, not {}",
                     lists ? " or a list of these scalars" : "", QualifiedTypeName(type));
}

// One run over a device, in memory that usually needs no allocation.
class DeviceRun {
 public:
  DeviceRun(const DeviceView& device, std::int64_t cost_limit) : run_{arena_, &device} { run_.cost_limit = cost_limit; }
  RunContext& context() { return run_; }

 private:
  std::array<std::byte, 1024> memory_;  // not initialized, for speed
  Arena arena_{std::span<std::byte>(memory_.data(), memory_.size())};
  RunContext run_;
};

Error RunError(const Value& error) {
  return Error{Code::kInvalidArgument, std::string(error.view())};
}

// What the device has under the key, as people write it.
std::optional<std::string> ValueText(RunContext& run, const AttributeKey& key) {
  const auto value = ReadEntry(run, key.map == AttributeKey::Map::kCapacity, key.domain, key.id);
  if (!value) return std::nullopt;
  if (value->kind != ValueKind::kList) return Describe(*value);
  std::string list = "[";
  for (std::size_t i = 0; i < value->size; ++i) list += (i > 0 ? ", " : "") + Describe(value->items[i]);
  return list + "]";
}

// "at least 16Gi"; "" when the conjunct is no simple comparison.
std::string NeedText(const Reading& reading) {
  switch (reading.need) {
    case Reading::Need::kEqual:
      return reading.constant;
    case Reading::Need::kNotEqual:
      return "another value";
    case Reading::Need::kLess:
      return "less than " + reading.constant;
    case Reading::Need::kLessEqual:
      return "at most " + reading.constant;
    case Reading::Need::kGreater:
      return "more than " + reading.constant;
    case Reading::Need::kGreaterEqual:
      return "at least " + reading.constant;
    case Reading::Need::kOneOf:
      return "one of " + reading.constant;
    case Reading::Need::kTrue:
      return "true";
    case Reading::Need::kFalse:
      return "false";
    case Reading::Need::kOther:
    case Reading::Need::kPresent:
      return "";
  }
  return "";
}

Mismatch Explain(RunContext& run, const Program& program, std::size_t index, const Value& result) {
  Mismatch mismatch;
  mismatch.index = index;
  mismatch.conjunct = program.conjuncts[index].text;
  mismatch.kind = result.IsFalse() ? Mismatch::Kind::kFalse : Mismatch::Kind::kError;
  mismatch.detail = result.IsFalse() ? mismatch.conjunct + " is false" : std::string(result.view());
  const auto& reading = program.compiled_conjuncts[index].reading;
  if (!reading) return mismatch;

  mismatch.attribute = reading->key.id;
  const std::string subject =
      (reading->key.map == AttributeKey::Map::kCapacity ? "capacity " : "attribute ") + reading->key.id;
  const std::optional<std::string> value = ValueText(run, reading->key);
  const std::string need = NeedText(*reading);
  const bool simple = reading->need != Reading::Need::kOther;
  if (!value && (simple || result.IsError())) {
    mismatch.kind = Mismatch::Kind::kAttributeMissing;
    mismatch.detail = subject + " does not exist";
  } else if (value && result.IsFalse() && !need.empty()) {
    mismatch.detail = fmt::format("{} is {}, needs {}", subject, *value, need);
  }
  return mismatch;
}

}  // namespace

Result<Expression> Expression::Compile(std::string_view text, const CompileOptions& options) {
  const Environment& environment = Environment::Dra(options.mode, options.features);
  KU_TRY(const CheckedAst checked, CheckSource(text, environment, options.max_source_code_points));
  const TypeRef type = checked.types[checked.ast.root];
  if (const std::string error = ResultTypeError(type, environment, options); !error.empty()) {
    return Fail(Code::kInvalidArgument, "{}", error);
  }
  KU_TRY(std::shared_ptr<const Program> program,
         CompileChecked(checked, environment, text, options.max_evaluation_cost));
  return Expression(std::move(program));
}

Match Expression::Evaluate(const DeviceView& device) const {
  DeviceRun run(device, program_->max_cost);
  const Value result = Run(*program_, 0, program_->code.size(), run.context());
  const std::int64_t cost = run.context().cost;
  // An optional stands for what it holds.
  Value held = result;
  while (held.kind == ValueKind::kOptional && held.items != nullptr) held = *held.items;
  if (held.kind == ValueKind::kBool) return {held.boolean, cost};
  if (result.IsError()) return {tl::unexpected(RunError(result)), cost};
  return {Fail(Code::kInvalidArgument, "CEL result of type {} could not be converted to bool", KindName(result)), cost};
}

Result<bool> Expression::Matches(const DeviceView& device) const {
  return Evaluate(device).matches;
}

DerivedAttribute Expression::EvaluateAttribute(const DeviceView& device) const {
  DeviceRun run(device, program_->max_cost);
  const Value result = Run(*program_, 0, program_->code.size(), run.context());
  const std::int64_t cost = run.context().cost;
  if (result.IsError()) return {tl::unexpected(RunError(result)), cost};
  return {ToAttributeValue(result), cost};
}

const std::string& Expression::output_type() const {
  return program_->output_type;
}
std::uint64_t Expression::max_cost() const {
  return program_->max_estimate;
}
const std::optional<std::vector<AttributeKey>>& Expression::ReadKeys() const {
  return program_->read_keys;
}
const std::vector<Expression::Conjunct>& Expression::Conjuncts() const {
  return program_->conjuncts;
}
const std::string& Expression::text() const {
  return program_->text;
}

Mismatch Expression::ExplainMismatch(const DeviceView& device) const {
  Mismatch first_error;
  for (std::size_t i = 0; i < program_->compiled_conjuncts.size(); ++i) {
    const CompiledConjunct& part = program_->compiled_conjuncts[i];
    DeviceRun device_run(device, program_->max_cost);
    RunContext& run = device_run.context();
    Value result = Run(*program_, part.begin, part.end, run);
    if (result.IsTrue()) continue;
    if (result.kind != ValueKind::kBool && !result.IsError()) {
      result = run.arena.Error(fmt::format("CEL result of type {} could not be converted to bool", KindName(result)));
    }
    // A false part decides, whatever errors others have.
    if (result.IsFalse()) return Explain(run, *program_, i, result);
    if (first_error.kind == Mismatch::Kind::kNone) first_error = Explain(run, *program_, i, result);
  }
  return first_error;
}

}  // namespace kumiko::cel
