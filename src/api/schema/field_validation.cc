#include "api/schema/field_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "api/patch/go_text.h"
#include "api/schema/decoding_place.h"
#include "api/schema/erase_members.h"
#include "api/schema/go_texts.h"
#include "api/schema/strict_errors.h"
#include "base/text.h"

namespace kumiko::api {
namespace {

using Type = Schema::Type;

// A double that Go can read as an integer does not exist: 1.0 and 1e3 are no integers to it.
std::string NumberText(const Json& number) {
  std::string text = GoNumber(number);
  if (number.is_double() && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string_view ValueName(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  return value.is_bool() ? "bool" : "number";
}

bool IsNumber(const Json& value) {
  return value.is_int64() || value.is_uint64() || value.is_double();
}

// What null becomes in a list or a map, whose items Go keeps by value.
Json ZeroOf(const Schema& schema) {
  switch (schema.type) {
    case Type::kObject:
      return schema.keeps_unknown ? Json(nullptr) : Json(JsonObject());
    case Type::kArray:
      return JsonArray();
    case Type::kString:
      return "";
    case Type::kInteger:
    case Type::kNumber:
      return 0;
    case Type::kBoolean:
      return false;
    case Type::kIntOrString:
      return schema.format == "quantity" ? Json("0") : Json(0);
    case Type::kAny:
      break;
  }
  return nullptr;
}

// The reflect.Kind of a value in a tree.
std::string_view TreeKind(const Json& value) {
  if (value.is_object()) return "map";
  if (value.is_array()) return "slice";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return value.is_double() ? "float64" : "int64";
}

class Decoder {
 public:
  Decoder(const Schema& root, std::span<const DuplicateMember> duplicates, ReadFrom from) : place_(root), from_(from) {
    for (const DuplicateMember& duplicate : duplicates) {
      duplicates_[{duplicate.object_path, duplicate.position}].push_back(duplicate.name);
    }
  }

  // Changes `value`; null never comes here. False: a type that reads by code of its own refused, and Go stops there.
  bool Decode(Json& value, const Schema& schema) {
    switch (schema.type) {
      case Type::kObject:
        if (schema.items != nullptr) return DecodeMap(value, schema);
        return (schema.members.empty() && schema.keeps_unknown) || DecodeStruct(value, schema);
      case Type::kArray:
        return DecodeList(value, schema);
      case Type::kString:
        return DecodeString(value, schema);
      case Type::kInteger:
        return DecodeInteger(value, schema);
      case Type::kNumber:
        return IsNumber(value) || Wrong(value, schema);
      case Type::kBoolean:
        return value.is_bool() || Wrong(value, schema);
      case Type::kIntOrString:
        return schema.format == "quantity" ? DecodeQuantity(value) : DecodeIntOrString(value);
      case Type::kAny:
        break;
    }
    return true;
  }

  // What refuses the object, if anything does.
  const std::optional<std::string>& error() const { return error_; }
  std::vector<std::string> TakeStrictErrors() { return strict_errors_.Take(); }

 private:
  // Go goes on after a wrong type and reports the first, unless something stops it.
  bool Wrong(std::string_view value, const Schema& schema) {
    if (!error_) error_ = place_.CannotUnmarshal(value, schema);
    return true;
  }
  bool Wrong(const Json& value, const Schema& schema) {
    return from_ == ReadFrom::kTree ? Stop(CannotConvert(value, schema)) : Wrong(ValueName(value), schema);
  }
  // A type that reads by code of its own got something else than `type`.
  bool Stop(std::string_view value, std::string_view type) {
    return Stop(from_ == ReadFrom::kTree
                    ? fmt::format("json: cannot unmarshal {} into Go value of type {}", value, type)
                    : place_.CannotUnmarshalInto(value, type));
  }
  // Why a value of a tree is not what the schema says.
  std::string CannotConvert(const Json& value, const Schema& schema) const {
    const std::string_view kind = TreeKind(value);
    if (schema.type == Type::kObject) {
      return fmt::format("cannot restore {} {}", schema.items == nullptr ? "struct from:" : "map from", kind);
    }
    if (schema.type == Type::kArray || GoTextKindOf(schema) == GoTextKind::kBase64) {
      return fmt::format("cannot restore slice from {}", kind);
    }
    const std::string type = place_.GoTypeHere(schema);
    const bool converts = schema.type == Type::kString ? kind == "int64" : kind == "float64";
    if (converts && schema.type != Type::kBoolean) return fmt::format("cannot convert {} to {}", kind, type);
    return fmt::format("unrecognized type: {}", schema.type == Type::kString ? "string" : type);
  }
  bool Stop(std::string error) {
    error_ = std::move(error);
    return false;
  }

  bool DecodeStruct(Json& value, const Schema& schema) {
    if (!value.is_object()) return Wrong(value, schema);
    std::size_t seen = 0;
    bool goes_on = true;
    internal::EraseMembers(value.get_object(), [&](auto& entry) {
      if (!goes_on) return false;
      ReportDuplicates(seen++, &schema);
      const Schema::Member* member = schema.FindMember(entry.key());
      if (member == nullptr) strict_errors_.Unknown(place_.PathOf(entry.key()));
      if (member == nullptr || entry.value().is_null()) return true;
      place_.EnterMember(schema, member->name);
      goes_on = Decode(entry.value(), *member->schema);
      place_.Leave();
      return false;
    });
    ReportDuplicates(seen, &schema);
    return goes_on;
  }

  bool DecodeMap(Json& value, const Schema& schema) {
    if (!value.is_object()) return Wrong(value, schema);
    std::size_t seen = 0;
    for (auto& entry : value.get_object()) {
      ReportDuplicates(seen++, nullptr);
      if (entry.value().is_null()) {
        entry.value() = ZeroOf(*schema.items);
        continue;
      }
      place_.EnterKey(entry.key());
      if (!Decode(entry.value(), *schema.items)) return false;
      place_.Leave();
    }
    ReportDuplicates(seen, nullptr);
    return true;
  }

  bool DecodeList(Json& value, const Schema& schema) {
    if (!value.is_array()) return Wrong(value, schema);
    if (schema.items == nullptr) return true;
    JsonArray& list = value.get_array();
    for (std::size_t index = 0; index < list.size(); ++index) {
      Json& item = list[index];
      if (item.is_null()) {
        item = ZeroOf(*schema.items);
        continue;
      }
      place_.EnterItem(index);
      if (!Decode(item, *schema.items)) return false;
      place_.Leave();
    }
    return true;
  }

  bool DecodeString(Json& value, const Schema& schema) {
    const GoTextKind kind = GoTextKindOf(schema);
    if (!value.is_string()) {
      if (kind == GoTextKind::kPlain || kind == GoTextKind::kBase64) return Wrong(value, schema);
      return Stop(ValueName(value), "string");
    }
    const Result<std::string> text = CanonicalGoText(kind, value.get_string());
    if (text) {
      if (kind != GoTextKind::kPlain) value = *text;
      return true;
    }
    if (kind != GoTextKind::kBase64) return Stop(text.error().message);
    if (from_ == ReadFrom::kTree) return Stop("error decoding from json: " + text.error().message);
    if (!error_) error_ = text.error().message;
    return true;
  }

  bool DecodeInteger(Json& value, const Schema& schema) {
    if (value.is_int64()) {
      const std::int64_t number = value.get_int64();
      const bool narrow = schema.format == "int32";
      if (!narrow ||
          (number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max())) {
        return true;
      }
    }
    if (!IsNumber(value) || from_ == ReadFrom::kTree) return Wrong(value, schema);
    return Wrong(fmt::format("number {}", NumberText(value)), schema);
  }

  bool DecodeQuantity(Json& value) {
    std::string text;
    if (value.is_string()) {
      text = value.get_string();
    } else if (IsNumber(value)) {
      text = NumberText(value);
    }
    const auto canonical = CanonicalQuantity(Trim(text));
    if (!canonical) return Stop(canonical.error().message);
    value = *canonical;
    return true;
  }

  bool DecodeIntOrString(const Json& value) {
    if (value.is_string()) return true;
    if (!IsNumber(value)) return Stop(ValueName(value), "int32");
    if (value.is_int64() && value.get_int64() == static_cast<std::int32_t>(value.get_int64())) return true;
    return Stop(fmt::format("number {}", NumberText(value)), "int32");
  }

  // Those that the text has before the member of this position. A struct's unknown members are no duplicates.
  void ReportDuplicates(std::size_t position, const Schema* struct_schema) {
    if (duplicates_.empty()) return;
    const auto here = duplicates_.find({place_.Path(), position});
    if (here == duplicates_.end()) return;
    for (const std::string_view name : here->second) {
      if (struct_schema == nullptr || struct_schema->FindMember(name) != nullptr) {
        strict_errors_.Duplicate(place_.PathOf(name));
      }
    }
  }

  DecodingPlace place_;
  ReadFrom from_;
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string_view>> duplicates_;  // by object and position
  StrictErrors strict_errors_;
  std::optional<std::string> error_;
};

}  // namespace

Result<DecodedObject> DecodeBySchema(Json object, const Schema& schema, std::span<const DuplicateMember> duplicates,
                                     ReadFrom from) {
  Decoder decoder(schema, duplicates, from);
  if (!object.is_null()) decoder.Decode(object, schema);
  if (decoder.error()) return Fail(Code::kInvalidArgument, "{}", *decoder.error());
  std::vector<std::string> strict_errors = decoder.TakeStrictErrors();
  if (from == ReadFrom::kTree) std::ranges::sort(strict_errors);
  return DecodedObject{std::move(object), std::move(strict_errors)};
}

std::vector<std::string> StrictErrorsOf(std::span<const DuplicateMember> duplicates) {
  StrictErrors errors;
  for (const DuplicateMember& duplicate : duplicates) {
    errors.Duplicate(duplicate.object_path + (duplicate.object_path.empty() ? "" : ".") + duplicate.name);
  }
  return errors.Take();
}

std::string StrictErrorBelow(std::string_view path, std::string_view strict_error) {
  const std::size_t quote = strict_error.find('"') + 1;
  return fmt::format("{}{}.{}", strict_error.substr(0, quote), path, strict_error.substr(quote));
}

std::string DescribeStrictErrors(std::span<const std::string> strict_errors) {
  return fmt::format("strict decoding error: {}", fmt::join(strict_errors, ", "));
}

}  // namespace kumiko::api
