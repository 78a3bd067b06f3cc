#include "cel/semver.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "cel/library/quoted.h"

namespace kumiko::cel {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNumeric(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

bool HasLeadingZero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0';
}

// A number as it stands for in a version. `title` and `name` are how messages call it.
Result<std::uint64_t> ReadNumber(std::string_view title, std::string_view name, std::string_view digits) {
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) {
    return Fail(Code::kInvalidArgument, "Invalid character(s) found in {} number {}", name, Quoted(digits));
  }
  if (HasLeadingZero(digits)) {
    return Fail(Code::kInvalidArgument, "{} number must not contain leading zeroes {}", title, Quoted(digits));
  }
  std::uint64_t number = 0;
  const auto [end, mistake] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (mistake != std::errc()) {
    return Fail(Code::kInvalidArgument, "strconv.ParseUint: parsing {}: {}", Quoted(digits),
                digits.empty() ? "invalid syntax" : "value out of range");
  }
  return number;
}

bool IsSpelled(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; });
}

Status CheckPrereleaseWord(std::string_view word) {
  if (word.empty()) return Fail(Code::kInvalidArgument, "Prerelease is empty");
  if (!IsSpelled(word)) {
    return Fail(Code::kInvalidArgument, "Invalid character(s) found in prerelease {}", Quoted(word));
  }
  if (!IsNumeric(word)) return {};
  if (HasLeadingZero(word)) {
    return Fail(Code::kInvalidArgument, "Numeric PreRelease version must not contain leading zeroes {}", Quoted(word));
  }
  KU_TRY_OK(ReadNumber("", "", word));
  return {};
}

Status CheckBuildWord(std::string_view word) {
  if (word.empty()) return Fail(Code::kInvalidArgument, "Build meta data is empty");
  if (!IsSpelled(word)) {
    return Fail(Code::kInvalidArgument, "Invalid character(s) found in build meta data {}", Quoted(word));
  }
  return {};
}

// Each of the words that dots separate.
template <class Check>
Status CheckWords(std::string_view words, Check check) {
  for (;;) {
    const std::size_t dot = words.find('.');
    KU_TRY_OK(check(words.substr(0, dot)));
    if (dot == std::string_view::npos) return {};
    words.remove_prefix(dot + 1);
  }
}

// At most three, cut at the first two dots.
std::vector<std::string_view> SplitParts(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = parts.size() < 2 ? text.find('.') : std::string_view::npos;
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
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
  if (text.empty()) return Fail(Code::kInvalidArgument, "Version string empty");
  const std::vector<std::string_view> parts = SplitParts(text);
  if (parts.size() < 3) return Fail(Code::kInvalidArgument, "No Major.Minor.Patch elements found");
  Semver version;
  KU_TRY(version.major_, ReadNumber("Major", "major", parts[0]));
  KU_TRY(version.minor_, ReadNumber("Minor", "minor", parts[1]));
  const std::string_view last = parts[2];
  const std::size_t plus = std::min(last.find('+'), last.size());
  const std::size_t dash = std::min(last.find('-'), plus);
  KU_TRY(version.patch_, ReadNumber("Patch", "patch", last.substr(0, dash)));
  if (dash < plus) {
    version.prerelease_ = last.substr(dash + 1, plus - dash - 1);
    KU_TRY_OK(CheckWords(version.prerelease_, CheckPrereleaseWord));
  }
  if (plus < last.size()) {
    version.build_ = last.substr(plus + 1);
    KU_TRY_OK(CheckWords(version.build_, CheckBuildWord));
  }
  return version;
}

Result<Semver> Semver::ParseNormalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::vector<std::string_view> parts = SplitParts(text);
  // Only a bare "1" or "1.2" is completed; with a pre-release or build the text must be whole.
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string_view::npos) {
    return Fail(Code::kInvalidArgument, "short version cannot contain PreRelease/Build meta data");
  }
  std::string normal;
  for (std::size_t i = 0; i < 3; ++i) {
    std::string_view part = i < parts.size() ? parts[i] : "0";
    const bool longer = part.size() > 1;
    while (longer && part.starts_with('0')) part.remove_prefix(1);
    if (i > 0) normal += '.';
    if (longer && (part.empty() || !IsDigit(part[0]))) normal += '0';
    normal += part;
  }
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
