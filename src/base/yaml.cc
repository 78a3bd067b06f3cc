#include "base/yaml.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/field_path.h"
#include "base/term.h"
#include "base/text.h"
#include "base/yaml_events.h"

namespace kumiko {
namespace {

std::string Place(std::string_view file, Position position) {
  if (position.line == 0) return std::string(file);
  return fmt::format("{}:{}:{}", file, position.line, position.column);
}

// The place of a byte, for problems found before yaml-cpp runs.
Position PositionOfByte(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_end = before.rfind('\n');
  const std::string_view line = line_end == before.npos ? before : before.substr(line_end + 1);
  const auto columns = std::count_if(line.begin(), line.end(),
                                     [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, static_cast<int>(columns) + 1};
}

Status CheckText(std::string_view text, std::string_view file) {
  if (text.size() > kMaxYamlBytes) {
    return Fail(Code::kInvalidArgument, "{}: larger than {} MiB", file, kMaxYamlBytes >> 20);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // yaml-cpp takes byte 4 for the end of the file, so these must not reach it.
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      return Fail(Code::kInvalidArgument, "{}: byte 0x{:02x} does not belong in a text file",
                  Place(file, PositionOfByte(text, i)), static_cast<unsigned>(byte));
    }
  }
  if (const auto bad = FindInvalidUtf8(text)) {
    return Fail(Code::kInvalidArgument, "{}: byte 0x{:02x} is not UTF-8; save the file as UTF-8",
                Place(file, PositionOfByte(text, *bad)), static_cast<unsigned>(static_cast<unsigned char>(text[*bad])));
  }
  return {};
}

// yaml-cpp refuses JSON's pairs of \u escapes for characters beyond 16 bits; \U says the same in two characters less.
std::string JoinSurrogates(std::string_view text) {
  std::string joined(text);
  const auto unit = [&](std::size_t at) -> std::optional<unsigned> {
    if (joined.compare(at, 2, "\\u") != 0 || at + 6 > joined.size()) return std::nullopt;
    unsigned value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char c = static_cast<char>(joined[i] | 0x20);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return value;
  };
  for (std::size_t at = joined.find('\\'); at != joined.npos; at = joined.find('\\', at)) {
    const auto high = unit(at);
    const auto low =
        high && *high >= 0xD800 && *high < 0xDC00 && at + 12 <= joined.size() ? unit(at + 6) : std::nullopt;
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      const unsigned point = 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00);
      joined.replace(at, 12, fmt::format("\\U{:08x}", point));
    }
    at += 2;
    if (at > joined.size()) break;
  }
  return joined;
}

// Refuses a document in flow style, as all JSON is, that nests too deep: yaml-cpp would read all of it first, and then
// take the outermost bracket for a key. Looks at the first document; behind a bomb nothing is read anyway.
Status CheckFlowDepth(std::string_view text, std::string_view file) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = text.find_first_of("{["); i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == '"' || (c == '\'' && std::string_view(" \t\n,:[{").find(text[i - 1]) != std::string_view::npos)) {
      // A single quote inside a plain word is part of the word.
      quote = c;
    } else if (c == '#' && std::string_view(" \t\n").find(text[i - 1]) != std::string_view::npos) {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) {
        return Fail(Code::kInvalidArgument, "{}: nested deeper than {} levels", Place(file, PositionOfByte(text, i)),
                    kMaxJsonDepth);
      }
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return {};
    }
  }
  return {};
}

// yaml-cpp starts a new document at any text behind a finished one. Only "---", or "..." before, may.
bool StartsDocument(std::string_view text, std::size_t offset) {
  if (text.substr(offset).starts_with("---")) return true;
  std::string_view before = text.substr(0, offset);
  while (!before.empty()) {
    const std::size_t line_end = before.substr(0, before.size() - 1).rfind('\n');
    const std::size_t begin = line_end == before.npos ? 0 : line_end + 1;
    const std::string_view line = Trim(before.substr(begin));
    if (!line.empty() && line[0] != '#' && line[0] != '%') return line.starts_with("...");
    before = before.substr(0, begin);
  }
  return true;
}

// yaml-cpp's words for what people get wrong most, in ours.
std::string_view InPlainWords(std::string_view message) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {YAML::ErrorMsg::END_OF_MAP, "this line is indented unlike the map that it stands in"},
      {YAML::ErrorMsg::END_OF_SEQ, "this line is indented unlike the list that it stands in"},
      {YAML::ErrorMsg::END_OF_MAP_FLOW, "the map that begins with { is not closed with }"},
      {YAML::ErrorMsg::END_OF_SEQ_FLOW, "the list that begins with [ is not closed with ]"},
      {YAML::ErrorMsg::MAP_VALUE, "a second ': ' on this line; quote the value, or indent it on a line of its own"},
      {YAML::ErrorMsg::BLOCK_ENTRY, "a list item cannot begin here; put - on a line of its own"},
      {YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends inside a quoted text"},
      {YAML::ErrorMsg::UNKNOWN_TOKEN, "this character cannot begin a value; quote the text"},
  };
  for (const auto& [theirs, ours] : kWords) {
    if (message == theirs) return ours;
  }
  return message;
}

std::string Explain(const YAML::ParserException& error, std::string_view text) {
  const std::size_t end = std::min(text.size(), static_cast<std::size_t>(std::max(0, error.mark.pos)));
  const std::size_t line_end = end == 0 ? text.npos : text.rfind('\n', end - 1);
  const std::size_t begin = line_end == text.npos ? 0 : line_end + 1;
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const std::string_view indent = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  if (indent.find('\t') != indent.npos) return error.msg + "; the line is indented with a tab, use blanks";
  return std::string(InPlainWords(error.msg));
}

}  // namespace

void SourceMap::Set(std::string path, Position position) {
  positions_.insert_or_assign(std::move(path), position);
}

Position SourceMap::At(std::string_view written) const {
  const std::string canonical = CanonicalPath(written);
  std::string_view path = canonical;
  while (true) {
    const auto found = positions_.find(path);
    if (found != positions_.end()) return found->second;
    if (path.empty()) return {};
    path = ParentPath(path);
  }
}

std::string Document::Where(std::string_view path) const {
  return Place(file, positions.At(path));
}

Result<std::vector<Document>> ParseYamlDocuments(std::string_view text, std::string_view file_name) {
  const std::string file = EscapeControls(file_name);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  KU_TRY_OK(CheckText(text, file));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  std::string content(text);
  if (first != text.npos && (text[first] == '{' || text[first] == '[')) {
    KU_TRY_OK(CheckFlowDepth(text, file));
    content = JoinSurrogates(text);
  }

  std::vector<Document> documents;
  try {
    std::istringstream stream(content);
    YAML::Parser parser(stream);
    std::size_t previous_start = content.npos;
    while (true) {
      // Small documents may use aliases freely.
      YamlTreeBuilder builder(content, std::max<std::size_t>(content.size(), 1024) * kMaxAliasExpansion);
      if (!parser.HandleNextDocument(builder)) break;
      const auto start = std::min(content.size(), static_cast<std::size_t>(std::max(0, builder.start().pos)));
      // Before a token that begins nothing, such as a lone comma, yaml-cpp yields empty documents for ever.
      if (start == previous_start) {
        return Fail(Code::kInvalidArgument, "{}: unexpected '{}'",
                    Place(file, YamlTreeBuilder::PositionOf(content, builder.start())),
                    EscapeControls(std::string_view(content).substr(start, 1)));
      }
      previous_start = start;
      if (!StartsDocument(content, start)) {
        return Fail(Code::kInvalidArgument, "{}: text behind the end of the document; begin a new one with ---",
                    Place(file, YamlTreeBuilder::PositionOf(content, builder.start())));
      }
      Json value = builder.TakeValue();
      if (value.is_null()) continue;
      documents.push_back({std::move(value), builder.TakePositions(), file});
    }
  } catch (const YAML::ParserException& error) {
    return Fail(Code::kInvalidArgument, "{}: {}", Place(file, YamlTreeBuilder::PositionOf(content, error.mark)),
                Explain(error, content));
  } catch (const std::exception& error) {
    return Fail(Code::kInternal, "{}: reading YAML: {}", file, error.what());
  }
  return documents;
}

}  // namespace kumiko
