#include "localcluster/apiserver/api_server.h"

#include <fmt/core.h>

#include "base/base64.h"
#include "base/text.h"
#include "base/yaml.h"
#include "localcluster/apiserver/certificate.h"
#include "localcluster/apiserver/discovery.h"
#include "localcluster/apiserver/resource_api.h"
#include "localcluster/http/http_server.h"

namespace kumiko::localcluster {
namespace {

constexpr std::string_view kClusterName = "kumiko";

bool IsProbe(std::string_view path) {
  return path == "/livez" || path == "/readyz";
}

HttpResponse Plain(std::string text) {
  HttpResponse response;
  response.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

}  // namespace

struct ApiServer::Impl {
  Impl(Store& store, const Clock& clock) : kinds(store.kinds()), resources(store, clock), token(MakeToken()) {}

  HttpResponse Answer(const HttpRequest& http) const {
    const auto info = ReadRequest(http.method, http.target);
    if (!info) return ErrorResponse(info.error());
    if (IsProbe(info->path)) return Plain("ok");
    if (!Knows(http.Header("Authorization"))) {
      return ErrorResponse({.reason = kube::StatusReason::kUnauthorized, .message = "Unauthorized"});
    }
    if (info->path == "/healthz") return Plain("ok");
    if (http.method == "GET") {
      auto answer = AnswerDiscovery(kinds, info->path, http.Header("Accept"), http.Header("Host"));
      if (answer) return std::move(*answer);
    }
    if (info->is_resource) return resources.Answer(http, *info);
    return ErrorResponse(
        {.reason = kube::StatusReason::kNotFound, .message = "the server could not find the requested resource"});
  }

  bool Knows(std::string_view authorization) const {
    constexpr std::string_view kScheme = "bearer ";
    if (ToLower(authorization.substr(0, kScheme.size())) != kScheme) return false;
    const std::string_view sent = Trim(authorization.substr(kScheme.size()));
    return SameSecret(sent, token) || resources.KnowsToken(sent);
  }

  const ServedKinds& kinds;
  mutable ResourceApi resources;
  std::string token;
  ServerCertificate certificate;
  std::unique_ptr<HttpServer> server;  // last: it stops answering before the rest goes
};

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::~ApiServer() = default;

Result<std::unique_ptr<ApiServer>> ApiServer::Start(Store& store, const Clock& clock, const ApiServerOptions& options) {
  auto impl = std::make_unique<Impl>(store, clock);
  KU_TRY(impl->certificate, MakeServerCertificate(RealClock().Now()));
  HttpServerOptions http;
  http.port = options.port;
  http.certificate_pem = impl->certificate.certificate_pem;
  http.private_key_pem = impl->certificate.private_key_pem;
  KU_TRY(impl->server, HttpServer::Start(std::move(http), [answers = impl.get()](const HttpRequest& request) {
           return answers->Answer(request);
         }));
  return std::make_unique<ApiServer>(std::move(impl));
}

std::string ApiServer::url() const {
  return fmt::format("https://127.0.0.1:{}", impl_->server->port());
}

const std::string& ApiServer::authority_pem() const {
  return impl_->certificate.authority_pem;
}

std::string ApiServer::Kubeconfig() const {
  const Json config{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", JsonArray{JsonObject{{"name", kClusterName},
                                        {"cluster", JsonObject{{"server", url()},
                                                               {"certificate-authority-data",
                                                                EncodeBase64(impl_->certificate.authority_pem)}}}}}},
      {"users", JsonArray{JsonObject{{"name", kClusterName}, {"user", JsonObject{{"token", impl_->token}}}}}},
      {"contexts", JsonArray{JsonObject{{"name", kClusterName},
                                        {"context", JsonObject{{"cluster", kClusterName}, {"user", kClusterName}}}}}},
      {"current-context", kClusterName}};
  return WriteYaml(config);
}

void ApiServer::Wake() {
  impl_->server->Wake();
}

}  // namespace kumiko::localcluster
