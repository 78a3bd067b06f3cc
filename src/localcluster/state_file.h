// The store's objects on disk, so that a cluster goes on where it ended: one SQLite database (WAL) in a directory,
// which every SQLite tool can read. A change is safe from a kill of this process once Await has returned for its
// revision, and from a power cut within 100 ms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kube/api_client.h"

namespace kumiko::localcluster {

class StateFile {
 public:
  // Makes the directory (for this user only) and the database when they are not there. Errors: kAlreadyExists when
  // another process has it, kPermission, kInvalidArgument for a database that is not ours or of a later version.
  static Result<std::unique_ptr<StateFile>> Open(const std::string& directory);
  struct Impl;
  explicit StateFile(std::unique_ptr<Impl> impl);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  struct Content {
    std::uint64_t revision = 0;
    std::vector<std::pair<kube::ObjectKey, kube::Object>> objects;
  };
  // What is stored. Errors: kUnavailable.
  Result<Content> Read();

  // Takes over a change, in the order of revisions; null: the object is gone. Never blocks.
  void Append(std::uint64_t revision, const kube::ObjectKey& key, kube::Object object);
  // Until everything up to `revision` is written. Fails with kUnavailable, for good, once the disk refuses.
  Status Await(std::uint64_t revision);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kumiko::localcluster
