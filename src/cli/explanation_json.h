// Explanations and proposed changes as JSON, for `kumiko allocate --explain`.
#pragma once

#include "allocator/explain.h"
#include "allocator/smallest_change.h"
#include "base/json.h"

namespace kumiko::cli {

// {text, claim, request, deviceClass, devices, boardsOutsideClass, reasons: [{reason, detail, devices, ofClass,
// selector: {index, expression, condition}, names: [{driver, pool, device}]}]}.
JsonObject ExplanationJson(const allocator::Explanation& explanation);

// {text, node, changes: [{kind, …}]}, or null when nothing helps. `kind` names a struct of allocator/change.h, the
// other members are its members; `request` is "req" or "req/sub". Applied to a case in order:
//   LowerCount             allocationMode becomes ExactCount, count as given
//   LowerCapacity          capacity.requests[capacity] becomes the amount; without one it goes
//   Tolerate               {key, operator: Exists} is added to the tolerations; an empty key is left out
//   RelaxSelector          the expression of selector number `selector` of the request is replaced
//   DropConstraint         constraint number `constraint` of the claim goes
//   DropRequest            the request goes
//   ReleaseDevices         everything allocated of these devices goes
//   RelaxClass             the expression of selector number `selector` of the class is replaced
//   EnableFeature          the feature is on
//   DeclareNodeOperations  the node declares DRAOptionalNodeOperations
//   CompletePool           slices of the driver's pool of this generation announce `slices` slices
//   AddDevices             a slice for the node is added, of a pool of its own, with `count` devices that have
//   attributes,
//                          capacity and allowMultipleAllocations of `like`
Json ProposalJson(const allocator::Proposal& proposal);

}  // namespace kumiko::cli
