// The compiled form of an expression: a flat list of instructions for a stack machine, with its constants.
//
//   device.attributes["gpu"].count > 1 && device.allowMultipleAllocations
//     0 entry  gpu/count        pushes the value, or an error value
//     1 const  1
//     2 call   greater, 2
//     3 decide and -> 6         leaves a plain false on the stack and goes to 6
//     4 multi
//     5 join   and              combines two values; errors give way to a false
//     6
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cel/ast.h"
#include "cel/declarations.h"
#include "cel/expression.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}

namespace kumiko::cel {

enum class Op : std::uint8_t {
  kConstant,  // a: constant
  kLocal,     // a: slot
  kStore,     // a: slot; pops
  kDevice,
  kDriver,
  kMultiple,        // device.allowMultipleAllocations
  kDomains,         // capacity
  kDomain,          // capacity, a: constant domain
  kEntry,           // capacity, a: constant domain, b: constant id
  kHasEntry,        // capacity, a, b
  kOptionalEntry,   // capacity, a, b
  kSelect,          // a: constant name
  kHas,             // a: constant name
  kOptionalSelect,  // a: constant name
  kIndex,
  kOptionalIndex,
  kCall,       // function, a: arguments
  kMatches,    // a: regex
  kDecideAnd,  // a: where to go when the top is false
  kDecideOr,   // a: where to go when the top is true
  kJoinAnd,
  kJoinOr,
  kBranch,           // pops a bool; a: where to go when false, b: where to go with an error on top
  kJump,             // a
  kList,             // a: items, b: 1 + index in optional_items, or 0
  kMap,              // a: entries, b: as for kList
  kFoldBegin,        // a: fold slot, b: variable slot; pops the range; c: where to go with an error on top
  kFoldNext,         // a: fold slot, b: variable slot, c: where to go at the end
  kFoldStep,         // a: fold slot, fold; pops; c: where to go when the result is known
  kFoldKeep,         // a: fold slot; pops a bool: whether the item takes part; b: where to go when not; c: on error
  kFoldEnd,          // a: fold slot, fold; pushes the result
  kOptionalOpen,     // pops an optional; stores its value in slot a; b: where to go with none or an error on top
  kOptionalClose,    // wraps the top
  kRequireOptional,  // the top must be an optional
};

struct Instruction {
  Op op = Op::kConstant;
  bool capacity = false;
  FoldKind fold = FoldKind::kAll;
  Function function = Function::kNone;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

// How a conjunct compares one attribute or capacity with constants, for explanations.
struct Reading {
  AttributeKey key;
  enum class Need {
    kOther,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kOneOf,
    kTrue,
    kFalse,
    kPresent
  };
  Need need = Need::kOther;
  std::string constant;  // as people write it: Hopper, 16Gi, 8.0.0, [A, B]
};

struct CompiledConjunct {
  std::size_t begin = 0;  // of its instructions, which leave one value
  std::size_t end = 0;
  std::optional<Reading> reading;  // set when it reads exactly one key
};

class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string text;
  std::vector<Instruction> code;
  std::vector<Value> constants;
  std::vector<std::unique_ptr<re2::RE2>> regexes;
  std::vector<std::vector<bool>> optional_items;
  Arena arena;  // owns the constants
  std::uint32_t stack_size = 0;
  std::uint32_t local_count = 0;
  std::uint32_t fold_count = 0;
  std::int64_t max_cost = 0;
  std::vector<Expression::Conjunct> conjuncts;
  std::vector<CompiledConjunct> compiled_conjuncts;
  std::optional<std::vector<AttributeKey>> read_keys;
};

}  // namespace kumiko::cel
