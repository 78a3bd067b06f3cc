// What the API server refuses in the objects of the core group, but pods and services.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/group.h"
#include "api/kinds.h"
#include "base/base64.h"
#include "base/quantity.h"

namespace kumiko::api {

namespace {

constexpr std::size_t kMaxDataBytes = std::size_t{1024} * 1024;

void CheckAmounts(const Field& amounts, FieldErrors& errors) {
  for (const auto& [name, value] : amounts.members()) {
    const Result<Quantity> quantity =
        value.is_string() ? Quantity::Parse(std::string_view(value.get_string())) : Quantity::Parse(WriteJson(value));
    if (quantity && quantity->Sign() < 0) {
      errors.Invalid(amounts.path().Member(name), quantity->ToString(), "must be greater than or equal to 0");
    }
  }
}

// Kubernetes names these as if they stood in the metadata.
void CheckTaints(const Field& taints, FieldErrors& errors) {
  const FieldPath list("metadata.taints");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const FieldPath at = list.Index(i);
    const std::string_view key = taints[i]["key"].text();
    const std::string_view value = taints[i]["value"].text();
    const std::string_view effect = taints[i]["effect"].text();
    if (const std::string why = CheckQualifiedName(key); !why.empty()) errors.Invalid(at.Member("key"), key, why);
    if (const std::string why = CheckLabelValue(value); !why.empty()) errors.Invalid(at.Member("value"), value, why);
    if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      errors.Unsupported(at.Member("effect"), effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    if (!seen.emplace(key, effect).second) {
      const Json taint = JsonObject{{"Key", key}, {"Value", value}, {"Effect", effect}, {"TimeAdded", nullptr}};
      errors.Add({at.text(),
                  fmt::format("Duplicate value: {}: taints must be unique by key and effect pair", WriteJson(taint))});
    }
  }
}

// Keys, and the size of all.
std::size_t CheckData(const Field& data, FieldErrors& errors) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : data.members()) {
    if (const std::string reason = CheckConfigKey(key); !reason.empty()) {
      errors.Invalid(data.path().Key(key), key, reason);
    }
    if (value.is_string()) bytes += value.get_string().size();
  }
  return bytes;
}

void CheckBase64(const Field& data, FieldErrors& errors) {
  for (const auto& [key, value] : data.members()) {
    if (value.is_string() && !DecodeBase64(value.get_string())) {
      errors.Invalid(data.path().Key(key), "<contents redacted>", "illegal base64 data");
    }
  }
}

// The entries without which a type of Secret is of no use.
std::vector<std::string_view> RequiredEntries(std::string_view type) {
  if (type == "kubernetes.io/dockercfg") return {".dockercfg"};
  if (type == "kubernetes.io/dockerconfigjson") return {".dockerconfigjson"};
  if (type == "kubernetes.io/ssh-auth") return {"ssh-privatekey"};
  if (type == "kubernetes.io/tls") return {"tls.crt", "tls.key"};
  return {};
}

void CheckJsonEntry(const Field& data, std::string_view key, FieldErrors& errors) {
  const auto text = DecodeBase64(data[key].text());
  if (!text) return;
  if (const auto parsed = ParseJson(*text); !parsed) {
    errors.Invalid(data.path().Key(key), "<secret contents redacted>", parsed.error().message);
  }
}

void CheckSecretType(const Field& secret, FieldErrors& errors) {
  const std::string_view type = secret["type"].text();
  const Field data = secret["data"];
  for (const std::string_view key : RequiredEntries(type)) {
    if (!data[key].present()) errors.Required(data.path().Key(key));
  }
  for (const std::string_view key : {".dockercfg", ".dockerconfigjson"}) {
    if (type == fmt::format("kubernetes.io/{}", key.substr(1)) && data[key].present())
      CheckJsonEntry(data, key, errors);
  }
  if (type == "kubernetes.io/basic-auth" && !data["username"].present() && !data["password"].present()) {
    errors.Required(data.path().Key("username"));
    errors.Required(data.path().Key("password"));
  }
  constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
  const Field annotations = secret["metadata"]["annotations"];
  if (type == "kubernetes.io/service-account-token" && annotations[kAccount].text().empty()) {
    errors.Required(annotations.path().Key(kAccount));
  }
}

void CheckLength(const Field& field, std::size_t most, FieldErrors& errors) {
  if (field.text().size() > most) {
    errors.Invalid(field.path(), "", fmt::format("can have at most {} characters", most));
  }
}

// Rules that only an event with a time must keep: those of the form that events.k8s.io brought.
void CheckNewEvent(const Field& event, FieldErrors& errors) {
  const Field reporter = event["reportingComponent"];
  if (reporter.text().empty()) errors.Required(reporter.path());
  CheckFormat(reporter, CheckQualifiedName, errors);
  for (const std::string_view name : {"reportingInstance", "action", "reason"}) {
    if (event[name].text().empty()) errors.Required(event[name].path());
    CheckLength(event[name], 128, errors);
  }
  CheckLength(event["message"], 1024, errors);
}

}  // namespace

void ValidateName(const Json& object, const std::function<std::string(std::string_view)>& check_name,
                  FieldErrors& errors) {
  const Json* sent = Find(object, "metadata");
  const Result<ObjectMeta> meta = Decode<ObjectMeta>(sent == nullptr ? Json(JsonObject()) : *sent);
  if (!meta) {
    errors.Add({"metadata", meta.error().message});
    return;
  }
  const KindInfo* info = FindKind(StringAt(object, {"kind"}));
  ValidateMeta(*meta, FieldPath("metadata"), info != nullptr && info->namespaced, check_name, errors);
}

void ValidateNamed(const Json& object, FieldErrors& errors) {
  ValidateName(object, CheckDnsSubdomain, errors);
}

void ValidateNode(const Json& node, FieldErrors& errors) {
  ValidateName(node, CheckDnsSubdomain, errors);
  const Field root(&node, FieldPath());
  CheckTaints(root["spec"]["taints"], errors);
  CheckAmounts(root["status"]["capacity"], errors);
  CheckAmounts(root["status"]["allocatable"], errors);
}

void ValidateNamespace(const Json& object, FieldErrors& errors) {
  const auto check_name = [](std::string_view name) {
    return name.find('.') != std::string_view::npos ? std::string("must not contain dots") : CheckDnsLabel(name);
  };
  ValidateName(object, check_name, errors);
}

// An event stands in the namespace of what it is about; what has no namespace has its events in default.
void ValidateEvent(const Json& event, FieldErrors& errors) {
  ValidateName(event, CheckDnsSubdomain, errors);
  const std::string_view of_event = StringAt(event, {"metadata", "namespace"});
  const std::string_view of_object = StringAt(event, {"involvedObject", "namespace"});
  const bool has_time = !StringAt(event, {"eventTime"}).empty();
  const bool about_cluster = of_event == "default" || (has_time && of_event == "kube-system");
  if (of_object.empty() ? !about_cluster : !has_time && of_event != of_object) {
    errors.Invalid(FieldPath("involvedObject.namespace"), of_object, "does not match event.namespace");
  }
  if (has_time) CheckNewEvent(Field(&event, FieldPath()), errors);
}

void ValidateConfigMap(const Json& map, FieldErrors& errors) {
  ValidateName(map, CheckDnsSubdomain, errors);
  const Field root(&map, FieldPath());
  const Field data = root["data"];
  const Field binary = root["binaryData"];
  for (const auto& [key, value] : data.members()) {
    if (binary.members().contains(key)) {
      errors.Invalid(data.path().Key(key), key, "duplicate of key present in binaryData");
    }
  }
  const std::size_t bytes = CheckData(data, errors) + CheckData(binary, errors);
  CheckBase64(binary, errors);
  if (bytes > kMaxDataBytes) errors.TooLong(FieldPath("[]"), kMaxDataBytes);
}

void ValidateSecret(const Json& secret, FieldErrors& errors) {
  ValidateName(secret, CheckDnsSubdomain, errors);
  const Field root(&secret, FieldPath());
  const std::size_t bytes = CheckData(root["data"], errors);
  CheckBase64(root["data"], errors);
  if (bytes > kMaxDataBytes) errors.TooLong(root["data"].path(), kMaxDataBytes);
  CheckSecretType(root, errors);
}

}  // namespace kumiko::api
