#include "localcluster/controllers/revisions.h"

#include <algorithm>
#include <utility>

#include "kube/typed.h"
#include "localcluster/controllers/owned_objects.h"
#include "localcluster/controllers/template_hash.h"

namespace kumiko::localcluster {

Json RevisionData(const Json& owner) {
  Json pod_template = JsonObject();
  if (const Json* found = FindPath(owner, {"spec", "template"}); found != nullptr && found->is_object()) {
    pod_template = *found;
  }
  pod_template.get_object()["$patch"] = "replace";
  return JsonObject{{"spec", JsonObject{{"template", std::move(pod_template)}}}};
}

Json TemplateOf(const api::ControllerRevision& revision) {
  const Json* found = FindPath(revision.data, {"spec", "template"});
  if (found == nullptr || !found->is_object()) return JsonObject();
  Json pod_template = *found;
  pod_template.get_object().erase("$patch");
  return pod_template;
}

std::vector<RevisionPointer> RevisionsOf(const RevisionIndex& index, const std::string& owner_uid) {
  std::vector<RevisionPointer> revisions;
  for (const auto& [key, revision] : index.OwnedBy(owner_uid)) revisions.push_back(revision);
  std::ranges::stable_sort(revisions, {}, [](const RevisionPointer& revision) { return revision->revision; });
  return revisions;
}

namespace {

Json NewRevision(const RevisionRequest& request, Json data, std::int64_t number) {
  const std::string hash = TreeHash(data, request.collisions);
  JsonObject labels;
  if (const Json* given = FindPath(request.owner, {"spec", "template", "metadata", "labels"});
      given != nullptr && given->is_object()) {
    labels = given->get_object();
  }
  labels[request.hash_label] = hash;
  JsonObject metadata{{"name", std::string(StringAt(request.owner, {"metadata", "name"})) + "-" + hash},
                      {"namespace", StringAt(request.owner, {"metadata", "namespace"})},
                      {"labels", std::move(labels)},
                      {"ownerReferences", JsonArray{OwnerReferenceTo(request.owner)}}};
  if (const Json* annotations = FindPath(request.owner, {"metadata", "annotations"})) {
    metadata["annotations"] = *annotations;
  }
  return JsonObject{{"apiVersion", api::ControllerRevision::kApiVersion},
                    {"kind", api::ControllerRevision::kKind},
                    {"metadata", std::move(metadata)},
                    {"data", std::move(data)},
                    {"revision", number}};
}

}  // namespace

Result<RevisionPointer> PresentRevision(kube::ApiClient& api, const RevisionRequest& request, StepResult& result) {
  Json data = RevisionData(request.owner);
  const std::int64_t last = request.revisions.empty() ? 0 : request.revisions.back()->revision;
  const auto same = std::ranges::find_if(request.revisions.rbegin(), request.revisions.rend(),
                                         [&](const RevisionPointer& revision) { return revision->data == data; });
  std::shared_ptr<const Json> stored;
  if (same != request.revisions.rend()) {
    if ((*same)->revision == last) return *same;
    // The template of an earlier revision is wanted again.
    KU_TRY(stored, api.Patch(kube::KeyOf(**same), JsonObject{{"revision", last + 1}}, kube::Subresource::kNone));
  } else {
    KU_TRY(stored, api.Create(NewRevision(request, std::move(data), last + 1)));
  }
  result.Note(Status());
  KU_TRY(api::ControllerRevision revision, api::Decode<api::ControllerRevision>(*stored));
  return std::make_shared<const api::ControllerRevision>(std::move(revision));
}

void TrimRevisions(kube::ApiClient& api, const std::vector<RevisionPointer>& revisions,
                   const std::vector<std::string>& used, std::int64_t limit, StepResult& result) {
  std::vector<RevisionPointer> unused;
  for (const RevisionPointer& revision : revisions) {
    if (std::ranges::find(used, revision->metadata.name) == used.end()) unused.push_back(revision);
  }
  const std::int64_t surplus = static_cast<std::int64_t>(unused.size()) - limit;
  for (std::int64_t i = 0; i < surplus; ++i) {
    result.Note(api.Delete(kube::KeyOf(*unused[static_cast<std::size_t>(i)]), {}));
  }
}

}  // namespace kumiko::localcluster
