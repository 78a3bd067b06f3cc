// The socket in a pipe folder through which a control program talks to its daemon. Folders may lie deeper than a
// socket's address is long, so they are reached through a descriptor.
//
// A connection is one command: the line, then the end of writing; back come '1' or '0' for well or not, and the text.
#pragma once

#include <optional>
#include <string>

#include "fakenvml/mps/mps_commands.h"

namespace kumiko::fakenvml {

// A descriptor that is closed when dropped.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// Listens in the folder, in the place of a socket that a dead daemon left. Empty with errno on failure.
Descriptor ListenIn(const std::string& folder);
// What the daemon of the folder answers; nothing when there is none.
std::optional<MpsAnswer> Ask(const std::string& folder, const std::string& line);
// One command of the next connection, and its answer on the way back.
void ServeOne(const Descriptor& listening, MpsDaemon& daemon);

}  // namespace kumiko::fakenvml
