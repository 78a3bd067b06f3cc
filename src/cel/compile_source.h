// From text to a program, for every kind of expression: parsed, checked, its cost estimated, compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "cel/checker.h"
#include "cel/compiler.h"
#include "cel/environment.h"

namespace kumiko::cel {

// Fails with kInvalidArgument: "compilation failed: ERROR: <input>:1:8: ... \n | text\n | .......^". The tree borrows
// from `text`. Without `check`, types are left to the run.
Result<CheckedAst> CheckSource(std::string_view text, const Environment& environment, std::size_t max_code_points,
                               bool check = true);
Result<std::shared_ptr<const Program>> CompileChecked(const CheckedAst& checked, const Environment& environment,
                                                      std::string_view text, std::int64_t max_cost);

}  // namespace kumiko::cel
