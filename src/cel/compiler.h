// Turns a checked tree into a program: constants are worked out, literal patterns compiled, reads of one attribute
// become one instruction, macros become loops.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "cel/checker.h"
#include "cel/environment.h"
#include "cel/program.h"

namespace kumiko::cel {

// Fails where a constant makes no sense whatever the device: int("x"), a literal pattern that does not parse.
Result<std::shared_ptr<Program>> CompileProgram(const CheckedAst& checked, const Environment& environment,
                                                std::string_view text, std::int64_t max_cost);

}  // namespace kumiko::cel
