#include "api/core/pod_dump.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "api/patch/go_text.h"
#include "base/check.h"
#include "base/compression.h"
#include "base/text.h"

namespace kumiko::api {

namespace internal {
std::string_view CompressedPodStructs();  // written by embed_compressed.cmake
}

namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

struct Member {
  std::string_view go_name;
  std::string_view name;
  std::string_view type;
};

// data/pod-structs.txt.
class Structs {
 public:
  Structs() {
    Result<std::string> text = Decompress(internal::CompressedPodStructs(), kMaxBytes);
    KU_CHECK(text.has_value()) << text.error().message;
    text_ = std::move(*text);
    for (const std::string_view line : Split(text_, '\n')) {
      const std::vector<std::string_view> words = Split(line, ' ');
      if (words.size() < 2) continue;
      std::vector<Member>& members = structs_[words[0]];
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const std::size_t colon = words[i].find(':');
        members.push_back(
            {words[i].substr(0, equals), words[i].substr(equals + 1, colon - equals - 1), words[i].substr(colon + 1)});
      }
    }
  }

  Json InGo(std::string_view type, const Json* value) const {
    const bool absent = value == nullptr || value->is_null();
    if (type.starts_with('*')) return absent ? Json(nullptr) : InGo(type.substr(1), value);
    if (type.starts_with("[]")) {
      if (absent || !value->is_array() || value->get_array().empty()) return nullptr;
      JsonArray items;
      for (const Json& item : value->get_array()) items.push_back(InGo(type.substr(2), &item));
      return items;
    }
    if (type == "map") return absent ? Json(nullptr) : Sorted(*value);
    if (const auto found = structs_.find(type); found != structs_.end()) {
      JsonObject object;
      for (const Member& member : found->second) {
        object[member.go_name] = InGo(member.type, absent ? nullptr : Find(*value, member.name));
      }
      return object;
    }
    if (!absent) return *value;
    if (type == "string") return "";
    return type == "bool" ? Json(false) : Json(0);
  }

 private:
  static Json Sorted(const Json& map) {
    if (!map.is_object()) return map;
    std::map<std::string_view, const Json*> members;
    for (const auto& member : map.get_object()) members.emplace(member.key(), &member.value());
    JsonObject sorted;
    for (const auto& [name, value] : members) sorted[name] = *value;
    return sorted;
  }

  std::string text_;
  std::map<std::string_view, std::vector<Member>> structs_;
};

const Structs& AllStructs() {
  static const Structs structs;
  return structs;
}

// As json.MarshalIndent writes it, with one blank a level.
void WriteIndented(const Json& value, std::size_t depth, std::string& text) {
  const auto line = [&](std::size_t at) {
    text += '\n';
    text.append(at, ' ');
  };
  if (value.is_object() && !value.get_object().empty()) {
    char before = '{';
    for (const auto& member : value.get_object()) {
      text += before;
      before = ',';
      line(depth + 1);
      text += GoJson(Json(member.key())) + ": ";
      WriteIndented(member.value(), depth + 1, text);
    }
    line(depth);
    text += '}';
  } else if (value.is_array() && !value.get_array().empty()) {
    char before = '[';
    for (const Json& item : value.get_array()) {
      text += before;
      before = ',';
      line(depth + 1);
      WriteIndented(item, depth + 1, text);
    }
    line(depth);
    text += ']';
  } else {
    text += GoJson(value);
  }
}

using Lines = std::vector<std::string_view>;

// Lines [a_begin, a_end) of the old text become [b_begin, b_end) of the new one.
struct Edit {
  std::size_t a_begin, a_end, b_begin, b_end;
};

// By the longest common subsequence of what is left between the lines that both begin and end with.
std::vector<Edit> EditsOf(const Lines& a, const Lines& b) {
  constexpr std::size_t kMostCells = 4'000'000;
  std::size_t first = 0;
  while (first < a.size() && first < b.size() && a[first] == b[first]) ++first;
  std::size_t a_end = a.size();
  std::size_t b_end = b.size();
  while (a_end > first && b_end > first && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;
  const std::size_t rows = a_end - first;
  const std::size_t columns = b_end - first;
  if (rows == 0 && columns == 0) return {};
  if (rows * columns > kMostCells) return {{first, a_end, first, b_end}};
  std::vector<std::vector<std::uint32_t>> common(rows + 1, std::vector<std::uint32_t>(columns + 1));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i][j] =
          a[first + i] == b[first + j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Edit> edits;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[first + i] == b[first + j]) {
      ++i, ++j;
      continue;
    }
    const bool takes = j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1]);
    const std::size_t at_a = first + i;
    const std::size_t at_b = first + j;
    if (edits.empty() || edits.back().a_end != at_a || edits.back().b_end != at_b) {
      edits.push_back({at_a, at_a, at_b, at_b});
    }
    ++(takes ? edits.back().a_end : edits.back().b_end);
    ++(takes ? i : j);
  }
  return edits;
}

std::string RangeText(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return std::to_string(begin + 1);
  return fmt::format("{},{}", begin + (end == begin ? 0 : 1), end - begin);
}

constexpr std::size_t kContext = 3;

// The changes from `from` up to `to`, with the lines around them, as one hunk.
void WriteHunk(const Lines& a, const Lines& b, std::span<const Edit> edits, std::string& text) {
  const std::size_t before = std::min({kContext, edits.front().a_begin, edits.front().b_begin});
  const std::size_t after = std::min({kContext, a.size() - edits.back().a_end, b.size() - edits.back().b_end});
  text += fmt::format("@@ -{} +{} @@\n", RangeText(edits.front().a_begin - before, edits.back().a_end + after),
                      RangeText(edits.front().b_begin - before, edits.back().b_end + after));
  const auto write = [&](char sign, const Lines& lines, std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) text += fmt::format("{}{}\n", sign, lines[at]);
  };
  std::size_t at = edits.front().a_begin - before;
  for (const Edit& edit : edits) {
    write(' ', a, at, edit.a_begin);
    write('-', a, edit.a_begin, edit.a_end);
    write('+', b, edit.b_begin, edit.b_end);
    at = edit.a_end;
  }
  write(' ', a, at, at + after);
}

}  // namespace

Json PodSpecInGo(const Json& spec) {
  return AllStructs().InGo("PodSpec", &spec);
}

Json PodTemplateInGo(const Json& pod_template) {
  JsonObject object;
  if (const Json* metadata = Find(pod_template, "metadata"); metadata != nullptr && metadata->is_object()) {
    for (const std::string_view name : {"name", "generateName", "namespace", "labels", "annotations", "finalizers"}) {
      const Json* member = Find(*metadata, name);
      if (member == nullptr || member->is_null()) continue;
      object[name] = member->is_object() ? ParseJson(GoJson(*member)).value_or(*member) : *member;
    }
  }
  object["Spec"] = AllStructs().InGo("PodSpec", Find(pod_template, "spec"));
  return object;
}

std::string DiffInGo(const Json& before, const Json& after) {
  std::string old_text;
  std::string new_text;
  WriteIndented(before, 0, old_text);
  WriteIndented(after, 0, new_text);
  const Lines a = Split(old_text, '\n');
  const Lines b = Split(new_text, '\n');
  const std::vector<Edit> edits = EditsOf(a, b);
  std::string text;
  for (std::size_t begin = 0; begin < edits.size();) {
    std::size_t end = begin + 1;
    while (end < edits.size() && edits[end].a_begin - edits[end - 1].a_end <= 2 * kContext) ++end;
    WriteHunk(a, b, std::span(edits).subspan(begin, end - begin), text);
    begin = end;
  }
  return text;
}

}  // namespace kumiko::api
