// The bodies of api/codec.h, included only by the codec.cc of each API group, which instantiates them.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "api/codec.h"
#include "api/fields.h"
#include "base/suggest.h"
#include "base/time.h"

namespace kumiko::api {

namespace internal {

enum class Unknown { kIgnore, kReport };

class Decoder {
 public:
  explicit Decoder(Unknown unknown) : unknown_(unknown) {}

  template <class T>
  void DecodeObject(const Json& json, T& out) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) {
      Mismatch("map", json);
      return;
    }
    Struct fields{*this, *object, {}, {}};
    if constexpr (requires { T::kKind; }) fields.Kept("apiVersion", "kind");
    Fields(fields, out);
    if (unknown_ == Unknown::kReport) ReportUnknown(fields);
  }

  std::vector<FieldError> TakeErrors() { return std::move(errors_); }

 private:
  // The view of one JSON object that Fields() is called with.
  struct Struct {
    template <class T>
    void operator()(std::string_view name, T& field) {
      known.push_back(name);
      const auto found = object.find(name);
      if (found == object.end() || found->value().is_null()) return;
      const std::size_t length = decoder.Enter(name);
      decoder.Read(found->value(), field);
      decoder.path_.resize(length);
    }
    template <class T>
    void Always(std::string_view name, T& field) {
      (*this)(name, field);
    }
    template <class... Names>
    void Kept(Names... names) {
      (known.push_back(names), ...);
    }
    void Moved(std::string_view name, std::string_view where) { moved.emplace_back(name, where); }

    Decoder& decoder;
    const JsonObject& object;
    std::vector<std::string_view> known;
    std::vector<std::pair<std::string_view, std::string_view>> moved;
  };

  std::size_t Enter(std::string_view member) {
    const std::size_t length = path_.size();
    if (length != 0) path_ += '.';
    path_ += member;
    return length;
  }
  std::size_t EnterKey(std::string_view key) {
    const std::size_t length = path_.size();
    path_ += '[';
    path_ += key;
    path_ += ']';
    return length;
  }

  void Mismatch(std::string_view wanted, const Json& json) {
    errors_.push_back({path_, fmt::format("expected {}, got {}", wanted, JsonTypeName(json))});
  }

  void ReportUnknown(const Struct& fields) {
    for (const auto& member : fields.object) {
      const std::string_view name = member.key();
      if (std::find(fields.known.begin(), fields.known.end(), name) != fields.known.end()) continue;
      const std::size_t length = Enter(name);
      const auto moved = std::find_if(fields.moved.begin(), fields.moved.end(),
                                      [&](const auto& candidate) { return candidate.first == name; });
      if (moved != fields.moved.end()) {
        errors_.push_back({path_, fmt::format("unknown field; {}", moved->second)});
      } else if (const auto suggestion = Suggest(name, fields.known)) {
        errors_.push_back({path_, fmt::format("unknown field; did you mean {}?", *suggestion)});
      } else {
        errors_.push_back({path_, "unknown field; remove it"});
      }
      path_.resize(length);
    }
  }

  void Read(const Json& json, std::string& out) {
    if (const auto* text = json.if_string()) {
      out.assign(text->data(), text->size());
    } else {
      Mismatch("string", json);
    }
  }
  void Read(const Json& json, bool& out) {
    if (const auto* value = json.if_bool()) {
      out = *value;
    } else {
      Mismatch("bool", json);
    }
  }
  void Read(const Json& json, std::int64_t& out) {
    if (const auto* value = json.if_int64()) {
      out = *value;
    } else if (json.if_uint64() != nullptr) {
      errors_.push_back({path_, fmt::format("{} does not fit into 64 bits", WriteJson(json))});
    } else {
      Mismatch("integer", json);
    }
  }
  void Read(const Json& json, Quantity& out) {
    Result<Quantity> parsed = [&]() -> Result<Quantity> {
      if (const auto* text = json.if_string()) return Quantity::Parse(std::string_view(text->data(), text->size()));
      return Quantity::Parse(WriteJson(json));
    }();
    if (json.is_string() || json.is_number()) {
      if (parsed) {
        out = *std::move(parsed);
      } else {
        errors_.push_back({path_, parsed.error().message});
      }
    } else {
      Mismatch("quantity such as 16Gi or 500m", json);
    }
  }
  void Read(const Json& json, Time& out) {
    const auto* text = json.if_string();
    if (text == nullptr) {
      Mismatch("time such as 2026-01-02T03:04:05Z", json);
      return;
    }
    if (auto parsed = ParseRfc3339(std::string_view(text->data(), text->size()))) {
      out = *parsed;
    } else {
      errors_.push_back({path_, parsed.error().message});
    }
  }
  void Read(const Json& json, Json& out) { out = json; }

  template <class T>
  void Read(const Json& json, std::optional<T>& out) {
    Read(json, out.emplace());
  }
  template <class T>
  void Read(const Json& json, std::vector<T>& out) {
    const JsonArray* array = json.if_array();
    if (array == nullptr) {
      Mismatch("list", json);
      return;
    }
    out.reserve(array->size());
    for (const Json& item : *array) {
      const std::size_t length = path_.size();
      path_ += fmt::format("[{}]", out.size());
      T value{};
      Read(item, value);
      out.push_back(std::move(value));
      path_.resize(length);
    }
  }
  template <class T>
  void Read(const Json& json, std::map<std::string, T>& out) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) {
      Mismatch("map", json);
      return;
    }
    for (const auto& member : *object) {
      const std::size_t length = EnterKey(member.key());
      Read(member.value(), out[std::string(member.key())]);
      path_.resize(length);
    }
  }
  template <class T>
    requires std::is_class_v<T>
  void Read(const Json& json, T& out) {
    DecodeObject(json, out);
  }

  Unknown unknown_;
  std::string path_;
  std::vector<FieldError> errors_;
};

class Encoder {
 public:
  template <class T>
  void operator()(std::string_view name, const T& field) {
    Json value = Write(field);
    if (!IsZero(field, value)) out_.emplace(name, std::move(value));
  }
  template <class T>
  void Always(std::string_view name, const T& field) {
    out_.emplace(name, Write(field));
  }
  template <class... Names>
  void Kept(Names...) {}
  void Moved(std::string_view, std::string_view) {}

  template <class T>
  static Json WriteObject(const T& value) {
    Encoder encoder;
    if constexpr (requires { T::kKind; }) {
      encoder.out_.emplace("apiVersion", T::kApiVersion);
      encoder.out_.emplace("kind", T::kKind);
    }
    Fields(encoder, value);
    return std::move(encoder.out_);
  }

 private:
  // An optional is zero when absent, whatever it holds; all else when it encodes to nothing.
  template <class T>
  static bool IsZero(const std::optional<T>& field, const Json&) {
    return !field.has_value();
  }
  template <class T>
  static bool IsZero(const T& field, const Json& value) {
    if constexpr (std::same_as<T, bool>) return !field;
    if constexpr (std::same_as<T, std::int64_t>) return field == 0;
    if (value.is_null()) return true;
    if (const auto* text = value.if_string()) return text->empty();
    if (const auto* array = value.if_array()) return array->empty();
    if (const auto* object = value.if_object()) return object->empty();
    return false;
  }

  static Json Write(const std::string& value) { return Json(std::string_view(value)); }
  static Json Write(bool value) { return Json(value); }
  static Json Write(std::int64_t value) { return Json(value); }
  static Json Write(const Quantity& value) { return Json(std::string_view(value.ToString())); }
  static Json Write(const Time& value) { return Json(std::string_view(FormatRfc3339(value))); }
  static Json Write(const Json& value) { return value; }
  template <class T>
  static Json Write(const std::optional<T>& value) {
    return value ? Write(*value) : Json();
  }
  template <class T>
  static Json Write(const std::vector<T>& value) {
    JsonArray array;
    array.reserve(value.size());
    for (const T& item : value) array.push_back(Write(item));
    return array;
  }
  template <class T>
  static Json Write(const std::map<std::string, T>& value) {
    JsonObject object;
    for (const auto& [key, item] : value) object.emplace(key, Write(item));
    return object;
  }
  template <class T>
    requires std::is_class_v<T>
  static Json Write(const T& value) {
    return WriteObject(value);
  }

  JsonObject out_;
};

}  // namespace internal

template <class T>
Result<T> Decode(const Json& object) {
  internal::Decoder decoder(internal::Unknown::kIgnore);
  T value{};
  decoder.DecodeObject(object, value);
  const std::vector<FieldError> errors = decoder.TakeErrors();
  if (!errors.empty()) return Fail(Code::kInvalidArgument, "{}", Describe(errors));
  return value;
}

template <class T>
std::vector<FieldError> CheckFields(const Json& object) {
  internal::Decoder decoder(internal::Unknown::kReport);
  T value{};
  decoder.DecodeObject(object, value);
  return decoder.TakeErrors();
}

template <class T>
Json Encode(const T& value) {
  return internal::Encoder::WriteObject(value);
}

}  // namespace kumiko::api

// Instantiates the three functions for one type.
#define KU_INSTANTIATE_CODEC(Type)                                 \
  template Result<Type> Decode<Type>(const Json&);                 \
  template std::vector<FieldError> CheckFields<Type>(const Json&); \
  template Json Encode<Type>(const Type&)
