// One process at a time serves a plugin folder: sockets and journal have fixed names, and a second server on a socket
// would silently take it from the first. During an update the new process waits here until the old one has ended.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace kumiko::node {

// Held until dropped, or until the process ends in any way.
class PluginLock {
 public:
  // Waits for the holder of FOLDER/kumiko-node.lock to end. Nothing when stopped meanwhile. Errors: those of opening
  // the file.
  static Result<std::optional<PluginLock>> Take(const std::string& folder, const std::stop_token& stop);
  PluginLock(PluginLock&& other) noexcept;
  PluginLock& operator=(PluginLock&& other) = delete;
  ~PluginLock();

 private:
  explicit PluginLock(int file) : file_(file) {}
  int file_;
};

}  // namespace kumiko::node
