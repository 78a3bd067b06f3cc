#include "cel/library/authorizer.h"

#include "cel/run_context.h"

namespace kumiko::cel {
namespace {

constexpr Type Object(std::string_view name) {
  return {TypeKind::kObject, nullptr, nullptr, 0, name};
}
constexpr Type kAuthorizer = Object("kubernetes.authorization.Authorizer");
constexpr Type kPathCheck = Object("kubernetes.authorization.PathCheck");
constexpr Type kGroupCheck = Object("kubernetes.authorization.GroupCheck");
constexpr Type kResourceCheck = Object("kubernetes.authorization.ResourceCheck");
constexpr Type kDecision = Object("kubernetes.authorization.Decision");

// There is no value that these could be asked about.
Value HasNoReceiver(RunContext&, std::span<const Value>) {
  return NoSuchOverload();
}

constexpr Overload Step(std::string_view name, TypeRef result, TypeRef receiver, CostRule cost = CostRule::kAccessor) {
  return Member(name, HasNoReceiver, cost, result, 2, receiver, &kStringType);
}
constexpr Overload Part(std::string_view name, TypeRef result) {
  return Member(name, HasNoReceiver, CostRule::kAccessor, result, 1, &kDecision);
}

constexpr Overload kOverloads[] = {
    Step("path", &kPathCheck, &kAuthorizer),
    Step("group", &kGroupCheck, &kAuthorizer),
    Member("serviceAccount", HasNoReceiver, CostRule::kAccessor, &kAuthorizer, 3, &kAuthorizer, &kStringType,
           &kStringType),
    Step("resource", &kResourceCheck, &kGroupCheck),
    Step("subresource", &kResourceCheck, &kResourceCheck),
    Step("namespace", &kResourceCheck, &kResourceCheck),
    Step("name", &kResourceCheck, &kResourceCheck),
    Step("fieldSelector", &kResourceCheck, &kResourceCheck, CostRule::kParseSelector),
    Step("labelSelector", &kResourceCheck, &kResourceCheck, CostRule::kParseSelector),
    Step("check", &kDecision, &kPathCheck, CostRule::kAuthorize),
    Step("check", &kDecision, &kResourceCheck, CostRule::kAuthorize),
    Part("errored", &kBoolType),
    Part("error", &kStringType),
    Part("allowed", &kBoolType),
    Part("reason", &kStringType),
};

}  // namespace

std::span<const Overload> AuthorizerOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
