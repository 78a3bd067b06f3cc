// The regular expressions of a program: each literal one is compiled once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cel/checker.h"
#include "cel/program.h"

namespace kumiko::cel {

// Finding takes more room than matching, which is made when a pattern is first used so.
enum class PatternUse { kMatch, kFind };

class PatternTable {
 public:
  // Takes what the checker has compiled, and what is left of the steps that patterns may take.
  PatternTable(const CheckedAst& checked, Program& program)
      : checked_(checked), program_(program), steps_(checked.pattern_steps) {}

  // Its place in the program.
  std::uint32_t Add(std::string_view pattern, PatternUse use);
  // What is wrong with the first pattern that does not compile; empty when none is.
  const std::string& error() const { return error_; }

 private:
  void SetError(std::string error) {
    if (error_.empty()) error_ = std::move(error);
  }

  const CheckedAst& checked_;
  Program& program_;
  std::map<std::string, std::uint32_t, std::less<>> places_;
  std::set<const re2::RE2*> prepared_;  // for finding
  std::int64_t steps_;
  std::string error_;
};

}  // namespace kumiko::cel
