#include "cli/validate.h"

#include <fmt/format.h>

#include <algorithm>
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
    const auto same_file = [&](const Document& other) { return other.file == document.file; };
    const auto in_file = std::ranges::count_if(*documents, same_file);
    if (in_file > 1) {
      if (&document != &*std::ranges::find_if(*documents, [&](const Document& other) {
            return same_file(other) && IsClusterFile(other);
          })) {
        continue;  // said already
      }
      problems.push_back(fmt::format("{}: a cluster file is one YAML document; {} has {}", document.Where(""),
                                     document.file, in_file));
      continue;
    }
    const auto cluster = localcluster::ParseClusterFile(document);
    if (!cluster) problems.push_back(cluster.error().message);
  }
  for (const std::string& problem : problems) err << EscapeControls(problem) << '\n';
  if (!problems.empty()) return ExitCode::kBadInput;
  out << report::Counted(static_cast<std::int64_t>(documents->size()), "object is", "objects are") << " valid\n";
  return ExitCode::kDone;
}

}  // namespace kumiko::cli
