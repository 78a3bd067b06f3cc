#include "node/plugin_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace kumiko::node {

PluginLock::PluginLock(PluginLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

PluginLock::~PluginLock() {
  if (file_ >= 0) ::close(file_);
}

Result<std::optional<PluginLock>> PluginLock::Take(const std::string& folder, const std::stop_token& stop) {
  const std::string path = folder + "/kumiko-node.lock";
  PluginLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.file_ < 0) return Fail(Code::kUnavailable, "{}: {}", path, std::generic_category().message(errno));
  std::mutex mutex;
  std::condition_variable_any never;
  bool told = false;
  while (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return Fail(Code::kUnavailable, "{}: {}", path, std::generic_category().message(errno));
    if (!std::exchange(told, true))
      Log(LogLevel::kWarning, "another process serves this folder: waiting", {{"lock", path}});
    std::unique_lock guard(mutex);
    never.wait_for(guard, stop, std::chrono::milliseconds(100), [] { return false; });
    if (stop.stop_requested()) return std::nullopt;
  }
  return std::optional<PluginLock>(std::move(lock));
}

}  // namespace kumiko::node
