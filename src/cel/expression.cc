#include "cel/expression.h"

#include <fmt/core.h>

#include <algorithm>

#include "cel/checker.h"
#include "cel/compiler.h"
#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/parser.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

tl::unexpected<Error> CompilationFailed(std::string_view text, std::vector<SourceError> errors) {
  return Fail(Code::kInvalidArgument, "compilation failed: {}", FormatSourceErrors(text, std::move(errors)));
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
  if (const std::size_t size = CodePointCount(text); size > options.max_source_code_points) {
    return Fail(Code::kInvalidArgument,
                "compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit: size: {}, limit {}",
                size, options.max_source_code_points);
  }
  if (!IsValidUtf8(text)) return Fail(Code::kInvalidArgument, "compilation failed: the expression is not UTF-8 text");
  auto ast = Parse(text);
  if (!ast) return CompilationFailed(text, {std::move(ast).error()});
  auto checked = Check(*std::move(ast));
  if (!checked) return CompilationFailed(text, std::move(checked).error());
  const TypeRef type = checked->types[checked->ast.root];
  if (type->kind != TypeKind::kBool && type->kind != TypeKind::kDyn) {
    return Fail(Code::kInvalidArgument, "must evaluate to bool or the unknown type, not {}",
                type->kind == TypeKind::kNull ? "null_type" : TypeName(type));
  }
  KU_TRY(std::shared_ptr<const Program> program, CompileProgram(*checked, text, options));
  return Expression(std::move(program));
}

Result<bool> Expression::Matches(const DeviceView& device) const {
  Arena arena;
  RunContext run{device, arena, program_->max_cost};
  const Value result = Run(*program_, 0, program_->code.size(), run);
  if (result.kind == ValueKind::kBool) return result.boolean;
  if (result.IsError()) return Fail(Code::kInvalidArgument, "{}", result.view());
  return Fail(Code::kInvalidArgument, "CEL result of type {} could not be converted to bool", KindName(result));
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
  Arena arena;
  Mismatch first_error;
  for (std::size_t i = 0; i < program_->compiled_conjuncts.size(); ++i) {
    const CompiledConjunct& part = program_->compiled_conjuncts[i];
    RunContext run{device, arena, program_->max_cost};
    Value result = Run(*program_, part.begin, part.end, run);
    if (result.IsTrue()) continue;
    if (result.kind != ValueKind::kBool && !result.IsError()) {
      result = arena.Error(fmt::format("CEL result of type {} could not be converted to bool", KindName(result)));
    }
    // A false part decides, whatever errors others have.
    if (result.IsFalse()) return Explain(run, *program_, i, result);
    if (first_error.kind == Mismatch::Kind::kNone) first_error = Explain(run, *program_, i, result);
  }
  return first_error;
}

}  // namespace kumiko::cel
