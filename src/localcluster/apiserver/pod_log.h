// The logs of simulated containers, as `kubectl logs` asks for them: whole, the last lines, or followed as they appear.
#pragma once

#include "base/clock.h"
#include "kube/api_error.h"
#include "localcluster/apiserver/resource_call.h"
#include "localcluster/http/http_message.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

// Answers GET /api/v1/namespaces/NS/pods/NAME/log with the parameters container, previous, follow, timestamps,
// tailLines, limitBytes, sinceSeconds and sinceTime. `store` and `clock` must outlive the response. Errors: kNotFound,
// and kBadRequest where a container must be named or has no log.
kube::ApiResult<HttpResponse> AnswerPodLog(const ResourceCall& call, Store& store, const Clock& clock);

}  // namespace kumiko::localcluster
