#include "cel/compile_source.h"

#include "cel/cost_estimate.h"
#include "cel/parser.h"
#include "cel/program.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

tl::unexpected<Error> CompilationFailed(std::string_view text, std::vector<SourceError> errors) {
  return Fail(Code::kInvalidArgument, "compilation failed: {}", FormatSourceErrors(text, std::move(errors)));
}

}  // namespace

Result<CheckedAst> CheckSource(std::string_view text, const Environment& environment, std::size_t max_code_points,
                               bool check) {
  // No text has more code points than bytes.
  if (text.size() > max_code_points) {
    if (const std::size_t size = CodePointCount(text); size > max_code_points) {
      return Fail(Code::kInvalidArgument,
                  "compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit: size: {}, limit "
                  "{}",
                  size, max_code_points);
    }
  }
  if (!IsValidUtf8(text)) return Fail(Code::kInvalidArgument, "compilation failed: the expression is not UTF-8 text");
  ParseOptions options;
  options.macros = environment.macros;
  options.two_variable_macros = environment.two_variable_macros;
  options.list_macros = environment.list_macros;
  options.optional_syntax = environment.optional_syntax;
  auto ast = Parse(text, options);
  if (!ast) return CompilationFailed(text, std::move(ast).error());
  if (!check) return ResolveNames(*std::move(ast), environment);
  auto checked = Check(*std::move(ast), environment);
  if (!checked) return CompilationFailed(text, std::move(checked).error());
  return *std::move(checked);
}

Result<std::shared_ptr<const Program>> CompileChecked(const CheckedAst& checked, const Environment& environment,
                                                      std::string_view text, std::int64_t max_cost) {
  KU_TRY(std::shared_ptr<Program> program, CompileProgram(checked, environment, text, max_cost));
  program->output_type = QualifiedTypeName(checked.types[checked.ast.root]);
  program->max_estimate = EstimateCost(checked, environment).max;
  return std::shared_ptr<const Program>(std::move(program));
}

}  // namespace kumiko::cel
