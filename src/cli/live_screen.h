// A terminal that is redrawn in place until somebody ends it.
#pragma once

#include <termios.h>

#include <ostream>
#include <string>

namespace kumiko::cli {

// Takes the alternate screen, hides the cursor and reads keys one by one while it lives; leaves everything as it was.
class LiveScreen {
 public:
  explicit LiveScreen(std::ostream& out);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // Replaces what is shown; what the terminal has no lines for is left out.
  void Show(const std::string& text);
  // A key that was pressed since the last call, 0 without one; does not wait.
  char Key();

 private:
  std::ostream& out_;
  termios before_{};
  bool keys_ = false;  // stdin is a terminal
};

}  // namespace kumiko::cli
