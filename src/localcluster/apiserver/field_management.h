// What a request tells api/patch about field ownership: who writes, through which resource, in which version.
#pragma once

#include <string>

#include "api/patch/server_side_apply.h"
#include "kube/api_error.h"
#include "localcluster/apiserver/resource_call.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

// The parameter fieldManager, or else the program of the User-Agent. Errors: kInvalid for a name that is too long or
// cannot be printed.
kube::ApiResult<std::string> FieldManagerOf(const ResourceCall& call);

// `call` must outlive the result.
api::FieldManagement FieldManagementOf(const ResourceCall& call);

// metadata.managedFields of `from`, or none.
void TakeManagedFields(const Json& from, Json& to);

// A write that is no apply: its manager comes to own what it changes.
WriteOptions UpdateOptions(const ResourceCall& call, std::string manager, Time now);

}  // namespace kumiko::localcluster
