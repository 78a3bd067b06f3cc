// Where the objects of a kind stand in a server's API. Kinds that are built in are known; others are looked up in the
// server's discovery documents.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/json.h"
#include "base/result.h"

namespace kumiko::kube {

struct Resource {
  std::string api_version;  // "v1", "apps/v1"
  std::string kind;
  std::string plural;
  bool namespaced = false;

  // "/api/v1/namespaces/ml/pods/train-0/status"; an empty namespace or name is left out.
  std::string Path(std::string_view namespace_, std::string_view name, std::string_view subresource = "") const;
  // "pods" or "deployments.apps", as messages name it.
  std::string Name() const;
};

// Percent-encodes what has a meaning in paths and queries.
std::string EscapeUrl(std::string_view text);

// Thread safe.
class ResourceMap {
 public:
  // Gets a path of the server, accepting what `accept` says.
  using Fetch = std::function<Result<Json>(const std::string& target, std::string_view accept)>;

  explicit ResourceMap(Fetch fetch) : fetch_(std::move(fetch)) {}

  // `kind` is "Pod", or "PodGroup.scheduling.run.ai" where several groups have a kind of that name. An empty
  // `api_version` means the one that is built in, or else the server's preferred. Errors: kNotFound naming the nearest,
  // and those of fetching.
  Result<Resource> Find(std::string_view kind, std::string_view api_version = "");

 private:
  using Known = std::vector<Resource>;  // the server's order: preferred versions first

  Result<Known> Discover();

  Fetch fetch_;
  Guarded<Known> known_;
};

}  // namespace kumiko::kube
