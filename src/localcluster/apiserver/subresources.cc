// What stands below an object: status, scale, binding, eviction, finalize, token, log.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "localcluster/apiserver/certificate.h"
#include "localcluster/apiserver/eviction.h"
#include "localcluster/apiserver/patches.h"
#include "localcluster/apiserver/pod_log.h"
#include "localcluster/apiserver/resource_api.h"
#include "localcluster/binding.h"

namespace kumiko::localcluster {
namespace {

using kube::Refuse;
using kube::StatusReason;
using Verb = RequestInfo::Verb;

tl::unexpected<kube::ApiError> NotAllowed(const ResourceCall& call) {
  return Refuse(StatusReason::kMethodNotAllowed, "the server does not allow this method on {} of {}",
                call.info.subresource, call.kind.plural);
}

// `app=web,tier in (a)` of a LabelSelector in the spec, as status.selector of a Scale has it.
std::string SelectorText(const Json& object) {
  std::vector<std::string> parts;
  if (const Json* labels = FindPath(object, {"spec", "selector", "matchLabels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [name, value] : labels->get_object()) {
      parts.push_back(std::string(name) + "=" + (value.is_string() ? std::string(value.get_string()) : std::string()));
    }
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

Json MemberOr(const Json& object, std::initializer_list<std::string_view> path, const Json& fallback) {
  const Json* found = FindPath(object, path);
  return found == nullptr ? fallback : *found;
}

// `.spec.replicas` of a custom resource's definition; a path that was not refused has names only.
const Json* AtPath(const Json& object, std::string_view path) {
  const Json* value = &object;
  for (const std::string_view step : Split(path.substr(1), '.')) {
    value = value == nullptr ? nullptr : Find(*value, step);
  }
  return value;
}

void SetAtPath(Json& object, std::string_view path, const Json& value) {
  Json* at = &object;
  for (const std::string_view step : Split(path.substr(1), '.')) {
    if (!at->is_object()) *at = JsonObject();
    at = &at->get_object()[step];
  }
  *at = value;
}

Json CustomScaleOf(const ScalePaths& paths, const Json& object, JsonObject metadata) {
  const Json* wanted = AtPath(object, paths.spec_replicas);
  const Json* there = AtPath(object, paths.status_replicas);
  JsonObject spec;
  if (wanted != nullptr && *wanted != Json(0)) spec["replicas"] = *wanted;
  JsonObject status{{"replicas", there == nullptr ? Json(0) : *there}};
  if (!paths.label_selector.empty()) {
    const Json* selector = AtPath(object, paths.label_selector);
    if (selector != nullptr && selector->is_string()) status["selector"] = *selector;
  }
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

Json ScaleOf(const ResourceCall& call, const Json& object) {
  JsonObject metadata;
  for (const std::string_view name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* member = FindPath(object, {"metadata", name})) metadata[name] = *member;
  }
  if (const CustomVersion* custom = call.custom()) return CustomScaleOf(*custom->scale, object, std::move(metadata));
  JsonObject spec;
  // Zero is left out, as Go's omitempty has it.
  const Json wanted = MemberOr(object, {"spec", "replicas"}, 1);
  if (wanted != Json(0)) spec["replicas"] = wanted;
  JsonObject status{{"replicas", MemberOr(object, {"status", "replicas"}, 0)}};
  if (const std::string selector = SelectorText(object); !selector.empty()) status["selector"] = selector;
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

// The object with the replicas and the version that a Scale asks for.
kube::ApiResult<Json> Scaled(const ResourceCall& call, const Json& current, const Json& scale) {
  const Json replicas = MemberOr(scale, {"spec", "replicas"}, 0);
  if (!replicas.is_int64() || replicas.get_int64() < 0) {
    const api::FieldError error{"spec.replicas",
                                "Invalid value: " + WriteJson(replicas) + ": must be greater than or equal to 0"};
    const api::KindInfo kind{.group = "autoscaling", .version = "v1", .kind = "Scale", .plural = "scales"};
    return Refuse(kube::Invalid(kind, call.key.name, std::span(&error, 1)));
  }
  Json scaled = current;
  SetAtPath(scaled, call.custom() ? call.custom()->scale->spec_replicas : ".spec.replicas", replicas);
  if (const Json* version = FindPath(scale, {"metadata", "resourceVersion"})) {
    scaled.as_object()["metadata"].as_object()["resourceVersion"] = *version;
  }
  return scaled;
}

}  // namespace

ResourceApi::Answered ResourceApi::AnswerSubresource(const ResourceCall& call) {
  const std::string& name = call.info.subresource;
  if (call.key.name.empty() || (call.kind.namespaced && call.key.namespace_.empty())) {
    return Refuse(StatusReason::kNotFound, "the server could not find the requested resource");
  }
  if (name == "exec" || name == "attach" || name == "portforward" || name == "proxy") {
    return Refuse(StatusReason::kNotImplemented,
                  "{} of a pod is not possible here: its containers are simulated, no process runs in them", name);
  }
  if (call.kind.FindSubresource(name) == nullptr) {
    return Refuse(StatusReason::kNotFound, "the server could not find the requested resource");
  }
  if (name == "scale" && (call.custom() == nullptr || call.custom()->scale)) return Scale(call);
  if (name == "binding") return Bind(call);
  if (name == "eviction") return Evict(call);
  if (name == "finalize") return Finalize(call);
  if (name == "token") return RequestToken(call);
  if (name == "log") return Log(call);
  const auto subresource = name == "status" ? kube::Subresource::kStatus : kube::Subresource::kNone;
  switch (call.info.verb) {
    case Verb::kGet:
      return Get(call);
    case Verb::kUpdate:
      return Update(call, subresource);
    case Verb::kPatch:
      return Patch(call, subresource);
    case Verb::kList:
    case Verb::kWatch:
    case Verb::kCreate:
    case Verb::kDelete:
    case Verb::kDeleteCollection:
    case Verb::kOther:
      break;
  }
  return NotAllowed(call);
}

ResourceApi::Answered ResourceApi::Scale(const ResourceCall& call) {
  if (call.info.verb == Verb::kGet) {
    KU_TRY_API(const auto object, store_.Find(call.key));
    return JsonResponse(200, WriteJson(ScaleOf(call, *object)) + "\n");
  }
  if (call.info.verb != Verb::kUpdate && call.info.verb != Verb::kPatch) return NotAllowed(call);
  const bool patches = call.info.verb == Verb::kPatch;
  Json scale;
  PatchBody patch;
  if (patches) {
    KU_TRY_API(patch, ReadPatch(call));
  } else {
    KU_TRY_API(scale, ReadBody(call.http));
  }
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    if (!patches) return Scaled(call, current, scale);
    KU_TRY_API(const Json patched, ApplyPatch(call, ScaleOf(call, current), patch));
    return Scaled(call, current, patched);
  };
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, kube::Subresource::kNone, edit, options));
  return JsonResponse(200, WriteJson(ScaleOf(call, *stored)) + "\n");
}

ResourceApi::Answered ResourceApi::Bind(const ResourceCall& call) {
  if (call.info.verb != Verb::kCreate) return NotAllowed(call);
  KU_TRY_API(const Json binding, ReadBody(call.http));
  const std::string node(StringAt(binding, {"target", "name"}));
  if (node.empty()) return Refuse(StatusReason::kBadRequest, "target.name: Required value: name the node");
  const Binding bind{call.key, std::string(StringAt(binding, {"metadata", "uid"})), node};
  KU_TRY_API(const auto bound, BindPod(store_, bind, clock_.Now(), call.dry_run()));
  return JsonResponse(201, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
                           "\n");
}

ResourceApi::Answered ResourceApi::Evict(const ResourceCall& call) {
  if (call.info.verb != Verb::kCreate) return NotAllowed(call);
  KU_TRY_API(const Json eviction, ReadBody(call.http));
  kube::DeleteOptions options;
  if (const Json* grace = FindPath(eviction, {"deleteOptions", "gracePeriodSeconds"});
      grace != nullptr && grace->is_int64()) {
    options.grace_period_seconds = grace->get_int64();
  }
  KU_TRY_API(const auto pod, store_.Find(call.key));
  const auto run = call.dry_run() ? EvictionRun::kDry : EvictionRun::kReal;
  if (auto why_not = WhyNotEvict(store_, *pod, run)) return Refuse(std::move(*why_not));
  KU_TRY_API(const auto deleted, store_.DeleteObject(call.key, options, {.dry_run = call.dry_run()}));
  return JsonResponse(201, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
                           "\n");
}

ResourceApi::Answered ResourceApi::Finalize(const ResourceCall& call) {
  if (call.info.verb != Verb::kUpdate) return NotAllowed(call);
  KU_TRY_API(const Json sent, ReadObject(call));
  const auto edit = [&](const Json& current) -> kube::ApiResult<Json> {
    Json object = current;
    object.as_object()["spec"] = MemberOr(sent, {"spec"}, JsonObject());
    return object;
  };
  KU_TRY_API(const WriteOptions options, WriteOptionsOf(call));
  KU_TRY_API(const auto stored, store_.ChangeObject(call.key, kube::Subresource::kNone, edit, options));
  return Written(call, 200, *stored);
}

constexpr std::chrono::seconds kShortestToken = std::chrono::minutes(10);
const api::KindInfo kTokenRequest{
    .group = "authentication.k8s.io", .version = "v1", .kind = "TokenRequest", .plural = "tokenrequests"};

ResourceApi::Answered ResourceApi::RequestToken(const ResourceCall& call) {
  if (call.info.verb != Verb::kCreate) return NotAllowed(call);
  KU_TRY_API(Json request, ReadBody(call.http));
  KU_TRY_API(const auto account, store_.Find(call.key));
  const Json* seconds = FindPath(request, {"spec", "expirationSeconds"});
  const std::int64_t lasts = seconds != nullptr && seconds->is_int64() ? seconds->get_int64() : 3600;
  if (!request.is_object()) return Refuse(StatusReason::kBadRequest, "the body of the request is not an object");
  if (lasts < kShortestToken.count()) {
    const std::array errors{
        api::FieldError{"spec.expirationSeconds",
                        fmt::format("Invalid value: {}: may not specify a duration less than 10 minutes", lasts)}};
    return Refuse(kube::Invalid(kTokenRequest, "", errors));
  }
  const Json* audiences = FindPath(request, {"spec", "audiences"});
  const bool for_some = audiences != nullptr && audiences->is_array() && !audiences->get_array().empty();
  const Time now = clock_.Now();
  const Time expires = now + std::chrono::seconds(lasts);
  const std::string token = tokens_.Sign({.namespace_ = call.key.namespace_,
                                          .name = call.key.name,
                                          .uid = StringAt(*account, {"metadata", "uid"}),
                                          .audiences = for_some ? *audiences : JsonArray{Json(kAccountIssuer)},
                                          .issued = now,
                                          .expires = expires});
  request.get_object()["status"] = JsonObject{{"token", token}, {"expirationTimestamp", FormatRfc3339(expires)}};
  return JsonResponse(201, WriteJson(request) + "\n");
}

ResourceApi::Answered ResourceApi::Log(const ResourceCall& call) {
  if (call.info.verb != Verb::kGet) return NotAllowed(call);
  return AnswerPodLog(call, store_, clock_);
}

}  // namespace kumiko::localcluster
