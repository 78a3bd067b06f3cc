// Any bytes into the reader of protobuf bodies. An input is text: apiVersion, a blank, kind, a blank, and the message,
// in which a backslash and two hexadecimal digits are a byte, so that the corpus has one input a line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/protobuf/protobuf_object.h"

namespace {

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string Unescape(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '\\' && i + 2 < text.size() ? Digit(text[i + 1]) : -1;
    const int low = high >= 0 ? Digit(text[i + 2]) : -1;
    if (low < 0) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return bytes;
}

std::string_view TakeWord(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

std::string LengthAndBytes(std::string_view bytes) {
  std::string out;
  std::size_t length = bytes.size();
  for (; length >= 0x80; length >>= 7) out += static_cast<char>(length | 0x80);
  out += static_cast<char>(length);
  return out.append(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view api_version = TakeWord(text);
  const std::string_view kind = TakeWord(text);
  const std::string body = std::string("k8s\0\x12", 5) + LengthAndBytes(Unescape(text));
  const auto object = kumiko::api::ReadProtobufObject(body, {.api_version = api_version, .kind = kind});
  if (!object) {
    if (object.error().message.empty()) std::abort();
    return 0;
  }
  // What was read must be JSON, and the same when it is read again.
  const std::string written = kumiko::WriteJson(*object);
  const auto again = kumiko::ParseJson(written);
  if (!again || kumiko::WriteJson(*again) != written) std::abort();
#ifdef KUMIKO_PLANT_CRASH
  // For the test of the fuzzer: it must find this. The corpus has the pod with another name.
  constexpr std::string_view kPod = R"("spec":{"containers":null,"serviceAccountName":")";
  const std::size_t at = written.find(kPod);
  if (at != std::string::npos && written[at + kPod.size()] != 'y') std::abort();
#endif
  return 0;
}
