#include "node/kubelet_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <kubelet/dra_v1.grpc.pb.h>
#include <kubelet/dra_v1beta1.grpc.pb.h>
#include <kubelet/registration.grpc.pb.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "node/unix_listener.h"

namespace kumiko::node {
namespace {

namespace v1 = k8s::io::kubelet::pkg::apis::dra::v1;
namespace v1beta1 = k8s::io::kubelet::pkg::apis::dra::v1beta1;

// The names announced at registration are not those of the gRPC services.
constexpr const char* kVersions[] = {"v1.DRAPlugin", "v1beta1.DRAPlugin"};
constexpr int kMaxThreads = 64;
constexpr std::chrono::seconds kPatienceAtEnd(20);

grpc::StatusCode GrpcCode(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case Code::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case Code::kAlreadyExists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case Code::kConflict:
      return grpc::StatusCode::ABORTED;
    case Code::kUnavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case Code::kDeadline:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case Code::kPermission:
      return grpc::StatusCode::PERMISSION_DENIED;
    case Code::kInternal:
      return grpc::StatusCode::INTERNAL;
  }
  return grpc::StatusCode::UNKNOWN;
}

template <class Request>
std::vector<ClaimReference> ClaimsOf(const Request& request) {
  std::vector<ClaimReference> claims;
  for (const auto& claim : request.claims()) claims.push_back({claim.namespace_(), claim.name(), claim.uid()});
  return claims;
}

// Both versions of the interface have the same messages, but for a field that is never set.
template <class Service, class PrepareRequest, class PrepareResponse, class UnprepareRequest, class UnprepareResponse>
class DraPlugin final : public Service {
 public:
  explicit DraPlugin(const ClaimHandler& handler) : handler_(handler) {}

  grpc::Status NodePrepareResources(grpc::ServerContext* /*context*/, const PrepareRequest* request,
                                    PrepareResponse* response) override {
    const auto results = handler_.prepare(ClaimsOf(*request));
    if (!results) return {GrpcCode(results.error().code), results.error().message};
    for (const auto& [uid, result] : *results) {
      auto& answer = (*response->mutable_claims())[uid];
      if (!result) {
        answer.set_error(result.error().message);
        continue;
      }
      for (const PreparedDevice& prepared : *result) {
        auto* device = answer.add_devices();
        for (const std::string& name : prepared.requests) device->add_request_names(name);
        device->set_pool_name(prepared.pool);
        device->set_device_name(prepared.device);
        for (const std::string& id : prepared.cdi_device_ids) device->add_cdi_device_ids(id);
      }
    }
    return grpc::Status::OK;
  }

  grpc::Status NodeUnprepareResources(grpc::ServerContext* /*context*/, const UnprepareRequest* request,
                                      UnprepareResponse* response) override {
    for (const auto& [uid, result] : handler_.unprepare(ClaimsOf(*request))) {
      (*response->mutable_claims())[uid].set_error(result ? "" : result.error().message);
    }
    return grpc::Status::OK;
  }

 private:
  const ClaimHandler& handler_;
};

using DraV1 = DraPlugin<v1::DRAPlugin::Service, v1::NodePrepareResourcesRequest, v1::NodePrepareResourcesResponse,
                        v1::NodeUnprepareResourcesRequest, v1::NodeUnprepareResourcesResponse>;
using DraV1Beta1 =
    DraPlugin<v1beta1::DRAPlugin::Service, v1beta1::NodePrepareResourcesRequest, v1beta1::NodePrepareResourcesResponse,
              v1beta1::NodeUnprepareResourcesRequest, v1beta1::NodeUnprepareResourcesResponse>;

class Registration final : public pluginregistration::Registration::Service {
 public:
  explicit Registration(const KubeletServerOptions& options) : options_(options) {}

  grpc::Status GetInfo(grpc::ServerContext* /*context*/, const pluginregistration::InfoRequest* /*request*/,
                       pluginregistration::PluginInfo* info) override {
    info->set_type("DRAPlugin");
    info->set_name(options_.driver);
    info->set_endpoint(options_.plugin_socket);
    for (const char* version : kVersions) info->add_supported_versions(version);
    return grpc::Status::OK;
  }

  grpc::Status NotifyRegistrationStatus(grpc::ServerContext* /*context*/,
                                        const pluginregistration::RegistrationStatus* status,
                                        pluginregistration::RegistrationStatusResponse* /*response*/) override {
    state_.With([&](RegistrationState& state) { state = {true, status->plugin_registered(), status->error()}; });
    if (status->plugin_registered()) {
      Log(LogLevel::kInfo, "registered with the kubelet", {{"driver", options_.driver}});
      return grpc::Status::OK;
    }
    Log(LogLevel::kError, "the kubelet refuses the driver", {{"driver", options_.driver}, {"error", status->error()}});
    return {grpc::StatusCode::FAILED_PRECONDITION, "the kubelet refused: " + status->error()};
  }

  RegistrationState state() const {
    return state_.With([](const RegistrationState& state) { return state; });
  }

 private:
  const KubeletServerOptions& options_;
  Guarded<RegistrationState> state_;
};

}  // namespace

// gRPC gets connections that we accepted, not a path: it would remove the file of whoever serves it by then.
struct KubeletServer::Impl {
  Impl(KubeletServerOptions given, ClaimHandler given_handler)
      : options(std::move(given)), handler(std::move(given_handler)) {}

  KubeletServerOptions options;
  ClaimHandler handler;
  DraV1 v1{handler};
  DraV1Beta1 v1beta1{handler};
  Registration registration{options};
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<UnixListener> plugin;
  std::unique_ptr<UnixListener> registrar;
};

KubeletServer::KubeletServer(Private /*unused*/, std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<KubeletServer>> KubeletServer::Start(KubeletServerOptions options, ClaimHandler handler) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
  grpc::ServerBuilder builder;
  builder.RegisterService(&impl->v1);
  builder.RegisterService(&impl->v1beta1);
  builder.RegisterService(&impl->registration);
  builder.SetResourceQuota(grpc::ResourceQuota("kubelet").SetMaxThreads(kMaxThreads));
  // A client that often asks whether we are there is no attacker.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr) return Fail(Code::kInternal, "cannot start a gRPC server");
  const auto serve = [server = impl->server.get()](int connection) {
    grpc::AddInsecureChannelFromFd(server, connection);
  };
  KU_TRY(impl->plugin, UnixListener::Start(impl->options.plugin_socket, serve));
  KU_TRY(impl->registrar, UnixListener::Start(impl->options.registration_socket, serve));
  return std::make_unique<KubeletServer>(Private{}, std::move(impl));
}

KubeletServer::~KubeletServer() {
  impl_->registrar.reset();
  impl_->plugin.reset();
  const Time end = RealClock().Now() + kPatienceAtEnd;
  impl_->server->Shutdown(std::chrono::system_clock::time_point(std::chrono::microseconds(end.micros)));
}

RegistrationState KubeletServer::registration() const {
  return impl_->registration.state();
}

int KubeletServer::sockets_lost() const {
  return impl_->plugin->times_lost() + impl_->registrar->times_lost();
}

}  // namespace kumiko::node
