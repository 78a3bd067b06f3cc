#include "localcluster/component_client.h"

#include "localcluster/ownership.h"

namespace kumiko::localcluster {

WriteOptions ComponentClient::Options(const ServedKind& kind, kube::Subresource subresource) const {
  WriteOptions options;
  if (!kind) return options;
  options.own = OwnedBy(kind, {kind.info->group, kind.info->version},
                        subresource == kube::Subresource::kStatus ? "status" : "", name_, clock_.Now());
  return options;
}

Result<std::shared_ptr<const Json>> ComponentClient::Create(const Json& object) {
  return store_.Create(object, Options(store_.kinds().OfObject(object), kube::Subresource::kNone));
}

Result<std::shared_ptr<const Json>> ComponentClient::Update(const Json& object, kube::Subresource subresource) {
  return store_.Update(object, subresource, Options(store_.kinds().OfObject(object), subresource));
}

Result<std::shared_ptr<const Json>> ComponentClient::Patch(const kube::ObjectKey& key, const Json& merge_patch,
                                                           kube::Subresource subresource) {
  return store_.Patch(key, merge_patch, subresource, Options(store_.kinds().OfKey(key.kind), subresource));
}

}  // namespace kumiko::localcluster
