// The history of pod templates of a StatefulSet or DaemonSet, as ControllerRevisions. Source: pkg/controller/history of
// Kubernetes 1.37.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/apps/types.h"
#include "base/json.h"
#include "base/result.h"
#include "kube/api_client.h"
#include "localcluster/controllers/owned_index.h"
#include "localcluster/controllers/step_result.h"

namespace kumiko::localcluster {

using RevisionIndex = OwnedIndex<api::ControllerRevision>;
using RevisionPointer = std::shared_ptr<const api::ControllerRevision>;

// What is kept of a workload's tree: {"spec": {"template": {…, "$patch": "replace"}}}, which also is the strategic
// merge patch that brings it back.
Json RevisionData(const Json& owner);
// The pod template that a revision holds, as it was.
Json TemplateOf(const api::ControllerRevision& revision);

// The earliest first.
std::vector<RevisionPointer> RevisionsOf(const RevisionIndex& index, const std::string& owner_uid);

struct RevisionRequest {
  const Json& owner;  // the stored tree
  const std::vector<RevisionPointer>& revisions;
  std::string hash_label;  // how the label with the hash is called
  std::int64_t collisions = 0;
};
// The revision of the owner's present template, made or moved to the end of the history where it is not the last.
// kAlreadyExists: another object has its name; try again with one more collision.
Result<RevisionPointer> PresentRevision(kube::ApiClient& api, const RevisionRequest& request, StepResult& result);

// Removes the earliest revisions beyond `limit`, but none whose name is in `used`.
void TrimRevisions(kube::ApiClient& api, const std::vector<RevisionPointer>& revisions,
                   const std::vector<std::string>& used, std::int64_t limit, StepResult& result);

}  // namespace kumiko::localcluster
