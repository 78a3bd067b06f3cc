// Paths of fields as Kubernetes writes them in validation errors: spec.devices.requests[0].exactly.count. A key that
// holds a dot, a slash or a bracket stands in brackets: metadata.labels[nvidia.com/gpu]. The root is "".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kumiko {

std::string ChildPath(std::string_view parent, std::string_view key);
std::string ItemPath(std::string_view parent, std::size_t index);
// The path as ChildPath and ItemPath write it. Validation errors put every key of a map into brackets, as Kubernetes
// does: metadata.labels[app] becomes metadata.labels.app.
std::string CanonicalPath(std::string_view path);
// The path without its last step; the root's parent is the root.
std::string_view ParentPath(std::string_view path);

}  // namespace kumiko
