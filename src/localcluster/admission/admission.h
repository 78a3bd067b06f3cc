// What admission plugins do to an object that is about to be created, beside the checks of its fields: pods get a
// service account with its token, tolerations of nodes that fail, and the number of their priority class. Pure
// functions of the object and of what they read. Source: plugin/pkg/admission of Kubernetes 1.37.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/api_error.h"

namespace kumiko::localcluster {

// The part of the cluster that admission looks at.
struct ClusterReader {
  // Null when there is none of this name.
  std::function<std::shared_ptr<const Json>(std::string_view kind, std::string_view name_space, std::string_view name)>
      get;
  std::function<std::vector<std::shared_ptr<const Json>>(std::string_view kind)> list;
};

// Changes `object`, which is prepared and defaulted. `suffix` ends the name of the volume that holds the token, and is
// as random as the end of a generated name. Errors: kForbidden.
using Admission = kube::ApiResult<void>;
Admission Admit(Json& object, const ClusterReader& cluster, std::string_view suffix);

// The parts of Admit.
Admission AdmitServiceAccount(Json& pod, const ClusterReader& cluster, std::string_view suffix);
Admission AdmitPriority(Json& pod, const ClusterReader& cluster);
Admission AdmitPriorityClass(const Json& priority_class, const ClusterReader& cluster);
void AdmitTolerations(Json& pod);

// `pods "x" is forbidden: WHY`.
tl::unexpected<kube::ApiError> Forbid(const Json& object, std::string_view why);

}  // namespace kumiko::localcluster
