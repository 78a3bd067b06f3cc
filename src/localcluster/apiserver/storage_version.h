// What discovery tells of the version in which a kind is stored. Source: k8s.io/apiserver, pkg/endpoints/discovery.
#pragma once

#include <string>

#include "api/kinds.h"

namespace kumiko::localcluster {

// Eight bytes of SHA-256 over `group/version/kind`, as base64: differs when what is stored would have to be rewritten.
std::string StorageVersionHash(const api::KindInfo& kind);

}  // namespace kumiko::localcluster
