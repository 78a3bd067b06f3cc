// Telling pod templates apart: the hash that names a ReplicaSet or ControllerRevision, and the comparison that decides.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"

namespace kumiko::localcluster {

inline constexpr const char* kTemplateHashLabel = "pod-template-hash";
inline constexpr const char* kRevisionHashLabel = "controller-revision-hash";

// Up to ten characters of those that generated names use. Equal trees have equal hashes whatever the order of their
// members; `collisions` makes another one where two trees share theirs.
std::string TreeHash(const Json& tree, std::int64_t collisions);

// Whether two pod templates are the same but for the label pod-template-hash.
bool SameTemplate(const Json& a, const Json& b);

}  // namespace kumiko::localcluster
