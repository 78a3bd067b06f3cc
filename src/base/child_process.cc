#include "base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>

extern char** environ;

namespace kumiko {
namespace {

// Ours, with what is set last, so that it counts.
std::vector<std::string> EnvironmentOf(const ChildProgram& child) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool replaced = std::any_of(child.environment.begin(), child.environment.end(),
                                      [&](const auto& set) { return set.first == name; });
    if (!replaced) variables.emplace_back(variable);
  }
  for (const auto& [key, value] : child.environment) variables.push_back(fmt::format("{}={}", key, value));
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Running {
  pid_t pid = 0;
  int output = -1;
};

Result<Running> Start(const ChildProgram& child) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Fail(Code::kInternal, "pipe: {}", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (child.takes_stderr) ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  if (!child.keeps_stdin) ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  // A thread of ours that takes no signals does not hand that on.
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<std::string> arguments = {child.program};
  arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
  std::vector<std::string> variables = EnvironmentOf(child);
  Running running;
  const int error = ::posix_spawnp(&running.pid, child.program.c_str(), &actions, &attributes,
                                   Pointers(arguments).data(), Pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  running.output = ends[0];
  if (error == 0) return running;
  ::close(ends[0]);
  return Fail(Code::kNotFound, "it cannot be started: {}", std::strerror(error));
}

// All that it prints until it closes its end.
Result<std::string> ReadOutput(const ChildProgram& child, int output) {
  const auto started = std::chrono::steady_clock::now();
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    int wait_ms = -1;
    if (child.timeout) {
      const auto left = started + *child.timeout - std::chrono::steady_clock::now();
      wait_ms = static_cast<int>(
          std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(left).count()));
    }
    pollfd readable{.fd = output, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      return Fail(Code::kDeadline, "it did not end within {} s",
                  std::chrono::duration_cast<std::chrono::seconds>(*child.timeout).count());
    }
    const ssize_t count = ::read(output, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > child.max_output_bytes) {
      return Fail(Code::kInvalidArgument, "it printed more than {} bytes", child.max_output_bytes);
    }
  }
}

}  // namespace

Result<ChildResult> RunChild(const ChildProgram& child) {
  KU_TRY(const Running running, Start(child));
  Result<std::string> output = ReadOutput(child, running.output);
  ::close(running.output);
  if (!output) ::kill(running.pid, SIGKILL);
  int status = 0;
  while (::waitpid(running.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!output) return tl::unexpected<Error>(output.error());
  const bool by_signal = WIFSIGNALED(status);
  return ChildResult{.output = std::move(*output),
                     .exit_code = by_signal ? 0 : WEXITSTATUS(status),
                     .signal = by_signal ? WTERMSIG(status) : 0};
}

}  // namespace kumiko
