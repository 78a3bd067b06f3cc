#include "cel/library/named_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cel/library/url.h"
#include "cel/run_context.h"
#include "cel/utf8.h"

namespace kumiko::cel {
namespace {

using Mistakes = std::vector<std::string>;

// ---- Names of DNS and labels

constexpr std::size_t kLabelBytes = 63;
constexpr std::size_t kSubdomainBytes = 253;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsLowerOrDigit(char c) {
  return IsLower(c) || IsDigit(c);
}
bool IsAlphanumeric(char c) {
  return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsLabelName(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr std::string_view kDnsLabelMistake =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kDnsSubdomainMistake =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kDns1035LabelMistake =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kLabelNameMistake =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueMistake =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

// Kubernetes says "characters" of DNS names and "bytes" of labels; both mean bytes.
std::string TooLong(std::size_t most, std::string_view unit) {
  return fmt::format("must be no more than {} {}", most, unit);
}

Mistakes CheckDnsLabel(std::string_view text) {
  Mistakes mistakes;
  if (text.size() > kLabelBytes) mistakes.push_back(TooLong(kLabelBytes, "characters"));
  if (IsDnsLabel(text)) return mistakes;
  mistakes.emplace_back(IsDnsSubdomain(text) ? "must not contain dots" : kDnsLabelMistake);
  return mistakes;
}

Mistakes CheckDnsSubdomain(std::string_view text) {
  Mistakes mistakes;
  if (text.size() > kSubdomainBytes) mistakes.push_back(TooLong(kSubdomainBytes, "characters"));
  if (!IsDnsSubdomain(text)) mistakes.emplace_back(kDnsSubdomainMistake);
  return mistakes;
}

Mistakes CheckDns1035Label(std::string_view text) {
  Mistakes mistakes;
  if (text.size() > kLabelBytes) mistakes.push_back(TooLong(kLabelBytes, "characters"));
  if (!IsDnsLabel(text) || !IsLower(text[0])) mistakes.emplace_back(kDns1035LabelMistake);
  return mistakes;
}

// A name that something will be appended to may end in a dash. With it goes the character before it, as in Kubernetes.
template <Mistakes (*check)(std::string_view)>
Mistakes CheckPrefix(std::string_view text) {
  if (text.size() < 2 || !text.ends_with('-')) return check(text);
  return check(std::string(text.substr(0, text.size() - 2)) + "a");
}

Mistakes CheckQualifiedName(std::string_view text) {
  Mistakes mistakes;
  const std::size_t slash = text.find('/');
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      mistakes.push_back(
          fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                      kLabelNameMistake));
      return mistakes;
    }
    if (prefix.empty()) {
      mistakes.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kSubdomainBytes) mistakes.push_back("prefix part " + TooLong(kSubdomainBytes, "bytes"));
      if (!IsDnsSubdomain(prefix)) mistakes.push_back(fmt::format("prefix part {}", kDnsSubdomainMistake));
    }
  }
  if (name.empty()) mistakes.emplace_back("name part must be non-empty");
  if (name.size() > kLabelBytes) mistakes.push_back("name part " + TooLong(kLabelBytes, "bytes"));
  if (!IsLabelName(name)) mistakes.push_back(fmt::format("name part {}", kLabelNameMistake));
  return mistakes;
}

Mistakes CheckLabelValue(std::string_view text) {
  Mistakes mistakes;
  if (text.size() > kLabelBytes) mistakes.push_back(TooLong(kLabelBytes, "bytes"));
  if (!text.empty() && !IsLabelName(text)) mistakes.emplace_back(kLabelValueMistake);
  return mistakes;
}

// ---- Formats of OpenAPI

Mistakes Unless(bool good, std::string_view mistake) {
  return good ? Mistakes{} : Mistakes{std::string(mistake)};
}

Mistakes CheckUri(std::string_view text) {
  auto mistake = UrlMistake(text);
  return mistake ? Mistakes{*std::move(mistake)} : Mistakes{};
}

// 32 hexadecimal digits; each of the four dashes may be missing.
bool IsUuid(std::string_view text) {
  for (const std::size_t group : {8U, 4U, 4U, 4U, 12U}) {
    if (group != 8 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < group) return false;
    const bool hexadecimal = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(group), [](char c) {
      return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (!hexadecimal) return false;
    text.remove_prefix(group);
  }
  return text.empty();
}

Mistakes CheckUuid(std::string_view text) {
  return Unless(IsUuid(text), "does not match the UUID format");
}

// Base64, not empty.
bool IsByteText(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  return std::all_of(text.begin(), text.end() - static_cast<std::ptrdiff_t>(padding),
                     [](char c) { return IsAlphanumeric(c) || c == '+' || c == '/'; });
}

Mistakes CheckByte(std::string_view text) {
  return Unless(IsByteText(text), "invalid base64");
}

// `pattern` has a '0' for every digit; other characters stand for themselves.
bool Matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char expected) { return expected == '0' ? IsDigit(c) : c == expected; });
}

int TwoDigits(std::string_view text, std::size_t at) {
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool IsDate(std::string_view text) {
  if (!Matches(text, "0000-00-00")) return false;
  const int year = TwoDigits(text, 0) * 100 + TwoDigits(text, 2);
  const int month = TwoDigits(text, 5);
  const int day = TwoDigits(text, 8);
  if (month < 1 || month > 12) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const bool short_month = month == 4 || month == 6 || month == 9 || month == 11;
  const int days = month == 2 ? (leap ? 29 : 28) : (short_month ? 30 : 31);
  return day >= 1 && day <= days;
}

Mistakes CheckDate(std::string_view text) {
  return Unless(IsDate(text), "invalid date");
}

bool IsZone(std::string_view text) {
  return text == "z" || text == "Z" || Matches(text, "+00:00") || Matches(text, "-00:00");
}

// One character of any kind but a line break, and digits.
std::string_view WithoutFraction(std::string_view text) {
  if (text.empty() || text[0] == '\n') return text;
  text.remove_prefix(CodePointLength(text, 0));
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  return end == 0 ? std::string_view() : text.substr(end);
}

// RFC 3339 without leap seconds. As in Kubernetes whatever follows a second T is not looked at.
bool IsDateTime(std::string_view text) {
  const std::size_t date_end = text.find_first_of("tT");
  if (date_end == std::string_view::npos || !IsDate(text.substr(0, date_end))) return false;
  text.remove_prefix(date_end + 1);
  text = text.substr(0, text.find_first_of("tT"));
  const std::string_view clock = text.substr(0, 8);
  if (!Matches(clock, "00:00:00")) return false;
  if (TwoDigits(clock, 0) > 23 || TwoDigits(clock, 3) > 59 || TwoDigits(clock, 6) > 59) return false;
  const std::string_view rest = text.substr(clock.size());
  return IsZone(rest) || IsZone(WithoutFraction(rest));
}

Mistakes CheckDateTime(std::string_view text) {
  return Unless(IsDateTime(text), "invalid datetime");
}

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, CheckDnsLabel},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, CheckDnsSubdomain},
    {"dns1035Label", "DNS1035Label", 30, CheckDns1035Label},
    {"qualifiedName", "QualifiedName", 60, CheckQualifiedName},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30, CheckPrefix<CheckDnsLabel>},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, CheckPrefix<CheckDnsSubdomain>},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30, CheckPrefix<CheckDns1035Label>},
    {"labelValue", "LabelValue", 40, CheckLabelValue},
    {"uri", "URI", 1103, CheckUri},
    {"uuid", "uuid", 70, CheckUuid},
    {"byte", "byte", 84, CheckByte},
    {"date", "date", 71, CheckDate},
    {"datetime", "datetime", 71, CheckDateTime},
};

// ---- Functions

template <std::size_t i>
Value Format(RunContext&, std::span<const Value>) {
  return Value::Of(&kFormats[i]);
}

Value Named(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kString) return NoSuchOverload();
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [key = args[0].view()](const NamedFormat& format) { return format.key == key; });
  if (found == std::end(kFormats)) return Value::Optional(nullptr);
  return Value::Optional(run.arena.Box(Value::Of(found)));
}

Value Validate(RunContext& run, std::span<const Value> args) {
  if (args[0].kind != ValueKind::kNamedFormat || args[1].kind != ValueKind::kString) return NoSuchOverload();
  const Mistakes mistakes = args[0].format->validate(args[1].view());
  if (mistakes.empty()) return Value::Optional(nullptr);
  Value* items = run.arena.Values(mistakes.size());
  for (std::size_t i = 0; i < mistakes.size(); ++i) items[i] = Value::String(run.arena.Text(mistakes[i]));
  return Value::Optional(run.arena.Box(Value::List(items, mistakes.size())));
}

constexpr Overload kOverloads[] = {
    Global("format.dns1123Label", Format<0>, CostRule::kUnit, &kNamedFormatType),
    Global("format.dns1123Subdomain", Format<1>, CostRule::kUnit, &kNamedFormatType),
    Global("format.dns1035Label", Format<2>, CostRule::kUnit, &kNamedFormatType),
    Global("format.qualifiedName", Format<3>, CostRule::kUnit, &kNamedFormatType),
    Global("format.dns1123LabelPrefix", Format<4>, CostRule::kUnit, &kNamedFormatType),
    Global("format.dns1123SubdomainPrefix", Format<5>, CostRule::kUnit, &kNamedFormatType),
    Global("format.dns1035LabelPrefix", Format<6>, CostRule::kUnit, &kNamedFormatType),
    Global("format.labelValue", Format<7>, CostRule::kUnit, &kNamedFormatType),
    Global("format.uri", Format<8>, CostRule::kUnit, &kNamedFormatType),
    Global("format.uuid", Format<9>, CostRule::kUnit, &kNamedFormatType),
    Global("format.byte", Format<10>, CostRule::kUnit, &kNamedFormatType),
    Global("format.date", Format<11>, CostRule::kUnit, &kNamedFormatType),
    Global("format.datetime", Format<12>, CostRule::kUnit, &kNamedFormatType),
    Global("format.named", Named, CostRule::kAccessor, &kOptionalOfNamedFormat, 1, &kStringType),
    Member("validate", Validate, CostRule::kValidate, &kOptionalOfListOfString, 2, &kNamedFormatType, &kStringType),
};

}  // namespace

std::span<const Overload> NamedFormatsOverloads() {
  return kOverloads;
}

}  // namespace kumiko::cel
