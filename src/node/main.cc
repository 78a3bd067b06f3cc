#include "node/main.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "api/codec.h"
#include "base/yaml.h"
#include "kube/http_client.h"
#include "node/command_line.h"

namespace kumiko::node {
namespace {

constexpr int kDone = 0;
constexpr int kBadInput = 1;
constexpr int kInternalFailure = 2;

int Report(std::ostream& err, int code, const Error& error) {
  err << "kumiko-node: " << error.message << '\n';
  return code;
}

int DryRun(const NodeDriverOptions& options, std::ostream& out, std::ostream& err) {
  const auto inventory = ReadInventory(options.places);
  if (!inventory) return Report(err, kInternalFailure, inventory.error());
  for (const std::string& reason : inventory->left_out) err << "not offered: " << reason << '\n';
  const auto slices = gpu::BuildSlices({.node_name = options.node_name, .node_uid = ""}, inventory->boards);
  if (!slices) return Report(err, kInternalFailure, slices.error());
  for (api::ResourceSlice slice : *slices) {
    slice.metadata.name.clear();  // the API server gives it
    slice.metadata.owner_references.clear();
    out << "---\n" << WriteYaml(api::Encode(slice));
  }
  return kDone;
}

// Signals that end the process; blocked before any thread starts, so that they come to Wait.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void Wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_{};
};

int Run(CommandLine line, std::ostream& err) {
  const EndSignals signals;
  kube::AccessOptions access_options = kube::AccessOptions::FromEnvironment();
  if (!line.kubeconfig.empty()) access_options.kubeconfig = line.kubeconfig;
  auto access = kube::FindCluster(access_options);
  if (!access) return Report(err, kBadInput, access.error());
  // A stop must not wait long for a server that does not answer.
  auto client = kube::HttpClient::Create(
      *std::move(access), {.requests = {.user_agent = "kumiko-node", .timeout = std::chrono::seconds(10)}});
  if (!client) return Report(err, kBadInput, client.error());

  // Signals are waited for here, so that one also ends the wait for a process that still serves the node.
  std::stop_source stop;
  std::jthread waiter([&] {
    signals.Wait();
    (*client)->Stop();
    stop.request_stop();
  });
  int code = kDone;
  {
    auto driver = NodeDriver::Start(std::move(line.driver), **client, stop.get_token());
    if (!driver) {
      code = Report(err, kInternalFailure, driver.error());
      ::kill(::getpid(), SIGTERM);
    }
    waiter.join();
  }
  Log(LogLevel::kInfo, "stopped");
  return code;
}

}  // namespace

int Main(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  const auto line = ParseCommandLine(argc, argv);
  if (!line) {
    (line.error().is_error ? err : out) << line.error().text;
    return line.error().is_error ? kBadInput : kDone;
  }
  SetLogLevel(line->log_level);
  SetLogFormat(line->log_format);
  return line->dry_run ? DryRun(line->driver, out, err) : Run(*line, err);
}

}  // namespace kumiko::node
