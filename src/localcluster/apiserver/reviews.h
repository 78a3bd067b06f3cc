// Questions that are answered and not stored: may I, who am I. Everything is allowed to whoever has the token.
#pragma once

#include "api/kinds.h"
#include "kube/api_error.h"
#include "localcluster/apiserver/resource_call.h"
#include "localcluster/http/http_message.h"

namespace kumiko::localcluster {

bool IsReview(const api::KindInfo& kind);

// Errors: kMethodNotAllowed for anything but a create, and those of ReadObject.
kube::ApiResult<HttpResponse> AnswerReview(const ResourceCall& call);

}  // namespace kumiko::localcluster
