// The formats of the built-in kinds, by group. Only for the files of this folder.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "localcluster/tables/table.h"

namespace kumiko::localcluster {

using NamedFormats = std::vector<std::pair<std::string_view, TableFormat>>;  // by kind

TableFormat PodFormat();
NamedFormats CoreFormats();
NamedFormats WorkloadFormats();
NamedFormats OtherFormats();

// The columns that most kinds have.
TableColumn NameColumn();
TableColumn AgeColumn();
TableColumn ContainersColumn();
TableColumn ImagesColumn();
// Columns that only -o wide shows.
TableColumn Wide(std::string name, std::string description);

inline std::string_view NameOf(const Json& object) {
  return StringAt(object, {"metadata", "name"});
}

}  // namespace kumiko::localcluster
