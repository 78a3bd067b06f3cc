#include "api/patch/go_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace kumiko::api {
namespace {

// Characters beyond ASCII that Go's strconv does not print as they are, as far as people meet them: controls, blanks
// other than U+0020, invisible formatting, surrogates and private use.
bool IsPrinted(char32_t point) {
  if (point < 0x20 || (point >= 0x7F && point <= 0xA0) || point == 0xAD) return false;
  if (point == 0x1680 || (point >= 0x2000 && point <= 0x200F) || (point >= 0x2028 && point <= 0x202F)) return false;
  if ((point >= 0x205F && point <= 0x206F) || point == 0x3000 || point == 0xFEFF) return false;
  return (point < 0xD800 || point > 0xF8FF) && point < 0xF0000;
}

void AppendEscaped(char32_t point, std::string_view character, std::string& out) {
  switch (point) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\a':
      out += "\\a";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\v':
      out += "\\v";
      return;
    default:
      break;
  }
  const auto number = static_cast<std::uint32_t>(point);
  if (IsPrinted(point)) {
    out += character;
  } else if (number < 0x80) {
    out += fmt::format("\\x{:02x}", number);
  } else if (number < 0x10000) {
    out += fmt::format("\\u{:04x}", number);
  } else {
    out += fmt::format("\\U{:08x}", number);
  }
}

std::vector<std::string_view> SortedNames(const JsonObject& members) {
  std::vector<std::string_view> names;
  for (const auto& member : members) names.push_back(member.key());
  std::sort(names.begin(), names.end());
  return names;
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::string_view rest = text.substr(at);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[at];
    } else if (byte == '\n' || byte == '\r' || byte == '\t' || byte == '\b' || byte == '\f') {
      out += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : byte == '\t' ? "\\t" : byte == '\b' ? "\\b" : "\\f";
    } else if (byte < 0x20 || byte == '<' || byte == '>' || byte == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      out += text[at];
    }
  }
  out += '"';
}

// Exponents from 1e21 on and below 1e-6, and there without a leading zero.
std::string JsonNumber(double number) {
  if (number != 0 && (std::abs(number) < 1e-6 || std::abs(number) >= 1e21)) {
    std::string text = GoNumber(number);
    if (const std::size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    return text;
  }
  char buffer[400];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
  return std::string(buffer, result.ptr);
}

}  // namespace

std::string GoQuoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
      text.remove_prefix(1);
      continue;
    }
    AppendEscaped(DecodeUtf8(text.substr(0, length)), text.substr(0, length), out);
    text.remove_prefix(length);
  }
  return out + "\"";
}

tl::expected<std::int64_t, std::string> GoAtoi(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return tl::unexpected<std::string>(fmt::format("strconv.Atoi: parsing {}: {}", GoQuoted(text), why));
  };
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.data() != text.data() && digits.starts_with('-')) return fail("invalid syntax");
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return fail("invalid syntax");
  if (error == std::errc::result_out_of_range) return fail("value out of range");
  return number;
}

std::string_view GoTypeName(const Json& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_null()) return "%!s(<nil>)";
  return value.is_int64() ? "int64" : "float64";
}

std::string GoNumber(const Json& number) {
  if (const std::int64_t* whole = number.if_int64()) return std::to_string(*whole);
  if (const std::uint64_t* whole = number.if_uint64()) return fmt::format("{:g}", static_cast<double>(*whole));
  const double value = number.get_double();
  // The shortest digits, and an exponent from 1e21 on.
  const bool exponent = value != 0 && (std::abs(value) < 1e-4 || std::abs(value) >= 1e21);
  char buffer[400];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return std::string(buffer, result.ptr);
}

std::string GoValue(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_string()) return std::string(value.get_string());
  if (const JsonArray* items = value.if_array()) {
    std::string out;
    for (const Json& item : *items) out += (&item == items->data() ? "" : " ") + GoValue(item);
    return "[" + out + "]";
  }
  if (const JsonObject* members = value.if_object()) {
    std::string out = "map[";
    for (const std::string_view name : SortedNames(*members)) {
      if (out.size() > 4) out += ' ';
      out += fmt::format("{}:{}", name, GoValue(members->at(name)));
    }
    return out + "]";
  }
  return GoNumber(value);
}

std::string GoSyntax(const Json& value) {
  if (value.is_null()) return "interface {}(nil)";
  if (value.is_string()) return GoQuoted(value.get_string());
  if (const JsonArray* items = value.if_array()) {
    std::string out;
    for (const Json& item : *items) out += (out.empty() ? "" : ", ") + GoSyntax(item);
    return "[]interface {}{" + out + "}";
  }
  if (const JsonObject* members = value.if_object()) {
    std::string out;
    for (const std::string_view name : SortedNames(*members)) {
      out += fmt::format("{}{}:{}", out.empty() ? "" : ", ", GoQuoted(name), GoSyntax(members->at(name)));
    }
    return "map[string]interface {}{" + out + "}";
  }
  return GoValue(value);
}

std::string GoJson(const Json& value) {
  std::string out;
  if (value.is_string()) {
    AppendJsonString(value.get_string(), out);
    return out;
  }
  if (value.is_double()) return JsonNumber(value.get_double());
  if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) out += (out.empty() ? "" : ",") + GoJson(item);
    return "[" + out + "]";
  }
  if (const JsonObject* members = value.if_object()) {
    for (const std::string_view name : SortedNames(*members)) {
      if (!out.empty()) out += ',';
      AppendJsonString(name, out);
      out += ':';
      out += GoJson(members->at(name));
    }
    return "{" + out + "}";
  }
  return WriteJson(value);
}

}  // namespace kumiko::api
