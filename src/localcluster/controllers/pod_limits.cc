#include "localcluster/controllers/pod_limits.h"

#include "base/log.h"

namespace kumiko::localcluster {
std::int64_t OwnerLimit::Cap(std::string_view kind, const api::ObjectMeta& owner, std::int64_t wanted) {
  if (wanted <= kMostPodsPerOwner) return wanted;
  if (warned_.insert(owner.uid).second) {
    Log(LogLevel::kWarning, "the local cluster makes no more pods for this object",
        {{"kind", kind},
         {"object", owner.namespace_ + "/" + owner.name},
         {"wanted", wanted},
         {"limit", kMostPodsPerOwner}});
  }
  return kMostPodsPerOwner;
}

}  // namespace kumiko::localcluster
