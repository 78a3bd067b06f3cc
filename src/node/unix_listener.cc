#include "node/unix_listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace kumiko::node {
namespace {

constexpr int kLookEveryMs = 1000;
constexpr int kBacklog = 64;

tl::unexpected<Error> FailErrno(const std::string& path) {
  return Fail(Code::kUnavailable, "cannot listen on {}: {}", path, std::generic_category().message(errno));
}

// In the same folder, with a name that watchers of folders pass over.
std::string HiddenName(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." + path.substr(name);
}

}  // namespace

struct UnixListener::Socket {
  int number = -1;
  dev_t device = 0;
  ino_t inode = 0;
  Socket() = default;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (number >= 0) ::close(number);
  }
};

UnixListener::UnixListener(Private /*unused*/, std::string path, Accept accept)
    : path_(std::move(path)), accept_(std::move(accept)), wake_(::eventfd(0, EFD_CLOEXEC)) {}

Result<std::unique_ptr<UnixListener::Socket>> UnixListener::Open() const {
  const std::string hidden = HiddenName(path_);
  struct sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (hidden.size() > kMaxSocketPath) {
    return Fail(Code::kInvalidArgument, "{}: a socket's path has at most {} bytes; choose a shorter folder", path_,
                kMaxSocketPath - 1);
  }
  std::memcpy(address.sun_path, hidden.data(), hidden.size());
  auto socket = std::make_unique<Socket>();
  socket->number = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket->number < 0) return FailErrno(path_);
  ::unlink(hidden.c_str());
  struct stat status{};
  const bool made = ::bind(socket->number, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                    ::listen(socket->number, kBacklog) == 0 && ::stat(hidden.c_str(), &status) == 0 &&
                    ::rename(hidden.c_str(), path_.c_str()) == 0;
  if (!made) return FailErrno(path_);
  socket->device = status.st_dev;
  socket->inode = status.st_ino;
  return socket;
}

Result<std::unique_ptr<UnixListener>> UnixListener::Start(std::string path, Accept accept) {
  auto listener = std::make_unique<UnixListener>(Private{}, std::move(path), std::move(accept));
  KU_TRY(listener->socket_, listener->Open());
  listener->thread_ = std::jthread([raw = listener.get()](const std::stop_token& stop) { raw->Serve(stop); });
  return listener;
}

UnixListener::~UnixListener() {
  if (thread_.joinable()) {
    thread_.request_stop();
    const std::uint64_t one = 1;
    if (::write(wake_, &one, sizeof(one)) < 0) Log(LogLevel::kWarning, "cannot wake a listener", {{"socket", path_}});
    thread_.join();
  }
  if (socket_ != nullptr && IsOurs(*socket_)) ::unlink(path_.c_str());
  if (wake_ >= 0) ::close(wake_);
}

bool UnixListener::IsOurs(const Socket& socket) const {
  struct stat status{};
  return ::lstat(path_.c_str(), &status) == 0 && status.st_dev == socket.device && status.st_ino == socket.inode;
}

void UnixListener::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> waited{pollfd{socket_->number, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    ::poll(waited.data(), waited.size(), kLookEveryMs);
    if ((waited[0].revents & POLLIN) != 0) {
      const int connection = ::accept4(socket_->number, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (connection >= 0) accept_(connection);
    }
    if (stop.stop_requested() || IsOurs(*socket_)) continue;
    Log(LogLevel::kError, "somebody removed or replaced our socket: making it anew; is a second driver running?",
        {{"socket", path_}});
    auto again = Open();
    if (again) {
      socket_ = *std::move(again);
    } else {
      Log(LogLevel::kError, "cannot make the socket", {{"error", again.error().message}});
    }
    ++times_lost_;  // who sees this can connect again
  }
}

}  // namespace kumiko::node
