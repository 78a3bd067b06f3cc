#include "cel/derived_attribute.h"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "cel/library/optionals.h"

namespace kumiko::cel {
namespace {

template <class T>
std::optional<T> As(const Value& value);

template <>
std::optional<bool> As(const Value& value) {
  return value.kind == ValueKind::kBool ? std::optional(value.boolean) : std::nullopt;
}
template <>
std::optional<std::int64_t> As(const Value& value) {
  return value.kind == ValueKind::kInt ? std::optional(value.integer) : std::nullopt;
}
template <>
std::optional<std::string> As(const Value& value) {
  // The name of a type is text, too.
  const bool text = value.kind == ValueKind::kString || value.kind == ValueKind::kType;
  return text ? std::optional(std::string(value.view())) : std::nullopt;
}
template <>
std::optional<Version> As(const Value& value) {
  return value.kind == ValueKind::kSemver ? std::optional(Version{value.semver->ToString()}) : std::nullopt;
}

template <class T>
Result<AttributeValue> Items(const Value& list, std::string_view wanted) {
  std::vector<T> items;
  items.reserve(list.size);
  for (std::size_t i = 0; i < list.size; ++i) {
    auto item = As<T>(Held(list.items[i]));
    if (!item) {
      return Fail(Code::kInvalidArgument, "expected list element at index {} to be {}, got {}", i, wanted,
                  KindName(Held(list.items[i])));
    }
    items.push_back(*std::move(item));
  }
  return AttributeValue(std::move(items));
}

}  // namespace

Result<AttributeValue> ToAttributeValue(const Value& value) {
  // An optional stands for the scalar that it holds. Lists inside of optionals stay there.
  const Value& scalar = Held(value);
  if (const auto flag = As<bool>(scalar)) return AttributeValue(*flag);
  if (const auto number = As<std::int64_t>(scalar)) return AttributeValue(*number);
  if (auto text = As<std::string>(scalar)) return AttributeValue(*std::move(text));
  if (auto version = As<Version>(scalar)) return AttributeValue(*std::move(version));
  if (value.kind != ValueKind::kList) {
    return Fail(Code::kInvalidArgument, "unsupported CEL return type: {}", KindName(value));
  }
  if (value.size == 0) return AttributeValue(std::vector<std::string>());
  const Value& first = Held(value.items[0]);
  if (As<bool>(first)) return Items<bool>(value, "bool");
  if (As<std::int64_t>(first)) return Items<std::int64_t>(value, "int");
  if (As<std::string>(first)) return Items<std::string>(value, "string");
  if (As<Version>(first)) return Items<Version>(value, "semver");
  return Fail(Code::kInvalidArgument, "unsupported list element type: {}", KindName(first));
}

}  // namespace kumiko::cel
