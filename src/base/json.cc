#include "base/json.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace kumiko {
namespace {

// Builds the tree from the parser's events, because Boost's own reader keeps the last of duplicate keys silently.
class TreeBuilder {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  using Code = boost::json::error_code;
  using View = boost::json::string_view;

  explicit TreeBuilder(std::vector<DuplicateMember>* duplicates) : duplicates_(duplicates) {}

  Json Take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code& code) { return Open(JsonObject(), code); }
  bool on_object_end(std::size_t, Code& code) { return Close(code); }
  bool on_array_begin(Code& code) { return Open(JsonArray(), code); }
  bool on_array_end(std::size_t, Code& code) { return Close(code); }
  bool on_key_part(View part, std::size_t, Code&) { return Append(part); }
  bool on_key(View part, std::size_t, Code& code) {
    text_.append(part.data(), part.size());
    const JsonObject& object = open_.back().value.get_object();
    if (object.contains(text_) && duplicates_ != nullptr) {
      duplicates_->push_back({OpenPath(), object.size(), text_});
    } else if (object.contains(text_)) {
      problem_ = "duplicate key \"" + text_ + "\"";
      code = boost::json::error::exception;
      return false;
    }
    open_.back().key = std::move(text_);
    text_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Code&) { return Append(part); }
  bool on_string(View part, std::size_t, Code&) {
    text_.append(part.data(), part.size());
    Json value(text_);
    text_.clear();
    return Add(std::move(value));
  }
  // Never: the text is given whole.
  bool on_number_part(View, Code&) { return true; }
  bool on_int64(std::int64_t number, View, Code&) { return Add(number); }
  bool on_uint64(std::uint64_t number, View, Code&) { return Add(number); }
  // Boost's own number may be off in the last place, and would wander as it is written and read again.
  bool on_double(double number, View text, Code& code) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool too_large = read.ec == std::errc::result_out_of_range && std::abs(number) > 1;
    if (std::isfinite(number) && !too_large) return Add(number);
    problem_ = "number too large";
    code = boost::json::error::exponent_overflow;
    return false;
  }
  bool on_bool(bool flag, Code&) { return Add(flag); }
  bool on_null(Code&) { return Add(nullptr); }
  bool on_comment_part(View, Code&) { return true; }
  bool on_comment(View, Code&) { return true; }

 private:
  struct Level {
    Json value;
    std::string key;
  };

  // Of the innermost open object, in the form of Kubernetes' decoding errors.
  std::string OpenPath() const {
    std::string path;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) {
      if (const JsonArray* list = open_[level].value.if_array()) {
        path += fmt::format("[{}]", list->size());
      } else {
        if (!path.empty()) path += '.';
        path += open_[level].key;
      }
    }
    return path;
  }

  bool Append(View part) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = open_.back();
    if (JsonArray* list = level.value.if_array()) {
      list->push_back(std::move(value));
    } else {
      level.value.get_object()[level.key] = std::move(value);
    }
    return true;
  }
  bool Open(Json value, Code& code) {
    if (open_.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
      problem_ = fmt::format("nested deeper than {} levels", kMaxJsonDepth);
      code = boost::json::error::too_deep;
      return false;
    }
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool Close(Code&) {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  Json root_;
  std::vector<DuplicateMember>* duplicates_;  // null: a duplicate is an error
  std::vector<Level> open_;
  std::string text_;
  std::string problem_;
};

std::string Explain(const boost::json::error_code& code, std::string_view text, std::size_t offset) {
  if (code == boost::json::error::incomplete) return "the text ends in the middle of a value";
  if (code == boost::json::error::extra_data) return "text after the end of the value";
  if (code == boost::json::error::too_deep) return fmt::format("nested deeper than {} levels", kMaxJsonDepth);
  if (offset < text.size()) {
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte > 0x20 && byte < 0x7F) return fmt::format("unexpected '{}'", text[offset]);
    return fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned>(byte));
  }
  return code.message();
}

tl::unexpected<Error> FailAt(std::string_view text, std::size_t offset, std::string_view problem) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  // Columns count characters: continuation bytes of UTF-8 do not begin one.
  const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                        [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
  return Fail(Code::kInvalidArgument, "line {}, column {}: {}", line, column, problem);
}

void WritePretty(const Json& value, std::size_t depth, std::string& out) {
  const auto indent = [&](std::size_t levels) {
    out += '\n';
    out.append(levels * 2, ' ');
  };
  if (const JsonObject* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '{';
    const char* separator = "";
    for (const auto& [key, member] : *object) {
      out += separator;
      indent(depth + 1);
      AppendJsonText(key, out);
      out += ": ";
      WritePretty(member, depth + 1, out);
      separator = ",";
    }
    indent(depth);
    out += '}';
  } else if (const JsonArray* list = value.if_array(); list != nullptr && !list->empty()) {
    out += '[';
    const char* separator = "";
    for (const Json& item : *list) {
      out += separator;
      indent(depth + 1);
      WritePretty(item, depth + 1, out);
      separator = ",";
    }
    indent(depth);
    out += ']';
  } else {
    out += WriteJson(value);
  }
}

// Boost writes 0.5 as 5E-1. People and other programs expect the plain form, and a double must stay one when read
// again.
void AppendDouble(double number, std::string& out) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  // Not JSON: nan and the infinities.
  if (text.find_first_of("nN") != std::string::npos) text = "null";
  out += text;
}

// What stands after the backslash: 0 when the byte needs none, 'u' for four digits.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) escapes[byte] = 'u';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}();

void AppendInteger(auto number, std::string& out) {
  std::array<char, 24> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), written.ptr);
}

Result<Json> Parse(std::string_view text, std::vector<DuplicateMember>* duplicates) {
  try {
    boost::json::parse_options options;
    // The builder counts the levels itself, so that the bound and its message are ours.
    options.max_depth = static_cast<std::size_t>(kMaxJsonDepth) + 1;
    boost::json::basic_parser<TreeBuilder> parser(options, duplicates);
    boost::json::error_code code;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), code);
    if (!code && used < text.size()) code = boost::json::error::extra_data;
    if (code) {
      const std::string& own = parser.handler().problem();
      return FailAt(text, used, own.empty() ? Explain(code, text, used) : own);
    }
    return parser.handler().Take();
  } catch (const std::exception& error) {
    return Fail(Code::kInternal, "reading JSON: {}", error.what());
  }
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  return Parse(text, nullptr);
}

Result<JsonWithDuplicates> ParseJsonWithDuplicates(std::string_view text) {
  JsonWithDuplicates parsed;
  KU_TRY(parsed.value, Parse(text, &parsed.duplicates));
  return parsed;
}

std::string WriteJson(const Json& value) {
  std::string out;
  AppendJson(value, out);
  return out;
}

void AppendJsonText(std::string_view text, std::string& out) {
  out += '"';
  std::size_t begin = 0;  // of what is written as it is
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 0) continue;
    out.append(text, begin, i - begin);
    begin = i + 1;
    out += '\\';
    out += escape;
    if (escape == 'u') out += fmt::format("{:04x}", byte);
  }
  out.append(text, begin);
  out += '"';
}

void AppendJson(const Json& value, std::string& out) {
  switch (value.kind()) {
    case boost::json::kind::object: {
      out += '{';
      bool first = true;
      for (const auto& member : value.get_object()) {
        if (!std::exchange(first, false)) out += ',';
        AppendJsonText(member.key(), out);
        out += ':';
        AppendJson(member.value(), out);
      }
      out += '}';
      return;
    }
    case boost::json::kind::array: {
      out += '[';
      bool first = true;
      for (const Json& item : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        AppendJson(item, out);
      }
      out += ']';
      return;
    }
    case boost::json::kind::double_:
      AppendDouble(value.get_double(), out);
      return;
    case boost::json::kind::string:
      AppendJsonText(value.get_string(), out);
      return;
    case boost::json::kind::int64:
      AppendInteger(value.get_int64(), out);
      return;
    case boost::json::kind::uint64:
      AppendInteger(value.get_uint64(), out);
      return;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::null:
      out += "null";
      return;
  }
}

std::string WriteJsonPretty(const Json& value) {
  std::string out;
  WritePretty(value, 0, out);
  return out;
}

const Json* Find(const Json& value, std::string_view key) {
  const JsonObject* object = value.if_object();
  if (object == nullptr) return nullptr;
  return object->if_contains(key);
}

const Json* FindPath(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* place = &value;
  for (const std::string_view key : path) {
    place = Find(*place, key);
    if (place == nullptr) return nullptr;
  }
  return place;
}

std::string_view StringAt(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* place = FindPath(value, path);
  if (place == nullptr || !place->is_string()) return {};
  const auto& text = place->get_string();
  return {text.data(), text.size()};
}

std::string_view JsonTypeName(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::object:
      return "map";
    case boost::json::kind::array:
      return "list";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::null:
      return "null";
  }
  return "null";
}

}  // namespace kumiko
