// Which parts of an expression are constants, as the reference sees it: literals, conversions of constants, lists and
// maps of constants, and `x in []`. It works them out when it compiles; they cost nothing when it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/checker.h"
#include "cel/value.h"

namespace kumiko::cel {

class Constants {
 public:
  // Values live in `arena` and in the tree.
  // `maps`: whether maps of constants are; where keys may be refused they are not.
  // `compile` is called with what a constant holds and never runs, the x of `x in []`: what is wrong with it must still
  // be found, in the order in which the reference compiles.
  enum class Maps { kConstant, kNever };
  Constants(const CheckedAst& checked, Arena& arena, Maps maps, std::function<void(ExprId)> compile)
      : checked_(checked),
        arena_(arena),
        maps_(maps),
        compile_(std::move(compile)),
        states_(checked.ast.nodes.size(), State::kUnknown) {}

  // nullopt when the node is no constant; then nothing behind its first part that is none has been looked at.
  std::optional<Value> Of(ExprId id);
  // The conversion that failed first; empty when none did.
  const std::string& error() const { return error_; }
  // The last number given to a constant that is told apart by it.
  std::uint32_t identities() const { return identities_; }

 private:
  enum class State : std::uint8_t { kUnknown, kConstant, kNot };
  std::optional<Value> Find(ExprId id);
  std::optional<Value> Conversion(ExprId id);
  Value Owned(const Value& value);
  std::optional<Value> Items(ExprId id);
  std::optional<Value> EmptySearch(ExprId id);

  const CheckedAst& checked_;
  Arena& arena_;
  Maps maps_;
  std::function<void(ExprId)> compile_;
  std::vector<State> states_;
  std::unordered_map<ExprId, Value> found_;
  std::string error_;
  std::uint32_t identities_ = kLocalZone;
};

Value LiteralValue(const Literal& literal);
// Whether `in` finds items of the list by looking them up in a set.
bool IsSet(const Value& list);

}  // namespace kumiko::cel
