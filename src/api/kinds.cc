#include "api/kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/forms.h"
#include "api/group.h"
#include "api/kind_table.h"
#include "base/suggest.h"

namespace kumiko::api {

namespace {

const KindEntry* FindEntry(std::string_view kind) {
  const auto& entries = KindTable();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const KindEntry& entry) { return entry.info.kind == kind; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

std::string GroupVersion::Text() const {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

std::string KindInfo::ApiVersion() const {
  return GroupVersion{group, version}.Text();
}

const SubresourceInfo* KindInfo::FindSubresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &SubresourceInfo::name);
  return found == subresources.end() ? nullptr : &*found;
}

std::span<const KindInfo> AllKinds() {
  static const std::vector<KindInfo> kinds = [] {
    std::vector<KindInfo> all;
    for (const KindEntry& entry : KindTable()) all.push_back(entry.info);
    return all;
  }();
  return kinds;
}

const KindInfo* FindKind(std::string_view kind) {
  const KindEntry* entry = FindEntry(kind);
  return entry == nullptr ? nullptr : &entry->info;
}

const KindInfo* FindResource(std::string_view group, std::string_view version, std::string_view plural) {
  const GroupVersion wanted{group, version};
  for (const std::span<const KindInfo> kinds : {AllKinds(), ReviewKinds()}) {
    for (const KindInfo& info : kinds) {
      if (info.plural != plural) continue;
      if (wanted == GroupVersion{info.group, info.version}) return &info;
      if (std::ranges::find(info.served_as, wanted) != info.served_as.end()) return &info;
    }
  }
  return nullptr;
}

Result<Json> ToStored(Json object) {
  if (!object.is_object()) {
    return Fail(Code::kInvalidArgument, "expected an object with apiVersion and kind, got {}", JsonTypeName(object));
  }
  const std::string kind(StringAt(object, {"kind"}));
  const std::string api_version(StringAt(object, {"apiVersion"}));
  if (kind.empty()) return Fail(Code::kInvalidArgument, "kind: Required value: say what the object is, such as Pod");
  if (api_version.empty()) {
    const KindInfo* known = FindKind(kind);
    return Fail(Code::kInvalidArgument, "apiVersion: Required value: write {}",
                known != nullptr ? known->ApiVersion() : "v1 or group/version");
  }
  const KindEntry* entry = FindEntry(kind);
  if (entry == nullptr) {
    std::vector<std::string_view> names;
    for (const KindInfo& info : AllKinds()) names.push_back(info.kind);
    const auto suggestion = Suggest(kind, names);
    return Fail(Code::kInvalidArgument, "kind: {} is not served here{}", kind,
                suggestion ? fmt::format("; did you mean {}?", *suggestion)
                           : fmt::format("; served are {}", fmt::join(names, ", ")));
  }
  const KindInfo& info = entry->info;
  if (api_version == info.ApiVersion()) return object;
  for (const GroupVersion& other : info.served_as) {
    if (api_version != other.Text()) continue;
    if (other.version == "v1beta1") ConvertFromV1Beta1(kind, object);
    if (other == kEventsV1) ConvertFromEventsV1(object);
    object.as_object()["apiVersion"] = info.ApiVersion();
    return object;
  }
  return Fail(Code::kInvalidArgument, "apiVersion: {} is not served for {}; write {}", api_version, kind,
              info.ApiVersion());
}

void SetDefaults(Json& object) {
  const KindInfo* info = FindKind(StringAt(object, {"kind"}));
  const Form* form = info == nullptr ? nullptr : FormOf(info->group, info->kind);
  if (form != nullptr) Complete(*form, object.as_object());
}

std::vector<FieldError> Validate(const Json& object) {
  const KindEntry* entry = FindEntry(StringAt(object, {"kind"}));
  if (entry == nullptr) return {{"kind", "not served here"}};
  if (entry->check_fields != nullptr) {
    std::vector<FieldError> errors = entry->check_fields(object);
    if (!errors.empty()) return errors;
  }
  return entry->validate(object);
}

}  // namespace kumiko::api
