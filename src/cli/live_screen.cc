#include "cli/live_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>

namespace kumiko::cli {
namespace {

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";

std::size_t TerminalLines() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return 24;
  return size.ws_row;
}

}  // namespace

LiveScreen::LiveScreen(std::ostream& out) : out_(out) {
  keys_ = tcgetattr(STDIN_FILENO, &before_) == 0;
  if (keys_) {
    termios raw = before_;
    // Signals stay: Ctrl-C ends.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  out_ << kEnter << std::flush;
}

LiveScreen::~LiveScreen() {
  out_ << kLeave << std::flush;
  if (keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

void LiveScreen::Show(const std::string& text) {
  const std::size_t lines = TerminalLines();
  std::string screen = "\x1b[H";
  std::size_t shown = 0;
  for (std::size_t at = 0; at < text.size() && shown < lines; ++shown) {
    const std::size_t end = text.find('\n', at);
    // A last line without its line break, so that nothing scrolls.
    screen += (shown == 0 ? "" : "\r\n") + text.substr(at, end - at) + "\x1b[K";
    if (end == std::string::npos) break;
    at = end + 1;
  }
  out_ << screen << "\x1b[J" << std::flush;
}

char LiveScreen::Key() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  char key = 0;
  if (!keys_ || poll(&input, 1, 0) <= 0 || read(STDIN_FILENO, &key, 1) != 1) return 0;
  return key;
}

}  // namespace kumiko::cli
