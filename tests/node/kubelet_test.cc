// The whole driver, called as the kubelet calls it: gRPC over its sockets.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <kubelet/dra_v1.grpc.pb.h>
#include <kubelet/dra_v1beta1.grpc.pb.h>
#include <kubelet/health.grpc.pb.h>
#include <kubelet/registration.grpc.pb.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "kube/typed.h"
#include "node/node_driver.h"
#include "tests/node/node.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;
namespace v1 = k8s::io::kubelet::pkg::apis::dra::v1;
namespace v1beta1 = k8s::io::kubelet::pkg::apis::dra::v1beta1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Kubelet : public ::testing::Test {
 protected:
  void Start() {
    NodeDriverOptions options;
    options.node_name = "node-0";
    options.plugins_folder = node_.folder("plugins");
    options.registrar_folder = node_.folder("registry");
    options.cdi_root = node_.folder("cdi");
    options.places = node_.Places();
    options.health_port = 0;
    auto driver = NodeDriver::Start(options, node_.api(), {});
    ASSERT_TRUE(driver.has_value()) << driver.error().message;
    driver_ = *std::move(driver);
  }

  // Looks every 20 ms, at most 20 s: the driver publishes in its own time.
  template <class Condition>
  static bool Await(Condition condition) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    for (int i = 0; i < 1000 && !condition(); ++i) never.wait_for(lock, std::chrono::milliseconds(20));
    return condition();
  }
  bool AwaitSlices() {
    return Await([&] { return !kube::List<api::ResourceSlice>(node_.api())->empty(); });
  }

  std::string Registrar() const { return node_.folder("registry") + "/gpu.nvidia.com-reg.sock"; }
  std::string Plugin() const { return node_.folder("plugins") + "/gpu.nvidia.com/dra.sock"; }

  template <class Service>
  static auto Stub(const std::string& socket) {
    return Service::NewStub(grpc::CreateChannel("unix:" + socket, grpc::InsecureChannelCredentials()));
  }
  template <class Request>
  static Request RequestFor(const ClaimReference& reference) {
    Request request;
    auto* claim = request.add_claims();
    claim->set_namespace_(reference.namespace_);
    claim->set_name(reference.name);
    claim->set_uid(reference.uid);
    return request;
  }
  grpc::health::v1::HealthCheckResponse::ServingStatus Health() {
    const auto stub = grpc::health::v1::Health::NewStub(
        grpc::CreateChannel(fmt::format("127.0.0.1:{}", driver_->health_port()), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service("liveness");
    grpc::health::v1::HealthCheckResponse response;
    const grpc::Status status = stub->Check(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.status();
  }

  Node node_;
  std::unique_ptr<NodeDriver> driver_;
};

TEST_F(Kubelet, FindsTheDriverAndItsVersions) {
  Start();
  const auto stub = Stub<pluginregistration::Registration>(Registrar());
  grpc::ClientContext context;
  pluginregistration::PluginInfo info;
  const grpc::Status status = stub->GetInfo(&context, {}, &info);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(info.type(), "DRAPlugin");
  EXPECT_EQ(info.name(), "gpu.nvidia.com");
  EXPECT_EQ(info.endpoint(), Plugin());
  EXPECT_THAT(info.supported_versions(), ElementsAre("v1.DRAPlugin", "v1beta1.DRAPlugin"));

  pluginregistration::RegistrationStatusResponse nothing;
  pluginregistration::RegistrationStatus told;
  told.set_plugin_registered(true);
  grpc::ClientContext yes;
  EXPECT_TRUE(stub->NotifyRegistrationStatus(&yes, told, &nothing).ok());
  EXPECT_TRUE(driver_->kubelet_server().registration().registered);
  told.set_plugin_registered(false);
  told.set_error("no such version");
  grpc::ClientContext no;
  EXPECT_THAT(stub->NotifyRegistrationStatus(&no, told, &nothing).error_message(), HasSubstr("no such version"));
  EXPECT_EQ(driver_->kubelet_server().registration().error, "no such version");
}

TEST_F(Kubelet, PreparesAndUnpreparesAClaimOverBothVersions) {
  Start();
  ASSERT_TRUE(AwaitSlices());
  const ClaimReference claim = node_.Allocate("train", {"gpu-1"});
  const std::string id = "k8s.gpu.nvidia.com/claim=" + claim.uid + "-gpu-1";

  const auto plugin = Stub<v1::DRAPlugin>(Plugin());
  v1::NodePrepareResourcesResponse prepared;
  grpc::ClientContext prepare;
  const grpc::Status status =
      plugin->NodePrepareResources(&prepare, RequestFor<v1::NodePrepareResourcesRequest>(claim), &prepared);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto& answer = prepared.claims().at(claim.uid);
  ASSERT_EQ(answer.error(), "");
  ASSERT_EQ(answer.devices_size(), 1);
  EXPECT_THAT(answer.devices(0).request_names(), ElementsAre("r0"));
  EXPECT_EQ(answer.devices(0).pool_name(), "node-0");
  EXPECT_EQ(answer.devices(0).device_name(), "gpu-1");
  EXPECT_THAT(answer.devices(0).cdi_device_ids(), ElementsAre(id));
  EXPECT_TRUE(fs::exists(node_.CdiFile(claim)));

  const auto older = Stub<v1beta1::DRAPlugin>(Plugin());
  v1beta1::NodePrepareResourcesResponse again;
  grpc::ClientContext prepare_again;
  ASSERT_TRUE(
      older->NodePrepareResources(&prepare_again, RequestFor<v1beta1::NodePrepareResourcesRequest>(claim), &again)
          .ok());
  EXPECT_THAT(again.claims().at(claim.uid).devices(0).cdi_device_ids(), ElementsAre(id));

  v1beta1::NodeUnprepareResourcesResponse undone;
  grpc::ClientContext unprepare;
  ASSERT_TRUE(
      older->NodeUnprepareResources(&unprepare, RequestFor<v1beta1::NodeUnprepareResourcesRequest>(claim), &undone)
          .ok());
  EXPECT_EQ(undone.claims().at(claim.uid).error(), "");
  EXPECT_FALSE(fs::exists(node_.CdiFile(claim)));
}

TEST_F(Kubelet, ClaimThatIsNotThereIsAnErrorOfTheCall) {
  Start();
  const auto plugin = Stub<v1::DRAPlugin>(Plugin());
  v1::NodePrepareResourcesResponse response;
  grpc::ClientContext context;
  const grpc::Status status = plugin->NodePrepareResources(
      &context, RequestFor<v1::NodePrepareResourcesRequest>({"ml", "nobody", "uid"}), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("ml/nobody"));
}

TEST_F(Kubelet, ProbeFollowsTheSockets) {
  Start();
  EXPECT_EQ(Health(), grpc::health::v1::HealthCheckResponse::SERVING);
  fs::remove(Plugin());
  EXPECT_TRUE(Await([&] { return driver_->kubelet_server().sockets_lost() == 1; }));
  EXPECT_TRUE(fs::exists(Plugin())) << "made anew";
  EXPECT_EQ(Health(), grpc::health::v1::HealthCheckResponse::SERVING);
  fs::remove(Plugin());
  fs::create_directories(Plugin() + "/in-the-way");  // a folder with something in it cannot be replaced
  EXPECT_TRUE(Await([&] { return driver_->kubelet_server().sockets_lost() > 1; }));
}

TEST_F(Kubelet, SlicesThatItDeletesComeBack) {
  Start();
  ASSERT_TRUE(AwaitSlices());
  const auto slices = kube::List<api::ResourceSlice>(node_.api());
  ASSERT_TRUE(slices.has_value());
  for (const api::ResourceSlice& slice : *slices) {
    ASSERT_TRUE(node_.api().Delete({"ResourceSlice", "", slice.metadata.name}, {}).has_value());
  }
  EXPECT_TRUE(AwaitSlices());
}

TEST_F(Kubelet, AfterAnEndNothingIsLeftButTheJournalAndTheSlices) {
  Start();
  ASSERT_TRUE(AwaitSlices());
  const ClaimReference claim = node_.Allocate("train", {"gpu-0"});
  const auto request = RequestFor<v1::NodePrepareResourcesRequest>(claim);
  v1::NodePrepareResourcesResponse before;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(Stub<v1::DRAPlugin>(Plugin())->NodePrepareResources(&context, request, &before).ok());
  }
  driver_.reset();
  EXPECT_FALSE(fs::exists(Registrar()));
  EXPECT_FALSE(fs::exists(Plugin()));
  EXPECT_TRUE(fs::exists(node_.CdiFile(claim))) << "the pod goes on";
  Start();
  v1::NodePrepareResourcesResponse after;
  grpc::ClientContext context;
  ASSERT_TRUE(Stub<v1::DRAPlugin>(Plugin())->NodePrepareResources(&context, request, &after).ok());
  EXPECT_EQ(after.claims().at(claim.uid).SerializeAsString(), before.claims().at(claim.uid).SerializeAsString());
}

}  // namespace
}  // namespace kumiko::node
