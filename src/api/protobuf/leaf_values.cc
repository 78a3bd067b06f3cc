#include "api/protobuf/leaf_values.h"

#include <bit>
#include <cmath>
#include <utility>

#include "base/base64.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/time.h"

namespace kumiko::api::internal {

namespace {

using Leaf = MessageMember::Leaf;

// What `read` makes of field 1 of a Quantity, a RawExtension, a FieldsV1, a JSON: all that they have. `absent` when
// there is none. Those that do not count are read too, as Kubernetes refuses what is wrong in them.
Result<Json> ReadOnlyField(std::span<const Occurrence> parts, Json absent, Result<Json> (*read)(std::string_view)) {
  Json value = std::move(absent);
  for (const Occurrence& part : parts) {
    for (WireReader reader(part.bytes); !reader.AtEnd();) {
      KU_TRY(const WireField field, reader.Next());
      if (field.number != 1) continue;
      if (field.type != WireType::kBytes) return Fail(Code::kInvalidArgument, "its field 1 is no string");
      KU_TRY(value, read(field.bytes));
    }
  }
  return value;
}

Result<Json> ReadQuantity(std::string_view text) {
  KU_TRY(const Quantity quantity, Quantity::Parse(text));
  return Json(quantity.ToString());
}

Result<Json> ReadRaw(std::string_view text) {
  return text.empty() ? Json() : ParseJson(text);
}

// type = 1 (0 is a number, 1 a string), intVal = 2, strVal = 3.
Result<Json> ReadIntOrString(std::span<const Occurrence> parts) {
  std::uint64_t numbers[3] = {};
  std::string_view text;
  for (const Occurrence& part : parts) {
    for (WireReader reader(part.bytes); !reader.AtEnd();) {
      KU_TRY(const WireField field, reader.Next());
      if (field.number > 3) continue;
      const WireType wanted = field.number == 3 ? WireType::kBytes : WireType::kVarint;
      if (field.type != wanted) return Fail(Code::kInvalidArgument, "its field {} has a wrong wire type", field.number);
      if (field.number == 3) {
        text = field.bytes;
      } else {
        numbers[field.number] = field.value;
      }
    }
  }
  if (numbers[1] > 1) return Fail(Code::kInvalidArgument, "{} is neither 0, a number, nor 1, a string", numbers[1]);
  if (numbers[1] == 1) return Json(ValidText(text));
  return Json(static_cast<std::int32_t>(numbers[2]));
}

// seconds = 1, nanos = 2. Go's zero time is that of year 1, and an empty message.
Result<Json> ReadTime(std::string_view bytes, Leaf leaf) {
  constexpr std::int64_t kYear0 = -62167219200;
  constexpr std::int64_t kYear1 = -62135596800;
  constexpr std::int64_t kYear10000 = 253402300800;
  if (bytes.empty()) return Json();
  std::uint64_t numbers[3] = {};
  for (WireReader reader(bytes); !reader.AtEnd();) {
    KU_TRY(const WireField field, reader.Next());
    if (field.number > 2) continue;
    if (field.type != WireType::kVarint) {
      return Fail(Code::kInvalidArgument, "its field {} has a wrong wire type", field.number);
    }
    numbers[field.number] = field.value;
  }
  const auto seconds = static_cast<std::int64_t>(numbers[1]);
  if (seconds < kYear0 || seconds >= kYear10000) {
    return Fail(Code::kInvalidArgument, "{} seconds since 1970 are not in the years 0 to 9999", seconds);
  }
  const std::int64_t micros = leaf == Leaf::kTime ? 0 : static_cast<std::int32_t>(numbers[2]) / 1000;
  if (seconds == kYear1 && micros == 0) return Json();
  const Time time{seconds * 1'000'000 + micros};
  return Json(leaf == Leaf::kTime ? FormatRfc3339(time) : FormatRfc3339Micros(time));
}

// A double without a fraction is written as an integer, and read as one.
Result<Json> ReadDouble(double number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (!std::isfinite(number)) return Fail(Code::kInvalidArgument, "a number that JSON does not have");
  if (std::trunc(number) != number) return Json(number);
  if (number >= -kTwoTo63 && number < kTwoTo63) return Json(static_cast<std::int64_t>(number));
  if (number >= kTwoTo63 && number < 2 * kTwoTo63) return Json(static_cast<std::uint64_t>(number));
  return Json(number);
}

}  // namespace

WireType WireTypeOf(Leaf leaf) {
  switch (leaf) {
    case Leaf::kBool:
    case Leaf::kInt32:
    case Leaf::kInt64:
      return WireType::kVarint;
    case Leaf::kDouble:
      return WireType::kFixed64;
    case Leaf::kMessage:
    case Leaf::kString:
    case Leaf::kBytes:
    case Leaf::kQuantity:
    case Leaf::kIntOrString:
    case Leaf::kTime:
    case Leaf::kMicroTime:
    case Leaf::kRaw:
      return WireType::kBytes;
  }
  return WireType::kBytes;
}

Result<Json> ReadLeaf(Leaf leaf, std::span<const Occurrence> occurrences) {
  const Occurrence& last = occurrences.back();
  switch (leaf) {
    case Leaf::kMessage:
      return Json();
    case Leaf::kString:
      return Json(ValidText(last.bytes));
    case Leaf::kBool:
      return Json(last.value != 0);
    case Leaf::kInt32:
      return Json(static_cast<std::int32_t>(last.value));
    case Leaf::kInt64:
      return Json(static_cast<std::int64_t>(last.value));
    case Leaf::kDouble:
      return ReadDouble(std::bit_cast<double>(last.value));
    case Leaf::kBytes:
      return Json(EncodeBase64(last.bytes));
    case Leaf::kQuantity:
      return ReadOnlyField(occurrences, "0", &ReadQuantity);
    case Leaf::kIntOrString:
      return ReadIntOrString(occurrences);
    case Leaf::kTime:
    case Leaf::kMicroTime: {
      Result<Json> time = Json();
      for (const Occurrence& occurrence : occurrences) {
        time = ReadTime(occurrence.bytes, leaf);
        if (!time) break;
      }
      return time;
    }
    case Leaf::kRaw:
      return ReadOnlyField(occurrences, nullptr, &ReadRaw);
  }
  return Json();
}

Json ZeroOf(Leaf leaf) {
  switch (leaf) {
    case Leaf::kString:
      return "";
    case Leaf::kBool:
      return false;
    case Leaf::kInt32:
    case Leaf::kInt64:
    case Leaf::kDouble:
    case Leaf::kIntOrString:
      return 0;
    case Leaf::kQuantity:
      return "0";
    case Leaf::kMessage:
    case Leaf::kBytes:
    case Leaf::kTime:
    case Leaf::kMicroTime:
    case Leaf::kRaw:
      return nullptr;
  }
  return nullptr;
}

bool IsZero(const Json& value) {
  if (const auto* text = value.if_string()) return text->empty();
  if (const auto* flag = value.if_bool()) return !*flag;
  if (const auto* number = value.if_int64()) return *number == 0;
  return value.is_null();
}

std::string ValidText(std::string_view bytes) {
  std::string text;
  for (std::optional<std::size_t> wrong = FindInvalidUtf8(bytes); wrong; wrong = FindInvalidUtf8(bytes)) {
    text += bytes.substr(0, *wrong);
    text += "\xEF\xBF\xBD";
    bytes.remove_prefix(*wrong + 1);
  }
  text += bytes;
  return text;
}

}  // namespace kumiko::api::internal
