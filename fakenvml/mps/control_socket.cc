#include "fakenvml/mps/control_socket.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace kumiko::fakenvml {
namespace {

constexpr std::size_t kMaxMessage = 1 << 16;

Descriptor OpenFolder(const std::string& folder) {
  return Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

sockaddr_un AddressIn(const Descriptor& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/control", folder.get());
  return address;
}

const sockaddr* Plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// A peer that says nothing must not hold everybody up.
void BoundWaiting(const Descriptor& connection) {
  const timeval patience = {5, 0};
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

std::string ReadAll(const Descriptor& connection) {
  std::string text;
  std::array<char, 4096> part;
  while (text.size() < kMaxMessage) {
    const ssize_t got = read(connection.get(), part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool WriteAll(const Descriptor& connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor ListenIn(const std::string& folder) {
  const Descriptor place = OpenFolder(folder);
  if (!place) return Descriptor();
  Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = AddressIn(place);
  unlinkat(place.get(), "control", 0);
  if (!listening || bind(listening.get(), Plain(address), sizeof address) != 0 ||
      fchmodat(place.get(), "control", 0666, 0) != 0 || listen(listening.get(), 16) != 0) {
    return Descriptor();
  }
  return listening;
}

std::optional<MpsAnswer> Ask(const std::string& folder, const std::string& line) {
  const Descriptor place = OpenFolder(folder);
  const Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!place || !connection) return std::nullopt;
  const sockaddr_un address = AddressIn(place);
  if (connect(connection.get(), Plain(address), sizeof address) != 0) return std::nullopt;
  if (!WriteAll(connection, line) || shutdown(connection.get(), SHUT_WR) != 0) return std::nullopt;
  const std::string answer = ReadAll(connection);
  if (answer.empty()) return std::nullopt;
  return MpsAnswer{answer[0] == '1', answer.substr(1)};
}

void ServeOne(const Descriptor& listening, MpsDaemon& daemon) {
  const Descriptor connection(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return;
  BoundWaiting(connection);
  const MpsAnswer answer = daemon.Run(ReadAll(connection));
  WriteAll(connection, (answer.ok ? "1" : "0") + answer.text);
}

}  // namespace kumiko::fakenvml
