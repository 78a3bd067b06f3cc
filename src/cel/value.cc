#include "cel/value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "cel/library/ip.h"
#include "cel/library/named_formats.h"
#include "cel/library/url.h"

namespace kumiko::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;
// Steps of one comparison, and of one key.
constexpr std::int64_t kEqualSteps = 3;
constexpr std::int64_t kKeySteps = 6;

template <class T>
int Sign3(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int CompareDoubleInt(double a, std::int64_t b) {
  if (a < -kTwoTo63) return -1;
  if (a > kTwoTo63) return 1;
  // As the reference does it, integers lose what a double cannot hold.
  return Sign3(a, static_cast<double>(b));
}

int CompareDoubleUint(double a, std::uint64_t b) {
  if (a < 0) return -1;
  if (a > kTwoTo64) return 1;
  return Sign3(a, static_cast<double>(b));
}

int CompareIntUint(std::int64_t a, std::uint64_t b) {
  return a < 0 ? -1 : Sign3(static_cast<std::uint64_t>(a), b);
}

int CompareTimestamps(const Value& a, const Value& b) {
  return a.integer != b.integer ? Sign3(a.integer, b.integer) : Sign3(a.nanos(), b.nanos());
}

int CompareDurations(const Value& a, const Value& b) {
  return a.offset != b.offset ? Sign3(a.offset, b.offset) : Sign3(a.integer, b.integer);
}

int CompareText(const Value& a, const Value& b) {
  // Byte order of UTF-8 is code point order.
  return Sign3(a.view().compare(b.view()), 0);
}

// Quantities, versions and the like refuse to be compared with another kind.
bool IsOpaque(const Value& value) {
  return value.kind == ValueKind::kQuantity || value.kind == ValueKind::kSemver || value.kind == ValueKind::kIp ||
         value.kind == ValueKind::kCidr || value.kind == ValueKind::kUrl || value.kind == ValueKind::kNamedFormat;
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

// Both are sorted by key.
std::optional<bool> EqualMaps(const Value& a, const Value& b, std::int64_t& budget) {
  if (a.size != b.size) return false;
  for (std::size_t i = 0; i < 2 * a.size; i += 2) {
    const Value& key = a.items[i];
    budget -= kKeySteps + ReadingSteps(key);
    if (budget < 0 || !IsMapKey(key)) return false;
    const Value* other = &b.items[i + 1];
    if (!IsMapKey(b.items[i]) || CompareKeys(key, b.items[i]) != 0) {
      // It may stand elsewhere, as a number of another kind does.
      constexpr std::int64_t kMostRounds = 20;
      budget -= kMostRounds * (kKeySteps + ReadingSteps(key));
      other = budget < 0 ? nullptr : FindKey(b, key);
      if (other == nullptr) return false;
    }
    const std::optional<bool> same = Equal(a.items[i + 1], *other, budget);
    if (same && !*same) return false;
  }
  return true;
}

// Of what is a key by where it is.
template <class T>
int Place(const T* a, const T* b) {
  return a == b ? 0 : (std::less<>()(a, b) ? -1 : 1);
}

std::int64_t CompareAddresses(const IpAddress& a, const IpAddress& b) {
  return a.v6 != b.v6 ? Sign3(a.v6, b.v6) : std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size());
}

const Value* FindExactly(const Value& map, const Value& key) {
  std::size_t first = 0;
  std::size_t last = map.size;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const Value& other = map.items[2 * middle];
    // Those that nothing equals stand at the end.
    const int order = IsMapKey(other) ? CompareKeys(key, other) : -1;
    if (order == 0) return &map.items[2 * middle + 1];
    if (order < 0) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return nullptr;
}

}  // namespace

std::string_view Arena::Text(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(memory_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
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
    case ValueKind::kTimestamp:
      return "google.protobuf.Timestamp";
    case ValueKind::kDuration:
      return "google.protobuf.Duration";
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
    case ValueKind::kIp:
      return "net.IP";
    case ValueKind::kCidr:
      return "net.CIDR";
    case ValueKind::kUrl:
      return "kubernetes.URL";
    case ValueKind::kNamedFormat:
      return "kubernetes.NamedFormat";
    case ValueKind::kError:
      return "error";
  }
  return "";
}

std::optional<int> CompareNumbers(const Value& a, const Value& b) {
  if (a.kind == ValueKind::kInt && b.kind == ValueKind::kInt) return Sign3(a.integer, b.integer);
  if ((a.kind == ValueKind::kDouble && std::isnan(a.real)) || (b.kind == ValueKind::kDouble && std::isnan(b.real))) {
    return std::nullopt;
  }
  if (a.kind == ValueKind::kDouble) {
    if (b.kind == ValueKind::kDouble) return Sign3(a.real, b.real);
    return b.kind == ValueKind::kInt ? CompareDoubleInt(a.real, b.integer) : CompareDoubleUint(a.real, b.natural);
  }
  if (b.kind == ValueKind::kDouble) {
    return a.kind == ValueKind::kInt ? -CompareDoubleInt(b.real, a.integer) : -CompareDoubleUint(b.real, a.natural);
  }
  if (a.kind == b.kind) return Sign3(a.natural, b.natural);
  return a.kind == ValueKind::kInt ? CompareIntUint(a.integer, b.natural) : -CompareIntUint(b.integer, a.natural);
}

std::int64_t ReadingSteps(const Value& value) {
  constexpr std::size_t kBytesPerStep = 8;
  constexpr std::size_t kStepsPerVersionByte = 12;
  if (value.kind == ValueKind::kString || value.kind == ValueKind::kBytes) {
    return static_cast<std::int64_t>(value.size / kBytesPerStep);
  }
  if (value.kind == ValueKind::kSemver) return static_cast<std::int64_t>(value.semver->size() * kStepsPerVersionByte);
  if (value.kind == ValueKind::kQuantity) {
    // Digits are counted by writing them out.
    constexpr std::size_t kWideSteps = 40;
    const std::size_t bytes = value.quantity->WideBytes();
    return bytes == 0 ? 0 : static_cast<std::int64_t>(kWideSteps + bytes * bytes / 8);
  }
  if (value.kind == ValueKind::kUrl) return static_cast<std::int64_t>(value.url->text.size() / kBytesPerStep);
  return 0;
}

std::optional<bool> Equal(const Value& a, const Value& b, std::int64_t& budget) {
  budget -= kEqualSteps;
  if (budget < 0) return false;
  if (a.kind != b.kind) {
    if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b) == 0;
    if (IsOpaque(a) && b.kind != ValueKind::kNull) return std::nullopt;
    return false;
  }
  switch (a.kind) {
    case ValueKind::kNull:
    case ValueKind::kDevice:  // one evaluation sees one device
      return true;
    case ValueKind::kBool:
      return a.boolean == b.boolean;
    case ValueKind::kInt:
      return a.integer == b.integer;
    case ValueKind::kDuration:
      return CompareDurations(a, b) == 0;
    case ValueKind::kUint:
      return a.natural == b.natural;
    case ValueKind::kDouble:
      return a.real == b.real;
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
    case ValueKind::kError:
      if (a.size != b.size) return false;
      budget -= ReadingSteps(a);
      return budget >= 0 && a.view() == b.view();
    case ValueKind::kTimestamp:
      return CompareTimestamps(a, b) == 0;
    case ValueKind::kList:
      return EqualItems(a, b, budget);
    case ValueKind::kMap:
      return EqualMaps(a, b, budget);
    case ValueKind::kOptional:
      if (a.items == nullptr || b.items == nullptr) return a.items == b.items;
      // Here null is a kind like others.
      if (IsOpaque(*a.items) && b.items->kind == ValueKind::kNull) return std::nullopt;
      return Equal(*a.items, *b.items, budget);
    case ValueKind::kQuantity:
      if (b.offset != 0) return std::nullopt;
      budget -= ReadingSteps(a) + ReadingSteps(b);
      if (budget < 0) return false;
      return a.quantity->Compare(*b.quantity) == 0;
    case ValueKind::kSemver:
      budget -= ReadingSteps(a);
      return budget >= 0 && *a.semver == *b.semver;
    case ValueKind::kIp:
      return *a.ip == *b.ip;
    case ValueKind::kCidr:
      return *a.cidr == *b.cidr;
    case ValueKind::kUrl:
      budget -= ReadingSteps(a);
      return budget >= 0 && *a.url == *b.url;
    case ValueKind::kNamedFormat:
      return *a.format == *b.format;
    case ValueKind::kDomains:
      return a.capacity == b.capacity;
    case ValueKind::kDomain:
      return a.capacity == b.capacity && a.view() == b.view();
  }
  return false;
}

std::optional<int> Compare(const Value& a, const Value& b, bool& ordered) {
  ordered = true;
  if (a.IsNumber() && b.IsNumber()) return CompareNumbers(a, b);
  if (a.kind == b.kind) {
    if (a.kind == ValueKind::kString || a.kind == ValueKind::kBytes) return CompareText(a, b);
    if (a.kind == ValueKind::kBool) return Sign3(a.boolean, b.boolean);
    if (a.kind == ValueKind::kTimestamp) return CompareTimestamps(a, b);
    if (a.kind == ValueKind::kDuration) return CompareDurations(a, b);
  }
  ordered = false;
  return std::nullopt;
}

OtherKeys OtherKeysOf(const Value& key) {
  OtherKeys others;
  const auto add = [&others](const Value& other) { others.keys[others.count++] = other; };
  if (key.kind == ValueKind::kInt) {
    if (key.integer >= 0) add(Value::Uint(static_cast<std::uint64_t>(key.integer)));
  } else if (key.kind == ValueKind::kUint) {
    if (key.natural <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      add(Value::Int(static_cast<std::int64_t>(key.natural)));
    }
  } else if (key.kind == ValueKind::kDouble && key.real == std::trunc(key.real)) {
    if (key.real > -kTwoTo63 && key.real < kTwoTo63) add(Value::Int(static_cast<std::int64_t>(key.real)));
    if (key.real >= 0 && key.real < kTwoTo64) add(Value::Uint(static_cast<std::uint64_t>(key.real)));
  }
  return others;
}

bool IsMapKey(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kString:
    case ValueKind::kDuration:
    case ValueKind::kType:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kQuantity:
    case ValueKind::kUrl:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kTimestamp:
    case ValueKind::kOptional:
    case ValueKind::kDevice:
    case ValueKind::kDomains:
    case ValueKind::kDomain:
      return true;
    case ValueKind::kDouble:
      return !std::isnan(value.real);
    case ValueKind::kBytes:
    case ValueKind::kSemver:
    case ValueKind::kNamedFormat:
    case ValueKind::kError:
      return false;
  }
  return false;
}

bool HasIdentity(const Value& value) {
  switch (value.kind) {
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kOptional:
    case ValueKind::kQuantity:
    case ValueKind::kUrl:
    case ValueKind::kDevice:
    case ValueKind::kDomain:
      return true;
    case ValueKind::kTimestamp:
      return value.zone() > kLocalZone;
    case ValueKind::kNull:
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kType:
    case ValueKind::kSemver:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kNamedFormat:
    case ValueKind::kDomains:
    case ValueKind::kError:
      return false;
  }
  return false;
}

int CompareKeys(const Value& a, const Value& b) {
  if (a.kind != b.kind) return Sign3(a.kind, b.kind);
  switch (a.kind) {
    case ValueKind::kString:
    case ValueKind::kType:
      return CompareText(a, b);
    case ValueKind::kBool:
      return Sign3(a.boolean, b.boolean);
    case ValueKind::kInt:
      return Sign3(a.integer, b.integer);
    case ValueKind::kDuration:
      return CompareDurations(a, b);
    case ValueKind::kUint:
      return Sign3(a.natural, b.natural);
    case ValueKind::kDouble:
      return Sign3(a.real, b.real);
    case ValueKind::kTimestamp:
      if (const int order = CompareTimestamps(a, b); order != 0) return order;
      return a.offset != b.offset ? Sign3(a.offset, b.offset) : Sign3(a.zone(), b.zone());
    case ValueKind::kIp:
      return Sign3(CompareAddresses(*a.ip, *b.ip), std::int64_t{0});
    case ValueKind::kCidr:
      if (a.cidr->prefix_length != b.cidr->prefix_length) return Sign3(a.cidr->prefix_length, b.cidr->prefix_length);
      return Sign3(CompareAddresses(a.cidr->address, b.cidr->address), std::int64_t{0});
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kOptional:
      return Place(a.items, b.items);
    case ValueKind::kQuantity:
      return Place(a.quantity, b.quantity);
    case ValueKind::kUrl:
      return Place(a.url, b.url);
    case ValueKind::kDevice:
    case ValueKind::kDomain:
      return Sign3(a.offset, b.offset);
    case ValueKind::kDomains:
      return Sign3(a.capacity, b.capacity);
    case ValueKind::kNull:
    case ValueKind::kBytes:
    case ValueKind::kSemver:
    case ValueKind::kNamedFormat:
    case ValueKind::kError:
      return 0;
  }
  return 0;
}

const Value* FindKey(const Value& map, const Value& key) {
  if (!IsMapKey(key)) return nullptr;
  if (const Value* found = FindExactly(map, key)) return found;
  if (!key.IsNumber()) return nullptr;
  const OtherKeys others = OtherKeysOf(key);
  for (std::size_t i = 0; i < others.count; ++i) {
    if (const Value* found = FindExactly(map, others.keys[i])) return found;
  }
  return nullptr;
}

Value MakeMap(Value* pairs, std::size_t count) {
  bool sorted = count < 2 || IsMapKey(pairs[0]);
  for (std::size_t i = 1; i < count; ++i) {
    sorted = sorted && IsMapKey(pairs[2 * i]) && CompareKeys(pairs[2 * i - 2], pairs[2 * i]) < 0;
  }
  if (sorted) return Value::Map(pairs, count);
  struct Entry {
    Value key;
    Value value;
    std::size_t place = 0;
    bool findable = false;
  };
  std::vector<Entry> entries(count);
  for (std::size_t i = 0; i < count; ++i) entries[i] = {pairs[2 * i], pairs[2 * i + 1], i, IsMapKey(pairs[2 * i])};
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.findable != b.findable) return a.findable;
    const int order = a.findable ? CompareKeys(a.key, b.key) : 0;
    return order != 0 ? order < 0 : a.place < b.place;
  });
  std::size_t size = 0;
  for (const Entry& entry : entries) {
    if (size > 0 && entry.findable && CompareKeys(pairs[2 * size - 2], entry.key) == 0) --size;
    pairs[2 * size] = entry.key;
    pairs[2 * size + 1] = entry.value;
    ++size;
  }
  return Value::Map(pairs, size);
}

}  // namespace kumiko::cel
