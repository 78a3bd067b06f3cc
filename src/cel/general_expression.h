// Expressions in environments other than the DRA one: typed variables, maps of dyn, objects of JSON schemas. Quarantine
// rules and validation rules of custom resources are such expressions; selectors have expression.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/environment.h"
#include "cel/value.h"

namespace kumiko::cel {

class Program;

class GeneralExpression {
 public:
  struct Options {
    bool check = true;  // false: names are resolved, types are left to the run
    std::int64_t max_evaluation_cost = 1'000'000;
  };
  // Fails as Expression::Compile does: "compilation failed: ERROR: <input>:1:8: ...".
  static Result<GeneralExpression> Compile(std::string_view text, std::shared_ptr<const Environment> environment,
                                           const Options& options);

  // `variables` in the order of Environment::variables(). The result, an error value when the run fails, lives in
  // `arena`, in the program and in the variables. `cost`, when not null, receives the units spent.
  Value Evaluate(std::span<const Value> variables, Arena& arena, std::int64_t* cost = nullptr) const;

  const std::string& output_type() const;
  // The estimate; the largest number when the environment says nothing about sizes.
  std::uint64_t max_cost() const;

 private:
  GeneralExpression(std::shared_ptr<const Environment> environment, std::shared_ptr<const Program> program)
      : environment_(std::move(environment)), program_(std::move(program)) {}
  std::shared_ptr<const Environment> environment_;
  std::shared_ptr<const Program> program_;
};

}  // namespace kumiko::cel
