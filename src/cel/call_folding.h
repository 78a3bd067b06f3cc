// Calls whose arguments are constants are worked out when a program is compiled. Unlike constants.h, which follows the
// reference, this only saves time: what such a call costs stays with its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cel/checker.h"
#include "cel/code_builder.h"
#include "cel/program.h"

namespace kumiko::cel {

class CallFolding {
 public:
  CallFolding(const CheckedAst& checked, Program& program, CodeBuilder& out)
      : checked_(checked), program_(program), out_(out) {}

  // Replaces a call of `type`, whose `count` arguments the code from `begin` on leaves, by its result if they are
  // constants. A call that fails, or takes long, stays.
  bool WorkOut(const Callee& callee, TypeRef type, std::uint32_t begin, std::size_t count);
  // Whether some map literal has keys that may be told apart by identity: every run, and every round of a loop, makes
  // such a key of its own.
  bool MayBecomeKey();

 private:
  const CheckedAst& checked_;
  Program& program_;
  CodeBuilder& out_;
  std::optional<bool> may_become_key_;
};

}  // namespace kumiko::cel
