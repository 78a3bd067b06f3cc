// Keeps the ResourceSlices of this node's pool as they should be. What is to be done is decided by publication_plan.h.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/slices.h"
#include "kube/typed.h"
#include "node/publication_plan.h"

namespace kumiko::node {

// Owned by one thread.
class SlicePublisher {
 public:
  // `wake` is called, from any thread, when somebody may have changed the slices; see ForeignChange.
  SlicePublisher(kube::ApiClient& client, std::string node_name, std::function<void()> wake = {});

  // Brings the pool to what these boards need; returns the number of slices written or deleted. The Node object must be
  // there, since it owns the slices. Errors: those of the API server; what was not written is written next time.
  Result<std::size_t> Publish(const std::vector<gpu::BoardInstance>& boards);

  // Whether slices of the pool changed since the last call, by us or by others: the kubelet deletes them all when it
  // starts. Publish again then; where nothing is amiss it writes nothing.
  bool ForeignChange();

 private:
  Result<std::vector<api::ResourceSlice>> ListOwn();
  Status Write(const SliceWrite& write);
  bool IsOwn(const api::ResourceSliceSpec& spec) const;

  kube::ApiClient& client_;
  std::string node_name_;
  kube::Selectors selectors_;
  kube::TreeInformer informer_;
  std::map<std::size_t, PublishedSlice> published_;
};

}  // namespace kumiko::node
