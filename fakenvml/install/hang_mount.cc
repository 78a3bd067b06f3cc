#include "fakenvml/install/hang_mount.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace kumiko::fakenvml {
namespace {

constexpr std::string_view kFileName = "forever";

// For whoever waits for it, at once.
void Say(std::string_view text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

// Answers the kernel's requests, but for one: the look-up of the file.
class Server {
 public:
  explicit Server(int device) : device_(device) {}

  void ServeOne() {
    alignas(fuse_in_header) std::array<char, FUSE_MIN_READ_BUFFER> buffer;
    const ssize_t got = read(device_, buffer.data(), buffer.size());
    if (got < static_cast<ssize_t>(sizeof(fuse_in_header))) return;
    fuse_in_header request{};
    std::memcpy(&request, buffer.data(), sizeof request);
    const std::string_view name(
        buffer.data() + sizeof request,
        strnlen(buffer.data() + sizeof request, static_cast<std::size_t>(got) - sizeof request));
    switch (request.opcode) {
      case FUSE_INIT:
        return Reply(request, Init());
      case FUSE_GETATTR:
        return Reply(request, Attributes());
      case FUSE_LOOKUP:
        if (name != kFileName) return Refuse(request, ENOENT);
        return Say(fmt::format("holds process {}", request.pid));
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:  // a signal for who waits: nothing helps
        return;
      default:
        return Refuse(request, ENOSYS);
    }
  }

 private:
  static fuse_init_out Init() {
    fuse_init_out init{};
    init.major = FUSE_KERNEL_VERSION;
    init.minor = FUSE_KERNEL_MINOR_VERSION;
    init.max_write = 4096;
    return init;
  }
  static fuse_attr_out Attributes() {
    fuse_attr_out attributes{};
    attributes.attr.ino = FUSE_ROOT_ID;
    attributes.attr.mode = S_IFDIR | 0755;
    attributes.attr.nlink = 2;
    return attributes;
  }

  template <class Answer>
  void Reply(const fuse_in_header& request, const Answer& answer) {
    static_assert(std::is_trivially_copyable_v<Answer>);
    std::array<char, sizeof(fuse_out_header) + sizeof(Answer)> message;
    const fuse_out_header header = {static_cast<std::uint32_t>(message.size()), 0, request.unique};
    std::memcpy(message.data(), &header, sizeof header);
    std::memcpy(message.data() + sizeof header, &answer, sizeof answer);
    Write(message.data(), message.size());
  }
  void Refuse(const fuse_in_header& request, int error) {
    const fuse_out_header header = {sizeof header, -error, request.unique};
    Write(&header, sizeof header);
  }
  // Whoever asked may be gone: then there is nobody to tell.
  void Write(const void* message, std::size_t size) {
    [[maybe_unused]] const ssize_t put = write(device_, message, size);
  }

  int device_;
};

}  // namespace

Status ServeHangs(const std::string& folder) {
  const auto failed = [&](const char* what) {
    return Fail(Code::kPermission, "{}: {}: {}", folder, what, std::strerror(errno));
  };
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return failed("cannot be made");
  const int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) return failed("/dev/fuse cannot be opened");
  const std::string options = fmt::format("fd={},rootmode=40000,user_id=0,group_id=0,allow_other", device);
  if (mount("fakenvml", folder.c_str(), "fuse.fakenvml", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return failed("cannot be mounted");
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int signal_queue = signalfd(-1, &signals, SFD_CLOEXEC);
  Say("mounted");

  Server server(device);
  for (;;) {
    std::array<pollfd, 2> waits = {pollfd{device, POLLIN, 0}, pollfd{signal_queue, POLLIN, 0}};
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0 || (waits[0].revents & POLLERR) != 0) break;
    server.ServeOne();
  }
  umount2(folder.c_str(), MNT_DETACH);
  close(device);  // ends the connection, and with it every request that waits
  rmdir(folder.c_str());
  return {};
}

}  // namespace kumiko::fakenvml
