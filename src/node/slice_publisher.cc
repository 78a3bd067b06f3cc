#include "node/slice_publisher.h"

#include <utility>

#include "api/core/types.h"
#include "base/log.h"

namespace kumiko::node {

SlicePublisher::SlicePublisher(kube::ApiClient& client, std::string node_name, std::function<void()> wake)
    : client_(client),
      node_name_(std::move(node_name)),
      selectors_{.labels = "", .fields = fmt::format("spec.nodeName={},spec.driver={}", node_name_, gpu::kGpuDriver)},
      informer_(client, api::ResourceSlice::kKind, {.selectors = selectors_, .wake = std::move(wake)}) {}

bool SlicePublisher::IsOwn(const api::ResourceSliceSpec& spec) const {
  return spec.driver == gpu::kGpuDriver && spec.pool.name == node_name_;
}

Result<std::vector<api::ResourceSlice>> SlicePublisher::ListOwn() {
  KU_TRY(const kube::ObjectList list, client_.List({api::ResourceSlice::kKind, "", ""}, selectors_));
  std::vector<api::ResourceSlice> own;
  for (const kube::Object& item : list.items) {
    KU_TRY(api::ResourceSlice slice, api::Decode<api::ResourceSlice>(*item.tree()), "ResourceSlice {}",
           kube::KeyOf(item.outline()).name);
    if (IsOwn(slice.spec)) own.push_back(std::move(slice));
  }
  return own;
}

Result<std::size_t> SlicePublisher::Publish(const std::vector<gpu::BoardInstance>& boards) {
  KU_TRY(const api::Node node, kube::Get<api::Node>(client_, "", node_name_), "publishing the GPUs of node {}",
         node_name_);
  KU_TRY(std::vector<api::ResourceSlice> wanted,
         gpu::BuildSlices({.node_name = node_name_, .node_uid = node.metadata.uid}, boards));
  KU_TRY(const std::vector<api::ResourceSlice> existing, ListOwn());
  const PublicationPlan plan = PlanPublication(existing, std::move(wanted), published_);
  for (const std::string& name : plan.deletions) {
    const Status deleted = client_.Delete({api::ResourceSlice::kKind, "", name}, {});
    if (!deleted && deleted.error().code != Code::kNotFound) return tl::unexpected<Error>(deleted.error());
  }
  for (const SliceWrite& write : plan.writes) {
    KU_TRY_OK(Write(write), "slice {} of the pool of node {}", write.index, node_name_);
  }
  if (!plan.IsEmpty()) {
    Log(LogLevel::kInfo, "published",
        {{"node", node_name_},
         {"slices", plan.writes.size()},
         {"deleted", plan.deletions.size()},
         {"generation", plan.generation}});
  }
  return plan.deletions.size() + plan.writes.size();
}

Status SlicePublisher::Write(const SliceWrite& write) {
  const Json object = api::Encode(write.slice);
  KU_TRY(const std::shared_ptr<const Json> stored,
         write.replaces.empty() ? client_.Create(object) : client_.Update(object, kube::Subresource::kNone));
  KU_TRY(api::ResourceSlice answered, api::Decode<api::ResourceSlice>(*stored));
  if (!IsSamePublication(answered.spec, write.slice.spec)) {
    Log(LogLevel::kWarning, "the API server dropped fields of a slice: features that it has off",
        {{"slice", answered.metadata.name}});
  }
  published_[write.index] = {write.slice.spec, std::move(answered.spec)};
  return {};
}

bool SlicePublisher::ForeignChange() {
  const auto changes = informer_.Sync();
  return changes && !changes->empty();
}

}  // namespace kumiko::node
