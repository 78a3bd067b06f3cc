#include <fmt/format.h>

#include <set>
#include <string_view>

#include "api/group.h"

namespace kumiko::api {

namespace {

enum class SelectorRule { kRequired, kOptional };

// The selector, and that the template has the labels that it selects.
void CheckSelector(const Field& spec, std::string_view kind, SelectorRule rule, FieldErrors& errors) {
  const Field selector = spec["selector"];
  const Field labels = spec["template"]["metadata"]["labels"];
  bool matches = false;
  if (!selector.present()) {
    if (rule == SelectorRule::kRequired) errors.Required(selector.path());
  } else if (!CheckLabelSelector(selector, errors)) {
    errors.InvalidJson(selector.path(), selector.json(), "invalid label selector");
    return;
  } else if (selector["matchLabels"].members().empty() && selector["matchExpressions"].size() == 0) {
    errors.InvalidJson(selector.path(), selector.json(), fmt::format("empty selector is invalid for {}", kind));
    matches = true;
  } else {
    const Result<LabelSelector> decoded = Decode<LabelSelector>(*selector.json());
    StringMap values;
    for (const auto& [key, value] : labels.members()) {
      if (value.is_string()) values.emplace(key, std::string_view(value.get_string()));
    }
    matches = decoded && Matches(*decoded, values);
  }
  if (!matches) {
    errors.InvalidJson(labels.path(), labels.json(), "`selector` does not match template `labels`");
  }
}

// Pods of these kinds run until they are deleted.
void CheckTemplate(const Field& pod_template, std::string_view kind, FieldErrors& errors) {
  ValidatePodTemplate(pod_template, errors);
  const Field spec = pod_template["spec"];
  const std::string_view policy = spec["restartPolicy"].text();
  if (policy == "OnFailure" || policy == "Never") errors.Unsupported(spec["restartPolicy"].path(), policy, {"Always"});
  if (spec["activeDeadlineSeconds"].present()) {
    errors.Forbidden(spec["activeDeadlineSeconds"].path(),
                     fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

// The template with a volume for each claim template, which pods get under the same name.
Json WithClaimVolumes(const Field& spec) {
  const Field pod_template = spec["template"];
  if (!pod_template.present() || !pod_template.json()->is_object()) return {};
  Json whole = *pod_template.json();
  Json& pod = whole.get_object()["spec"];
  if (!pod.is_object()) return whole;
  const Field claims = spec["volumeClaimTemplates"];
  std::set<std::string_view> names;
  JsonArray volumes;
  for (std::size_t i = 0; i < claims.size(); ++i) names.insert(claims[i]["metadata"]["name"].text());
  const Field own = pod_template["spec"]["volumes"];
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!names.contains(own[i]["name"].text())) volumes.push_back(*own[i].json());
  }
  for (const std::string_view name : names) {
    volumes.push_back(JsonObject{{"name", name}, {"persistentVolumeClaim", {{"claimName", name}}}});
  }
  if (!volumes.empty()) pod.get_object()["volumes"] = std::move(volumes);
  return whole;
}

bool IsZero(const Field& field) {
  const std::string_view text = field.text();
  return field.present() && (text == "0%" || (field.json()->is_int64() && field.number() == 0));
}

// The strategy as Go holds it, which is how the API server shows it.
Json StrategyText(const Field& strategy) {
  return JsonObject{{"Type", strategy["type"].text()}, {"RollingUpdate", nullptr}};
}

}  // namespace

void ValidateDeployment(const Json& deployment, FieldErrors& errors) {
  ValidateName(deployment, CheckDnsSubdomain, errors);
  const Field spec = Field(&deployment, FieldPath())["spec"];
  CheckNotNegative(spec["replicas"], errors);
  CheckSelector(spec, "deployment", SelectorRule::kRequired, errors);
  CheckTemplate(spec["template"], "ReplicaSet", errors);
  const Field strategy = spec["strategy"];
  const Field rolling = strategy["rollingUpdate"];
  const std::string_view type = strategy["type"].text();
  if (type == "Recreate") {
    if (rolling.present()) {
      errors.Forbidden(rolling.path(), "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    CheckCountOrPercent(rolling["maxSurge"], errors);
    CheckCountOrPercent(rolling["maxUnavailable"], errors);
    if (IsZero(rolling["maxSurge"]) && IsZero(rolling["maxUnavailable"])) {
      errors.InvalidJson(rolling["maxUnavailable"].path(), rolling["maxUnavailable"].json(),
                         "may not be 0 when `maxSurge` is 0");
    }
  } else {
    errors.Add(
        {strategy.path().text(), fmt::format("Unsupported value: {}: supported values: \"Recreate\", \"RollingUpdate\"",
                                             WriteJson(StrategyText(strategy)))});
  }
  CheckNotNegative(spec["minReadySeconds"], errors);
  CheckNotNegative(spec["revisionHistoryLimit"], errors);
  const Field deadline = spec["progressDeadlineSeconds"];
  CheckNotNegative(deadline, errors);
  if (deadline.present() && deadline.number() <= spec["minReadySeconds"].number()) {
    errors.Invalid(deadline.path(), deadline.number(), "must be greater than minReadySeconds");
  }
}

void ValidateReplicaSet(const Json& set, FieldErrors& errors) {
  ValidateName(set, CheckDnsSubdomain, errors);
  const Field spec = Field(&set, FieldPath())["spec"];
  CheckNotNegative(spec["replicas"], errors);
  CheckNotNegative(spec["minReadySeconds"], errors);
  CheckSelector(spec, "deployment", SelectorRule::kRequired, errors);
  CheckTemplate(spec["template"], "ReplicaSet", errors);
}

void ValidateStatefulSet(const Json& set, FieldErrors& errors) {
  ValidateName(set, CheckDnsSubdomain, errors);
  const Field spec = Field(&set, FieldPath())["spec"];
  if (const Field policy = spec["podManagementPolicy"];
      policy.text() != "OrderedReady" && policy.text() != "Parallel") {
    errors.Invalid(policy.path(), policy.text(), "must be 'OrderedReady' or 'Parallel'");
  }
  const Field strategy = spec["updateStrategy"];
  const std::string_view type = strategy["type"].text();
  const Field rolling = strategy["rollingUpdate"];
  if (type == "RollingUpdate") {
    CheckNotNegative(rolling["partition"], errors);
    CheckCountOrPercent(rolling["maxUnavailable"], errors);
    if (IsZero(rolling["maxUnavailable"])) {
      errors.InvalidJson(rolling["maxUnavailable"].path(), rolling["maxUnavailable"].json(), "cannot be 0");
    }
  } else if (type != "OnDelete") {
    const Json shown = StrategyText(strategy);
    errors.InvalidJson(strategy.path(), &shown, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (rolling.present()) {
    errors.InvalidJson(rolling.path(), rolling.json(), "only allowed for updateStrategy 'RollingUpdate'");
  }
  for (const Field& field : {spec["replicas"], spec["minReadySeconds"], spec["ordinals"]["start"]}) {
    CheckNotNegative(field, errors);
  }
  if (const Field service = spec["serviceName"]; !service.text().empty()) CheckFormat(service, CheckDnsLabel, errors);
  CheckSelector(spec, "statefulset", SelectorRule::kRequired, errors);
  const Json pod_template = WithClaimVolumes(spec);
  CheckTemplate(Field(&pod_template, spec["template"].path()), "StatefulSet", errors);
  CheckNotNegative(spec["revisionHistoryLimit"], errors);
}

void ValidateDaemonSet(const Json& set, FieldErrors& errors) {
  ValidateName(set, CheckDnsSubdomain, errors);
  const Field spec = Field(&set, FieldPath())["spec"];
  CheckSelector(spec, "daemonset", SelectorRule::kOptional, errors);
  CheckTemplate(spec["template"], "DaemonSet", errors);
  CheckNotNegative(spec["minReadySeconds"], errors);
  const Field strategy = spec["updateStrategy"];
  const std::string_view type = strategy["type"].text();
  const Field surge = strategy["rollingUpdate"]["maxSurge"];
  const Field unavailable = strategy["rollingUpdate"]["maxUnavailable"];
  if (type == "RollingUpdate") {
    CheckCountOrPercent(unavailable, errors);
    CheckCountOrPercent(surge, errors);
    if (IsZero(surge) && IsZero(unavailable)) {
      errors.Required(unavailable.path(), "cannot be 0 when maxSurge is 0");
    } else if (surge.present() && !IsZero(surge) && !IsZero(unavailable)) {
      errors.InvalidJson(surge.path(), surge.json(), "may not be set when maxUnavailable is non-zero");
    }
  } else if (type != "OnDelete") {
    errors.Add(
        {strategy.path().text(), fmt::format("Unsupported value: {}: supported values: \"RollingUpdate\", \"OnDelete\"",
                                             WriteJson(StrategyText(strategy)))});
  }
  CheckNotNegative(spec["revisionHistoryLimit"], errors);
}

void ValidateControllerRevision(const Json& revision, FieldErrors& errors) {
  ValidateName(revision, CheckDnsSubdomain, errors);
  const Field root(&revision, FieldPath());
  CheckNotNegative(root["revision"], errors);
  const Field data = root["data"];
  if (!data.present()) {
    errors.Required(data.path(), "data is mandatory");
  } else if (!data.json()->is_object()) {
    errors.Required(data.path(), "data must be a valid JSON object");
  }
}

}  // namespace kumiko::api
