#include "cli/server_advice.h"

#include <fmt/format.h>

namespace kumiko::cli {

Error Advised(const Error& error) {
  switch (error.code) {
    case Code::kNotFound:
      return {error.code,
              error.message + "; the server has to serve resource.k8s.io/v1, as Kubernetes does since 1.34"};
    case Code::kPermission:
      return {error.code, error.message +
                              "; what is shown needs the right to list nodes, pods, deviceclasses, resourceclaims, "
                              "resourceclaimtemplates and resourceslices"};
    case Code::kUnavailable:
    case Code::kDeadline:
      return {error.code, error.message + "; is the API server of this kubeconfig running?"};
    case Code::kInvalidArgument:
    case Code::kAlreadyExists:
    case Code::kConflict:
    case Code::kInternal:
      break;
  }
  return error;
}

std::string SlowReading(Duration took) {
  if (took <= std::chrono::seconds(1)) return "";
  return fmt::format("reading the cluster took {:.1f} s", static_cast<double>(took.count()) / 1e6);
}

}  // namespace kumiko::cli
