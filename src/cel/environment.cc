#include "cel/environment.h"

#include <algorithm>
#include <array>

namespace kumiko::cel {
namespace {

constexpr Type kListDyn{TypeKind::kList, &kDynType};
constexpr Type kMapDyn{TypeKind::kMap, &kDynType, &kDynType};
constexpr Type kMapStringDyn{TypeKind::kMap, &kStringType, &kDynType};
constexpr Type kOptionalDyn{TypeKind::kOptional, &kDynType};
constexpr Type kBoolWrapper{TypeKind::kWrapper, &kBoolType};
constexpr Type kBytesWrapper{TypeKind::kWrapper, &kBytesType};
constexpr Type kDoubleWrapper{TypeKind::kWrapper, &kDoubleType};
constexpr Type kIntWrapper{TypeKind::kWrapper, &kIntType};
constexpr Type kUintWrapper{TypeKind::kWrapper, &kUintType};
constexpr Type kStringWrapper{TypeKind::kWrapper, &kStringType};

// Names that every environment knows. Of wrappers of two sizes the checker sees one.
constexpr std::pair<std::string_view, TypeRef> kTypeNames[] = {
    {"bool", &kBoolType},
    {"bytes", &kBytesType},
    {"double", &kDoubleType},
    {"int", &kIntType},
    {"list", &kListDyn},
    {"map", &kMapDyn},
    {"null_type", &kNullType},
    {"string", &kStringType},
    {"type", &kTypeType},
    {"uint", &kUintType},
    {"google.protobuf.Any", &kAnyType},
    {"google.protobuf.BoolValue", &kBoolWrapper},
    {"google.protobuf.BytesValue", &kBytesWrapper},
    {"google.protobuf.DoubleValue", &kDoubleWrapper},
    {"google.protobuf.Duration", &kDurationType},
    {"google.protobuf.FloatValue", &kDoubleWrapper},
    {"google.protobuf.Int32Value", &kIntWrapper},
    {"google.protobuf.Int64Value", &kIntWrapper},
    {"google.protobuf.ListValue", &kListDyn},
    {"google.protobuf.NullValue", &kNullType},
    {"google.protobuf.StringValue", &kStringWrapper},
    {"google.protobuf.Struct", &kMapStringDyn},
    {"google.protobuf.Timestamp", &kTimestampType},
    {"google.protobuf.UInt32Value", &kUintWrapper},
    {"google.protobuf.UInt64Value", &kUintWrapper},
    {"google.protobuf.Value", &kDynType},
};

}  // namespace

Environment::Environment(Dialect dialect) : dialect_(dialect) {
  for (const auto& [name, type] : kTypeNames) AddType(std::string(name), type);
  for (const TypeRef wrapper :
       {&kBoolWrapper, &kBytesWrapper, &kDoubleWrapper, &kIntWrapper, &kStringWrapper, &kUintWrapper}) {
    AddObject(wrapper, {{"value", wrapper->first}});
  }
  AddObject(&kTimestampType, {{"seconds", &kIntType}, {"nanos", &kIntType}});
  AddObject(&kDurationType, {{"seconds", &kIntType}, {"nanos", &kIntType}});
  AddObject(&kMapStringDyn, {{"fields", &kMapStringDyn}});
  AddObject(&kListDyn, {{"values", &kListDyn}});
  AddObject(&kDynType, {{"null_value", &kIntType},
                        {"number_value", &kDoubleType},
                        {"string_value", &kStringType},
                        {"bool_value", &kBoolType},
                        {"struct_value", &kMapStringDyn},
                        {"list_value", &kListDyn}});
  AddObject(&kAnyType, {{"type_url", &kStringType}, {"value", &kBytesType}});
}

void Environment::AddLibrary(std::span<const Overload> overloads) {
  for (const Overload& overload : overloads) {
    functions_[overload.name].push_back(&overload);
    if (const std::size_t dot = overload.name.find('.'); dot != std::string_view::npos) {
      first_parts_.emplace(overload.name.substr(0, dot));
    }
  }
}

void Environment::AddType(std::string name, TypeRef type) {
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) first_parts_.insert(name.substr(0, dot));
  types_[std::move(name)] = type;
}

void Environment::AddVariable(Variable variable) {
  if (const std::size_t dot = variable.name.find('.'); dot != std::string::npos) {
    first_parts_.insert(variable.name.substr(0, dot));
  }
  variables_.push_back(std::move(variable));
}

void Environment::AddObject(TypeRef type, std::vector<ObjectField> fields) {
  auto& known = objects_[TypeName(type)];
  known.insert(known.end(), std::make_move_iterator(fields.begin()), std::make_move_iterator(fields.end()));
}

std::optional<std::size_t> Environment::FindVariable(std::string_view name) const {
  // The last declaration of a name holds.
  for (std::size_t i = variables_.size(); i-- > 0;) {
    if (variables_[i].name == name) return i;
  }
  return std::nullopt;
}

const std::vector<const Overload*>* Environment::FindFunction(std::string_view name) const {
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : &it->second;
}

TypeRef Environment::FindType(std::string_view name) const {
  const auto it = types_.find(name);
  return it == types_.end() ? nullptr : it->second;
}

bool Environment::HasObject(std::string_view type_name) const {
  return objects_.contains(type_name);
}

TypeRef Environment::FindField(std::string_view type_name, std::string_view field) const {
  const auto it = objects_.find(type_name);
  if (it == objects_.end()) return nullptr;
  for (const ObjectField& candidate : it->second) {
    if (candidate.name == field) return candidate.type;
  }
  return nullptr;
}

std::vector<std::string> Environment::CandidateNames(std::string_view name) const {
  if (name.starts_with('.')) return {std::string(name.substr(1))};
  std::vector<std::string> names;
  for (std::string_view inside = container_; !inside.empty();) {
    names.push_back(std::string(inside) + "." + std::string(name));
    const std::size_t dot = inside.rfind('.');
    inside = dot == std::string_view::npos ? std::string_view() : inside.substr(0, dot);
  }
  names.emplace_back(name);
  return names;
}

bool Environment::MayBeginName(std::string_view first) const {
  return !container_.empty() || first_parts_.contains(first);
}

}  // namespace kumiko::cel
