// One view of `kumiko top` as a value: what a table shows, and the same as JSON records.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "report/table.h"

namespace kumiko::cli {

struct ViewRow {
  std::string name;                 // what -o name prints: "node/gpu-04"
  std::vector<report::Cell> cells;  // one for each column, those of -o wide last
  // What stands on further lines below a column when the terminal is narrow; empty: nothing.
  std::vector<report::Cell> more;
  JsonObject record;
};

struct View {
  std::string kind;  // of the records: "NodeView"
  std::string head;  // the line above the table; empty: none
  std::vector<report::Column> columns;
  std::size_t wide_columns = 0;  // how many of them only -o wide shows; they stand last
  std::size_t more_column = 0;   // where ViewRow::more goes
  std::vector<ViewRow> rows;
  std::string nothing;  // "No resources found in ml namespace."
};

inline report::Cell Text(std::string text, report::Hue hue = report::Hue::kNone) {
  return {.text = std::move(text), .hue = hue, .painted = false};
}

}  // namespace kumiko::cli
