#include "localcluster/apiserver/reviews.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace kumiko::localcluster {
namespace {

Json UserInfo() {
  return {{"username", "kubernetes-admin"}, {"groups", JsonArray{"system:masters", "system:authenticated"}}};
}

JsonArray Texts(std::initializer_list<std::string_view> texts) {
  JsonArray list;
  for (const std::string_view text : texts) list.emplace_back(text);
  return list;
}

Json Rule(std::string_view verb, std::string_view group, std::initializer_list<std::string_view> resources) {
  return {{"verbs", Texts({verb})}, {"apiGroups", Texts({group})}, {"resources", Texts(resources)}};
}

Json PathRule(std::string_view verb, std::initializer_list<std::string_view> paths) {
  return {{"verbs", Texts({verb})}, {"nonResourceURLs", Texts(paths)}};
}

// Those of cluster-admin, then those of the roles that every user has: system:basic-user, system:discovery and
// system:public-info-viewer. Source: kubernetes, rbac/bootstrappolicy.
Json AllRules() {
  JsonArray resources;
  resources.push_back(Rule("*", "*", {"*"}));
  resources.push_back(Rule("create", "authorization.k8s.io", {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}));
  resources.push_back(Rule("create", "authentication.k8s.io", {"selfsubjectreviews"}));
  JsonArray paths;
  paths.push_back(PathRule("*", {"*"}));
  paths.push_back(PathRule("get", {"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*",
                                   "/readyz", "/version", "/version/"}));
  paths.push_back(PathRule("get", {"/healthz", "/livez", "/readyz", "/version", "/version/"}));
  return {{"resourceRules", std::move(resources)}, {"nonResourceRules", std::move(paths)}, {"incomplete", false}};
}

Json StatusFor(std::string_view kind) {
  if (kind == "SelfSubjectReview") return {{"userInfo", UserInfo()}};
  if (kind == "SelfSubjectRulesReview") return AllRules();
  if (kind == "TokenReview") return {{"authenticated", false}, {"user", JsonObject()}};
  return {{"allowed", true}};
}

}  // namespace

bool IsReview(const api::KindInfo& kind) {
  const auto reviews = api::ReviewKinds();
  return std::any_of(reviews.begin(), reviews.end(), [&](const api::KindInfo& review) { return &review == &kind; });
}

kube::ApiResult<HttpResponse> AnswerReview(const ResourceCall& call) {
  if (call.info.verb != RequestInfo::Verb::kCreate || !call.info.subresource.empty()) {
    return kube::Refuse(kube::StatusReason::kMethodNotAllowed, "{} are asked by POST only", call.kind.plural);
  }
  KU_TRY_API(Json review, ReadObject(call));
  review.as_object()["status"] = StatusFor(call.kind.kind);
  return JsonResponse(201, WriteJson(review) + "\n");
}

}  // namespace kumiko::localcluster
