#include "base/quantity_text.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/term.h"
#include "base/text.h"

namespace kumiko {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::int32_t kMaxExponent = 9999;

constexpr std::array<std::string_view, 10> kDecimalSuffixes = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t CountDigits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

// Sets exponent and format; false when `suffix` is none.
bool ReadSuffix(std::string_view suffix, QuantityText& parts) {
  for (std::size_t i = 0; i < kDecimalSuffixes.size(); ++i) {
    if (suffix == kDecimalSuffixes[i]) {
      parts.exponent = static_cast<std::int32_t>(i) * 3 - 9;
      return true;
    }
  }
  for (std::size_t i = 1; i < kBinarySuffixes.size(); ++i) {
    if (suffix == kBinarySuffixes[i]) {
      parts.exponent = static_cast<std::int32_t>(i) * 10;
      parts.format = Quantity::Format::kBinarySuffix;
      return true;
    }
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(1);
  if (suffix[0] == '+' && suffix.size() > 1 && IsDigit(suffix[1])) suffix.remove_prefix(1);
  const char* end = suffix.data() + suffix.size();
  const auto read = std::from_chars(suffix.data(), end, parts.exponent);
  parts.format = Quantity::Format::kDecimalExponent;
  return read.ec == std::errc() && read.ptr == end && parts.exponent <= kMaxExponent && parts.exponent >= -kMaxExponent;
}

// Splits into sign and number ("-1.5") and the rest.
std::pair<std::string_view, std::string_view> SplitNumber(std::string_view text) {
  std::size_t end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  end += CountDigits(text.substr(end));
  if (end < text.size() && text[end] == '.') end += 1 + CountDigits(text.substr(end + 1));
  return {text.substr(0, end), text.substr(end)};
}

// What people mean by suffixes that Kubernetes does not know, or nothing.
std::optional<std::string> Advice(std::string_view text) {
  const auto [number, rest] = SplitNumber(text);
  if (CountDigits(number.substr(
          number.find_first_not_of("+-") == std::string_view::npos ? number.size() : number.find_first_not_of("+-"))) ==
      0) {
    return std::nullopt;
  }
  const std::string suffix = ToLower(Trim(rest));
  if (suffix.empty() || suffix == "b") return fmt::format("write {}", number);
  static constexpr std::string_view kLetters = "kmgtpe";
  const std::size_t unit = kLetters.find(suffix[0]);
  if (unit == std::string_view::npos) return std::nullopt;
  const std::string_view tail = std::string_view(suffix).substr(1);
  const std::string_view decimal = kDecimalSuffixes[unit + 4];
  const std::string_view binary = kBinarySuffixes[unit + 1];
  if (tail == "i" || tail == "ib") return fmt::format("write {}{}", number, binary);
  if (tail.empty() || tail == "b") {
    return fmt::format("write {}{} (decimal) or {}{} (binary)", number, decimal, number, binary);
  }
  return std::nullopt;
}

}  // namespace

std::string_view DecimalSuffix(std::int32_t exponent) {
  return kDecimalSuffixes[static_cast<std::size_t>(exponent / 3 + 3)];
}

std::string_view BinarySuffix(std::int32_t exponent) {
  return kBinarySuffixes[static_cast<std::size_t>(exponent / 10)];
}

std::string DescribeBadQuantity(std::string_view text) {
  if (text.empty()) return "quantity \"\" is not valid: write a number such as 2, 500m, 12G or 12Gi";
  if (text.size() > kMaxTextBytes) {
    return fmt::format("quantity is not valid: {} characters are more than {}", text.size(), kMaxTextBytes);
  }
  return fmt::format("quantity \"{}\" is not valid: {}", EscapeControls(text),
                     Advice(text).value_or("write a number and at most one of the suffixes n u m k M G T P E, Ki Mi Gi "
                                           "Ti Pi Ei, such as 500m, 12G or 12Gi"));
}

Result<QuantityText> ReadQuantityText(std::string_view text) {
  if (text.empty() || text.size() > kMaxTextBytes) {
    return Fail(Code::kInvalidArgument, "{}", DescribeBadQuantity(text));
  }
  QuantityText parts;
  std::string_view rest = text;
  if (rest[0] == '-' || rest[0] == '+') {
    parts.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  const std::size_t whole = CountDigits(rest);
  std::size_t zeros = 0;
  while (zeros < whole && rest[zeros] == '0') ++zeros;
  parts.has_digits = whole > 0;
  parts.digits = rest.substr(zeros, whole - zeros);
  if (parts.digits.empty()) parts.digits = "0";
  rest.remove_prefix(whole);
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    const std::size_t fraction = CountDigits(rest);
    parts.has_digits = parts.has_digits || fraction > 0;
    parts.digits += rest.substr(0, fraction);
    parts.fraction_digits = static_cast<std::int32_t>(fraction);
    rest.remove_prefix(fraction);
  }
  if (!ReadSuffix(rest, parts)) return Fail(Code::kInvalidArgument, "{}", DescribeBadQuantity(text));
  return parts;
}

}  // namespace kumiko
