#include "localcluster/apiserver/response_form.h"

#include "api/conversion.h"
#include "base/text.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kMetaVersion = "meta.k8s.io/v1";

bool Serves(std::string_view media_type) {
  return media_type == "application/json" || media_type == "*/*" || media_type == "application/*";
}

void AppendMember(std::string& out, std::string_view name, std::string_view json) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += name;
  out += "\":";
  out += json;
}

void AppendText(std::string& out, std::string_view name, std::string_view text) {
  AppendMember(out, name, WriteJson(Json(text)));
}

// The members of `object` but kind and apiVersion.
void AppendMembers(std::string& out, const JsonObject& object) {
  for (const auto& [name, value] : object) {
    if (name == "kind" || name == "apiVersion") continue;
    AppendMember(out, std::string_view(name), WriteJson(value));
  }
}

std::string WriteItem(const ObjectWriting& writing, const Json& object, bool typed) {
  std::string out = "{";
  if (writing.form == Form::kMetadata) {
    if (typed) {
      AppendText(out, "kind", "PartialObjectMetadata");
      AppendText(out, "apiVersion", kMetaVersion);
    }
    const Json* metadata = Find(object, "metadata");
    AppendMember(out, "metadata", metadata == nullptr ? "{}" : WriteJson(*metadata));
  } else {
    if (typed) {
      AppendText(out, "kind", writing.kind->kind);
      AppendText(out, "apiVersion", writing.version.Text());
    }
    const std::optional<Json> converted = api::FromStored(object, writing.version);
    AppendMembers(out, (converted ? *converted : object).get_object());
  }
  out += '}';
  return out;
}

const TableFormat& TableFormatOf(const ObjectWriting& writing) {
  return writing.custom == nullptr ? localcluster::TableFormatOf(*writing.kind) : writing.custom->table;
}

std::string WritePosition(const ListPosition& position) {
  std::string metadata = "{";
  AppendText(metadata, "resourceVersion", position.resource_version);
  if (!position.continue_token.empty()) {
    AppendText(metadata, "continue", position.continue_token);
    AppendMember(metadata, "remainingItemCount", std::to_string(position.remaining_item_count));
  }
  return metadata + "}";
}

TableOptions WithObjects(const ObjectWriting& writing) {
  TableOptions options = writing.table;
  ObjectWriting whole = writing;
  whole.form = Form::kObject;
  options.write_object = [whole](const Json& object) { return WriteItem(whole, object, true); };
  return options;
}

}  // namespace

kube::ApiResult<Form> ReadForm(std::string_view accept) {
  if (accept.empty()) return Form::kObject;
  for (const std::string_view entry : Split(accept, ',')) {
    const auto parts = Split(entry, ';');
    if (!Serves(Trim(parts[0]))) continue;
    std::string_view as;
    std::string_view group;
    std::string_view version;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string_view part = Trim(parts[i]);
      if (part.starts_with("as=")) as = part.substr(3);
      if (part.starts_with("g=")) group = part.substr(2);
      if (part.starts_with("v=")) version = part.substr(2);
    }
    if (as.empty()) return Form::kObject;
    if (group != "meta.k8s.io" || version != "v1") continue;
    if (as == "Table") return Form::kTable;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return Form::kMetadata;
  }
  return kube::Refuse(kube::StatusReason::kNotAcceptable,
                      "only the following media types are accepted: application/json, "
                      "application/json;as=Table;g=meta.k8s.io;v=v1");
}

std::string WriteObject(const ObjectWriting& writing, const Json& object) {
  return WriteItem(writing, object, true);
}

std::string WriteList(const ObjectWriting& writing, const ListPosition& position, std::span<const kube::Object> items) {
  const std::string metadata = WritePosition(position);
  if (writing.form == Form::kTable) return WriteTable(TableFormatOf(writing), metadata, items, WithObjects(writing));
  std::string out = "{";
  if (writing.form == Form::kMetadata) {
    AppendText(out, "kind", "PartialObjectMetadataList");
    AppendText(out, "apiVersion", kMetaVersion);
  } else {
    AppendText(out, "kind", std::string(writing.kind->kind) + "List");
    AppendText(out, "apiVersion", writing.version.Text());
  }
  AppendMember(out, "metadata", metadata);
  std::string list = "[";
  const bool typed = writing.form == Form::kMetadata || writing.custom != nullptr;
  for (const kube::Object& item : items) {
    if (list.size() > 1) list += ',';
    // All metadata is in the outline.
    const bool whole = writing.form != Form::kMetadata;
    list += whole ? WriteItem(writing, *item.tree(), typed) : WriteItem(writing, item.outline(), typed);
  }
  list += ']';
  AppendMember(out, "items", list);
  out += "}\n";
  return out;
}

HttpResponse JsonResponse(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.emplace_back("Content-Type", "application/json");
  response.headers.emplace_back("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

HttpResponse ErrorResponse(const kube::ApiError& error) {
  HttpResponse response = JsonResponse(kube::HttpStatusOf(error.reason), WriteJson(StatusOf(error)) + "\n");
  if (error.retry_after_seconds) {
    response.headers.emplace_back("Retry-After", std::to_string(*error.retry_after_seconds));
  }
  return response;
}

}  // namespace kumiko::localcluster
