#include "base/compression.h"

#include <zstd.h>

#include <memory>

#include "base/check.h"

namespace kumiko {
namespace {

constexpr int kLevel = 3;  // a few hundred megabytes a second; levels above cost more than they save

}  // namespace

std::string Compress(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), kLevel);
  KU_CHECK(ZSTD_isError(size) == 0) << ZSTD_getErrorName(size);
  frame.resize(size);
  frame.shrink_to_fit();
  return frame;
}

Result<std::string> Decompress(std::string_view frame, std::size_t max_bytes) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  std::string text(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{frame.data(), frame.size(), 0};
  std::size_t size = 0;
  while (true) {
    ZSTD_outBuffer output{text.data(), text.size(), size};
    const std::size_t left = ZSTD_decompressStream(stream.get(), &output, &input);
    size = output.pos;
    if (ZSTD_isError(left) != 0) {
      return Fail(Code::kInvalidArgument, "compressed text of {} bytes: {}", frame.size(), ZSTD_getErrorName(left));
    }
    if (size > max_bytes) {
      return Fail(Code::kInvalidArgument, "compressed text of {} bytes: holds more than the {} allowed", frame.size(),
                  max_bytes);
    }
    if (left == 0) break;
    if (size < text.size()) {
      return Fail(Code::kInvalidArgument, "compressed text of {} bytes: the end is missing", frame.size());
    }
    text.resize(text.size() * 2);
  }
  text.resize(size);
  text.shrink_to_fit();
  return text;
}

}  // namespace kumiko
