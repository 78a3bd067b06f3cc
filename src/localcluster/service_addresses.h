// The addresses and node ports of Services, which the API server gives when it stores one. Pure functions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "api/codec.h"
#include "base/json.h"

namespace kumiko::localcluster {

// Gives `service`, which has its uid and its defaults, an address in 10.96.0.0/16 and node ports from 30000 to 32767,
// as far as its type has them and it brings none. `others` are the Services that there are; the one of the same uid is
// passed over. Same service and same others, same addresses. An address that it brings and that is taken is an error.
std::vector<api::FieldError> AssignAddresses(Json& service, std::span<const std::shared_ptr<const Json>> others);

}  // namespace kumiko::localcluster
