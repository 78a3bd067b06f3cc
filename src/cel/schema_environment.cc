#include "cel/schema_environment.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "base/field_path.h"
#include "cel/library/libraries.h"
#include "cel/schema_reading.h"

namespace kumiko::cel {
namespace {

constexpr std::int64_t kMaxRequestBytes = 3 << 20;

// Owns the names that its shapes refer to.
struct SchemaEnvironment : Environment {
  std::deque<std::string> names;
};

struct Described {
  TypeRef type = nullptr;  // null: hidden
  Shape* shape = nullptr;
  std::int64_t min_bytes = 0;  // in JSON
};

class TypeBuilder {
 public:
  TypeBuilder(SchemaEnvironment& environment, UndescribedParts undescribed)
      : environment_(environment), undescribed_(undescribed) {}

  // `name` of the type, when it is an object's; `path` in the schema, for errors.
  Result<Described> Build(const Json& schema, const std::string& name, const std::string& path, bool resource,
                          int depth = 0) {
    if (depth > kMaxJsonDepth) return Fail(Code::kInvalidArgument, "{}: nested too deep", path);
    if (!schema.is_object()) {
      return Fail(Code::kInvalidArgument, "{}: expected a schema, got {}", path.empty() ? "schema" : path,
                  JsonTypeName(schema));
    }
    KU_TRY_OK(CheckType(schema, path));
    switch (KindOf(schema, undescribed_)) {
      case SchemaKind::kUndescribed:
        if (undescribed_ == UndescribedParts::kHidden) return Described{};
        return Simple(&kDynType, 1, kMaxRequestBytes - 2);
      case SchemaKind::kIntOrString:
        return Simple(&kDynType, 1, TextLimit(schema));
      case SchemaKind::kObject:
        return BuildObject(schema, name, path, resource, depth);
      case SchemaKind::kMap:
      case SchemaKind::kList:
        return BuildContainer(schema, name, path, depth);
      case SchemaKind::kString:
        return Simple(&kStringType, 2, TextLimit(schema));
      case SchemaKind::kBytes:
        return Simple(&kBytesType, 2, Limit(schema, "maxLength").value_or(kMaxRequestBytes - 2));
      case SchemaKind::kDuration:
        return Simple(&kDurationType, 3, 32);
      case SchemaKind::kDate:
        return Simple(&kTimestampType, 12, 12);
      case SchemaKind::kDateTime:
        return Simple(&kTimestampType, 21, 32);
      case SchemaKind::kBool:
        return Simple(&kBoolType, 4, 0);
      case SchemaKind::kInt:
        return Simple(&kIntType, 1, 0);
      case SchemaKind::kDouble:
        return Simple(&kDoubleType, 1, 0);
    }
    return Described{};
  }

 private:
  static Status CheckType(const Json& schema, const std::string& path) {
    const Json* type = Find(schema, "type");
    const std::string_view word = TypeWord(schema);
    if (type == nullptr || (type->is_string() && word.empty())) return {};
    if (IsKnownType(word)) return {};
    return Fail(Code::kInvalidArgument,
                "{}: \"{}\" is no type; write one of object, array, string, boolean, integer, number",
                ChildPath(path, "type"), word);
  }

  Described Simple(TypeRef type, std::int64_t min_bytes, std::int64_t max_elements) {
    Shape& shape = environment_.NewShape();
    shape.max_elements = static_cast<std::uint64_t>(max_elements);
    return {type, &shape, min_bytes};
  }

  static std::optional<std::int64_t> Limit(const Json& schema, std::string_view member) {
    const Json* limit = Find(schema, member);
    if (limit == nullptr || !limit->is_int64()) return std::nullopt;
    return std::max<std::int64_t>(limit->get_int64(), 0);
  }

  // A limit counts code points, the estimate bytes of the request: up to four for each.
  static std::int64_t TextLimit(const Json& schema) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
    if (const auto limit = Limit(schema, "maxLength")) return 4 * std::min(*limit, kMost);
    const Json* allowed = Find(schema, "enum");
    const JsonArray* words = allowed == nullptr || IsTrue(schema, kIntOrStringMark) ? nullptr : allowed->if_array();
    if (words == nullptr || words->empty()) return kMaxRequestBytes - 2;
    std::size_t longest = 0;
    for (const Json& word : *words) longest = std::max(longest, TextOf(word).size());
    return static_cast<std::int64_t>(longest);
  }

  Result<Described> BuildContainer(const Json& schema, const std::string& name, const std::string& path, int depth) {
    const bool list = TypeWord(schema) == "array";
    const Json& element_schema = *ElementSchema(schema);
    KU_TRY(const Described element, Build(element_schema, name + (list ? ".@idx" : ".@elem"),
                                          ChildPath(path, list ? "items" : "additionalProperties"),
                                          IsTrue(element_schema, kEmbeddedResource), depth + 1));
    if (element.type == nullptr) return Described{};
    // Brackets, and with each element a comma; with each value also a key of two bytes, its quotes and a colon.
    const std::int64_t fit = (kMaxRequestBytes - 2) / (element.min_bytes + (list ? 1 : 6));
    TypePool& pool = environment_.pool();
    Described described = Simple(list ? pool.List(element.type) : pool.Map(&kStringType, element.type), 2,
                                 Limit(schema, list ? "maxItems" : "maxProperties").value_or(fit));
    described.shape->element = element.shape;
    if (!list) described.shape->key = &environment_.NewShape();
    return described;
  }

  Result<Described> BuildObject(const Json& schema, const std::string& name, const std::string& path, bool resource,
                                int depth) {
    Described described = Simple(environment_.pool().Object(name), 2, 0);
    std::vector<ObjectField> fields;
    for (const auto& [field_name, field_schema] : FieldsOf(schema, resource)) {
      const std::string escaped = EscapeFieldName(field_name);
      KU_TRY(const Described field,
             Build(*field_schema, name + "." + escaped, ChildPath(path, field_name),
                   field_schema->is_object() && IsTrue(*field_schema, kEmbeddedResource), depth + 1));
      if (field.type == nullptr) continue;
      // What has a default is filled in by the server and takes no part of the request.
      if (IsRequired(schema, field_name) && Find(*field_schema, "default") == nullptr) {
        described.min_bytes += static_cast<std::int64_t>(field_name.size()) + field.min_bytes + 4;
      }
      if (escaped.empty()) continue;
      described.shape->fields.emplace_back(environment_.names.emplace_back(escaped), field.shape);
      fields.push_back({escaped, field.type});
    }
    environment_.AddObject(described.type, std::move(fields));
    return described;
  }

  static bool IsRequired(const Json& schema, std::string_view name) {
    const Json* required = Find(schema, "required");
    const JsonArray* names = required == nullptr ? nullptr : required->if_array();
    return names != nullptr && std::ranges::any_of(*names, [&](const Json& it) { return TextOf(it) == name; });
  }

  SchemaEnvironment& environment_;
  UndescribedParts undescribed_;
};

}  // namespace

Result<std::shared_ptr<Environment>> EnvironmentForSchema(const Json& schema, const SchemaOptions& options) {
  auto environment = std::make_shared<SchemaEnvironment>();
  AddKubernetesLibraries(*environment);
  environment->AddLibrary(IncludesOverloads());
  TypeBuilder builder(*environment, options.undescribed);
  KU_TRY(const Described described, builder.Build(schema, "object", "", options.resource_root));
  if (described.type == nullptr) return Fail(Code::kInvalidArgument, "schema: it describes no value; add a type");
  for (const std::string& name : options.variables) environment->AddVariable({name, described.type, described.shape});
  for (const std::string& name : options.optional_variables) {
    environment->AddVariable({name, environment->pool().Optional(described.type), nullptr});
  }
  return environment;
}

Result<std::int64_t> MinimumBytes(const Json& schema, const SchemaOptions& options) {
  SchemaEnvironment scratch;
  KU_TRY(const Described described,
         TypeBuilder(scratch, options.undescribed).Build(schema, "object", "", options.resource_root));
  return described.min_bytes;
}

}  // namespace kumiko::cel
