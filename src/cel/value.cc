#include "cel/value.h"

#include <cmath>

namespace kumiko::cel {
namespace {

template <class T>
int Sign3(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

double AsDouble(const Value& number) {
  if (number.kind == ValueKind::kInt) return static_cast<double>(number.integer);
  return number.kind == ValueKind::kUint ? static_cast<double>(number.natural) : number.real;
}

int KeyRank(const Value& value) {
  if (value.IsNumber()) return 1;
  return value.kind == ValueKind::kBool ? 0 : value.kind == ValueKind::kString ? 2 : 3;
}

bool Opaque(const Value& value) {
  return value.kind == ValueKind::kQuantity || value.kind == ValueKind::kSemver;
}

// Recursion ends with the nesting of the expression that made the lists. As in the reference, items that cannot be
// compared (a version and a string) do not make lists differ.
std::optional<bool> EqualItems(const Value& a, const Value& b, std::int64_t& budget) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    const std::optional<bool> same = Equal(a.items[i], b.items[i], budget);
    if (same && !*same) return false;
  }
  return true;
}

std::optional<bool> EqualMaps(const Value& a, const Value& b, std::int64_t& budget) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < a.size; ++i) {
    const Value* other = FindKey(b, a.items[2 * i]);
    if (other == nullptr) return false;
    const std::optional<bool> same = Equal(a.items[2 * i + 1], *other, budget);
    if (same && !*same) return false;
  }
  return true;
}

}  // namespace

Value Value::Bool(bool value) {
  Value result;
  result.kind = ValueKind::kBool;
  result.boolean = value;
  return result;
}
Value Value::Int(std::int64_t value) {
  Value result;
  result.kind = ValueKind::kInt;
  result.integer = value;
  return result;
}
Value Value::Uint(std::uint64_t value) {
  Value result;
  result.kind = ValueKind::kUint;
  result.natural = value;
  return result;
}
Value Value::Double(double value) {
  Value result;
  result.kind = ValueKind::kDouble;
  result.real = value;
  return result;
}
Value Value::Text(ValueKind kind, std::string_view text) {
  Value result;
  result.kind = kind;
  result.text = text.data();
  result.size = text.size();
  return result;
}
Value Value::Of(const Quantity* quantity) {
  Value result;
  result.kind = ValueKind::kQuantity;
  result.quantity = quantity;
  return result;
}
Value Value::Of(const Semver* semver) {
  Value result;
  result.kind = ValueKind::kSemver;
  result.semver = semver;
  return result;
}
Value Value::List(const Value* items, std::size_t size) {
  Value result;
  result.kind = ValueKind::kList;
  result.items = items;
  result.size = size;
  return result;
}
Value Value::Optional(const Value* inner) {
  Value result;
  result.kind = ValueKind::kOptional;
  result.items = inner;
  return result;
}

const Semver* Arena::Put(Semver semver) {
  if (!first_semver_) return &first_semver_.emplace(std::move(semver));
  return &semvers_.emplace_front(std::move(semver));
}

std::string_view KindName(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return "null_type";
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int";
    case ValueKind::kUint:
      return "uint";
    case ValueKind::kDouble:
      return "double";
    case ValueKind::kString:
      return "string";
    case ValueKind::kBytes:
      return "bytes";
    case ValueKind::kList:
      return "list";
    case ValueKind::kMap:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
    case ValueKind::kDevice:
      return "map";
    case ValueKind::kOptional:
      return "optional_type";
    case ValueKind::kType:
      return "type";
    case ValueKind::kQuantity:
      return "kubernetes.Quantity";
    case ValueKind::kSemver:
      return "kubernetes.Semver";
    case ValueKind::kError:
      return "error";
  }
  return "";
}

std::optional<int> CompareNumbers(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    if (a.kind == ValueKind::kInt) return Sign3(a.integer, b.integer);
    if (a.kind == ValueKind::kUint) return Sign3(a.natural, b.natural);
  }
  if (a.kind == ValueKind::kDouble || b.kind == ValueKind::kDouble) {
    // As the reference does it, integers lose what a double cannot hold.
    const double left = AsDouble(a);
    const double right = AsDouble(b);
    if (std::isnan(left) || std::isnan(right)) return std::nullopt;
    return Sign3(left, right);
  }
  if (a.kind == ValueKind::kInt) return a.integer < 0 ? -1 : Sign3(static_cast<std::uint64_t>(a.integer), b.natural);
  return b.integer < 0 ? 1 : Sign3(a.natural, static_cast<std::uint64_t>(b.integer));
}

std::optional<bool> Equal(const Value& a, const Value& b, std::int64_t& budget) {
  if (--budget < 0) return false;
  if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b) == 0;
  if (a.kind != b.kind) {
    if (Opaque(a)) return std::nullopt;
    return false;
  }
  switch (a.kind) {
    case ValueKind::kNull:
    case ValueKind::kDevice:  // one evaluation sees one device
      return true;
    case ValueKind::kBool:
      return a.boolean == b.boolean;
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
      return CompareNumbers(a, b) == 0;
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
    case ValueKind::kError:
      return a.view() == b.view();
    case ValueKind::kList:
      return EqualItems(a, b, budget);
    case ValueKind::kMap:
      return EqualMaps(a, b, budget);
    case ValueKind::kOptional:
      if (a.items == nullptr || b.items == nullptr) return a.items == b.items;
      return Equal(*a.items, *b.items, budget);
    case ValueKind::kQuantity:
      return a.quantity->Compare(*b.quantity) == 0;
    case ValueKind::kSemver:
      return *a.semver == *b.semver;
    case ValueKind::kDomains:
      return a.capacity == b.capacity;
    case ValueKind::kDomain:
      return a.capacity == b.capacity && a.view() == b.view();
  }
  return false;
}

bool IsMapKey(const Value& value) {
  return value.kind == ValueKind::kBool || value.kind == ValueKind::kInt || value.kind == ValueKind::kUint ||
         value.kind == ValueKind::kString || (value.kind == ValueKind::kDouble && !std::isnan(value.real));
}

int CompareKeys(const Value& a, const Value& b) {
  const int rank = KeyRank(a);
  if (rank != KeyRank(b)) return Sign3(rank, KeyRank(b));
  if (rank == 0) return Sign3(a.boolean, b.boolean);
  if (rank == 1) {
    // NaN is behind every number, so it is never found.
    if (const auto order = CompareNumbers(a, b)) return *order;
    return 1;
  }
  return rank == 2 ? Sign3(a.view(), b.view()) : 1;
}

const Value* FindKey(const Value& map, const Value& key) {
  std::size_t first = 0;
  std::size_t last = map.size;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const int order = CompareKeys(key, map.items[2 * middle]);
    if (order == 0) return &map.items[2 * middle + 1];
    if (order < 0) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return nullptr;
}

}  // namespace kumiko::cel
