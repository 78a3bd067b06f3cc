#include "cel/library/format_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

constexpr std::string_view kUnreadable = "%!(NOVERB)";
constexpr std::string_view kInfinity = "\u221E";
// A double has no more digits behind the point.
constexpr int kMaxFractionDigits = 1074;

// The reference gives up on numbers whose digits go on once they stand for more than a million.
bool IsReadable(std::int64_t number) {
  return number / 10 <= 1'000'000;
}

// As whole and fraction digits; the fraction without zeros at the end.
struct Digits {
  std::string whole;
  std::string fraction;
};

Digits Split(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  Digits digits{std::string(text.substr(0, point)), std::string(text.substr(std::min(point + 1, text.size())))};
  digits.fraction.erase(digits.fraction.find_last_not_of('0') + 1);
  return digits;
}

Digits RoundedDigits(double value, int precision) {
  std::array<char, 1500> buffer = {};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, precision);
  return Split({buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data())});
}

// The fewest digits that read back, zeros around them.
Digits ShortestDigits(double value) {
  std::array<char, 64> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  std::string digits;
  std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(mark), std::back_inserter(digits),
               [](char c) { return c != '.'; });
  // The point stands behind `whole` digits.
  const int whole = exponent + 1;
  if (whole <= 0) return Split("0." + std::string(static_cast<std::size_t>(-whole), '0') + digits);
  const auto count = static_cast<std::size_t>(whole);
  if (digits.size() < count) digits.append(count - digits.size(), '0');
  return Split(digits.substr(0, count) + '.' + digits.substr(count));
}

std::string WithCommas(std::string_view whole) {
  std::string text;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i > 0 && (whole.size() - i) % 3 == 0) text += ',';
    text += whole[i];
  }
  return text;
}

std::string Special(double value) {
  if (std::isnan(value)) return "NaN";
  return (value < 0 ? "-" : "") + std::string(kInfinity);
}

std::string Raised(int number) {
  static constexpr std::string_view kDigits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                                 "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string raised(number < 0 ? "\u207B" : "");
  std::string digits = std::to_string(std::abs(number));
  if (digits.size() < 2) digits.insert(0, 1, '0');
  for (const char digit : digits) raised += kDigits[digit - '0'];
  return raised;
}

std::string Scientific(double value) {
  if (!std::isfinite(value)) return Special(value);
  std::array<char, 64> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific, static_cast<int>(kDefaultPrecision));
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  return (value < 0 ? "-" : "") + std::string(text.substr(0, mark)) + "\u00D710" + Raised(exponent);
}

}  // namespace

std::string FormatFixed(double value, std::int64_t precision) {
  if (!IsReadable(precision)) return std::string(kUnreadable);
  if (!std::isfinite(value)) return Special(value);
  const auto least = static_cast<std::size_t>(static_cast<std::uint8_t>(precision));
  const int most = static_cast<std::int16_t>(precision);
  Digits digits =
      most < 0 ? ShortestDigits(std::abs(value)) : RoundedDigits(std::abs(value), std::min(most, kMaxFractionDigits));
  if (digits.fraction.size() < least) digits.fraction.append(least - digits.fraction.size(), '0');
  std::string text = (value < 0 ? "-" : "") + WithCommas(digits.whole);
  if (!digits.fraction.empty()) text += '.' + digits.fraction;
  return text;
}

std::string FormatScientific(double value, std::int64_t width) {
  if (!IsReadable(width)) return std::string(kUnreadable);
  std::string text = Scientific(value);
  const auto least = static_cast<std::size_t>(static_cast<std::uint16_t>(width));
  const std::size_t length = CodePointCount(text);
  if (length < least) text.insert(0, least - length, ' ');
  return text;
}

}  // namespace kumiko::cel
