#include "cel/schema_value.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/field_path.h"
#include "cel/library/time.h"
#include "cel/schema_reading.h"

namespace kumiko::cel {
namespace {

struct Path {
  const Path* parent = nullptr;
  std::string_view field;  // empty: an item
  std::size_t index = 0;

  std::string Text() const {
    const std::string above = parent == nullptr ? std::string() : parent->Text();
    if (parent == nullptr) return above;
    return field.data() == nullptr ? ItemPath(above, index) : ChildPath(above, field);
  }
};

tl::unexpected<Error> Unfit(const Path& path, std::string_view expected, const Json& json) {
  const std::string text = path.Text();
  return Fail(Code::kInvalidArgument, "{}: expected {}, got {}", text.empty() ? "document" : text, expected,
              JsonTypeName(json));
}

tl::unexpected<Error> Malformed(const Path& path, std::string_view what, std::string_view text) {
  const std::string where = path.Text();
  return Fail(Code::kInvalidArgument, "{}: \"{}\" is no {}", where.empty() ? "document" : where, text, what);
}

std::optional<std::int64_t> IntegerOf(const Json& json) {
  if (json.is_int64()) return json.get_int64();
  if (json.is_uint64() && json.get_uint64() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return static_cast<std::int64_t>(json.get_uint64());
  }
  return std::nullopt;
}

std::optional<double> NumberOf(const Json& json) {
  if (json.is_double()) return json.get_double();
  if (json.is_int64()) return static_cast<double>(json.get_int64());
  if (json.is_uint64()) return static_cast<double>(json.get_uint64());
  return std::nullopt;
}

// As Kubernetes reads the format: RFC 3339, without an offset in UTC; empty text is 1970.
Value TimeOf(std::string_view text) {
  if (text.empty()) return TimestampFromSeconds(0);
  const Value time = TimestampFromText(text);
  return time.IsError() ? TimestampFromText(std::string(text) + "Z") : time;
}

class ValueBuilder {
 public:
  ValueBuilder(Arena& arena, UndescribedParts undescribed) : arena_(arena), undescribed_(undescribed) {}

  Result<Value> Build(const Json& json, const Json& schema, const Path& path, bool resource) {
    if (json.is_null()) {
      if (IsNullable(schema)) return Value::Null();
      return Unfit(path, "a value, for the schema is not nullable", json);
    }
    switch (KindOf(schema, undescribed_)) {
      case SchemaKind::kUndescribed:
        return ToValue(json, arena_);
      case SchemaKind::kIntOrString:
        if (json.is_string()) return Text(json);
        if (const auto value = IntegerOf(json)) return Value::Int(*value);
        return Unfit(path, "an integer or a string", json);
      case SchemaKind::kObject:
        return BuildObject(json, schema, path, resource);
      case SchemaKind::kMap:
        return BuildMap(json, *ElementSchema(schema), path);
      case SchemaKind::kList:
        return BuildList(json, *ElementSchema(schema), path);
      case SchemaKind::kBool:
        if (json.is_bool()) return Value::Bool(json.get_bool());
        return Unfit(path, "a boolean", json);
      case SchemaKind::kInt:
        if (const auto value = IntegerOf(json)) return Value::Int(*value);
        return Unfit(path, "an integer", json);
      case SchemaKind::kDouble:
        if (const auto value = NumberOf(json)) return Value::Double(*value);
        return Unfit(path, "a number", json);
      case SchemaKind::kString:
      case SchemaKind::kBytes:
      case SchemaKind::kDuration:
      case SchemaKind::kDate:
      case SchemaKind::kDateTime:
        if (!json.is_string()) return Unfit(path, "a string", json);
        return BuildText(json, KindOf(schema, undescribed_), path);
    }
    return Value::Null();
  }

 private:
  Value Text(const Json& json) { return Value::String(arena_.Text(TextOf(json))); }

  Result<Value> BuildText(const Json& json, SchemaKind kind, const Path& path) {
    const std::string_view text = TextOf(json);
    if (kind == SchemaKind::kBytes) {
      const auto bytes = DecodeBase64(text);
      if (!bytes) return Malformed(path, "base64 text", text);
      return Value::Text(ValueKind::kBytes, arena_.Text(*bytes));
    }
    if (kind == SchemaKind::kDuration) {
      const Value duration = DurationFromText(text);
      if (duration.IsError()) return Malformed(path, "duration; write for example 1h30m or 250ms", text);
      return duration;
    }
    if (kind == SchemaKind::kDate) {
      const Value date = TimestampFromText(std::string(text) + "T00:00:00Z");
      if (date.IsError()) return Malformed(path, "date; write for example 2026-05-01", text);
      return date;
    }
    if (kind == SchemaKind::kDateTime) {
      const Value time = TimeOf(text);
      if (time.IsError()) return Malformed(path, "time; write for example 2026-05-01T12:00:00Z", text);
      return time;
    }
    return Text(json);
  }

  Result<Value> BuildList(const Json& json, const Json& items, const Path& path) {
    const JsonArray* array = json.if_array();
    if (array == nullptr) return Unfit(path, "a list", json);
    Value* values = arena_.Values(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) {
      KU_TRY(values[i], Build((*array)[i], items, Path{&path, {}, i}, IsTrue(items, kEmbeddedResource)));
    }
    return Value::List(values, array->size());
  }

  Result<Value> BuildMap(const Json& json, const Json& values, const Path& path) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return Unfit(path, "a map", json);
    Value* pairs = arena_.Values(2 * object->size());
    std::size_t count = 0;
    for (const auto& [key, member] : *object) {
      const std::string_view name(key.data(), key.size());
      pairs[2 * count] = Value::String(arena_.Text(name));
      KU_TRY(pairs[2 * count + 1], Build(member, values, Path{&path, name}, IsTrue(values, kEmbeddedResource)));
      ++count;
    }
    return MakeMap(pairs, count);
  }

  Result<Value> BuildObject(const Json& json, const Json& schema, const Path& path, bool resource) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) return Unfit(path, "a map", json);
    const auto fields = FieldsOf(schema, resource);
    Value* pairs = arena_.Values(2 * object->size());
    std::size_t count = 0;
    for (const auto& [key, member] : *object) {
      const std::string_view name(key.data(), key.size());
      const auto field = fields.find(name);
      if (field == fields.end() || member.is_null() || IsHidden(*field->second)) continue;
      const std::string escaped = EscapeFieldName(name);
      if (escaped.empty()) continue;
      pairs[2 * count] = Value::String(arena_.Text(escaped));
      KU_TRY(pairs[2 * count + 1],
             Build(member, *field->second, Path{&path, name}, IsTrue(*field->second, kEmbeddedResource)));
      ++count;
    }
    return MakeMap(pairs, count);
  }

  bool IsHidden(const Json& schema) const {
    if (undescribed_ == UndescribedParts::kDyn) return false;
    const SchemaKind kind = KindOf(schema, undescribed_);
    if (kind == SchemaKind::kList || kind == SchemaKind::kMap) return IsHidden(*ElementSchema(schema));
    return kind == SchemaKind::kUndescribed;
  }

  Arena& arena_;
  UndescribedParts undescribed_;
};

}  // namespace

Result<Value> ToValue(const Json& json, const Json& schema, Arena& arena, const SchemaOptions& options) {
  return ValueBuilder(arena, options.undescribed).Build(json, schema, Path{}, options.resource_root);
}

Value ToValue(const Json& json, Arena& arena) {
  if (json.is_bool()) return Value::Bool(json.get_bool());
  if (json.is_string()) return Value::String(arena.Text(TextOf(json)));
  if (const auto value = IntegerOf(json)) return Value::Int(*value);
  if (const auto value = NumberOf(json)) return Value::Double(*value);
  if (const JsonArray* array = json.if_array()) {
    Value* values = arena.Values(array->size());
    for (std::size_t i = 0; i < array->size(); ++i) values[i] = ToValue((*array)[i], arena);
    return Value::List(values, array->size());
  }
  if (const JsonObject* object = json.if_object()) {
    Value* pairs = arena.Values(2 * object->size());
    std::size_t count = 0;
    for (const auto& [key, member] : *object) {
      pairs[2 * count] = Value::String(arena.Text({key.data(), key.size()}));
      pairs[2 * count + 1] = ToValue(member, arena);
      ++count;
    }
    return MakeMap(pairs, count);
  }
  return Value::Null();
}

}  // namespace kumiko::cel
