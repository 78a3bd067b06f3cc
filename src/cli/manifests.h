// Manifests from files: read, and checked as a whole before anything is applied.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"

namespace kumiko::cli {

// Every document of `paths`, in order. A path is a YAML or JSON file, a folder (its .yaml, .yml and .json files by
// name, not those of folders below), or "-" for stdin. Errors name file, line and column.
Result<std::vector<Document>> ReadManifests(const std::vector<std::string>& paths);

// Whether the document is a cluster file (kind: Cluster) rather than an API object.
bool IsClusterFile(const Document& document);

// What is wrong with API objects, one line a problem: "FILE:LINE:COL: Kind ns/name: field: what is wrong; what to
// write". Refuses what the API server refuses, and a device class that neither kumiko nor `documents` define. Cluster
// files are skipped.
std::vector<std::string> CheckManifests(const std::vector<Document>& documents);

}  // namespace kumiko::cli
