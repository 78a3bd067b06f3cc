#include "cel/semver.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace kumiko::cel {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNumeric(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

// "1.2.3" -> three numbers; false when it is not exactly that.
bool ParseCore(std::string_view core, std::array<std::uint64_t, 3>& numbers) {
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t dot = part < 2 ? core.find('.') : core.size();
    if (dot == std::string_view::npos) return false;
    const std::string_view digits = core.substr(0, dot);
    if (!IsNumeric(digits) || (digits.size() > 1 && digits[0] == '0')) return false;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), numbers[part]).ec != std::errc()) return false;
    core.remove_prefix(part < 2 ? dot + 1 : dot);
  }
  return true;
}

// Dot-separated words of [0-9A-Za-z-]; numbers without leading zeros where they have a value.
bool ValidWords(std::string_view words, bool numbers_count) {
  for (;;) {
    const std::size_t dot = words.find('.');
    const std::string_view word = words.substr(0, dot);
    const bool spelled = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!spelled || (numbers_count && IsNumeric(word) && word.size() > 1 && word[0] == '0')) return false;
    if (dot == std::string_view::npos) return true;
    words.remove_prefix(dot + 1);
  }
}

std::strong_ordering CompareWord(std::string_view a, std::string_view b) {
  const bool a_number = IsNumeric(a);
  const bool b_number = IsNumeric(b);
  if (a_number != b_number) return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  // Without leading zeros the longer number is the greater.
  if (a_number && a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering ComparePrerelease(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();  // a release is above its pre-releases
  for (;;) {
    const std::size_t a_dot = a.find('.');
    const std::size_t b_dot = b.find('.');
    const auto order = CompareWord(a.substr(0, a_dot), b.substr(0, b_dot));
    if (order != 0) return order;
    if (a_dot == std::string_view::npos || b_dot == std::string_view::npos) {
      return (a_dot != std::string_view::npos) <=> (b_dot != std::string_view::npos);
    }
    a.remove_prefix(a_dot + 1);
    b.remove_prefix(b_dot + 1);
  }
}

}  // namespace

Result<Semver> Semver::Parse(std::string_view text) {
  const auto fail = [text] {
    return Fail(Code::kInvalidArgument, "\"{}\" is no semantic version", text.substr(0, 64));
  };
  Semver version;
  std::string_view rest = text;
  if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    if (!ValidWords(rest.substr(plus + 1), false)) return fail();
    version.build_ = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
  }
  if (const std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    if (!ValidWords(rest.substr(dash + 1), true)) return fail();
    version.prerelease_ = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
  }
  std::array<std::uint64_t, 3> numbers = {};
  if (!ParseCore(rest, numbers)) return fail();
  version.major_ = numbers[0];
  version.minor_ = numbers[1];
  version.patch_ = numbers[2];
  return version;
}

Result<Semver> Semver::ParseNormalized(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  const std::size_t core_end = std::min(rest.find_first_of("+-"), rest.size());
  std::string_view core = rest.substr(0, core_end);
  std::string normal;
  int parts = 0;
  for (;; ++parts) {
    const std::size_t dot = core.find('.');
    std::string_view digits = core.substr(0, dot);
    while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
    if (parts > 0) normal += '.';
    normal += digits;
    if (dot == std::string_view::npos) break;
    core.remove_prefix(dot + 1);
  }
  // Only a bare "1" or "1.2" is completed; with a pre-release or build the text must be whole.
  for (; parts < 2 && core_end == rest.size(); ++parts) normal += ".0";
  normal += rest.substr(core_end);
  return Parse(normal);
}

std::strong_ordering Semver::operator<=>(const Semver& other) const {
  if (const auto order = major_ <=> other.major_; order != 0) return order;
  if (const auto order = minor_ <=> other.minor_; order != 0) return order;
  if (const auto order = patch_ <=> other.patch_; order != 0) return order;
  return ComparePrerelease(prerelease_, other.prerelease_);
}

std::string Semver::ToString() const {
  std::string text = fmt::format("{}.{}.{}", major_, minor_, patch_);
  if (!prerelease_.empty()) text += "-" + prerelease_;
  if (!build_.empty()) text += "+" + build_;
  return text;
}

}  // namespace kumiko::cel
