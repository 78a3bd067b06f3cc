#include "localcluster/apiserver/storage_version.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "localcluster/apiserver/digest.h"

namespace kumiko::localcluster {

std::string StorageVersionHash(const api::KindInfo& kind) {
  constexpr std::size_t kShown = 8;
  return EncodeBase64(Sha256(fmt::format("{}/{}/{}", kind.group, kind.version, kind.kind)).substr(0, kShown));
}

}  // namespace kumiko::localcluster
