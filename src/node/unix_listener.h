// A socket in the file system that nobody takes over unnoticed. It appears under its name only when it is listened on,
// so a watcher of the folder can connect at once; when the file is removed or replaced, a new one is made within two
// seconds, and what connected before goes on.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "base/result.h"

namespace kumiko::node {

// Linux' limit on the path of a socket.
inline constexpr std::size_t kMaxSocketPath = 107;

class UnixListener {
  struct Private {};

 public:
  // Gets each connection, a descriptor that does not block and that it must close. Called from the listener's thread.
  using Accept = std::function<void(int connection)>;

  // A file that is there is replaced: who serves the folder holds its lock (plugin_lock.h). Errors: kInvalidArgument
  // for a path that is too long, else those of making sockets.
  static Result<std::unique_ptr<UnixListener>> Start(std::string path, Accept accept);
  UnixListener(Private, std::string path, Accept accept);
  // Removes the file, if it is still ours.
  ~UnixListener();

  // How often the file was found removed or replaced.
  int times_lost() const { return times_lost_.load(); }
  const std::string& path() const { return path_; }

 private:
  struct Socket;
  Result<std::unique_ptr<Socket>> Open() const;
  bool IsOurs(const Socket& socket) const;
  void Serve(const std::stop_token& stop);

  std::string path_;
  Accept accept_;
  std::atomic<int> times_lost_ = 0;
  int wake_ = -1;                   // an eventfd: the thread is to end
  std::unique_ptr<Socket> socket_;  // of the thread once it runs
  std::jthread thread_;
};

}  // namespace kumiko::node
