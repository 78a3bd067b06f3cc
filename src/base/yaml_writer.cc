#include <algorithm>

#include "base/text.h"
#include "base/yaml.h"
#include "base/yaml_scalar.h"

namespace kumiko {
namespace {

bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0) return false;
    const char32_t point = DecodeUtf8(text.substr(0, length));
    if ((point < 0x20 && point != '\n') || (point >= 0x7F && point < 0xA0)) return false;
    // Byte order mark and the line breaks that some YAML readers know.
    if (point == 0xFEFF || point == 0x2028 || point == 0x2029 || point == 0xFFFE || point == 0xFFFF) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsPlainSafe(std::string_view text) {
  if (text.empty() || !IsPrintable(text) || text.find('\n') != text.npos) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  static constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`=<~";
  if (kIndicators.find(text.front()) != kIndicators.npos) return false;
  // Flow indicators matter only inside [ ] and { }, which are not written; quoted for people's sake all the same.
  if (text.find(": ") != text.npos || text.find(" #") != text.npos || text.find_first_of("[]{},") != text.npos) {
    return false;
  }
  if (text.starts_with("...")) return false;
  const char first = text.front();
  // Whatever some YAML version takes for a number, a time of day (1:30) or a date.
  if ((first >= '0' && first <= '9') || first == '+' || first == '.') {
    if (text.find_first_not_of("0123456789_+-.:TtZzeEoxXbBabcdfABCDF ") == text.npos) return false;
  }
  const auto resolved = ResolvePlainScalar(text);
  return resolved && resolved->is_string();
}

// Double-quoted text in JSON's escapes, which YAML shares.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(Utf8Length(text), 1);
    const std::string_view character = text.substr(0, length);
    const char c = character[0];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (Utf8Length(character) > 0 && !IsPrintable(character)) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(DecodeUtf8(character)));
    } else {
      quoted += character;
    }
    text.remove_prefix(length);
  }
  return quoted + "\"";
}

// Whether a literal block keeps the text exactly.
bool IsBlockSafe(std::string_view text) {
  if (text.find('\n') == text.npos || !IsPrintable(text)) return false;
  if (text.front() == ' ' || text.front() == '\n' || text.ends_with("\n\n")) return false;
  if (text.find(" \n") != text.npos || text.back() == ' ') return false;
  return true;
}

void WriteBlock(std::string_view text, std::size_t indent, std::string& out) {
  out += text.ends_with('\n') ? "|\n" : "|-\n";
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) out.append(indent, ' ');
    out += line;
    out += '\n';
  }
}

std::string ScalarText(const Json& value) {
  if (!value.is_string()) return WriteJson(value);
  const std::string_view text = StringAt(value, {});
  return IsPlainSafe(text) ? std::string(text) : Quote(text);
}

bool IsFilled(const Json& value) {
  const JsonObject* object = value.if_object();
  const JsonArray* list = value.if_array();
  return (object != nullptr && !object->empty()) || (list != nullptr && !list->empty());
}

// Where the first line of a node goes: on a line of its own, or behind the "- " that is already there.
enum class Begin { kOwnLine, kInPlace };

void WriteNode(const Json& value, std::size_t indent, std::string& out);

// What stands behind "key:" or "-" on the same line, and below it.
void WriteInline(const Json& value, std::size_t indent, std::string& out) {
  if (value.is_string() && IsBlockSafe(StringAt(value, {}))) {
    WriteBlock(StringAt(value, {}), indent, out);
    return;
  }
  out += ScalarText(value);
  out += '\n';
}

void WriteMap(const JsonObject& object, std::size_t indent, Begin begin, std::string& out) {
  for (const auto& [key, member] : object) {
    if (begin == Begin::kOwnLine) out.append(indent, ' ');
    begin = Begin::kOwnLine;
    const std::string_view name(key.data(), key.size());
    out += IsPlainSafe(name) ? std::string(name) : Quote(name);
    out += ':';
    if (IsFilled(member)) {
      out += '\n';
      // kubectl does not indent lists below their key.
      WriteNode(member, member.is_array() ? indent : indent + 2, out);
    } else {
      out += ' ';
      WriteInline(member, indent + 2, out);
    }
  }
}

void WriteList(const JsonArray& list, std::size_t indent, Begin begin, std::string& out) {
  for (const Json& item : list) {
    if (begin == Begin::kOwnLine) out.append(indent, ' ');
    begin = Begin::kOwnLine;
    out += "- ";
    if (const JsonObject* object = item.if_object(); object != nullptr && !object->empty()) {
      WriteMap(*object, indent + 2, Begin::kInPlace, out);
    } else if (const JsonArray* inner = item.if_array(); inner != nullptr && !inner->empty()) {
      WriteList(*inner, indent + 2, Begin::kInPlace, out);
    } else {
      WriteInline(item, indent + 2, out);
    }
  }
}

void WriteNode(const Json& value, std::size_t indent, std::string& out) {
  if (const JsonObject* object = value.if_object(); object != nullptr && !object->empty()) {
    WriteMap(*object, indent, Begin::kOwnLine, out);
  } else if (const JsonArray* list = value.if_array(); list != nullptr && !list->empty()) {
    WriteList(*list, indent, Begin::kOwnLine, out);
  } else {
    // A block at the top of a document still has to be indented.
    WriteInline(value, std::max<std::size_t>(indent, 2), out);
  }
}

}  // namespace

std::string WriteYaml(const Json& value) {
  std::string out;
  WriteNode(value, 0, out);
  return out;
}

}  // namespace kumiko
