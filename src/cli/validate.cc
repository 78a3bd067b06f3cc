#include "cli/validate.h"

#include <ostream>

#include "base/term.h"
#include "cli/manifests.h"
#include "localcluster/cluster_file.h"
#include "report/text.h"

namespace kumiko::cli {

ExitCode RunValidate(const ValidateOptions& options, std::ostream& out, std::ostream& err) {
  const auto documents = ReadManifests(options.files);
  if (!documents) {
    err << documents.error().message << '\n';
    return ExitCodeFor(documents.error());
  }
  std::vector<std::string> problems = CheckManifests(*documents);
  for (const Document& document : *documents) {
    if (!IsClusterFile(document)) continue;
    const auto cluster = localcluster::ReadClusterFile(document.file);
    if (!cluster) problems.push_back(cluster.error().message);
  }
  for (const std::string& problem : problems) err << EscapeControls(problem) << '\n';
  if (!problems.empty()) return ExitCode::kBadInput;
  out << report::Counted(static_cast<std::int64_t>(documents->size()), "object is", "objects are") << " valid\n";
  return ExitCode::kDone;
}

}  // namespace kumiko::cli
