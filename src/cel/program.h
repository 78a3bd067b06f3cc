// The compiled form of an expression: a flat list of instructions for a stack machine, with its constants.
//
//   device.attributes["gpu"].count > 1 && device.allowMultipleAllocations
//     0 entry  gpu/count   cost 4   pushes the value, or an error value
//     1 const  1
//     2 call   _>_, 2      cost 1
//     3 decide and -> 6             leaves a plain false on the stack and goes to 6
//     4 multi              cost 2
//     5 join   and                  combines two values; errors give way to a false
//     6
//
// Costs are those of the reference, whose unit is a field read or a call; what an instruction always costs is in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/expression.h"
#include "cel/overload.h"
#include "cel/value.h"

namespace re2 {
class RE2;
}

namespace kumiko::cel {

enum class Op : std::uint8_t {
  kConstant,  // a: constant
  kLocal,     // a: slot
  kVariable,  // a: variable of the environment
  kDevice,
  kDriver,
  kMultiple,  // device.allowMultipleAllocations
  kDomains,   // device.attributes, device.capacity (kCapacity)
  kDomain,    // a: constant domain
  kEntry,     // a: constant domain, b: constant id
  kHasEntry,
  kOptionalEntry,  // 1 more when present; c: where to go, without a value, when not

  // Steps of an attribute: the operand is on top. Each costs 1 if it is taken; errors stay and cost nothing.
  kSelect,  // a: constant key; c with kOptional: where to go, without a value, when the key is absent
  kIndex,   // the same; the key is on top of the operand
  kTest,    // has(): a: constant name
  kGuard,   // c: where to go when the operand is an error; b: when it is an open optional that holds nothing
  kOpen,    // the operand is an optional, or may be: takes its value out; c: where to go, without a value, when empty
  kWrap,    // makes an optional of the top, but not of an error
  kRefund,  // takes back 1
  kRenew,   // makes another optional of an optional that holds a value
  kToTrue,  // replaces the top by true, but not an error

  kCall,         // a: arguments, b: callee
  kCheckedCall,  // the same, but the overload takes only what its types say
  kBail,         // of a values on the stack the top is an error: leaves it alone, costs b and goes to c
  kMatches,      // b: regex
  kFind,         // b: regex
  kFindAll,      // a: 1 when a limit is on top of the text, b: regex
  kInSet,        // a: constant list
  kOr,           // the top is an optional: with a value, or no optional, goes to c; otherwise drops it
  kOrValue,      // the same, and takes the value out

  kDecideAnd,  // c: where to go when the top is false
  kDecideOr,   // c: where to go when the top is true
  kJoinAnd,
  kJoinOr,
  kBranch,  // pops a bool; b: where to go when false, c: where to go with an error on top
  kJump,    // c

  kOptionalItem,   // the top must be an optional or an error
  kOptionalValue,  // the same, of a map: the key is below
  kCheckKey,       // the key, below its value, must be one that the reference can look up
  kList,           // a: items, b: 1 + index in optional_items, or 0
  kMap,            // a: entries, b: as for kList
  kStruct,         // a: fields, b: struct literal

  // Loops. a: fold, b: first slot of the variables; c: where to go.
  kFoldBegin,    // pops the range; c: with an error on top
  kFoldNext,     // c: at the end, or when the result is decided
  kAll,          // pops; c: next
  kExists,       // pops; c: next
  kCount,        // pops; c: next
  kFilter,       // pops; c: next
  kKeep,         // pops; c: next when the item is left out
  kAppend,       // pops; c: next
  kInsertGuard,  // c: next when the result is an error already; 1 more when not, for the read of the key
  kInsert,       // pops the value of the key in slot b; c: next
  kInsertAll,    // pops a map; c: next
  kFoldEnd,      // pushes the result

  // cel.bind: the value is worked out when it is first read.
  kBindBegin,   // a: slot; c: where to go
  kBindRead,    // a: slot, c: the code that works it out
  kBindReturn,  // a: slot; keeps the top and goes back to the reader
};

enum Flag : std::uint8_t {
  kNoFlags = 0,
  kCapacity = 1,  // device.capacity, not device.attributes
  kOptional = 2,  // an absent key is no error
  // An attribute of unknown type that begins with an optional goes on inside of it. Optionals further down it does not
  // open: only those that a step before has left open.
  kMayBeOptional = 4,
  kTwoVariables = 8,
  kMayBeOpen = 16,
  kMoreSteps = 32,  // leaves it open for the next step
  // As the specification has it: keys of maps are bools, integers and strings that do not repeat; a step into a value
  // that has no parts is an error behind `?` too.
  kStrict = 64,
};

struct Instruction {
  Op op = Op::kConstant;
  std::uint8_t flags = kNoFlags;
  std::uint16_t cost = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

struct Callee {
  NativeFunction call = nullptr;    // of the first overload
  CostRule cost = CostRule::kUnit;  // kUnit: in the instruction
  // More than one when only the run knows the types of the arguments.
  std::vector<const Overload*> overloads;
  bool operator==(const Callee&) const = default;
};

struct StructLiteral {
  const Type* type = nullptr;
  std::string name;
  std::vector<std::string> fields;
  bool is_map = false;  // an object of the environment, as the map of its fields
  Dialect dialect = Dialect::kKubernetes;
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
  std::vector<Callee> callees;
  std::vector<std::shared_ptr<const re2::RE2>> regexes;
  std::vector<std::uint32_t> regex_costs;  // parallel: the part of a cost that the pattern makes
  std::vector<StructLiteral> structs;
  std::vector<std::vector<bool>> optional_items;
  Arena arena;                            // owns the constants
  std::uint32_t identities = kLocalZone;  // the last number among the constants, see RunContext
  std::uint32_t stack_size = 0;
  std::uint32_t local_count = 0;
  std::uint32_t fold_count = 0;
  std::int64_t max_cost = 0;
  std::string output_type;
  std::uint64_t max_estimate = 0;
  std::vector<Expression::Conjunct> conjuncts;
  std::vector<CompiledConjunct> compiled_conjuncts;
  std::optional<std::vector<AttributeKey>> read_keys;
};

}  // namespace kumiko::cel
