// Authorization checks: x.group("apps").resource("deployments").check("get").allowed(). No environment here has a
// variable that holds an authorizer, but Kubernetes declares the functions everywhere: an expression of unknown type
// may call them, is checked and charged for it, and fails when it runs.
#pragma once

#include <span>

#include "cel/overload.h"

namespace kumiko::cel {

std::span<const Overload> AuthorizerOverloads();

}  // namespace kumiko::cel
