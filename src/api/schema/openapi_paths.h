// The paths of an OpenAPI v3 document: which requests a resource answers, of what kind each is, and the parameters that
// it takes. kubectl reads from them whether a patch takes fieldValidation and may be a strategic merge, and explain
// finds the kind of a resource there.
#pragma once

#include <functional>
#include <string_view>

#include "api/kinds.h"
#include "base/json.h"

namespace kumiko::api {

enum class StrategicMerge { kNo, kYes };

struct PathOptions {
  // The schema of a kind by its name in the document, "" when the document has none.
  std::function<std::string(const GroupVersion&, std::string_view kind)> schema_name;
  StrategicMerge strategic_merge = StrategicMerge::kYes;  // custom resources take none
};

// Adds the paths of `kind`, as it is served in `served`, and of its subresources.
void AddOpenApiPaths(const KindInfo& kind, const GroupVersion& served, const PathOptions& options, JsonObject& paths);

}  // namespace kumiko::api
