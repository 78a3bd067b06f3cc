#include "kube/retry.h"

namespace kumiko::kube {

Result<std::shared_ptr<const Json>> UpdateWithRetry(ApiClient& client, const ObjectKey& key, Subresource subresource,
                                                    const Change& change) {
  for (int tries = 1;; ++tries) {
    KU_TRY(std::shared_ptr<const Json> current, client.Get(key));
    Json object = *current;
    KU_TRY(const bool changed, change(object));
    if (!changed) return current;
    Result<std::shared_ptr<const Json>> updated = client.Update(object, subresource);
    if (updated || updated.error().code != Code::kConflict || tries == kConflictTries) return updated;
  }
}

}  // namespace kumiko::kube
