#include "node/health_server.h"

#include <grpcpp/grpcpp.h>
#include <kubelet/dra_v1beta1.grpc.pb.h>
#include <kubelet/health.grpc.pb.h>
#include <kubelet/registration.grpc.pb.h>

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

namespace kumiko::node {
namespace {

namespace health = grpc::health::v1;
namespace v1beta1 = k8s::io::kubelet::pkg::apis::dra::v1beta1;

constexpr std::chrono::seconds kPatience(5);

std::chrono::system_clock::time_point Deadline() {
  const Time end = RealClock().Now() + kPatience;
  return std::chrono::system_clock::time_point(std::chrono::microseconds(end.micros));
}

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& socket) {
  grpc::ChannelArguments arguments;
  // A socket that was away is tried again at the next probe.
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel("unix:" + socket, grpc::InsecureChannelCredentials(), arguments);
}

class Health final : public health::Health::Service {
 public:
  explicit Health(const HealthServerOptions& options)
      : plugin_(v1beta1::DRAPlugin::NewStub(ChannelTo(options.plugin_socket))),
        registrar_(pluginregistration::Registration::NewStub(ChannelTo(options.registration_socket))) {}

  grpc::Status Check(grpc::ServerContext* /*context*/, const health::HealthCheckRequest* request,
                     health::HealthCheckResponse* response) override {
    if (!request->service().empty() && request->service() != "liveness") {
      return {grpc::StatusCode::NOT_FOUND, "no service \"" + request->service() + "\": ask for \"\" or \"liveness\""};
    }
    const grpc::Status asked = AskSockets();
    if (!asked.ok()) Log(LogLevel::kError, "the driver's sockets do not answer", {{"error", asked.error_message()}});
    response->set_status(asked.ok() ? health::HealthCheckResponse::SERVING : health::HealthCheckResponse::NOT_SERVING);
    return grpc::Status::OK;
  }

 private:
  grpc::Status AskSockets() {
    grpc::ClientContext info_context;
    info_context.set_deadline(Deadline());
    pluginregistration::PluginInfo info;
    const grpc::Status told = registrar_->GetInfo(&info_context, {}, &info);
    if (!told.ok()) return told;
    grpc::ClientContext prepare_context;
    prepare_context.set_deadline(Deadline());
    v1beta1::NodePrepareResourcesResponse nothing;
    return plugin_->NodePrepareResources(&prepare_context, {}, &nothing);
  }

  std::unique_ptr<v1beta1::DRAPlugin::Stub> plugin_;
  std::unique_ptr<pluginregistration::Registration::Stub> registrar_;
};

}  // namespace

struct HealthServer::Impl {
  explicit Impl(const HealthServerOptions& options) : service(options) {}
  Health service;
  int port = 0;
  std::unique_ptr<grpc::Server> server;
};

HealthServer::HealthServer(Private /*unused*/, std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<HealthServer>> HealthServer::Start(HealthServerOptions options) {
  auto impl = std::make_unique<Impl>(options);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(fmt::format("[::]:{}", options.port), grpc::InsecureServerCredentials(), &impl->port);
  builder.RegisterService(&impl->service);
  builder.SetResourceQuota(grpc::ResourceQuota("health").SetMaxThreads(4));
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr || impl->port == 0) {
    return Fail(Code::kUnavailable, "cannot listen on port {} for health checks: is it taken?", options.port);
  }
  return std::make_unique<HealthServer>(Private{}, std::move(impl));
}

HealthServer::~HealthServer() {
  impl_->server->Shutdown(Deadline());
}

int HealthServer::port() const {
  return impl_->port;
}

}  // namespace kumiko::node
