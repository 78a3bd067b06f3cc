#include "api/defaults.h"

namespace kumiko::api {

namespace {

// Deployments and DaemonSets: the parameters of a rolling update come with it.
void DefaultStrategy(JsonObject& strategy) {
  DefaultMember(strategy, "type", "RollingUpdate");
  if (TextAt(strategy, "type") == "RollingUpdate") MakeMapAt(strategy, "rollingUpdate");
}

// Here they come only where the strategy is not named either.
void DefaultStatefulSetStrategy(JsonObject& strategy) {
  if (!TextAt(strategy, "type").empty()) return;
  strategy["type"] = "RollingUpdate";
  MakeMapAt(strategy, "rollingUpdate");
}

// The claims that each pod gets are whole objects.
void DefaultClaimTemplates(JsonObject& spec) {
  ForEachMap(spec, "volumeClaimTemplates", [](JsonObject& claim) {
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
  });
}

// Counts changes of the template since the times before apps/v1; clients still see it.
void DefaultTemplateGeneration(JsonObject& daemon_set) {
  JsonObject* metadata = MakeMapAt(daemon_set, "metadata");
  JsonObject* annotations = metadata == nullptr ? nullptr : MakeMapAt(*metadata, "annotations");
  if (annotations != nullptr) DefaultMember(*annotations, "deprecated.daemonset.template.generation", "1");
}

}  // namespace

std::span<const DependentDefaults> AppsDefaults() {
  static constexpr DependentDefaults kRows[] = {
      {"apps.DaemonSet", DefaultTemplateGeneration},
      {"apps.DaemonSetUpdateStrategy", DefaultStrategy},
      {"apps.DeploymentStrategy", DefaultStrategy},
      {"apps.StatefulSetSpec", DefaultClaimTemplates},
      {"apps.StatefulSetUpdateStrategy", DefaultStatefulSetStrategy},
  };
  return kRows;
}

}  // namespace kumiko::api
