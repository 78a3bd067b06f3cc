#include "localcluster/tables/table.h"

#include <fmt/format.h>

#include "localcluster/tables/cells.h"

namespace kumiko::localcluster {
namespace {

// A row with the metadata of a pod and its managed fields is about this long.
constexpr std::size_t kBytesPerRow = 1024;

void AppendColumns(const std::vector<TableColumn>& columns, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const TableColumn& column = columns[i];
    if (i > 0) out += ',';
    const auto member = [&](std::string_view name, std::string_view text) {
      out += name;
      AppendJsonText(text, out);
    };
    member(R"({"name":)", column.name);
    member(R"(,"type":)", column.type);
    member(R"(,"format":)", column.format);
    member(R"(,"description":)", column.description);
    fmt::format_to(std::back_inserter(out), R"(,"priority":{}}})", column.priority);
  }
  out += ']';
}

void AppendRow(const TableFormat& format, const Json& object, const TableOptions& options, std::string& out) {
  out += R"({"cells":[)";
  Cells cells(out, options.now);
  format.write_cells(object, cells);
  out += ']';
  if (format.conditions != nullptr) {
    if (const std::string_view conditions = format.conditions(object); !conditions.empty()) {
      out += R"(,"conditions":)";
      out += conditions;
    }
  }
  out += R"(,"object":)";
  switch (options.include) {
    case TableOptions::Include::kNone:
      out += "null";
      break;
    case TableOptions::Include::kMetadata:
      out += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)";
      if (const Json* metadata = Find(object, "metadata")) {
        AppendJson(*metadata, out);
      } else {
        out += "{}";
      }
      out += '}';
      break;
    case TableOptions::Include::kObject:
      out += options.write_object ? options.write_object(object) : WriteJson(object);
      break;
  }
  out += '}';
}

}  // namespace

std::string WriteTable(const TableFormat& format, std::string_view metadata, std::span<const kube::Object> objects,
                       const TableOptions& options) {
  std::string out;
  out.reserve(kBytesPerRow * (objects.size() + 1));
  out += R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)";
  out += metadata;
  out += R"(,"columnDefinitions":)";
  if (options.with_columns) {
    AppendColumns(format.columns, out);
  } else {
    out += "null";
  }
  out += R"(,"rows":[)";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) out += ',';
    const bool whole = !format.of_outline || options.include == TableOptions::Include::kObject;
    if (whole) {
      AppendRow(format, *objects[i].tree(), options, out);
    } else {
      AppendRow(format, objects[i].outline(), options, out);
    }
  }
  out += "]}\n";
  return out;
}

std::string WriteTable(const api::KindInfo& kind, std::string_view metadata, std::span<const kube::Object> objects,
                       const TableOptions& options) {
  return WriteTable(TableFormatOf(kind), metadata, objects, options);
}

}  // namespace kumiko::localcluster
