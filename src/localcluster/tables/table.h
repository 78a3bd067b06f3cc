// Server-side printing: objects as a meta.k8s.io/v1 Table, whose cells kubectl get prints. Columns and cells are those
// of pkg/printers/internalversion of Kubernetes 1.37, and for custom resources those of their definition.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/object.h"

namespace kumiko::localcluster {

class Cells;  // cells.h

struct TableColumn {
  std::string name;
  std::string type = "string";  // or integer, number, boolean, date
  std::string format = "";
  std::string description = "";
  int priority = 0;  // above 0: shown by -o wide only
};

// How the objects of one kind are printed. Immutable.
struct TableFormat {
  std::vector<TableColumn> columns;
  std::function<void(const Json& object, Cells& cells)> write_cells;  // one for each column
  // The cells need no more than an object's outline (kube/object.h).
  bool of_outline = false;
  // The conditions of an object's row as JSON, or "".
  std::string_view (*conditions)(const Json& object) = nullptr;
};

// Of a built-in kind. Kinds that nothing is known of have a name and the time of their creation. Lives as long as the
// program; thread safe.
const TableFormat& TableFormatOf(const api::KindInfo& kind);

// Of a custom resource, from `additionalPrinterColumns` of a version of its definition, null where it has none. Fails
// with kInvalidArgument on a JSONPath that is none, naming the column.
Result<TableFormat> CustomTableFormat(const Json* additional_printer_columns);

struct TableOptions {
  // What comes with each row (the parameter includeObject).
  enum class Include { kNone, kMetadata, kObject };

  Include include = Include::kMetadata;
  Time now = {};             // what ages are counted from
  bool with_columns = true;  // a watch defines them in its first event only
  // Writes an object as it is answered; for Include::kObject.
  std::function<std::string(const Json&)> write_object = {};
};

// The JSON of the table. `metadata` is that of the list, as JSON.
std::string WriteTable(const TableFormat& format, std::string_view metadata, std::span<const kube::Object> objects,
                       const TableOptions& options);
std::string WriteTable(const api::KindInfo& kind, std::string_view metadata, std::span<const kube::Object> objects,
                       const TableOptions& options);

}  // namespace kumiko::localcluster
