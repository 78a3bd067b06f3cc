// A Kubernetes in one process: the store, the controllers, the scheduler loop and simulated nodes, stepped by one
// loop until nothing changes. Same cluster file, options and calls: same bytes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "allocator/place.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/yaml.h"
#include "kube/api_client.h"
#include "localcluster/cluster_file.h"
#include "localcluster/store.h"

namespace kumiko::localcluster {

struct ClusterOptions {
  allocator::Policy policy = allocator::Policy::kPacked;
  // Of uids and generated names.
  std::uint64_t seed = 1;
  // Whether the cluster file's demand tells packing what to leave room for.
  bool use_demand = true;
  // Where the objects outlive the process; may be null, must outlive the cluster. One that has objects goes on with
  // them, and the nodes are those.
  StateFile* state = nullptr;
};

// Everything but api() and store() belongs to the thread that steps: the one that calls RunUntilIdle, or Run's.
class Cluster {
 public:
  struct Impl;
  // For Create.
  explicit Cluster(std::unique_ptr<Impl> impl);

  // With the nodes, slices and device classes in place. `clock` must outlive the cluster.
  static Result<std::unique_ptr<Cluster>> Create(const ClusterFile& file, const ClusterOptions& options,
                                                 const Clock& clock);
  ~Cluster();

  // Called after every write, from the writer's thread. Set before anybody else writes.
  void OnWrite(std::function<void()> listener);

  // PEM text of what signs the API server's certificate: the next step writes it into the ConfigMap kube-root-ca.crt of
  // every namespace.
  void SetRootCertificate(std::string pem);

  kube::ApiClient& api();
  Store& store();
  const Clock& clock() const;

  // Applies all documents or none (Store::ApplyAll). Fails with kInvalidArgument, one line for each problem:
  // "jobs.yaml:12:9: ResourceClaim ml/train: spec.devices.requests[0].exactly.count: Invalid value …".
  Status Apply(const std::vector<Document>& documents);
  Status DeleteObject(const kube::ObjectKey& key);

  // Steps everything until a whole round changes nothing. Fails with kInternal, naming the controllers that were still
  // busy, after kMaxRounds rounds.
  Status RunUntilIdle();
  static constexpr int kMaxRounds = 10000;

  // When time alone makes the next thing happen (a pod ends, or may be replaced); nothing: never.
  std::optional<Time> NextWake() const;

  // Steps in real time until asked to stop: sleeps until something is written or NextWake() comes.
  Status Run(std::stop_token stop);

  // What the scheduler knew at its last step; for reports. Valid while the cluster lives and is not stepped.
  const allocator::Inventory& inventory() const;
  const allocator::State& allocations() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
