#include "cel/schema_reading.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace kumiko::cel {
namespace {

constexpr std::string_view kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";

struct KindWord {
  std::string_view word;
  SchemaKind kind;
};
constexpr std::array kTypeWords = {KindWord{"object", SchemaKind::kObject}, KindWord{"array", SchemaKind::kList},
                                   KindWord{"string", SchemaKind::kString}, KindWord{"boolean", SchemaKind::kBool},
                                   KindWord{"integer", SchemaKind::kInt},   KindWord{"number", SchemaKind::kDouble}};
constexpr std::array kFormatWords = {KindWord{"byte", SchemaKind::kBytes}, KindWord{"duration", SchemaKind::kDuration},
                                     KindWord{"date", SchemaKind::kDate}, KindWord{"date-time", SchemaKind::kDateTime}};

std::optional<SchemaKind> KindOfWord(std::span<const KindWord> words, std::string_view word) {
  const auto found = std::ranges::find(words, word, &KindWord::word);
  return found == words.end() ? std::nullopt : std::optional(found->kind);
}

const Json& StringSchema() {
  static const Json schema = {{"type", "string"}};
  return schema;
}

const Json& MetadataSchema() {
  static const Json schema = {{"type", "object"},
                              {"properties", {{"name", StringSchema()}, {"generateName", StringSchema()}}}};
  return schema;
}

bool IsReserved(std::string_view name) {
  constexpr std::array<std::string_view, 21> kWords = {
      "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
      "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};
  return std::ranges::find(kWords, name) != kWords.end();
}

}  // namespace

std::string_view TextOf(const Json& json) {
  const auto* text = json.if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

bool IsTrue(const Json& schema, std::string_view member) {
  const Json* value = Find(schema, member);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string_view TypeWord(const Json& schema) {
  const Json* type = Find(schema, "type");
  if (type == nullptr) return {};
  if (const JsonArray* words = type->if_array()) {
    for (const Json& word : *words) {
      if (TextOf(word) != "null") return TextOf(word);
    }
  }
  return TextOf(*type);
}

bool IsNullable(const Json& schema) {
  if (IsTrue(schema, "nullable")) return true;
  const Json* type = Find(schema, "type");
  const JsonArray* words = type == nullptr ? nullptr : type->if_array();
  return words != nullptr && std::ranges::any_of(*words, [](const Json& word) { return TextOf(word) == "null"; });
}

bool IsKnownType(std::string_view word) {
  return KindOfWord(kTypeWords, word).has_value();
}

const Json* ElementSchema(const Json& schema) {
  const Json* element = Find(schema, TypeWord(schema) == "array" ? "items" : "additionalProperties");
  return element != nullptr && element->is_object() ? element : nullptr;
}

SchemaKind KindOf(const Json& schema, UndescribedParts undescribed) {
  if (IsTrue(schema, kIntOrStringMark)) return SchemaKind::kIntOrString;
  const SchemaKind kind = KindOfWord(kTypeWords, TypeWord(schema)).value_or(SchemaKind::kUndescribed);
  if (kind == SchemaKind::kString) return KindOfWord(kFormatWords, StringAt(schema, {"format"})).value_or(kind);
  if (kind == SchemaKind::kList && ElementSchema(schema) == nullptr) return SchemaKind::kUndescribed;
  if (kind == SchemaKind::kObject) {
    if (ElementSchema(schema) != nullptr) return SchemaKind::kMap;
    const bool open = IsTrue(schema, kPreserveUnknown) && Find(schema, "properties") == nullptr;
    if (open && undescribed == UndescribedParts::kDyn) return SchemaKind::kUndescribed;
  }
  return kind;
}

std::map<std::string_view, const Json*> FieldsOf(const Json& schema, bool resource) {
  std::map<std::string_view, const Json*> fields;
  const Json* properties = Find(schema, "properties");
  if (const JsonObject* object = properties == nullptr ? nullptr : properties->if_object()) {
    for (const auto& [name, field] : *object) fields[{name.data(), name.size()}] = &field;
  }
  if (resource) {
    fields["apiVersion"] = fields["kind"] = &StringSchema();
    fields["metadata"] = &MetadataSchema();
  }
  return fields;
}

std::string EscapeFieldName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return "";
  if (IsReserved(name)) return "__" + std::string(name) + "__";
  std::string escaped;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '_' && name.substr(i).starts_with("__")) {
      escaped += "__underscores__";
      ++i;
    } else if (c == '.') {
      escaped += "__dot__";
    } else if (c == '-') {
      escaped += "__dash__";
    } else if (c == '/') {
      escaped += "__slash__";
    } else if (letter || c == '_') {
      escaped += c;
    } else {
      return "";
    }
  }
  return escaped;
}

}  // namespace kumiko::cel
