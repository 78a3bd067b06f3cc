// Applies patches and keeps managedFields, one JSON question a line, in the protocol of oracle/main.go: what
// compare.py holds against the libraries of kube-apiserver.
#include <iostream>
#include <string>
#include <utility>

#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/server_side_apply.h"
#include "api/patch/strategic_merge.h"
#include "api/schema/schema.h"
#include "api/schema/schema_set.h"
#include "base/json.h"

namespace kumiko::api {
namespace {

void Refuse(const PatchError& error, JsonObject& answer) {
  answer["error"] = error.message;
  JsonArray causes;
  for (const PatchError::Cause& cause : error.causes) {
    causes.push_back(JsonObject{{"field", cause.field}, {"message", cause.message}});
  }
  if (!causes.empty()) answer["causes"] = std::move(causes);
}

void Put(const PatchResult<Json>& result, JsonObject& answer) {
  if (result) {
    answer["result"] = *result;
  } else {
    Refuse(result.error(), answer);
  }
}

// Sets go out as text, since their order counts.
void PutObject(Json object, JsonObject& answer) {
  JsonArray managed;
  if (const Json* entries = FindPath(object, {"metadata", "managedFields"})) {
    for (const Json& entry : entries->get_array()) {
      JsonObject out;
      for (const char* member : {"manager", "operation", "apiVersion", "time", "subresource"}) {
        out[member] = StringAt(entry, {member});
      }
      out["fields"] = WriteJson(entry.at("fieldsV1"));
      managed.push_back(std::move(out));
    }
  }
  if (!managed.empty()) answer["managed"] = std::move(managed);
  RemoveManagedFields(object);
  answer["result"] = std::move(object);
}

JsonObject DoStep(const Json& step, FieldManagement kind, Json& live) {
  JsonObject answer;
  kind.subresource = StringAt(step, {"subresource"});
  if (const Json* reset = Find(step, "reset")) {
    for (const Json& field : reset->get_array()) {
      kind.reset_fields.Insert(FieldPath{PathElement::Field(field.get_string())});
    }
  }
  const Time now = ParseRfc3339(StringAt(step, {"time"})).value_or(Time());
  const std::string manager(StringAt(step, {"manager"}));
  const Json* flag = Find(step, "force");
  const Json& object = step.at("object");
  if (Find(step, "apply") != nullptr) {
    auto applied = Apply(&live, object, {manager, flag != nullptr && flag->get_bool(), now}, kind);
    if (!applied) {
      Refuse(applied.error(), answer);
      return answer;
    }
    live = std::move(*applied);
  } else {
    Json after = live;
    MergePatch(after, object);
    live = UpdateManagedFields(&live, std::move(after), manager, kind, now);
  }
  PutObject(live, answer);
  return answer;
}

JsonObject Answer(const Json& question) {
  JsonObject answer;
  const std::string_view type = StringAt(question, {"type"});
  const std::string_view api_version = StringAt(question, {"apiVersion"});
  const std::string_view kind = StringAt(question, {"kind"});
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const Schema* schema =
      SchemaOf(core ? "" : api_version.substr(0, slash), core ? api_version : api_version.substr(slash + 1), kind);
  SchemaSet made_up;
  if (const Json* json = Find(question, "schema")) schema = made_up.Add(*json);
  if (schema == nullptr) {
    answer["error"] = "unknown kind";
  } else if (type == "json") {
    Put(ApplyJsonPatch(question.at("object"), question.at("patch")), answer);
  } else if (type == "merge") {
    Json object = question.at("object");
    MergePatch(object, question.at("patch"));
    answer["result"] = std::move(object);
  } else if (type == "strategic") {
    Put(StrategicMerge(question.at("object"), question.at("patch"), *schema), answer);
  } else {
    FieldManagement management;
    management.schema = schema;
    management.api_version = api_version;
    management.kind = kind;
    // The reference runs on trees: nothing is there that nobody has set.
    management.custom = true;
    Json live = JsonObject{{"apiVersion", api_version}, {"kind", kind}};
    JsonArray steps;
    for (const Json& step : question.at("steps").get_array()) steps.push_back(DoStep(step, management, live));
    answer["steps"] = std::move(steps);
  }
  return answer;
}

}  // namespace
}  // namespace kumiko::api

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto question = kumiko::ParseJson(line);
    kumiko::JsonObject answer;
    if (question) {
      answer = kumiko::api::Answer(*question);
    } else {
      answer["error"] = question.error().message;
    }
    std::cout << kumiko::WriteJson(answer) << '\n' << std::flush;
  }
  return 0;
}
