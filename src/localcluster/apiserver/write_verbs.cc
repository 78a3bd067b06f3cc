// create, update and patch.
#include "api/patch/server_side_apply.h"
#include "localcluster/apiserver/field_management.h"
#include "localcluster/apiserver/patches.h"
#include "localcluster/apiserver/resource_api.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

}  // namespace

kube::ApiResult<WriteOptions> ResourceApi::WriteOptionsOf(const ResourceCall& call) const {
  KU_TRY_API(std::string manager, FieldManagerOf(call));
  return WriteOptions{
      .dry_run = call.dry_run(),
      .own = OwnedBy(call.served, call.version, call.info.subresource, std::move(manager), clock_.Now())};
}

ResourceApi::Answered ResourceApi::Create(const ResourceCall& call) {
  KU_TRY_API(const Json object, ReadObject(call));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  KU_TRY_API(const auto created, store_.CreateObject(object, options));
  return Written(call, 201, *created);
}

ResourceApi::Answered ResourceApi::Update(const ResourceCall& call, kube::Subresource subresource) {
  KU_TRY_API(Json object, ReadObject(call));
  KU_TRY_API(const Json sent, call.ToStored(std::move(object)));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  const auto edit = [&](const Json&) -> kube::ApiResult<Json> { return sent; };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, options));
  return Written(call, 200, *stored);
}

ResourceApi::Answered ResourceApi::Patch(const ResourceCall& call, kube::Subresource subresource) {
  if (PatchTypeOf(call.http) == kApplyPatch) return Apply(call, subresource);
  if (call.info.query.Has("force")) {
    return Refuse(
        StatusReason::kInvalid,
        "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply patch");
  }
  KU_TRY_API(const PatchBody patch, ReadPatch(call));
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    const std::optional<Json> shown = call.InOtherVersion(current);
    KU_TRY_API(Json patched, PatchObject(call, shown ? *shown : current, patch));
    return call.ToStored(std::move(patched));
  };
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, subresource, edit, options));
  return Written(call, 200, *stored);
}

ResourceApi::Answered ResourceApi::Apply(const ResourceCall& call, kube::Subresource subresource) {
  if (call.info.query.Get("fieldManager").empty()) {
    return Refuse(
        StatusReason::kInvalid,
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
  }
  KU_TRY_API(const std::string manager, FieldManagerOf(call));
  KU_TRY_API(const JsonWithDuplicates config, ReadUndecoded(call));
  const api::ApplyOptions apply{.manager = manager, .force = call.info.query.IsTrue("force"), .now = clock_.Now()};
  const api::FieldManagement management = FieldManagementOf(call);
  if (management.schema == nullptr) {
    return Refuse(StatusReason::kUnsupportedMediaType, "{} cannot be applied", call.kind.plural);
  }
  // Ownership is told by the object in the path's version, as it comes out of the apply.
  Json applied;
  const auto edit = [&](const Json* current) -> kube::ApiResult<Json> {
    std::optional<Json> shown;
    if (current != nullptr) shown = call.InVersion(*current);
    auto result = api::Apply(shown ? &*shown : nullptr, config.value, apply, management);
    if (!result) return Refuse(ErrorOf(call, result.error()));
    applied = std::move(*result);
    call.warnings.clear();
    KU_TRY_API(Json decoded, Decode(call, applied, config.duplicates));
    return call.ToStored(std::move(decoded));
  };
  WriteOptions options{.dry_run = call.dry_run()};
  options.own = [&](const Json*, Json& asked) { TakeManagedFields(applied, asked); };
  for (;;) {
    const auto changed =
        store_.ChangeObject(call.key, subresource, [&](const Json& current) { return edit(&current); }, options);
    if (changed) return Written(call, 200, **changed);
    if (changed.error().reason != StatusReason::kNotFound || subresource != kube::Subresource::kNone) {
      return Refuse(changed.error());
    }
    KU_TRY_API(const Json fresh, edit(nullptr));
    const auto created = store_.CreateObject(fresh, options);
    if (created) return Written(call, 201, **created);
    if (created.error().reason != StatusReason::kAlreadyExists) return Refuse(created.error());
  }
}

}  // namespace kumiko::localcluster
