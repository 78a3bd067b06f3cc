// Answers of selectors, evaluated once per distinct values of the attributes that a selector reads: devices differ in
// uuid and bus address, but few selectors look at those.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "allocator/node_view.h"
#include "base/flat_map.h"
#include "cel/expression.h"

namespace kumiko::allocator {

// A selector's answer about one device: a bool, or the text of the run-time error.
struct Verdict {
  enum class Kind : std::uint8_t { kFalse, kTrue, kError };
  Kind kind = Kind::kFalse;
  std::string error;
};

class VerdictCache {
 public:
  // The reference is good until the next call.
  const Verdict& Evaluate(const cel::Expression& expression, const DeviceContent& content);

 private:
  struct PerExpression {
    FlatMap<std::uint32_t, std::shared_ptr<const Verdict>> by_serial;
    StringFlatMap<std::shared_ptr<const Verdict>> by_values;
  };
  StringFlatMap<PerExpression> expressions_;
};

// The values that `keys` select, in one text; equal texts mean equal answers of any expression that reads only these.
// Without keys: all values.
std::string ProjectContent(const DeviceContent& content, const std::optional<std::vector<cel::AttributeKey>>& keys);

}  // namespace kumiko::allocator
