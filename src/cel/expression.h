// CEL expressions over a DRA device, as Kubernetes device selectors use them: compile once, evaluate on many devices.
// Source: the "CEL for DRA" environment of Kubernetes 1.37.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/device_view.h"
#include "cel/environment.h"

namespace kumiko::cel {

struct CompileOptions {
  Mode mode = Mode::kStored;
  DraFeatures features;
  // A derived attribute (a scalar, or a list of scalars) instead of a selector.
  bool derived_attribute = false;
  // Code points of source text that are accepted; longer text is a compile error.
  std::size_t max_source_code_points = 100'000;
  // Cost units after which a run ends with "operation cancelled: actual cost limit exceeded".
  std::int64_t max_evaluation_cost = 1'000'000;
};

// One map entry of the device that an expression can read.
struct AttributeKey {
  enum class Map { kAttributes, kCapacity };
  Map map = Map::kAttributes;
  std::string domain;
  std::string id;  // empty: every id of the domain
  bool operator==(const AttributeKey&) const = default;
  auto operator<=>(const AttributeKey&) const = default;
};

// Why a device does not match, for explanations.
struct Mismatch {
  enum class Kind {
    kNone,              // the device matches
    kFalse,             // the conjunct is false on this device
    kAttributeMissing,  // it reads an attribute or capacity that this device does not have
    kError,             // any other run-time error
  };
  Kind kind = Kind::kNone;
  std::size_t index = 0;  // of the conjunct
  std::string conjunct;   // source text of the first top-level && part that is not true
  std::string attribute;  // the id of the attribute or capacity read, when the conjunct reads exactly one; else ""
  // "attribute architecture is Ampere, needs Hopper", "attribute migProfile does not exist",
  // "capacity memory is 10Gi, needs at least 16Gi"; for other conjuncts "<conjunct> is false" or the error.
  std::string detail;
};

// What one run gave and the cost units it took, also when it failed.
struct Match {
  Result<bool> matches;
  std::int64_t cost = 0;
};
struct DerivedAttribute {
  Result<AttributeValue> value;
  std::int64_t cost = 0;
};

class Program;

// Immutable; copies share one program and may be used by any number of threads at once.
class Expression {
 public:
  // A part of a top-level && chain; an expression without && has one part.
  struct Conjunct {
    std::string text;  // as written, without surrounding blanks
  };

  // Fails with kInvalidArgument: "compilation failed: ERROR: <input>:1:8: ... \n | text\n | .......^", or
  // "must evaluate to bool or the unknown type, not <t>". Text that is hostile (deep, long, not UTF-8) fails the same
  // way.
  static Result<Expression> Compile(std::string_view text, const CompileOptions& options = {});

  // Run-time errors are kInvalidArgument with the CEL message, e.g. "no such key: architecture".
  Result<bool> Matches(const DeviceView& device) const;
  Match Evaluate(const DeviceView& device) const;
  // Of expressions compiled as derived attributes.
  DerivedAttribute EvaluateAttribute(const DeviceView& device) const;

  // "bool", "dyn", "list(string)".
  const std::string& output_type() const;
  // The most that a run may cost, in cost units; what API validation compares with its limit.
  std::uint64_t max_cost() const;

  // The attributes and capacities that the expression can read, sorted, each once; nullopt when a key is computed or a
  // whole map is used as a value, so that it may read everything.
  const std::optional<std::vector<AttributeKey>>& ReadKeys() const;

  const std::vector<Conjunct>& Conjuncts() const;
  Mismatch ExplainMismatch(const DeviceView& device) const;

  const std::string& text() const;

 private:
  explicit Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace kumiko::cel
