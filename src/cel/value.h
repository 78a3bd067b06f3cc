// Run-time values: small, trivially copied, and borrowing. Text, items and objects belong to the program (constants),
// to the device or to the arena of the evaluation; a value is good as long as these live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "cel/semver.h"

namespace kumiko::cel {

enum class ValueKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kOptional,
  kType,  // text: its name
  kQuantity,
  kSemver,
  kDevice,
  kDomains,  // device.attributes or device.capacity
  kDomain,   // one domain of it; text: the domain
  kError,    // text: the message
};

struct Value {
  ValueKind kind = ValueKind::kNull;
  bool capacity = false;  // of kDomains and kDomain
  union {
    bool boolean;
    std::int64_t integer = 0;
    std::uint64_t natural;
    double real;
    const char* text;
    const Value* items;  // list: `size` values; map: `size` pairs, sorted by key; optional: one value or null
    const Quantity* quantity;
    const Semver* semver;
  };
  std::size_t size = 0;  // bytes of text, items, pairs

  static Value Null() { return {}; }
  static Value Bool(bool value);
  static Value Int(std::int64_t value);
  static Value Uint(std::uint64_t value);
  static Value Double(double value);
  static Value String(std::string_view text) { return Text(ValueKind::kString, text); }
  static Value Text(ValueKind kind, std::string_view text);
  static Value Of(const Quantity* quantity);
  static Value Of(const Semver* semver);
  static Value List(const Value* items, std::size_t size);
  static Value Optional(const Value* inner);
  static Value Error(std::string_view message) { return Text(ValueKind::kError, message); }

  bool IsError() const { return kind == ValueKind::kError; }
  bool IsTrue() const { return kind == ValueKind::kBool && boolean; }
  bool IsFalse() const { return kind == ValueKind::kBool && !boolean; }
  bool IsNumber() const { return kind == ValueKind::kInt || kind == ValueKind::kUint || kind == ValueKind::kDouble; }
  std::string_view view() const { return {text, size}; }
};

// Owns what an evaluation makes. Costs nothing while it is empty.
class Arena {
 public:
  std::string_view Text(std::string text) { return texts_.emplace_front(std::move(text)); }
  const Quantity* Put(Quantity quantity) { return &quantities_.emplace_front(std::move(quantity)); }
  const Semver* Put(Semver semver);
  Value* Values(std::size_t count) { return values_.emplace_front(std::make_unique<Value[]>(count)).get(); }
  const Value* Box(Value value) {
    Value* box = Values(1);
    *box = value;
    return box;
  }
  Value Error(std::string message) { return Value::Error(Text(std::move(message))); }

 private:
  std::forward_list<std::string> texts_;
  std::forward_list<Quantity> quantities_;
  std::forward_list<std::unique_ptr<Value[]>> values_;
  // The first version needs no allocation: comparing one version attribute with a constant is the usual case.
  std::optional<Semver> first_semver_;
  std::forward_list<Semver> semvers_;
};

// "int", "string", "kubernetes.Quantity": what type(x) is called.
std::string_view KindName(const Value& value);
// Equality as `==` has it: numbers by value across kinds, lists and maps deep; nullopt ("no such overload") when a
// quantity or version on the left meets another kind. Every comparison takes one from `budget`; below zero the answer
// means nothing.
std::optional<bool> Equal(const Value& a, const Value& b, std::int64_t& budget);
// Order of numbers across kinds; nullopt for NaN.
std::optional<int> CompareNumbers(const Value& a, const Value& b);
// A total order of map keys in which 1, 1u and 1.0 are the same key.
int CompareKeys(const Value& a, const Value& b);
bool IsMapKey(const Value& value);
// The value of `key`, or null. `map` is of kind kMap.
const Value* FindKey(const Value& map, const Value& key);

}  // namespace kumiko::cel
