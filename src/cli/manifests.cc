#include "cli/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "api/kinds.h"
#include "base/field_path.h"
#include "base/files.h"
#include "base/suggest.h"
#include "gpu/device_classes.h"

namespace kumiko::cli {
namespace {

// "1:5: message" for "line 1, column 5: message".
std::string AsPosition(std::string message) {
  constexpr std::string_view kLine = "line ";
  constexpr std::string_view kColumn = ", column ";
  const std::size_t column = message.find(kColumn);
  if (!message.starts_with(kLine) || column == std::string::npos) return " " + message;
  return message.replace(column, kColumn.size(), ":").substr(kLine.size());
}

Status ReadText(const std::string& text, const std::string& name, std::vector<Document>& documents) {
  // JSON is YAML, too, but what is wrong with it is said better by the reader of JSON.
  if (name.ends_with(".json")) {
    const auto json = ParseJson(text);
    if (!json) return Fail(Code::kInvalidArgument, "{}:{}", name, AsPosition(json.error().message));
  }
  KU_TRY(std::vector<Document> read, ParseYamlDocuments(text, name));
  std::move(read.begin(), read.end(), std::back_inserter(documents));
  return {};
}

Status ReadOne(const std::string& path, std::vector<Document>& documents) {
  if (path == "-") {
    KU_TRY(const std::string text, ReadStandardInput(kMaxYamlBytes));
    return ReadText(text, "stdin", documents);
  }
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    KU_TRY(const std::string text, ReadFile(path, kMaxYamlBytes));
    return ReadText(text, path, documents);
  }
  KU_TRY(const std::vector<std::string> files, ListFiles(path, ""));
  bool any = false;
  for (const std::string& file : files) {
    if (!file.ends_with(".yaml") && !file.ends_with(".yml") && !file.ends_with(".json")) continue;
    any = true;
    KU_TRY(const std::string text, ReadFile(file, kMaxYamlBytes));
    KU_TRY_OK(ReadText(text, file, documents));
  }
  if (!any) return Fail(Code::kInvalidArgument, "{}: the folder holds no .yaml, .yml or .json file", path);
  return {};
}

std::string NameOf(const Json& object) {
  const std::string kind(StringAt(object, {"kind"}));
  const std::string namespace_(StringAt(object, {"metadata", "namespace"}));
  std::string name(StringAt(object, {"metadata", "name"}));
  if (name.empty()) name = std::string(StringAt(object, {"metadata", "generateName"}));
  if (kind.empty() && name.empty()) return "";
  return fmt::format("{} {}{}{}: ", kind.empty() ? "object" : kind, namespace_, namespace_.empty() ? "" : "/", name);
}

// Without the excerpt that follows the first line of a CEL message: one problem, one line.
std::string Line(const Document& document, std::string_view path, std::string_view message) {
  message = message.substr(0, message.find('\n'));
  return fmt::format("{}: {}{}{}{}", document.Where(path), NameOf(document.value), path, path.empty() ? "" : ": ",
                     message);
}

// "kind: Pods is not served here" begins with the field it is about.
std::string_view FieldOf(std::string_view message) {
  const std::size_t colon = message.find(": ");
  const std::string_view field = colon == std::string_view::npos ? std::string_view() : message.substr(0, colon);
  return field == "kind" || field == "apiVersion" ? field : std::string_view();
}

using Classes = std::set<std::string>;

Classes KnownClasses(const std::vector<Document>& documents) {
  Classes classes;
  for (const auto& device_class : gpu::DeviceClasses()) classes.insert(device_class.metadata.name);
  for (const Document& document : documents) {
    if (StringAt(document.value, {"kind"}) == "DeviceClass") {
      classes.emplace(StringAt(document.value, {"metadata", "name"}));
    }
  }
  return classes;
}

// Every deviceClassName below `value`, wherever the served version keeps it.
void CheckClasses(const Document& document, const Json& value, const std::string& path, const Classes& classes,
                  std::vector<std::string>& problems) {
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      const std::string child = ChildPath(path, std::string_view(key.data(), key.size()));
      if (key == "deviceClassName" && member.is_string()) {
        const std::string name(member.get_string().data(), member.get_string().size());
        if (name.empty() || classes.contains(name)) continue;
        const std::vector<std::string> known(classes.begin(), classes.end());
        const auto suggestion = Suggest(name, known);
        problems.push_back(
            Line(document, child,
                 fmt::format("device class \"{}\" does not exist; {}", name,
                             suggestion ? fmt::format("did you mean \"{}\"?", *suggestion)
                                        : fmt::format("write one of {}, or add the DeviceClass to these files",
                                                      fmt::join(known, ", ")))));
      } else {
        CheckClasses(document, member, child, classes, problems);
      }
    }
  } else if (const JsonArray* array = value.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      CheckClasses(document, (*array)[i], ItemPath(path, i), classes, problems);
    }
  }
}

void CheckOne(const Document& document, const Classes& classes, std::vector<std::string>& problems) {
  auto stored = api::ToStored(document.value);
  if (!stored) {
    const std::string& message = stored.error().message;
    const std::string_view field = FieldOf(message);
    problems.push_back(Line(document, field, field.empty() ? message : message.substr(field.size() + 2)));
    return;
  }
  api::SetDefaults(*stored);
  const std::vector<api::FieldError> errors = api::Validate(*stored);
  for (const api::FieldError& error : errors) problems.push_back(Line(document, error.path, error.message));
  if (errors.empty()) CheckClasses(document, document.value, "", classes, problems);
}

// Kind, namespace and name of an object; "" when it has none of its own or its kind is not served.
std::string KeyOf(const Json& object) {
  const std::string kind(StringAt(object, {"kind"}));
  const std::string name(StringAt(object, {"metadata", "name"}));
  const api::KindInfo* info = api::FindKind(kind);
  if (info == nullptr || name.empty()) return "";
  std::string namespace_(StringAt(object, {"metadata", "namespace"}));
  if (namespace_.empty() && info->namespaced) namespace_ = "default";
  return fmt::format("{} {}/{}", kind, namespace_, name);
}

}  // namespace

Result<std::vector<Document>> ReadManifests(const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  for (const std::string& path : paths) KU_TRY_OK(ReadOne(path, documents));
  return documents;
}

bool IsClusterFile(const Document& document) {
  return StringAt(document.value, {"kind"}) == "Cluster";
}

std::vector<std::string> CheckManifests(const std::vector<Document>& documents) {
  const Classes classes = KnownClasses(documents);
  std::vector<std::string> problems;
  std::map<std::string, const Document*> seen;
  for (const Document& document : documents) {
    if (IsClusterFile(document)) continue;
    CheckOne(document, classes, problems);
    const std::string key = KeyOf(document.value);
    if (key.empty()) continue;
    if (const auto [first, added] = seen.emplace(key, &document); !added) {
      problems.push_back(Line(document, "metadata.name",
                              fmt::format("the same object stands at {} already; remove one of them",
                                          first->second->Where("metadata.name"))));
    }
  }
  return problems;
}

}  // namespace kumiko::cli
