// Server-side printing: objects as a meta.k8s.io/v1 Table, whose cells kubectl get prints.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/kinds.h"
#include "base/json.h"
#include "base/time.h"

namespace kumiko::localcluster {

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
std::string WriteTable(const api::KindInfo& kind, std::string_view metadata,
                       std::span<const std::shared_ptr<const Json>> objects, const TableOptions& options);

}  // namespace kumiko::localcluster
