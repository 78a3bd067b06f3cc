// Run-time values: small, trivially copied, and borrowing. Text, items and objects belong to the program (constants),
// to the device or to the arena of the evaluation; a value is good as long as these live.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "cel/semver.h"

namespace kumiko::cel {

struct IpAddress;    // library/ip.h
struct CidrBlock;    // library/ip.h
struct Url;          // library/url.h
struct NamedFormat;  // library/named_formats.h

enum class ValueKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,  // integer: seconds since 1970; nanos(); offset: seconds east of UTC in which it was written; zone()
  kDuration,   // integer: nanoseconds; offset: how often 2^64 of them besides, 0 where durations have 64 bits
  kList,
  kMap,
  kOptional,
  kType,  // text: its name
  kQuantity,
  kSemver,
  kIp,
  kCidr,
  kUrl,
  kNamedFormat,
  kDevice,   // offset: which read of the device made it
  kDomains,  // device.attributes or device.capacity
  kDomain,   // one domain of it; text: the domain; offset: as of kDevice
  kError,    // text: the message
};

// zone() of timestamps that text gives the offset +00:00: the reference takes it for that of the clock of its machine,
// which in a control plane is UTC, and tells it from Z. Zones above are of timestamps whose offset is none of whole
// hours from -12 to 14: each text makes one.
inline constexpr std::uint32_t kLocalZone = 1;

struct Value {
  ValueKind kind = ValueKind::kNull;
  bool capacity = false;  // of kDomains and kDomain
  // Of kinds that say so above. Of kQuantity: 1 when add() or sub() made it, which == refuses on its right.
  std::int32_t offset = 0;
  union {
    bool boolean;
    std::int64_t integer = 0;
    std::uint64_t natural;
    double real;
    const char* text;
    // List: `size` values; map: `size` pairs, sorted by key; optional: one value or null. Where they are is what tells
    // two of them apart when they are keys of a map, so that empty lists and maps have a place too.
    const Value* items;
    const Quantity* quantity;
    const Semver* semver;
    const IpAddress* ip;
    const CidrBlock* cidr;
    const Url* url;
    const NamedFormat* format;
  };
  std::size_t size = 0;  // bytes of text, items, pairs; of kTimestamp nanos() and, above them, zone()

  static Value Null() { return {}; }
  static Value Bool(bool value);
  static Value Int(std::int64_t value);
  static Value Uint(std::uint64_t value);
  static Value Double(double value);
  static Value String(std::string_view text) { return Text(ValueKind::kString, text); }
  static Value Text(ValueKind kind, std::string_view text);
  static Value Timestamp(std::int64_t seconds, std::int32_t nanos, std::int32_t offset = 0, std::uint32_t zone = 0);
  static Value Duration(std::int64_t nanos);
  static Value Of(const Quantity* quantity);
  static Value Of(const Semver* semver);
  static Value Of(const IpAddress* ip);
  static Value Of(const CidrBlock* cidr);
  static Value Of(const Url* url);
  static Value Of(const NamedFormat* format);
  static Value List(const Value* items, std::size_t size);
  // `pairs` must be sorted by CompareKeys, each key once.
  static Value Map(const Value* pairs, std::size_t size);
  static Value Optional(const Value* inner);
  static Value Error(std::string_view message) { return Text(ValueKind::kError, message); }

  bool IsError() const { return kind == ValueKind::kError; }
  bool IsTrue() const { return kind == ValueKind::kBool && boolean; }
  bool IsFalse() const { return kind == ValueKind::kBool && !boolean; }
  bool IsNumber() const { return kind == ValueKind::kInt || kind == ValueKind::kUint || kind == ValueKind::kDouble; }
  std::string_view view() const { return {text, size}; }
  std::span<const Value> list() const { return {items, size}; }
  std::int32_t nanos() const { return static_cast<std::int32_t>(size & 0xFFFF'FFFFU); }
  // What tells timestamps of one offset apart as keys of maps: see TimestampFromText.
  std::uint32_t zone() const { return static_cast<std::uint32_t>(size >> 32U); }
};

inline Value Value::Bool(bool value) {
  Value result;
  result.kind = ValueKind::kBool;
  result.boolean = value;
  return result;
}
inline Value Value::Int(std::int64_t value) {
  Value result;
  result.kind = ValueKind::kInt;
  result.integer = value;
  return result;
}
inline Value Value::Uint(std::uint64_t value) {
  Value result;
  result.kind = ValueKind::kUint;
  result.natural = value;
  return result;
}
inline Value Value::Double(double value) {
  Value result;
  result.kind = ValueKind::kDouble;
  result.real = value;
  return result;
}
inline Value Value::Text(ValueKind kind, std::string_view text) {
  Value result;
  result.kind = kind;
  result.text = text.data();
  result.size = text.size();
  return result;
}
inline Value Value::Timestamp(std::int64_t seconds, std::int32_t nanos, std::int32_t offset, std::uint32_t zone) {
  Value result;
  result.kind = ValueKind::kTimestamp;
  result.offset = offset;
  result.integer = seconds;
  result.size = static_cast<std::size_t>(nanos) | static_cast<std::size_t>(zone) << 32U;
  return result;
}
inline Value Value::Duration(std::int64_t nanos) {
  Value result;
  result.kind = ValueKind::kDuration;
  result.integer = nanos;
  return result;
}
inline Value Value::Of(const Quantity* quantity) {
  Value result;
  result.kind = ValueKind::kQuantity;
  result.quantity = quantity;
  return result;
}
inline Value Value::Of(const Semver* semver) {
  Value result;
  result.kind = ValueKind::kSemver;
  result.semver = semver;
  return result;
}
inline Value Value::Of(const IpAddress* ip) {
  Value result;
  result.kind = ValueKind::kIp;
  result.ip = ip;
  return result;
}
inline Value Value::Of(const CidrBlock* cidr) {
  Value result;
  result.kind = ValueKind::kCidr;
  result.cidr = cidr;
  return result;
}
inline Value Value::Of(const Url* url) {
  Value result;
  result.kind = ValueKind::kUrl;
  result.url = url;
  return result;
}
inline Value Value::Of(const NamedFormat* format) {
  Value result;
  result.kind = ValueKind::kNamedFormat;
  result.format = format;
  return result;
}
inline Value Value::List(const Value* items, std::size_t size) {
  Value result;
  result.kind = ValueKind::kList;
  result.items = items;
  result.size = size;
  return result;
}
inline Value Value::Map(const Value* pairs, std::size_t size) {
  Value result = List(pairs, size);
  result.kind = ValueKind::kMap;
  return result;
}
inline Value Value::Optional(const Value* inner) {
  Value result;
  result.kind = ValueKind::kOptional;
  result.items = inner;
  return result;
}

// Owns what an evaluation makes: one block after another, freed together. Costs nothing while it is empty.
class Arena {
 public:
  Arena() = default;
  // Begins in memory of the caller.
  explicit Arena(std::span<std::byte> first) : memory_(first.data(), first.size()) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (Cleanup* it = cleanups_; it != nullptr; it = it->next) it->destroy(it->object);
  }

  std::string_view Text(std::string_view text);
  // Room for text; not initialised.
  char* Chars(std::size_t count) { return static_cast<char*>(memory_.allocate(count, 1)); }
  // Room for `count` values, a place of its own for none; not initialised, for speed.
  Value* Values(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);
    return static_cast<Value*>(memory_.allocate(std::max<std::size_t>(count, 1) * sizeof(Value), alignof(Value)));
  }
  const Value* Box(const Value& value) {
    Value* box = Values(1);
    *box = value;
    return box;
  }
  Value Error(std::string_view message) { return Value::Error(Text(message)); }
  template <class T>
  const T* Put(T object) {
    T* place = std::construct_at(Room<T>(), std::move(object));
    if constexpr (!std::is_trivially_destructible_v<T>) {
      const auto destroy = [](void* it) { std::destroy_at(static_cast<T*>(it)); };
      cleanups_ = std::construct_at(Room<Cleanup>(), Cleanup{place, destroy, cleanups_});
    }
    return place;
  }

 private:
  struct Cleanup {
    void* object;
    void (*destroy)(void*);
    Cleanup* next;
  };
  template <class T>
  T* Room() {
    return static_cast<T*>(memory_.allocate(sizeof(T), alignof(T)));
  }
  std::pmr::monotonic_buffer_resource memory_;
  Cleanup* cleanups_ = nullptr;
};

// "int", "string", "kubernetes.Quantity": what type(x) is called.
std::string_view KindName(const Value& value);
// Equality as `==` has it: numbers by value across kinds, lists and maps deep; nullopt ("no such overload") when an
// opaque value (quantity, version, address) on the left meets another kind. Every comparison takes steps from `budget`
// (run_context.h); below zero the answer means nothing.
std::optional<bool> Equal(const Value& a, const Value& b, std::int64_t& budget);
// Steps that a look at the whole value takes: what long text, versions and URLs are worth.
std::int64_t ReadingSteps(const Value& value);
// Order of numbers across kinds; nullopt for NaN.
std::optional<int> CompareNumbers(const Value& a, const Value& b);
// Order as `<` has it: numbers, strings, bytes, bools, timestamps, durations; nullopt for other pairs and NaN
// (`ordered` tells the two apart: false for kinds that have no order).
std::optional<int> Compare(const Value& a, const Value& b, bool& ordered);
// Whether a map finds `value` again. Lists, maps, optionals, quantities and URLs are keys by where they are, and the
// device by the read that made it, as in the reference: one that is worked out anew is another key.
bool IsMapKey(const Value& value);
// Whether it is such a key, or a timestamp in a zone of its own: two of them may be equal and still two keys.
bool HasIdentity(const Value& value);
// A total order of values for which IsMapKey holds; 1, 1u and 1.0 are three keys.
int CompareKeys(const Value& a, const Value& b);
// Other keys under which a number is found, as the reference looks for it: 1 under 1u, 1u under 1, 1.0 under both.
struct OtherKeys {
  std::array<Value, 2> keys = {};
  std::size_t count = 0;
};
OtherKeys OtherKeysOf(const Value& number);
// The value of `key`, or of one of its other keys, or null. `map` is of kind kMap.
const Value* FindKey(const Value& map, const Value& key);
// Sorts `count` pairs in place and returns them as a map. Of equal keys the last one wins.
Value MakeMap(Value* pairs, std::size_t count);

}  // namespace kumiko::cel
