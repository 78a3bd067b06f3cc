// Turns a checked tree into a program: constants are worked out, literal patterns compiled, reads of one attribute
// become one instruction.
#pragma once

#include <memory>

#include "base/result.h"
#include "cel/checker.h"
#include "cel/program.h"

namespace kumiko::cel {

// Fails where a constant makes no sense whatever the device: int("x"), a literal pattern that does not parse.
Result<std::shared_ptr<const Program>> CompileProgram(const CheckedAst& checked, std::string_view text,
                                                      const CompileOptions& options);

}  // namespace kumiko::cel
