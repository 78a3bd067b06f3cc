#include "base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

namespace kumiko {
namespace {

template <std::size_t Size>
bool IsOneOf(const std::array<std::string_view, Size>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> kBeyondJson = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                          "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<Json> ReadInteger(std::string_view text) {
  bool negative = false;
  bool has_sign = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    has_sign = true;
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::uint64_t size = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, size, base);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if (negative) {
    if (size > kTop) return std::nullopt;
    return Json(static_cast<std::int64_t>(0 - size));
  }
  if (size < kTop) return Json(static_cast<std::int64_t>(size));
  // Kubernetes' library reads larger ones only without a sign.
  return has_sign ? std::nullopt : std::optional<Json>(size);
}

// [sign] (digits [. [digits]] | . digits) [e [sign] digits]
bool LooksLikeNumber(std::string_view text) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && IsDigit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto sign = [&] {
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  };
  sign();
  std::size_t count = digits();
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    count += digits();
  }
  if (count == 0) return false;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    sign();
    if (digits() == 0) return false;
  }
  return text.empty();
}

std::optional<Json> ReadNumber(std::string_view text) {
  if (!LooksLikeNumber(text)) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::result_out_of_range && text.find("e-") == text.npos && text.find("E-") == text.npos) {
    return std::nullopt;
  }
  // JSON writes whole numbers without a point, so whoever reads them sees integers.
  if (number == std::floor(number) && std::abs(number) < 0x1p63) return Json(static_cast<std::int64_t>(number));
  return Json(number);
}

}  // namespace

Result<Json> ResolvePlainScalar(std::string_view text) {
  if (IsOneOf(kNulls, text)) return Json(nullptr);
  if (IsOneOf(kTrue, text)) return Json(true);
  if (IsOneOf(kFalse, text)) return Json(false);
  if (IsOneOf(kBeyondJson, text)) {
    return Fail(Code::kInvalidArgument, "{} is not a number that Kubernetes can store; quote it if it is text", text);
  }
  const char first = text[0];
  if (!IsDigit(first) && first != '-' && first != '+' && first != '.') return Json(text);
  std::string plain(text);
  // ".5_0" is text to kubectl: only numbers that begin with a digit or sign may be grouped.
  if (first != '.') std::erase(plain, '_');
  if (first != '.') {
    if (auto integer = ReadInteger(plain)) return *integer;
  }
  if (auto number = ReadNumber(plain)) return *number;
  return Json(text);
}

}  // namespace kumiko
