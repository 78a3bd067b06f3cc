// delete and deletecollection.
#include "localcluster/apiserver/resource_api.h"
#include "localcluster/apiserver/selector.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;

struct DeleteRequest {
  kube::DeleteOptions options;
  bool dry_run = false;
};

std::optional<std::int64_t> Seconds(const Json* value) {
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

kube::ApiResult<kube::Propagation> ReadPropagation(std::string_view policy) {
  if (policy.empty() || policy == "Background") return kube::Propagation::kBackground;
  if (policy == "Foreground") return kube::Propagation::kForeground;
  if (policy == "Orphan") return kube::Propagation::kOrphan;
  return Refuse(StatusReason::kInvalid,
                "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"{}\": supported "
                "values: \"Background\", \"Foreground\", \"Orphan\"",
                policy);
}

// From the body (DeleteOptions of any group) or the query; the body has precedence.
kube::ApiResult<DeleteRequest> ReadDeleteRequest(const ResourceCall& call) {
  Json body = JsonObject();
  if (!call.http.body.empty()) {
    KU_TRY_API(body, ReadBody(call.http));
  }
  DeleteRequest request;
  const Query& query = call.info.query;
  request.dry_run = call.dry_run();
  if (const Json* dry_run = Find(body, "dryRun"); dry_run != nullptr && dry_run->is_array()) {
    request.dry_run = request.dry_run || !dry_run->get_array().empty();
  }
  request.options.grace_period_seconds = Seconds(Find(body, "gracePeriodSeconds"));
  if (!request.options.grace_period_seconds) request.options.grace_period_seconds = query.Integer("gracePeriodSeconds");
  std::string_view policy = StringAt(body, {"propagationPolicy"});
  if (policy.empty()) policy = query.Get("propagationPolicy");
  const Json* orphans = Find(body, "orphanDependents");
  const bool orphans_dependents =
      (orphans != nullptr && orphans->is_bool() && orphans->get_bool()) || query.IsTrue("orphanDependents");
  KU_TRY_API(request.options.propagation, ReadPropagation(policy.empty() && orphans_dependents ? "Orphan" : policy));
  const std::string_view uid = StringAt(body, {"preconditions", "uid"});
  const std::string_view version = StringAt(body, {"preconditions", "resourceVersion"});
  if (!uid.empty()) request.options.uid = std::string(uid);
  if (!version.empty()) request.options.resource_version = std::string(version);
  return request;
}

Json Success(const api::KindInfo& kind, const Json& object) {
  JsonObject details{{"name", StringAt(object, {"metadata", "name"})}};
  if (!kind.group.empty()) details["group"] = kind.group;
  details["kind"] = kind.plural;
  details["uid"] = StringAt(object, {"metadata", "uid"});
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", JsonObject()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

// The namespaces that every cluster has.
bool IsImmortal(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

}  // namespace

ResourceApi::Answered ResourceApi::Delete(const ResourceCall& call) {
  if (call.kind.kind == "Namespace" && IsImmortal(call.key.name)) {
    return Refuse(kube::Forbidden(call.kind, call.key.name, "this namespace may not be deleted"));
  }
  KU_TRY_API(const DeleteRequest request, ReadDeleteRequest(call));
  KU_TRY_API(const DeletedObject deleted, store_.DeleteObject(call.key, request.options, {.dry_run = request.dry_run}));
  if (!deleted.gone || call.kind.kind == "Pod") return Written(call, 200, *deleted.object.tree());
  return JsonResponse(200, WriteJson(Success(call.kind, deleted.object.outline())) + "\n");
}

ResourceApi::Answered ResourceApi::DeleteCollection(const ResourceCall& call) {
  KU_TRY_API(const DeleteRequest request, ReadDeleteRequest(call));
  KU_TRY_API(const LabelSelector labels, LabelSelector::Parse(call.info.query.Get("labelSelector")));
  KU_TRY_API(const FieldSelector fields, FieldSelector::Parse(call.info.query.Get("fieldSelector"), call.kind.kind,
                                                              call.version.group, call.selectable_fields()));
  KU_TRY_API(const ObjectWriting writing, call.Writing(clock_.Now()));
  const auto listed = store_.List(call.key);
  if (!listed) return Refuse(StatusReason::kInternalError, "{}", listed.error().message);
  std::vector<kube::Object> deleted;
  for (const kube::Object& item : listed->items) {
    const Json& seen = item.outline();
    if (!labels.Matches(seen) || !fields.Matches(seen)) continue;
    const kube::ObjectKey key{call.key.kind, std::string(StringAt(seen, {"metadata", "namespace"})),
                              std::string(StringAt(seen, {"metadata", "name"}))};
    const auto gone = store_.DeleteObject(key, request.options, {.dry_run = request.dry_run});
    if (gone) {
      deleted.push_back(item);
    } else if (gone.error().reason != StatusReason::kNotFound) {
      return Refuse(gone.error());
    }
  }
  return JsonResponse(200, WriteList(writing, {.resource_version = listed->resource_version}, deleted));
}

}  // namespace kumiko::localcluster
