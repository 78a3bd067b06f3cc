#include "api/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/group.h"
#include "base/suggest.h"

namespace kumiko::api {

namespace {

struct KindEntry {
  KindInfo info;
  std::vector<std::string_view> other_versions;  // served beside the stored one
  std::vector<FieldError> (*check_fields)(const Json&);
  std::vector<FieldError> (*validate)(const Json&);
  void (*set_defaults)(Json&);
};

template <class T, void (*kValidate)(const T&, FieldErrors&)>
std::vector<FieldError> ValidateAs(const Json& object) {
  const Result<T> decoded = Decode<T>(object);
  if (!decoded) return CheckFields<T>(object);
  FieldErrors errors;
  kValidate(*decoded, errors);
  return errors.Take();
}

template <class T, void (*kValidate)(const T&, FieldErrors&)>
KindEntry Entry(KindInfo info, std::vector<std::string_view> other_versions, void (*set_defaults)(Json&)) {
  return {info, std::move(other_versions), &CheckFields<T>, &ValidateAs<T, kValidate>, set_defaults};
}

void NoDefaults(Json&) {}

constexpr std::string_view kResourceGroup = "resource.k8s.io";

const std::vector<KindEntry>& Entries() {
  static const std::vector<KindEntry> entries = {
      Entry<Event, ValidateEvent>({"", "v1", "Event", "events", true, false}, {}, NoDefaults),
      Entry<Namespace, ValidateNamespace>({"", "v1", "Namespace", "namespaces", false, true}, {}, NoDefaults),
      Entry<Node, ValidateNode>({"", "v1", "Node", "nodes", false, true}, {}, NoDefaults),
      Entry<Pod, ValidatePod>({"", "v1", "Pod", "pods", true, true}, {}, DefaultPod),
      Entry<Deployment, ValidateDeployment>({"apps", "v1", "Deployment", "deployments", true, true}, {},
                                            DefaultDeployment),
      Entry<ReplicaSet, ValidateReplicaSet>({"apps", "v1", "ReplicaSet", "replicasets", true, true}, {},
                                            DefaultReplicaSet),
      Entry<Job, ValidateJob>({"batch", "v1", "Job", "jobs", true, true}, {}, DefaultJob),
      Entry<DeviceClass, ValidateDeviceClass>({kResourceGroup, "v1", "DeviceClass", "deviceclasses", false, false},
                                              {"v1beta1", "v1beta2"}, NoDefaults),
      Entry<DeviceTaintRule, ValidateDeviceTaintRule>(
          {kResourceGroup, "v1", "DeviceTaintRule", "devicetaintrules", false, true}, {"v1beta2", "v1alpha3"},
          NoDefaults),
      Entry<ResourceClaim, ValidateResourceClaim>({kResourceGroup, "v1", "ResourceClaim", "resourceclaims", true, true},
                                                  {"v1beta1", "v1beta2"}, DefaultResourceClaim),
      Entry<ResourceClaimTemplate, ValidateResourceClaimTemplate>(
          {kResourceGroup, "v1", "ResourceClaimTemplate", "resourceclaimtemplates", true, false},
          {"v1beta1", "v1beta2"}, DefaultResourceClaimTemplate),
      Entry<ResourceSlice, ValidateResourceSlice>(
          {kResourceGroup, "v1", "ResourceSlice", "resourceslices", false, false}, {"v1beta1", "v1beta2"}, NoDefaults),
  };
  return entries;
}

const KindEntry* FindEntry(std::string_view kind) {
  const auto& entries = Entries();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const KindEntry& entry) { return entry.info.kind == kind; });
  return found == entries.end() ? nullptr : &*found;
}

std::string ApiVersionOf(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

}  // namespace

std::string KindInfo::ApiVersion() const {
  return ApiVersionOf(group, version);
}

std::span<const KindInfo> AllKinds() {
  static const std::vector<KindInfo> kinds = [] {
    std::vector<KindInfo> all;
    for (const KindEntry& entry : Entries()) all.push_back(entry.info);
    return all;
  }();
  return kinds;
}

const KindInfo* FindKind(std::string_view kind) {
  const KindEntry* entry = FindEntry(kind);
  return entry == nullptr ? nullptr : &entry->info;
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
  for (const std::string_view version : entry->other_versions) {
    if (api_version != ApiVersionOf(info.group, version)) continue;
    if (version == "v1beta1") ConvertFromV1Beta1(kind, object);
    object.as_object()["apiVersion"] = info.ApiVersion();
    return object;
  }
  return Fail(Code::kInvalidArgument, "apiVersion: {} is not served for {}; write {}", api_version, kind,
              info.ApiVersion());
}

void SetDefaults(Json& object) {
  if (!object.is_object()) return;
  if (const KindEntry* entry = FindEntry(StringAt(object, {"kind"}))) entry->set_defaults(object);
}

std::vector<FieldError> Validate(const Json& object) {
  const KindEntry* entry = FindEntry(StringAt(object, {"kind"}));
  if (entry == nullptr) return {{"kind", "not served here"}};
  std::vector<FieldError> errors = entry->check_fields(object);
  if (!errors.empty()) return errors;
  return entry->validate(object);
}

}  // namespace kumiko::api
