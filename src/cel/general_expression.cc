#include "cel/general_expression.h"

#include "cel/compile_source.h"
#include "cel/evaluator.h"
#include "cel/program.h"
#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr std::size_t kMaxCodePoints = 100'000;

}  // namespace

Result<GeneralExpression> GeneralExpression::Compile(std::string_view text,
                                                     std::shared_ptr<const Environment> environment,
                                                     const Options& options) {
  KU_TRY(const CheckedAst checked, CheckSource(text, *environment, kMaxCodePoints, options.check));
  KU_TRY(std::shared_ptr<const Program> program,
         CompileChecked(checked, *environment, text, options.max_evaluation_cost));
  return GeneralExpression(std::move(environment), std::move(program));
}

Value GeneralExpression::Evaluate(std::span<const Value> variables, Arena& arena, std::int64_t* cost) const {
  RunContext run{arena};
  run.variables = variables;
  run.cost_limit = program_->max_cost;
  const Value result = Run(*program_, 0, program_->code.size(), run);
  if (cost != nullptr) *cost = run.cost;
  return result;
}

const std::string& GeneralExpression::output_type() const {
  return program_->output_type;
}
std::uint64_t GeneralExpression::max_cost() const {
  return program_->max_estimate;
}

}  // namespace kumiko::cel
