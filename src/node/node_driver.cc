#include "node/node_driver.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "gpu/driver_root.h"
#include "kube/backoff.h"
#include "node/slice_publisher.h"

namespace kumiko::node {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLookForDriverEvery(2);
// The watch of our slices wakes the thread, but for one of a store in this process. Looking costs no request.
constexpr std::chrono::seconds kLookAtSlicesEvery(2);

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Fail(Code::kUnavailable, "cannot make the folder {}: {}", path, error.message());
  return {};
}

std::string PluginFolder(const NodeDriverOptions& options) {
  return fmt::format("{}/{}", options.plugins_folder, gpu::kGpuDriver);
}

}  // namespace

Result<std::unique_ptr<NodeDriver>> NodeDriver::Start(NodeDriverOptions options, kube::ApiClient& api,
                                                      const std::stop_token& stop) {
  const std::string folder = PluginFolder(options);
  KU_TRY_OK(MakeFolder(folder));
  KU_TRY_OK(MakeFolder(options.registrar_folder));
  KU_TRY(std::optional<PluginLock> lock, PluginLock::Take(folder, stop));
  if (!lock) return nullptr;
  auto driver = std::make_unique<NodeDriver>(Private{}, std::move(options), api, *std::move(lock));
  KU_TRY_OK(driver->Open());
  return driver;
}

NodeDriver::NodeDriver(Private /*unused*/, NodeDriverOptions options, kube::ApiClient& api, PluginLock lock)
    : options_(std::move(options)), api_(api), lock_(std::move(lock)) {}

Status NodeDriver::Open() {
  KU_TRY(const std::string boot_id,
         ReadFile(gpu::InRoot(options_.places.system_root, "/proc/sys/kernel/random/boot_id")));
  const std::string folder = PluginFolder(options_);
  KU_TRY(ClaimJournal::Opened opened, ClaimJournal::Open(folder + "/journal", std::string(Trim(boot_id))));
  if (opened.damage) Log(LogLevel::kError, "the journal is damaged", {{"error", *opened.damage}});
  journal_ = std::move(opened.journal);
  preparer_ = std::make_unique<ClaimPreparer>(
      api_, *journal_, PreparerOptions{.node_name = options_.node_name, .cdi_root = options_.cdi_root}, opened.origin);

  const KubeletServerOptions sockets{
      .driver = gpu::kGpuDriver,
      .plugin_socket = folder + "/dra.sock",
      .registration_socket = fmt::format("{}/{}-reg.sock", options_.registrar_folder, gpu::kGpuDriver)};
  KU_TRY(server_, KubeletServer::Start(
                      sockets, {.prepare = [this](const auto& claims) { return preparer_->Prepare(claims); },
                                .unprepare = [this](const auto& claims) { return preparer_->Unprepare(claims); }}));
  if (options_.health_port) {
    KU_TRY(health_, HealthServer::Start({.port = *options_.health_port,
                                         .plugin_socket = sockets.plugin_socket,
                                         .registration_socket = sockets.registration_socket}));
  }
  publishing_ = std::jthread([this](const std::stop_token& stop) { FindAndPublish(stop); });
  return {};
}

NodeDriver::~NodeDriver() {
  if (publishing_.joinable()) {
    publishing_.request_stop();
    publishing_.join();
  }
}

std::shared_ptr<const Inventory> NodeDriver::FindGpus(std::string& trouble) {
  auto inventory = ReadInventory(options_.places);
  if (!inventory) {
    preparer_->SetWhyNot(inventory.error().message);
    if (inventory.error().message != trouble) {
      trouble = inventory.error().message;
      Log(LogLevel::kWarning, "waiting for the NVIDIA driver", {{"reason", trouble}});
    }
    return nullptr;
  }
  for (const std::string& reason : inventory->left_out) {
    Log(LogLevel::kWarning, "a GPU is not offered", {{"reason", reason}});
  }
  Log(LogLevel::kInfo, "found GPUs", {{"node", options_.node_name}, {"gpus", inventory->boards.size()}});
  auto shared = std::make_shared<const Inventory>(*std::move(inventory));
  preparer_->SetInventory(shared);
  return shared;
}

void NodeDriver::FindAndPublish(const std::stop_token& stop) {
  const RealClock clock;
  std::string trouble;
  std::shared_ptr<const Inventory> inventory;
  while (!stop.stop_requested() && (inventory = FindGpus(trouble)) == nullptr) Wait(stop, kLookForDriverEvery);

  kube::Backoff backoff(Random::FromSystem());
  SlicePublisher publisher(api_, options_.node_name, [this] { Wake(); });
  bool current = false;
  while (!stop.stop_requested()) {
    if (publisher.ForeignChange() || !current) {
      const auto written = publisher.Publish(inventory->boards);
      current = written.has_value();
      if (!written) Log(LogLevel::kWarning, "cannot publish the GPUs", {{"error", written.error().message}});
      if (!written || *written > 0) {
        // Somebody who changes our slices again and again is not answered at his pace: this wait nothing cuts short.
        Rest(stop, backoff.Next(clock.Now()));
        continue;
      }
    }
    Wait(stop, kLookAtSlicesEvery);
  }
}

void NodeDriver::Wake() {
  {
    const std::scoped_lock lock(mutex_);
    wake_ = true;
  }
  woken_.notify_all();
}

void NodeDriver::Rest(const std::stop_token& stop, Duration duration) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, stop, duration, [] { return false; });
}

void NodeDriver::Wait(const std::stop_token& stop, Duration patience) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, stop, patience, [this] { return wake_; });
  wake_ = false;
}

}  // namespace kumiko::node
