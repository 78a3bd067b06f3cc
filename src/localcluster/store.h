// The objects of the local cluster: what etcd and the API server's generic registry do, in memory.
//
// Every object is of the stored version, defaulted, validated (api/kinds.h) and immutable; readers share it. Whether a
// tree or compressed text is kept of it is the matter of kube::Object. Each write gives the store a new revision, which
// is the object's resourceVersion. The last changes are kept in one bounded history, from which watches read at their
// own pace; a watch that falls behind the history must re-list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "kube/api_client.h"
#include "kube/api_error.h"
#include "localcluster/object_tree.h"
#include "localcluster/served_kinds.h"
#include "localcluster/state_file.h"

namespace kumiko::localcluster {

struct StoreOptions {
  // Seeds uids and the suffixes of generated names: same seed and same calls, same bytes.
  std::uint64_t seed = 0;
  // Changes kept for watches. A watch whose reader is further behind gets kConflict.
  std::size_t history_limit = 16384;
  // Called after every write, with no lock held, from the writer's thread. May be empty.
  std::function<void()> on_change = {};
  // Where changes go to outlive the process; may be null, must outlive the store and its watches. `content` is what the
  // store begins with, as it was read from there.
  StateFile* state = nullptr;
  StateFile::Content content = {};
};

// One thing wrong with one of the manifests given to ApplyAll.
struct ManifestProblem {
  std::size_t manifest = 0;  // index into the list
  std::string path;          // spec.devices.requests[0].exactly.count; empty when it is about the whole object
  std::string message;
  bool operator==(const ManifestProblem&) const = default;
};

// One write, as a watch with a selector needs it: an object may come into the selection or leave it.
struct StoredChange {
  kube::WatchEvent event;
  kube::Object before;  // what selectors look at of it; null when it was created
};

// A position in the history of changes to the objects that a key covers. Used by one thread at a time.
class ChangeReader {
 public:
  virtual ~ChangeReader() = default;
  // What has happened since the last call. Fails with kConflict when changes were forgotten meanwhile.
  virtual Result<std::vector<StoredChange>> Read() = 0;
  // The revision up to which changes were read.
  virtual std::uint64_t revision() const = 0;
};

struct WriteOptions {
  bool dry_run = false;  // everything but the write
  // Who comes to own what the write changes; a write that changes nothing but the times of that is none. Empty: nobody.
  Owning own = {};
  // The last word on a changed object that is about to be validated and stored.
  std::function<void(Json& after)> finish = {};
};

struct DeletedObject {
  kube::Object object;  // as it last was, or as it waits to be removed
  bool gone = false;
};

// Thread safe. `clock` must outlive the store. The namespaces default and kube-system exist from the start.
class Store : public kube::ApiClient {
 public:
  explicit Store(const Clock& clock, StoreOptions options = {});
  ~Store() override;

  Result<std::shared_ptr<const Json>> Get(const kube::ObjectKey& key) override;
  Result<kube::ObjectList> List(const kube::ObjectKey& key) override;
  Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::ObjectKey& key,
                                                  const std::string& resource_version) override;
  Result<std::shared_ptr<const Json>> Create(const Json& object) override;
  Result<std::shared_ptr<const Json>> Update(const Json& object, kube::Subresource subresource) override;
  Result<std::shared_ptr<const Json>> Patch(const kube::ObjectKey& key, const Json& merge_patch,
                                            kube::Subresource subresource) override;
  Status Delete(const kube::ObjectKey& key, const kube::DeleteOptions& options) override;

  Result<std::shared_ptr<const Json>> Create(const Json& object, const WriteOptions& options);
  Result<std::shared_ptr<const Json>> Update(const Json& object, kube::Subresource subresource,
                                             const WriteOptions& options);
  Result<std::shared_ptr<const Json>> Patch(const kube::ObjectKey& key, const Json& merge_patch,
                                            kube::Subresource subresource, const WriteOptions& options);

  // The same with the answers of the API server. `edit` makes of the current object what is to be stored, and is asked
  // again when somebody was faster.
  using Edit = std::function<kube::ApiResult<Json>(const Json& current)>;
  kube::ApiResult<std::shared_ptr<const Json>> Find(const kube::ObjectKey& key);
  kube::ApiResult<std::shared_ptr<const Json>> CreateObject(const Json& object, const WriteOptions& options = {});
  kube::ApiResult<std::shared_ptr<const Json>> ChangeObject(const kube::ObjectKey& key, kube::Subresource subresource,
                                                            const Edit& edit, const WriteOptions& options = {});
  kube::ApiResult<DeletedObject> DeleteObject(const kube::ObjectKey& key, const kube::DeleteOptions& options,
                                              const WriteOptions& write_options = {});
  // The changes after `revision`. Errors: kExpired when they are no longer kept.
  kube::ApiResult<std::unique_ptr<ChangeReader>> ReadChanges(const kube::ObjectKey& key, std::uint64_t revision);

  // Creates or changes all of `manifests` (each like `kubectl apply`: members it names are merged into the stored
  // object), or none of them: any problem leaves the store as it was and is returned. Empty result: applied.
  // Manifests see each other: a namespace may come with its contents.
  std::vector<ManifestProblem> ApplyAll(std::span<const Json> manifests);

  // Until all writes so far outlive the process (see StateFile); at once without a state. Errors: kUnavailable.
  Status AwaitWritten();

  const ServedKinds& kinds() const { return *kinds_; }

  // The revision of the last write.
  std::uint64_t Revision() const;

  struct State;  // store_state.h

 private:
  void Changed() const;

  const Clock& clock_;
  StoreOptions options_;
  std::shared_ptr<ServedKinds> kinds_;     // follows the definitions among the objects
  std::shared_ptr<Guarded<State>> state_;  // shared with the watches, which may outlive the store
};

}  // namespace kumiko::localcluster
