// What a request tells about field ownership: who writes, through which resource, in which version.
#pragma once

#include <string>

#include "kube/api_error.h"
#include "localcluster/apiserver/resource_call.h"
#include "localcluster/ownership.h"

namespace kumiko::localcluster {

// The parameter fieldManager, or else the program of the User-Agent. Errors: kInvalid for a name that is too long or
// cannot be printed.
kube::ApiResult<std::string> FieldManagerOf(const ResourceCall& call);

api::FieldManagement FieldManagementOf(const ResourceCall& call);

}  // namespace kumiko::localcluster
