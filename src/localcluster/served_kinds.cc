#include "localcluster/served_kinds.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace kumiko::localcluster {
namespace {

using Kinds = std::vector<std::shared_ptr<const CustomKind>>;

bool IsTrue(const Json& object, std::string_view name) {
  const Json* value = Find(object, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

const JsonArray& ListAt(const Json& object, std::initializer_list<std::string_view> path) {
  static const JsonArray none;
  const Json* list = FindPath(object, path);
  return list != nullptr && list->is_array() ? list->get_array() : none;
}

std::optional<ScalePaths> ReadScale(const Json& version) {
  const Json* scale = FindPath(version, {"subresources", "scale"});
  if (scale == nullptr) return std::nullopt;
  return ScalePaths{std::string(StringAt(*scale, {"specReplicasPath"})),
                    std::string(StringAt(*scale, {"statusReplicasPath"})),
                    std::string(StringAt(*scale, {"labelSelectorPath"}))};
}

CustomVersion ReadVersion(const Json& version) {
  CustomVersion read;
  read.name = StringAt(version, {"name"});
  read.served = IsTrue(version, "served");
  read.has_status = FindPath(version, {"subresources", "status"}) != nullptr;
  if (const Json* schema = FindPath(version, {"schema", "openAPIV3Schema"})) {
    read.open_api_schema = *schema;
    read.schema = api::CustomSchema::Create(*schema);
  } else {
    read.schema =
        api::CustomSchema::Create(JsonObject{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
  }
  // A path that is none was refused with its definition.
  if (auto table = CustomTableFormat(Find(version, "additionalPrinterColumns"))) read.table = std::move(*table);
  read.scale = ReadScale(version);
  constexpr int kDeepest = 3;
  for (const Json& field : ListAt(version, {"selectableFields"})) {
    const std::string_view path = StringAt(field, {"jsonPath"});
    if (std::ranges::count(path, '.') <= kDeepest) read.selectable_fields.emplace_back(path.substr(path.find('.') + 1));
  }
  return read;
}

std::pair<std::string_view, std::string_view> SplitApiVersion(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

}  // namespace

CustomKind::CustomKind(const Json& definition) : definition_(StringAt(definition, {"metadata", "name"})) {
  const Json& spec = definition.at("spec");
  info_.group = Keep(StringAt(spec, {"group"}));
  info_.kind = Keep(StringAt(spec, {"names", "kind"}));
  info_.plural = Keep(StringAt(spec, {"names", "plural"}));
  info_.singular = std::string(StringAt(spec, {"names", "singular"}));
  if (info_.singular.empty()) info_.singular = ToLower(info_.kind);
  info_.namespaced = StringAt(spec, {"scope"}) == "Namespaced";
  info_.counts_generations = true;
  info_.verbs = "delete,deletecollection,get,list,patch,create,update,watch";  // in the order of the API server
  for (const Json& name : ListAt(spec, {"names", "shortNames"})) {
    if (name.is_string()) info_.short_names.push_back(Keep(name.get_string()));
  }
  for (const Json& name : ListAt(spec, {"names", "categories"})) {
    if (name.is_string()) info_.categories.push_back(Keep(name.get_string()));
  }
  for (const Json& version : ListAt(spec, {"versions"})) {
    versions_.push_back(ReadVersion(version));
    const CustomVersion& read = versions_.back();
    if (IsTrue(version, "storage")) {
      info_.version = Keep(read.name);
      info_.has_status = read.has_status;
      if (read.has_status)
        info_.subresources.push_back({.name = "status", .kind = info_.kind, .verbs = "get,patch,update", .of = {}});
      if (read.scale)
        info_.subresources.push_back(
            {.name = "scale", .kind = "Scale", .verbs = "get,patch,update", .of = {"autoscaling", "v1"}});
    } else if (read.served) {
      info_.served_as.push_back({info_.group, Keep(read.name)});
    }
  }
  key_kind_ = fmt::format("{}.{}", info_.kind, info_.group);
}

const CustomVersion* CustomKind::FindServed(std::string_view version) const {
  for (const CustomVersion& known : versions_) {
    if (known.name == version) return known.served ? &known : nullptr;
  }
  return nullptr;
}

const CustomVersion& CustomKind::stored() const {
  for (const CustomVersion& version : versions_) {
    if (version.name == info_.version) return version;
  }
  KU_CHECK(false) << definition_ << " stores no version";
  return versions_.front();
}

api::GroupVersion ServedKind::VersionNamed(std::string_view group, std::string_view version) const {
  const auto found = std::find(info->served_as.begin(), info->served_as.end(), api::GroupVersion{group, version});
  return found == info->served_as.end() ? api::GroupVersion{info->group, info->version} : *found;
}

bool ServedKind::HasStatus(std::string_view version) const {
  if (custom == nullptr) return info->has_status;
  const CustomVersion* served = custom->FindServed(version);
  return served != nullptr && served->has_status;
}

ServedKind ServedKinds::OfKey(std::string_view key_kind) const {
  if (key_kind.find('.') == std::string_view::npos) return {api::FindKind(key_kind)};
  return custom_.With([&](const Kinds& kinds) -> ServedKind {
    for (const auto& kind : kinds) {
      if (kind->key_kind() == key_kind) return {&kind->info(), kind};
    }
    return {};
  });
}

ServedKind ServedKinds::OfObject(const Json& object) const {
  const std::string_view name = StringAt(object, {"kind"});
  const auto named = SplitApiVersion(StringAt(object, {"apiVersion"}));
  return custom_.With([&](const Kinds& kinds) -> ServedKind {
    for (const auto& kind : kinds) {
      if (kind->info().group == named.first && kind->info().kind == name && kind->FindServed(named.second)) {
        return {&kind->info(), kind};
      }
    }
    return {api::FindKind(name)};
  });
}

ServedKind ServedKinds::OfResource(std::string_view group, std::string_view version, std::string_view plural) const {
  if (const api::KindInfo* built_in = api::FindResource(group, version, plural)) return {built_in};
  return custom_.With([&](const Kinds& kinds) -> ServedKind {
    for (const auto& kind : kinds) {
      if (kind->info().group == group && kind->info().plural == plural && kind->FindServed(version)) {
        return {&kind->info(), kind};
      }
    }
    return {};
  });
}

std::vector<std::shared_ptr<const CustomKind>> ServedKinds::Custom() const {
  return custom_.With([](const Kinds& kinds) { return kinds; });
}

void ServedKinds::Define(const Json& definition) {
  auto defined = std::make_shared<const CustomKind>(definition);
  custom_.With([&](Kinds& kinds) {
    const auto at = std::lower_bound(kinds.begin(), kinds.end(), defined->definition(),
                                     [](const auto& kind, const auto& name) { return kind->definition() < name; });
    if (at != kinds.end() && (*at)->definition() == defined->definition()) {
      *at = std::move(defined);
    } else {
      kinds.insert(at, std::move(defined));
    }
  });
}

void ServedKinds::Forget(std::string_view definition) {
  custom_.With(
      [&](Kinds& kinds) { std::erase_if(kinds, [&](const auto& kind) { return kind->definition() == definition; }); });
}

}  // namespace kumiko::localcluster
