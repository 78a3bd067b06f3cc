#include "localcluster/apiserver/reviews.h"

#include <algorithm>

namespace kumiko::localcluster {
namespace {

Json UserInfo() {
  return {{"username", "kubernetes-admin"}, {"groups", JsonArray{"system:masters", "system:authenticated"}}};
}

Json AllRules() {
  return {
      {"resourceRules",
       JsonArray{JsonObject{{"verbs", JsonArray{"*"}}, {"apiGroups", JsonArray{"*"}}, {"resources", JsonArray{"*"}}}}},
      {"nonResourceRules", JsonArray{JsonObject{{"verbs", JsonArray{"*"}}, {"nonResourceURLs", JsonArray{"*"}}}}},
      {"incomplete", false}};
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
