#include "cli/file_output.h"

#include <unistd.h>

#include <cerrno>

namespace kumiko::cli {

FileOutput::FileOutput(int file_descriptor) : file_descriptor_(file_descriptor), stream_(this) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

FileOutput::~FileOutput() {
  Write();
}

int FileOutput::Finish() {
  stream_.flush();
  return error_;
}

bool FileOutput::Write() {
  const char* next = pbase();
  while (error_ == 0 && next < pptr()) {
    const ssize_t written = ::write(file_descriptor_, next, static_cast<std::size_t>(pptr() - next));
    if (written >= 0) {
      next += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0;
}

FileOutput::int_type FileOutput::overflow(int_type character) {
  if (!Write()) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
  return traits_type::not_eof(character);
}

int FileOutput::sync() {
  return Write() ? 0 : -1;
}

}  // namespace kumiko::cli
