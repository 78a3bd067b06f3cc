// A stream to a file descriptor that remembers why a write failed, which std::cout does not.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace kumiko::cli {

class FileOutput : private std::streambuf {
 public:
  // Does not own the descriptor.
  explicit FileOutput(int file_descriptor);
  ~FileOutput() override;
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  std::ostream& stream() { return stream_; }
  // Writes what is left. The errno of the first write that failed, now or earlier; 0 when all is written.
  int Finish();

 private:
  int_type overflow(int_type character) override;
  int sync() override;
  bool Write();

  int file_descriptor_;
  int error_ = 0;
  std::array<char, 8192> buffer_{};
  std::ostream stream_;
};

}  // namespace kumiko::cli
