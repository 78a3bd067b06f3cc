// The store as one component of the cluster writes to it: what it changes, it comes to own, as if it had come through
// the API with its name as field manager.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "kube/api_client.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

// Thread safe. `store` and `clock` must outlive it.
class ComponentClient final : public kube::ApiClient {
 public:
  ComponentClient(Store& store, const Clock& clock, std::string name)
      : store_(store), clock_(clock), name_(std::move(name)) {}

  Result<std::shared_ptr<const Json>> Get(const kube::ObjectKey& key) override { return store_.Get(key); }
  Result<kube::ObjectList> List(const kube::ObjectKey& key) override { return store_.List(key); }
  Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::ObjectKey& key,
                                                  const std::string& resource_version) override {
    return store_.StartWatch(key, resource_version);
  }
  Result<std::shared_ptr<const Json>> Create(const Json& object) override;
  Result<std::shared_ptr<const Json>> Update(const Json& object, kube::Subresource subresource) override;
  Result<std::shared_ptr<const Json>> Patch(const kube::ObjectKey& key, const Json& merge_patch,
                                            kube::Subresource subresource) override;
  Status Delete(const kube::ObjectKey& key, const kube::DeleteOptions& options) override {
    return store_.Delete(key, options);
  }

 private:
  WriteOptions Options(const ServedKind& kind, kube::Subresource subresource) const;

  Store& store_;
  const Clock& clock_;
  std::string name_;
};

}  // namespace kumiko::localcluster
