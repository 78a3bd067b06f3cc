// Rows of custom resources: the columns that their definition names.
#include <cmath>
#include <memory>
#include <optional>

#include "localcluster/tables/cells.h"
#include "localcluster/tables/formats.h"
#include "localcluster/tables/json_path.h"

namespace kumiko::localcluster {
namespace {

struct CustomColumn {
  std::string type;
  SimpleJsonPath path;
};

std::optional<std::int64_t> IntegerOf(const Json& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) return static_cast<std::int64_t>(std::trunc(value.get_double()));
  return std::nullopt;
}

// A value of another type than the column's is shown as none.
void WriteCell(const std::string& type, const Json* value, Cells& cells) {
  const Json nothing;
  if (value == nullptr || value->is_null()) return cells.Value(nothing);
  if (type == "string") return cells.Text(PlainText(*value));
  if (type == "date" && value->is_string()) {
    const bool is_time = ParseRfc3339(std::string_view(value->get_string())).has_value();
    return cells.Text(is_time ? AgeText(value, cells.now()) : "<invalid>");
  }
  if (type == "integer") {
    if (const auto number = IntegerOf(*value)) return cells.Number(*number);
  }
  const bool fits = (type == "number" && value->is_number()) || (type == "boolean" && value->is_bool());
  cells.Value(fits ? *value : nothing);
}

}  // namespace

Result<TableFormat> CustomTableFormat(const Json* additional_printer_columns) {
  TableFormat format{.columns = {NameColumn()}, .write_cells = {}};
  std::vector<CustomColumn> columns;
  const auto add = [&](TableColumn column, std::string_view path_text) -> Status {
    KU_TRY(SimpleJsonPath path, SimpleJsonPath::Parse(path_text), "column {}", column.name);
    columns.push_back({column.type, std::move(path)});
    format.columns.push_back(std::move(column));
    return {};
  };
  const JsonArray* listed = additional_printer_columns == nullptr ? nullptr : additional_printer_columns->if_array();
  if (listed == nullptr || listed->empty()) {
    TableColumn age = AgeColumn();
    age.type = "date";
    KU_TRY_OK(add(std::move(age), ".metadata.creationTimestamp"));
  } else {
    for (const Json& item : *listed) {
      const std::string_view path = StringAt(item, {"jsonPath"});
      std::string description(StringAt(item, {"description"}));
      if (description.empty()) {
        description = "Custom resource definition column (in JSONPath format): " + std::string(path);
      }
      KU_TRY_OK(add({.name = std::string(StringAt(item, {"name"})),
                     .type = std::string(StringAt(item, {"type"})),
                     .format = std::string(StringAt(item, {"format"})),
                     .description = std::move(description),
                     .priority = static_cast<int>(NumberAt(item, {"priority"}))},
                    path));
    }
  }
  const auto shared = std::make_shared<const std::vector<CustomColumn>>(std::move(columns));
  format.write_cells = [shared](const Json& object, Cells& cells) {
    cells.Text(NameOf(object));
    for (const CustomColumn& column : *shared) WriteCell(column.type, column.path.First(object), cells);
  };
  return format;
}

}  // namespace kumiko::localcluster
