#include "api/schema/text_formats.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/time.h"

namespace kumiko::api::internal {
namespace {

std::string Digits(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

bool IsIsbn10(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ' ' && c != '-' && c != '\t'; });
  if (digits.size() != 10) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const bool last_x = i == 9 && digits[i] == 'X';
    if (!last_x && (digits[i] < '0' || digits[i] > '9')) return false;
    sum += static_cast<int>(i + 1) * (last_x ? 10 : digits[i] - '0');
  }
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ' ' && c != '-' && c != '\t'; });
  if (digits.size() != 13 || Digits(digits).size() != 13) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

// The last digit is the check sum of Luhn.
bool IsCreditCard(std::string_view text) {
  static const re2::RE2 pattern(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9]))"
      R"([0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  const std::string digits = Digits(text);
  if (!re2::RE2::PartialMatch(digits, pattern)) return false;
  int sum = 0;
  bool twice = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, twice = !twice) {
    const int value = (*digit - '0') * (twice ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

// Zeros may stand before a number, as in Go before 1.17.
bool IsIpv4(std::string_view text) {
  const auto parts = Split(text, '.');
  return parts.size() == 4 && std::ranges::all_of(parts, [](std::string_view part) {
           const auto number = ParseInt64(part);
           return number && *number >= 0 && *number <= 255 && Digits(part).size() == part.size();
         });
}

bool IsIpv6(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return false;
  std::size_t groups = 0;
  if (const std::size_t last = text.rfind(':'); text.find('.', last) != std::string_view::npos) {
    if (!IsIpv4(text.substr(last + 1))) return false;
    groups = 2;
    text = text.substr(0, last + 1);
    if (text.ends_with(':') && !text.ends_with("::")) text.remove_suffix(1);
  }
  const std::size_t gap = text.find("::");
  if (gap != std::string_view::npos && text.find("::", gap + 1) != std::string_view::npos) return false;
  const auto count = [&](std::string_view half) {
    if (half.empty()) return true;
    for (const std::string_view group : Split(half, ':')) {
      if (group.empty() || group.size() > 4) return false;
      if (group.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
      ++groups;
    }
    return true;
  };
  if (gap == std::string_view::npos) return count(text) && groups == 8;
  return count(text.substr(0, gap)) && count(text.substr(gap + 2)) && groups < 8;
}

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view length = text.substr(slash + 1);
  const auto bits = ParseInt64(length);
  if (!bits || Digits(length).size() != length.size()) return false;
  return (IsIpv4(address) && *bits <= 32) || (IsIpv6(address) && *bits <= 128);
}

// The characters of a label, or nothing when one of them is none: letters, digits, symbols, of any script, and dashes.
std::optional<std::vector<std::string_view>> LabelCharacters(std::string_view label) {
  static const re2::RE2 pattern(R"([a-zA-Z0-9\-\p{S}\p{L}])");
  std::vector<std::string_view> characters;
  while (!label.empty()) {
    const std::string_view character = label.substr(0, Utf8Length(label));
    if (character.empty() || !re2::RE2::FullMatch(re2::StringPiece(character.data(), character.size()), pattern)) {
      return std::nullopt;
    }
    characters.push_back(character);
    label.remove_prefix(character.size());
  }
  return characters;
}

bool IsTopLabel(std::string_view label) {
  static const re2::RE2 pattern(R"([a-zA-Z\p{L}]+)");
  const auto characters = LabelCharacters(label);
  return characters && characters->size() >= 2 && characters->size() <= 63 &&
         re2::RE2::FullMatch(re2::StringPiece(label.data(), label.size()), pattern);
}

// One label without dashes but for its second character, or labels with a last one of letters.
bool IsHostname(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  const std::vector<std::string_view> labels = Split(text, '.');
  const bool single = labels.size() == 1;
  for (std::size_t index = 0; index < labels.size(); ++index) {
    const std::string_view label = labels[index];
    const auto characters = LabelCharacters(label);
    if (!characters || characters->empty() || characters->front() == "-" || label.size() > 63) return false;
    if (single) return label.find('-', 2) == std::string_view::npos;
    const bool last = index + 1 == labels.size();
    if (last ? !IsTopLabel(label) : characters->back() == "-") return false;
  }
  return true;
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && ParseRfc3339(std::string(text) + "T00:00:00Z").has_value();
}

bool IsDateTime(std::string_view text) {
  static const re2::RE2 pattern(R"(^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$)");
  const std::string lower = ToLower(text);
  const auto parts = Split(lower, 't');
  if (parts.size() < 2 || !IsDate(parts[0])) return false;
  std::string hour;
  std::string minute;
  std::string second;
  const re2::StringPiece time(parts[1].data(), parts[1].size());
  return re2::RE2::PartialMatch(time, pattern, &hour, &minute, &second) && hour <= "23" && minute <= "59" &&
         second <= "59";
}

// Go's durations, and numbers with words such as "2 days".
bool IsDuration(std::string_view text) {
  if (ParseDuration(text)) return true;
  static const re2::RE2 pattern(
      R"((?i)(\d+)\s*(?:ns|nano|us|µs|micro|ms|milli|s\b|s[0-9]|sec|m\b|m[0-9]|min|h\b|h[0-9]|hr|hour|d\b|d[0-9]|day|w\b|wk|week))");
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

// What net/mail takes for an address, but for its rarest forms: a@b, <a@b>, Name <a@b>.
bool IsEmail(std::string_view text) {
  static const re2::RE2 pattern(
      R"re(^\s*(?:[^<>@]*<\s*)?(?:"[^"\\]*"|[\w!#$%&'*+/=?^`{|}~\-]+(?:\.[\w!#$%&'*+/=?^`{|}~\-]+)*))re"
      R"re(@[^\s@<>,()"\[\]:;\\.]+(?:\.[^\s@<>,()"\[\]:;\\.]+)*(?:\s*>)?\s*$)re");
  const bool opens = text.find('<') != std::string_view::npos;
  const bool closes = text.find('>') != std::string_view::npos;
  return opens == closes && re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

struct PatternFormat {
  std::string_view name;
  const char* pattern;
};

constexpr PatternFormat kPatternFormats[] = {
    {"bsonobjectid", "^[0-9a-fA-F]{24}$"},
    {"byte", "^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$"},
    {"hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
    {"k8slongname", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"},
    {"k8sshortname", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
    {"mac",
     "^(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}(?:(?::[0-9a-fA-F]{2}){2})?(?:(?::[0-9a-fA-F]{2}){12})?|"
     "[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){5}(?:(?:-[0-9a-fA-F]{2}){2})?|[0-9a-fA-F]{4}(?:\\.[0-9a-fA-F]{4}){2,3})$"},
    {"rgbcolor",
     "^rgb\\(\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,\\s*"
     "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*\\)$"},
    {"ssn", "^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"},
    {"uri", "^(?:/[^\\s]*|[a-zA-Z][a-zA-Z0-9+.\\-]*:[^\\s]*)$"},
    {"uuid", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid3", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"},
    {"uuid4", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
    {"uuid5", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"},
};

struct CodeFormat {
  std::string_view name;
  bool (*matches)(std::string_view text);
};

constexpr CodeFormat kCodeFormats[] = {
    {"cidr", IsCidr},
    {"creditcard", IsCreditCard},
    {"date", IsDate},
    {"datetime", IsDateTime},
    {"duration", IsDuration},
    {"email", IsEmail},
    {"hostname", IsHostname},
    {"ipv4", IsIpv4},
    {"ipv6", IsIpv6},
    {"isbn", [](std::string_view text) { return IsIsbn10(text) || IsIsbn13(text); }},
    {"isbn10", IsIsbn10},
    {"isbn13", IsIsbn13},
    {"password", [](std::string_view) { return true; }},
};

// Compiled when the program first needs one.
const re2::RE2* PatternOf(std::string_view name) {
  static const auto patterns = [] {
    std::map<std::string_view, re2::RE2> all;
    for (const PatternFormat& format : kPatternFormats) all.try_emplace(format.name, format.pattern);
    return all;
  }();
  const auto found = patterns.find(name);
  return found == patterns.end() ? nullptr : &found->second;
}

std::size_t MaxLengthOf(std::string_view format) {
  if (format == "k8sshortname") return 63;
  return format == "k8slongname" ? 253 : static_cast<std::size_t>(-1);
}

}  // namespace

std::string EffectiveFormat(std::string_view format, std::string_view type) {
  if (type == "integer") return format == "int32" || format == "int64" ? std::string(format) : "";
  if (type == "number") return format == "float" || format == "double" ? std::string(format) : "";
  if (!type.empty() && type != "string") return "";
  std::string name(format);
  std::erase(name, '-');
  const bool known = std::ranges::find(kPatternFormats, name, &PatternFormat::name) != std::end(kPatternFormats) ||
                     std::ranges::find(kCodeFormats, name, &CodeFormat::name) != std::end(kCodeFormats);
  return known ? std::string(format) : "";
}

bool HasFormat(std::string_view text, std::string_view format) {
  std::string name(format);
  std::erase(name, '-');
  const auto code = std::ranges::find(kCodeFormats, name, &CodeFormat::name);
  if (code != std::end(kCodeFormats)) return code->matches(text);
  const re2::RE2* pattern = PatternOf(name);
  if (pattern == nullptr) return true;
  if (text.size() > MaxLengthOf(name)) return false;
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
}

}  // namespace kumiko::api::internal
