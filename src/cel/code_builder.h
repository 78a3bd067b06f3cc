// Writes instructions: keeps count of the stack, of slots and of constants, each of which is stored once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/program.h"
#include "cel/value.h"

namespace kumiko::cel {

class CodeBuilder {
 public:
  explicit CodeBuilder(Program& program) : program_(program) {}

  std::vector<Instruction>& code() { return program_.code; }
  std::uint32_t Here() const { return static_cast<std::uint32_t>(program_.code.size()); }

  // `effect` is how many values the instruction adds to the stack. Returns where it is.
  std::uint32_t Emit(Instruction instruction, int effect);
  void EmitConstant(const Value& value, std::uint32_t cost = 0);
  // Makes instructions jump to here.
  void Land(std::uint32_t instruction) { code()[instruction].c = Here(); }
  void Land(const std::vector<std::uint32_t>& instructions) {
    for (const std::uint32_t it : instructions) Land(it);
  }

  // Whether the code from `begin` on is `count` constants; what running it costs.
  bool AreConstants(std::uint32_t begin, std::size_t count) const;
  std::uint32_t CostSince(std::uint32_t begin) const;
  const Value& ConstantAt(std::uint32_t instruction) const { return program_.constants[program_.code[instruction].a]; }
  // Takes constants back.
  void Drop(std::uint32_t begin);

  std::uint32_t AddConstant(const Value& value);
  std::uint32_t AddText(std::string_view text);
  std::uint32_t AddCallee(Callee callee);
  std::uint32_t NewSlots(std::uint32_t count) {
    program_.local_count += count;
    return program_.local_count - count;
  }
  std::uint32_t NewFold() { return program_.fold_count++; }

  // Values on the stack here. Code behind a jump begins with what the jump leaves.
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }
  // The deepest that the stack has been since the last reset.
  int peak() const { return peak_; }
  void set_peak(int peak) {
    peak_ = peak;
    program_.stack_size = std::max(program_.stack_size, static_cast<std::uint32_t>(std::max(peak, 0)) + 1);
  }

 private:
  Program& program_;
  int depth_ = 0;
  int peak_ = 0;
  std::unordered_map<std::string, std::uint32_t> known_;
};

}  // namespace kumiko::cel
