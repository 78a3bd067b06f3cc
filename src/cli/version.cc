#include "cli/version.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <string>

#include "base/json.h"
#include "base/term.h"
#include "base/yaml.h"
#include "cli/connection.h"

namespace kumiko::cli {
namespace {

struct Server {
  std::string description;  // context "dev"
  Json version;             // what /version says
  std::string lacks;        // what kumiko needs and it does not serve; empty: nothing
};

Result<Server> AskServer(const ClusterChoice& choice) {
  KU_TRY(const Connection connection, Connect(choice));
  const auto devices = connection.api->GetRaw("/apis/resource.k8s.io/v1");
  const bool unknown = !devices && devices.error().code == Code::kNotFound;
  return Server{.description = connection.description,
                .version = connection.server_version,
                .lacks = unknown ? "does not serve resource.k8s.io/v1, as Kubernetes does since 1.34" : ""};
}

std::string TextOf(const Server& server) {
  const std::string version(StringAt(server.version, {"gitVersion"}));
  return fmt::format("server {} ({}){}", version.empty() ? "of unknown version" : version, server.description,
                     server.lacks.empty() ? "" : "; it " + server.lacks);
}

}  // namespace

ExitCode RunVersion(const VersionOptions& options, std::ostream& out, std::ostream& err) {
  std::optional<Server> server;
  ExitCode code = ExitCode::kDone;
  const auto chosen = options.client_only ? Result<kube::ClusterAccess>() : ChosenCluster(options.cluster);
  const bool none = options.client_only || (!chosen && chosen.error().code == Code::kNotFound &&
                                            options.cluster.kubeconfig.empty() && options.cluster.context.empty());
  if (!none) {
    auto asked = AskServer(options.cluster);
    if (asked) {
      server = std::move(*asked);
    } else {
      err << EscapeControls(asked.error().message) << '\n';
      code = ExitCodeFor(asked.error());
    }
  }
  if (options.output == Output::kTable) {
    out << "kumiko " << KUMIKO_VERSION << '\n';
    if (server) out << EscapeControls(TextOf(*server)) << '\n';
    return code;
  }
  JsonObject document{{"clientVersion", JsonObject{{"version", KUMIKO_VERSION}}}};
  if (server) document["serverVersion"] = server->version;
  out << (options.output == Output::kYaml ? WriteYaml(document) : WriteJsonPretty(Json(document)) + "\n");
  return code;
}

}  // namespace kumiko::cli
