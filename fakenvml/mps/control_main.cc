// nvidia-cuda-mps-control of a simulated driver: -d starts the daemon in the background, -f in the foreground; without
// either, commands from standard input go to the daemon of the pipe folder, and its answers to standard output.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fakenvml/mps/control_socket.h"
#include "fakenvml/smi/calls.h"

namespace {

using kumiko::fakenvml::Descriptor;
using kumiko::fakenvml::MpsDaemon;

std::string Setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}
std::string PipeFolder() {
  return Setting("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps");
}
std::string LogFolder() {
  return Setting("CUDA_MPS_LOG_DIRECTORY", "/var/log/nvidia-mps");
}

int Client() {
  std::string line;
  bool all_well = true;
  for (int c = getchar();; c = getchar()) {
    if (c != '\n' && c != EOF) {
      line += static_cast<char>(c);
      continue;
    }
    if (!line.empty()) {
      const auto answer = kumiko::fakenvml::Ask(PipeFolder(), line);
      if (!answer) {
        fputs("Cannot find MPS control daemon process\n", stderr);
        return 1;
      }
      fputs(answer->text.c_str(), stdout);
      all_well &= answer->ok;
    }
    if (c == EOF) return all_well ? 0 : 1;
    line.clear();
  }
}

// CUDA_VISIBLE_DEVICES when it names UUIDs, else every GPU that can be opened.
std::vector<std::string> Devices() {
  std::vector<std::string> devices;
  const std::string visible = Setting("CUDA_VISIBLE_DEVICES", "");
  for (std::string_view list = visible; !list.empty();) {
    const std::size_t comma = std::min(list.find(','), list.size());
    devices.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  const kumiko::fakenvml::Calls nvml;
  if (!devices.empty() || !nvml || nvml("nvmlInit_v2") != NVML_SUCCESS) return devices;
  for (const nvmlDevice_t gpu : nvml.Gpus()) devices.push_back(nvml.Uuid(gpu));
  return devices;
}

// The server lies beside this program.
int StartServer(unsigned uid) {
  std::array<char, 4096> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size() - 1);
  if (length <= 0) return 0;
  std::string path(self.data(), static_cast<std::size_t>(length));
  path = path.substr(0, path.rfind('/')) + "/nvidia-cuda-mps-server";
  if (access(path.c_str(), X_OK) != 0) return 0;
  const pid_t child = fork();
  if (child != 0) return std::max(child, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (geteuid() == 0 && setuid(uid) != 0) _exit(1);
  execl(path.c_str(), path.c_str(), static_cast<char*>(nullptr));
  _exit(1);
}

void ReapServers(MpsDaemon& daemon, FILE* log) {
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    daemon.ServerEnded(pid);
    fprintf(log, "Server %d ended\n", pid);
  }
}

// Serves until it is told to quit, or ended by a signal.
void Serve(const Descriptor& listening, const sigset_t& signals, FILE* log) {
  MpsDaemon daemon(Devices(), StartServer);
  const Descriptor signal_queue(signalfd(-1, &signals, SFD_CLOEXEC));
  bool ended = false;
  while (!ended && !daemon.quit()) {
    std::array<pollfd, 2> waits = {pollfd{listening.get(), POLLIN, 0}, pollfd{signal_queue.get(), POLLIN, 0}};
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) ServeOne(listening, daemon);
    if (waits[1].revents != 0) {
      signalfd_siginfo signal{};
      if (read(signal_queue.get(), &signal, sizeof signal) != sizeof signal) continue;
      if (signal.ssi_signo != SIGCHLD) ended = true;
      ReapServers(daemon, log);
    }
    fflush(log);
  }
  for (const int pid : daemon.servers()) kill(pid, SIGTERM);
}

int Fail(const char* what, const std::string& path) {
  fprintf(stderr, "nvidia-cuda-mps-control: %s: %s: %s\n", path.c_str(), what, strerror(errno));
  return 1;
}

// In the background the parent ends when the daemon listens, or with its failure.
int Daemon(bool background) {
  const std::string pipes = PipeFolder();
  const std::string logs = LogFolder();
  mkdir(pipes.c_str(), 0755);
  mkdir(logs.c_str(), 0755);
  const std::string lock_path = pipes + "/control_lock";
  const Descriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock) return Fail("cannot be made", lock_path);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    fputs("An instance of this daemon is already running\n", stderr);
    return 1;
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  FILE* log = fopen((logs + "/control.log").c_str(), "ae");
  if (log == nullptr) return Fail("cannot be opened", logs + "/control.log");
  const Descriptor listening = kumiko::fakenvml::ListenIn(pipes);
  if (!listening) return Fail("cannot be listened in", pipes);
  if (background) {
    const pid_t child = fork();
    if (child < 0) return Fail("cannot fork", "");
    if (child > 0) _exit(0);  // the socket is there already: whoever connects now waits until the child accepts
    setsid();
    const int nothing = open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2}) dup2(nothing, standard);
  }
  const std::string pid_path = pipes + "/nvidia-cuda-mps-control.pid";
  if (FILE* pid_file = fopen(pid_path.c_str(), "we")) {
    fprintf(pid_file, "%d\n", getpid());
    fclose(pid_file);
  }
  fputs("Starting control daemon\n", log);
  fflush(log);
  Serve(listening, signals, log);
  unlink((pipes + "/control").c_str());
  unlink(pid_path.c_str());
  fputs("Exit\n", log);
  fclose(log);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool background = false;
  bool foreground = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    background |= word == "-d";
    foreground |= word == "-f";
    // -M: clients of several users. Nothing here tells users apart.
    if (word != "-d" && word != "-f" && word != "-M" && word != "-multiuser-server") {
      fprintf(stderr, "usage: nvidia-cuda-mps-control [-d | -f] [-M]   commands on standard input\n");
      return 1;
    }
  }
  return background || foreground ? Daemon(background) : Client();
}
