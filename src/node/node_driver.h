// The node driver as a whole: finds the GPUs, publishes them, serves the kubelet, until it is dropped.
//
//   threads:  listeners of the two sockets, gRPC's own for calls, one that looks for the driver and publishes,
//             one that shortens the journal
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"
#include "kube/api_client.h"
#include "node/claim_preparer.h"
#include "node/health_server.h"
#include "node/kubelet_server.h"
#include "node/plugin_lock.h"

namespace kumiko::node {

struct NodeDriverOptions {
  std::string node_name;
  std::string plugins_folder = "/var/lib/kubelet/plugins";
  std::string registrar_folder = "/var/lib/kubelet/plugins_registry";
  std::string cdi_root = "/etc/cdi";
  DriverPlaces places;
  std::optional<int> health_port;  // absent: no health checks; 0: any free port
};

class NodeDriver {
  struct Private {};

 public:
  // Registers with the kubelet whether or not an NVIDIA driver is installed yet: publishing and prepare wait for it.
  // Waits for another process that serves the same folder to end; null when `stop` comes first. `api` must outlive it.
  static Result<std::unique_ptr<NodeDriver>> Start(NodeDriverOptions options, kube::ApiClient& api,
                                                   const std::stop_token& stop);
  NodeDriver(Private, NodeDriverOptions options, kube::ApiClient& api, PluginLock lock);
  // Slices stay, as pods do; a driver that starts again finds both.
  ~NodeDriver();

  const KubeletServer& kubelet_server() const { return *server_; }
  // 0 without health checks.
  int health_port() const { return health_ == nullptr ? 0 : health_->port(); }

 private:
  Status Open();
  void FindAndPublish(const std::stop_token& stop);
  std::shared_ptr<const Inventory> FindGpus(std::string& trouble);
  void Wake();
  // Until woken, at most so long.
  void Wait(const std::stop_token& stop, Duration patience);
  void Rest(const std::stop_token& stop, Duration duration);

  NodeDriverOptions options_;
  kube::ApiClient& api_;
  PluginLock lock_;
  std::unique_ptr<ClaimJournal> journal_;
  std::unique_ptr<ClaimPreparer> preparer_;
  std::unique_ptr<KubeletServer> server_;
  std::unique_ptr<HealthServer> health_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool wake_ = false;
  std::jthread publishing_;
};

}  // namespace kumiko::node
